"""The documentation site: it builds without a broken link, and its examples work."""

import doctest
import shutil
import sys
from pathlib import Path

import pytest

from tests.helpers.places import ROOT
from tests.helpers.programs import finished

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("reports/*.md"))]
WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.thorough
def test_the_site_builds_without_broken_links(tmp_path: Path) -> None:
    """Sphinx treats a link to a missing page, heading or reference as an error here."""
    copy, site = tmp_path / "copy", tmp_path / "site"
    shutil.copytree(DOCS, copy / "docs")  # pages of rulebooks are written there
    for path in ROOT.iterdir():
        if path.name not in ("docs", "build"):
            (copy / path.name).symlink_to(path)
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    result = finished(*build, str(copy / "docs"), str(site))
    assert result.returncode == 0, result.stderr
    for page in ("index", "tutorial", "glossary", "reference/play", "rulebooks/index"):
        assert (site / f"{page}.html").exists()


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_on_the_pages_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the tutorial writes a file
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 2
    assert result.failed == 0
