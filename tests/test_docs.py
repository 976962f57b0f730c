"""The documents: spec sheets are fresh, no link is broken, and examples run, also in docstrings.

Documents, pages and messages also keep to words that readers don't stumble over.
"""

import ast
import contextlib
import doctest
import importlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from redouble.commands.command_line import app
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
CHANGES = ROOT / "CHANGELOG.md"

STUMBLES = {
    "say what to do: reload the page, try again": r"\blook(s|ing)? (it |them |at it )?again\b",
    "95% without a space, or (%)": r"[\d}] ?[ \N{NO-BREAK SPACE}]%(?![\w({])|\w, %(?!\w)",
    "notified": r"\b(is|are|was|were|be|been|not|n't|you're) told\b(?! apart)",
    "mute": r"\b(n't|not|nothing|hears? (nothing|none|no more|of)|again) hears?\b|\bhears? of\b",
    "moved first": r"\b(was|were) faster\b",
    "correspondence games": r"\bover (several )?days\b|\bdays for a move\b|\bmulti-day\b",
    "on this server, at this table, or nothing": r"\b(new|valid|play(s|ed|ing)?|passkeys|stays"
    r"|banned|accounts?|deals|seats?|names?|games?|tables?|you've been|wait(s|ing)?) here\b",
}
"""Patterns that readers stumble over, by what to write."""


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


def test_every_command_of_the_documents_can_be_given() -> None:
    """Those shown with their output run, too: ``tests/test_shell_examples.py``."""
    commands = [
        (page, line)
        for page in PAGES
        for block in re.findall(r"^```(?:sh)?\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
        for line in block.replace("\\\n", " ").splitlines()
        if re.match(
            r"(\w+=\S+ )*(\.venv/bin/)?(redouble|python (benchmarks|scripts|examples)/)", line
        )
    ]
    assert len(commands) > 60
    for page, line in commands:
        words = [
            word for word in shlex.split(line, comments=True) if not re.match("[A-Z_]+=", word)
        ]
        if words[0].endswith("redouble"):
            _parse(page, words[1:])
        else:
            source = (ROOT / words[1]).read_text(encoding="utf-8")
            options = [word for word in words[2:] if word.startswith("--")]
            assert not [one for one in options if f'"{one}"' not in source], f"{page.name}: {line}"


def _parse(page: Path, words: list[str]) -> None:
    command: Any = get_command(app)
    while words and words[0] in (known := getattr(command, "commands", {})):
        command = known[words.pop(0)]
    assert not words or not known or words[0].startswith("-"), f"{page.name}: {words[0]}"
    with contextlib.suppress(typer.Exit):  # of --help
        command.make_context(f"{page.name}: redouble {command.name}", words)


@pytest.mark.parametrize("module", modules_with(">>> "))
def test_the_examples_in_docstrings_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert result.failed == 0


def test_the_registry_keeps_its_name_when_games_are_loaded() -> None:
    code = "import redouble; redouble.new('double-down', seats=2); print(len(redouble.GAMES))"
    assert int(subprocess.check_output([sys.executable, "-c", code])) == len(GAMES)


@pytest.mark.parametrize("better", STUMBLES)
def test_no_sentence_makes_a_reader_stumble(better: str) -> None:
    pattern = re.compile(STUMBLES[better], re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {text[max(0, at.start() - 40) : at.end() + 40]!r}"
        for path, text in _texts()
        for at in pattern.finditer(text)
    ]
    assert not found, f"write {better!r}:\n" + "\n".join(found)


@cache
def _texts() -> list[tuple[Path, str]]:
    """Return everything that people read: documents, pages, and the strings of programs."""
    rulebooks = SOURCES.rglob("*.md")
    found = [(page, page.read_text(encoding="utf-8")) for page in (*PAGES, CHANGES, *rulebooks)]
    for template in SOURCES.rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        for code, value in ((r"\{\{.*?\}\}", "0"), (r"\{[#%].*?[#%]\}", " "), ("<[^>]*>", " ")):
            text = re.sub(code, value, text, flags=re.DOTALL)
        found.append((template, text))
    for script in SOURCES.rglob("*.js"):
        strings = re.findall(r'"[^"\n]*"|`[^`\n]*`', script.read_text(encoding="utf-8"))
        found += [(script, text) for text in strings]
    for module in SOURCES.rglob("*.py"):
        found += [(module, text) for text in _strings(module.read_text(encoding="utf-8"))]
    assert len(found) > 1000
    return found


def _strings(source: str) -> Iterator[str]:
    """Yield a module's strings, with 0 for each value in them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = node.values
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "0" for one in parts)
