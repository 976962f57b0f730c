"""Sweeps: their settings, their table in every form, and the command as people use it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from redouble.contract.registry import GAMES
from redouble.kernel.errors import MissingExtra, RedoubleError
from redouble.lab import study
from redouble.lab.shards import Threads
from redouble.lab.studies.page import sweep_page, sweep_rows
from redouble.lab.studies.plan import Axis, StudyError, StudyPlan, setting
from redouble.lab.studies.stored import StoredSweep
from redouble.lab.studies.sweep import StudyTable, read_axis, sweep, sweep_plans
from tests.helpers.command import Run
from tests.helpers.interrupting import CtrlC
from tests.helpers.known import known

GAME = GAMES["three-up"]
PLAN = StudyPlan((setting(GAME, 2, {"play-on": True}, "random"),), 60, "sweep", None)


@pytest.fixture(scope="module")
def table() -> StudyTable:
    return sweep(PLAN, [Axis("seats", (2, 3)), Axis("stall", (20, 100))], Threads(1))


def test_the_last_axis_changes_fastest_and_the_rest_stays(table: StudyTable) -> None:
    settings = [portrait.setting for portrait in table.portraits]
    found = [(one.seats, one.options["stall"]) for one in settings]
    assert found == [(2, 20), (2, 100), (3, 20), (3, 100)]
    assert list(zip(table.values("seats"), table.values("stall"), strict=True)) == found
    assert all(one.options["play-on"] for one in settings)
    assert not table.stopped


def test_each_row_is_the_study_of_its_setting(table: StudyTable) -> None:
    alone = study(GAME, 3, {"play-on": True, "stall": 20}, skill="none", games=60, seed="sweep")
    assert alone.findings[0].to_dict() == table.findings[2].to_dict()


def test_columns_and_frames_hold_every_figure(table: StudyTable) -> None:
    columns = table.columns()
    assert all(column.shape == (4,) for column in columns.values())
    assert columns["seats"].tolist() == [2, 2, 3, 3]
    assert np.isnan(columns["seat 3 wins"]).tolist() == [True, True, False, False]
    moves = known(table.portraits[3].figure("moves"))
    row = (columns["moves"][3], columns["moves low"][3], columns["moves high"][3])
    assert row == (moves.mean, moves.low, moves.high)
    frame = table.frame()
    assert list(frame.columns) == list(columns)
    assert frame.groupby("seats")["moves"].mean().shape == (2,)


def test_a_frame_without_its_library_says_what_to_install(
    table: StudyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pandas.*'redouble\[lab\]"):
        table.frame()


def test_the_file_holds_all_studies(table: StudyTable) -> None:
    text = json.dumps(table.to_dict())
    assert StoredSweep.parse(text).to_dict() == table.to_dict()
    fewer = json.loads(text)
    fewer["studies"].pop()
    with pytest.raises(StudyError, match="3 studies for 4 combinations"):
        StoredSweep.parse(json.dumps(fewer))
    with pytest.raises(StudyError, match="these aren't the findings of a sweep"):
        StoredSweep.parse(json.dumps(table.findings[0].to_dict()))


def test_a_stopped_sweep_keeps_what_was_played() -> None:
    large = StudyPlan(PLAN.settings, 10**7, "", None)

    found = sweep(large, [Axis("stall", (20, 100))], Threads(1), CtrlC())
    assert found.stopped
    assert len(found.findings) == 1
    assert found.values("stall") == (20,)
    assert StoredSweep.parse(json.dumps(found.to_dict())).stopped
    assert "Stopped early, in setting 1 of 2." in sweep_page(found).summary


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("stall=20,50", (20, 50)),
        ("seats=2..4,6", (2, 3, 4, 6)),
        ("bots=club,novice", ("club", "novice")),
        ("play-on", (False, True)),
        ("play-on=no,yes", (False, True)),
    ],
)
def test_an_axis_is_read(text: str, values: tuple[object, ...]) -> None:
    assert read_axis(GAME, text) == Axis(text.partition("=")[0], values)


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["stall"], "--sweep cannot be 'stall': give NAME=VALUE,VALUE or NAME=FIRST..LAST"),
        (["stall=1,1"], "stall has a value twice: give each once"),
        (["stall=1", "stall=2"], "a name is swept twice: sweep each once"),
        (["seats=2..99999999"], "a sweep cannot go from 2 to 99999999"),
        (["seats=5..2"], "a sweep cannot go from 5 to 2"),
        (["seats=two"], "--sweep seats cannot be 'two': give whole numbers"),
        (["seats=1,2"], "3UP 3DOWN is for 2 to 12 players, not 1"),
        (["stall=0..100", "seats=2..5"], "a sweep needs 1 to 200 combinations"),
        (["bots=hal"], "there is no bot 'hal'"),
        (["rules=1"], "there is no option 'rules'"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_is_played(
    texts: list[str], reason: str
) -> None:
    with pytest.raises(RedoubleError, match=reason):
        sweep_plans(PLAN, [read_axis(GAME, text) for text in texts])


def test_the_command_prints_a_row_for_each_setting_and_writes_both_files(
    run: Run, tmp_path: Path
) -> None:
    data, report = tmp_path / "sweep.json", tmp_path / "sweep.html"
    command = ["study", "three-up", "--sweep", "stall=20,50", "--sweep", "bots=novice,club"]
    files = ["--json", str(data), "--report", str(report)]
    code, out, err = run(*command, "--games", "40", *files)
    assert not code
    assert f"Written: {data}" in err
    lines = out.splitlines()
    assert lines[:2] == [
        "3UP 3DOWN",
        "4 seats, otherwise the standard rules. 40 games in each setting; seed 'study'."
        " \N{PLUS-MINUS SIGN} marks half the width of the 95% interval.",
    ]
    assert lines[3].split()[:3] == ["stall", "bots", "moves"]
    assert [line.split()[:2] for line in lines[4:]] == [
        ["20", "novice"],
        ["20", "club"],
        ["50", "novice"],
        ["50", "club"],
    ]
    assert len(StoredSweep.parse(data.read_text(encoding="utf-8")).studies) == 4
    html = report.read_text(encoding="utf-8")
    assert "3UP 3DOWN by stall and bots" in html
    assert html.count("<svg") == html.count("a line for each bots.</figcaption>")


def test_a_narrow_table_has_no_intervals(table: StudyTable) -> None:
    assert any("\N{PLUS-MINUS SIGN}" in cell for row in sweep_rows(table) for cell in row)
    short = sweep_rows(table, intervals=False)
    assert not any("\N{PLUS-MINUS SIGN}" in cell for row in short for cell in row)
