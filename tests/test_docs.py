"""The documents: spec sheets are fresh, no link is broken, and examples run, also in docstrings."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys

import pytest

from redouble.contract.registry import GAMES
from tests.helpers.places import ROOT, SOURCES, modules_with
from tests.helpers.programs import python

GENERATED = ROOT / "docs" / "rulebooks"
"""Written by ``scripts/docs`` from the games' rulebooks."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if GENERATED not in page.parents),
]


@pytest.mark.parametrize("script", ["sheets.py", "pictures.py", "commands.py"])
def test_what_scripts_write_is_fresh(script: str) -> None:
    result = python(str(ROOT / "scripts" / script), "--check")
    assert result.returncode == 0, result.stdout


def test_the_tables_of_pages_show_what_benchmarks_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    tables = importlib.import_module("tables")
    shown = [page for page in PAGES if tables.SHOWN.search(page.read_text(encoding="utf-8"))]
    assert len(shown) > 5
    for page in shown:
        text = page.read_text(encoding="utf-8")
        assert tables.refreshed(text) == text, f"{page.name}: benchmarks/tables.py"


def test_every_variable_that_the_program_reads_is_in_the_documents() -> None:
    sources = (path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    read = {name for text in sources for name in re.findall(r"\bREDOUBLE_[A-Z_]+", text)}
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert "REDOUBLE_DATABASE" in read
    assert {name for name in read if f"`{name}`" not in page} == set()


def test_no_link_is_broken() -> None:
    targets = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if "://" not in target
    ]
    assert len(targets) > 100
    for page, target in targets:
        path = page.parent / target
        if path.parent != GENERATED:
            assert path.exists(), f"{page.relative_to(ROOT)}: {target}"


@pytest.mark.parametrize("module", modules_with(">>> "))
def test_the_examples_in_docstrings_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert result.failed == 0


def test_the_registry_keeps_its_name_when_games_are_loaded() -> None:
    code = "import redouble; redouble.new('double-down', seats=2); print(len(redouble.GAMES))"
    assert int(subprocess.check_output([sys.executable, "-c", code])) == len(GAMES)
