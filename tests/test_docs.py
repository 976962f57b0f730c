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

import redouble
from redouble.commands.command_line import app
from redouble.contract.registry import GAMES
from tests.helpers.cases import case
from tests.helpers.command import Run
from tests.helpers.places import ROOT, SOURCES, modules_with
from tests.helpers.programs import python

GENERATED = (ROOT / "docs" / "rulebooks", ROOT / "docs" / "reference")
"""Written by ``scripts/docs`` from the games' rulebooks and the public modules' docstrings."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent not in GENERATED),
]
CHANGES = ROOT / "CHANGELOG.md"

SMALL = {
    **dict.fromkeys(("games", "puzzle", "rules"), ()),
    **dict.fromkeys(("arena", "models", "selfplay", "solve", "study"), ("--games", "4")),
    "dataset": ("--games", "2", "--positions", "1", "--worlds", "10", "--bots", "random"),
    "review": ("--iterations", "10"),
}
"""Commands that tests run, and what makes them quick."""
SLOW = re.compile(r"--cluster|--review|--until-clear|\bmaster\b|network_bot|learned")
"""In commands that need more: another machine, a search that is compiled, a file, or time."""
PARSING = """
import argparse, runpy, shlex, sys

class Parsed(BaseException):
    pass

def parse_and_stop(*given):
    parse(*given)
    raise Parsed

parse, argparse.ArgumentParser.parse_args = argparse.ArgumentParser.parse_args, parse_and_stop
for line in sys.stdin:
    words = shlex.split(line)
    module = words.pop(0) == "-m" and words[0]
    sys.argv[:] = words if module else shlex.split(line)
    sys.path[0] = "." if module else sys.argv[0].rpartition("/")[0]
    try:
        run = runpy.run_module if module else runpy.run_path
        run(module or sys.argv[0], run_name="__main__")
    except Parsed:
        print("parsed")
"""
"""A program that starts others up to where they have parsed their arguments."""
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


@pytest.mark.parametrize("script", ["sheets.py", "pictures.py", "commands.py", "reference.py"])
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
    measured = [
        line.split(",") for line in (tables.RESULTS / "commits.csv").read_text().splitlines()
    ]
    names = sorted({path.stem for path in tables.RESULTS.glob("*.csv")} - {"commits"})
    assert [row[0] for row in measured[1:]] == names
    assert all(re.fullmatch(r"(before )?[0-9a-f]{10}\+?", commit) for _, commit, _ in measured[1:])


def test_every_variable_that_the_program_reads_is_in_the_documents() -> None:
    sources = (path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    read = {name for text in sources for name in re.findall(r"\bREDOUBLE_[A-Z_]+", text)}
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert "REDOUBLE_DATABASE" in read
    assert {name for name in read if f"`{name}`" not in page} == set()


def test_no_link_is_broken() -> None:
    """Neither to a file, nor to a heading, nor to a file of the repository on GitHub."""
    targets = [
        (page, target.replace("https://github.com/redouble/redouble/blob/main", str(ROOT)))
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)", page.read_text(encoding="utf-8"))
    ]
    assert len(targets) > 100
    for page, target in targets:
        name, _, heading = target.partition("#")
        path = page.parent / name if name else page
        if "://" not in target and path.parent.resolve() not in GENERATED:
            assert path.exists(), f"{page.relative_to(ROOT)}: {target}"
            found = path.read_text(encoding="utf-8") if path.suffix == ".md" else ""
            assert not heading or heading in _headings(found), f"{page.name}: {target}"


def _headings(text: str) -> set[str]:
    """Return the headings of a page as links name them."""
    titles = re.findall(r"^#+ (.+)$", re.sub("^```.*?^```", "", text, flags=re.M | re.S), re.M)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", title) for title in titles)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in plain}


def test_no_page_has_directives_that_github_would_show_as_text() -> None:
    raw = re.compile(r"^(```|:::)\{|\{(class|data|func|meth|mod|ref|term)\}`", re.MULTILINE)
    assert [page.name for page in PAGES if raw.search(page.read_text(encoding="utf-8"))] == []


def commands(pattern: str) -> dict[str, list[str]]:
    """Return the commands of documents that begin like this, as lists of words.

    Those shown with their output are run by ``tests/test_shell_examples.py``.
    """
    lines = [
        line.partition(" #")[0].rstrip()
        for page in PAGES
        for block in re.findall(r"^```(?:sh)?\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
        for line in block.replace("\\\n", " ").splitlines()
    ]
    begin = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?{pattern}")
    return {line: shlex.split(line[at.end() :]) for line in lines if (at := begin.match(line))}


def small_commands() -> list[str]:
    found = commands("redouble ").items()
    return [line for line, words in found if words[0] in SMALL and not SLOW.search(line)]


def test_every_command_of_the_documents_can_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a command says early that it can't write its files
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    lines = commands("redouble |redouble$|scripts/play ")
    assert len(lines) > 40
    for line, words in lines.items():
        with case(line):
            command: Any = get_command(app)
            while words and words[0] in (known := getattr(command, "commands", {})):
                command = known[words.pop(0)]
            assert not words or not known or words[0].startswith("-")
            with contextlib.suppress(typer.Exit):  # of --help
                command.make_context("redouble", words)


@pytest.mark.parametrize("line", small_commands())
def test_commands_of_the_documents_run_with_small_numbers(
    line: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    match = redouble.new("double-or-quits", seed="5")
    while match.turn is not None:
        match.push(match.legal_moves[0])
    (tmp_path / "game.json").write_text(f"{match.record()}\n", encoding="utf-8")
    words = commands("redouble ")[line]
    small = SMALL[words[0]] if words[0] != "solve" or "--games" in words else []
    ended = run(*words, *small)
    assert ended.code in (0, None), ended.err


def _program(words: list[str]) -> Path:
    name = f"{words[1].replace('.', '/')}.py" if words[0] == "-m" else words[0]
    return ROOT / name


def test_programs_of_the_documents_take_their_arguments() -> None:
    """Each is imported as it is run: benchmarks need help to import the tests."""
    given = commands(r"python (?=benchmarks/|scripts/|-m tests\.)").values()
    found = [words for words in given if "argparse" in _program(words).read_text("utf-8")]
    assert len(found) > 25
    lines = "".join(f"{shlex.join(words)}\n" for words in found)
    ran = python("-c", PARSING, cwd=ROOT, input=lines)
    assert (ran.returncode, ran.stdout.split()) == (0, ["parsed"] * len(found)), ran.stderr


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
