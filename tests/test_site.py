"""The documentation site: it builds without a broken link, and its examples work."""

import doctest
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from redouble.commands.command_line import app
from tests.helpers.cases import case
from tests.helpers.places import ROOT
from tests.helpers.programs import finished

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("reports/*.md"))]
BEFORE_COMMAND = re.compile(r"^(\$ |time |[A-Z_]+=\S+ )*")
"""The shell's prompt, and variables that are set for one command."""
WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


def commands() -> list[str]:
    """Every ``redouble`` command line that stands in a block of code, lines joined."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            lines = block.replace("\\\n", " ").splitlines()
            found += [BEFORE_COMMAND.sub("", line).partition(" #")[0] for line in lines]
    started = [line for line in found if line.split()[:1] in (["redouble"], ["scripts/play"])]
    return sorted(set(started))


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
    for page in ("index", "tutorial", "glossary", "python/redouble", "rulebooks/index"):
        assert (site / f"{page}.html").exists()


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_on_the_pages_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the tutorial writes a file
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 2
    assert result.failed == 0


def test_the_commands_on_the_pages_parse() -> None:
    """Each is parsed as the shell would hand it over; none is run."""
    root: Any = typer.main.get_command(app)
    for line in commands():
        with case(line):
            words = shlex.split(line)[1:]
            if words:
                root.commands[words[0]].make_context(words[0], words[1:])
