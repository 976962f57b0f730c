"""Reports: a self-contained page in which all text is escaped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from redouble.kernel.errors import InputError, RedoubleError
from redouble.kernel.files import check_writable
from redouble.lab.report import Report, new_plot
from tests.helpers.reading import Reader

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure() -> Figure:
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6, 3))
    axes = drawn.subplots()
    axes.plot([1, 2, 3], [3, 1, 2], label="a line")
    axes.legend()
    return drawn


def whole() -> Report:
    report = Report("Bots & <others>", "What <b>came</b> out")
    report.heading("First <i>")
    report.paragraph("1 < 2 & 3")
    report.table(["bot <1>", "share", "n"], [["a<b", "50.0 ± 1%", 3], ["c", "1.0", 4.5]], "cap <")
    report.plot(figure(), 'A "plot" <x>')
    report.plot(figure(), "Another")
    return report


def test_a_page_is_well_formed_and_loads_nothing() -> None:
    page = whole().html()
    read = Reader(page)
    assert read.addresses == ["data:,"]
    assert "<script" not in page
    assert "@import" not in page
    assert "url(http" not in page
    assert len(read.ids) == len(set(read.ids))
    assert set(read.references) <= set(read.ids)


def test_every_text_is_escaped() -> None:
    page = whole().html()
    for text in ("<others>", "<b>", "<i>", "<1>", "a<b", "cap <<", "<x>"):
        assert text not in page
    for text in ("Bots &amp; &lt;others&gt;", "1 &lt; 2 &amp; 3", "a&lt;b", "A &#34;plot&#34;"):
        assert text in page


def test_plots_follow_the_page_and_are_the_same_every_time() -> None:
    page = whole().html()
    assert page == whole().html()
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 2
    for drawing in drawings:
        assert "<style" not in drawing
        assert "<metadata" not in drawing
        assert "#000000" not in drawing
        assert "#1f77b4" not in drawing
        assert "var(--ink)" in drawing
        assert "var(--c0)" in drawing
    assert page.count('role="img"') == 2


def test_plots_beside_each_other_share_a_frame() -> None:
    report = Report("t", "s")
    for _ in range(2):
        report.plot(figure(), "One")
    report.paragraph("Between")
    report.plot(figure(), "Alone")
    page = report.html()
    Reader(page)  # what is opened is closed
    assert page.count('<div class="plots">') == 2
    assert page.count("<figure>") == 3


def test_a_plot_is_as_wide_as_a_phone_can_show() -> None:
    """Letters of ten points are drawn no smaller than nine pixels where 340 are left for a plot."""
    report = Report("t", "s")
    report.plot(new_plot(2), "p")
    widths = re.findall(r'<svg[^>]* width="([\d.]+)pt"', report.html())
    assert len(widths) == 1
    assert 10 * 340 / float(widths[0]) >= 9
    assert "min-width" not in report.html().split("figure svg {")[1].split("}")[0]


def test_columns_of_numbers_are_right_aligned() -> None:
    page = whole().html()
    assert '<th scope="col" class="number">share</th>' in page
    assert '<th scope="col">bot &lt;1&gt;</th>' in page
    report = Report("t", "s")
    report.table(["a", "b"], [["1 (0-2) %", "x1"], ["", "2"], ["\N{EN DASH}", "3"]])
    assert report.html().count('class="number"') == 4


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="a row has 1 cells: give 2, one under each head"):
        Report("t", "s").table(["a", "b"], [["1"]])


def test_a_report_is_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    whole().write(path)
    assert path.read_text(encoding="utf-8") == whole().html()


def test_an_unwritable_report_is_refused_in_advance(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.html")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RedoubleError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(RedoubleError, match="there is no folder"):
        check_writable(tmp_path / "no" / "new.html")
    with pytest.raises(RedoubleError, match="there is no folder"):
        Report("t", "s").write(tmp_path / "no" / "new.html")


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redouble.kernel.files.os.access", lambda path, mode: False)  # root may all
    with pytest.raises(RedoubleError, match="permission denied"):
        check_writable(tmp_path / "new.html")
