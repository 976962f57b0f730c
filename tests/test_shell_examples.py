"""Each command of the documents that stands with its output prints that output."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.places import ROOT
from tests.helpers.programs import installed
from tests.helpers.shell_examples import run, serving, shell_examples

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if shell_examples(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    examples = shell_examples(page)
    for program in ("curl", "jq"):
        if any(program in example.command for example in examples):
            installed(program)
    with ExitStack() as stack:
        site = ""
        if any("$SITE" in example.command for example in examples):
            site = stack.enter_context(serving(tmp_path / "server"))
        folder = tmp_path / "copy"
        folder.mkdir()
        differences = run(page, examples, folder, {"SITE": site})
    assert not differences, "\n\n".join(differences)


@pytest.mark.parametrize(
    ("shown", "differs"),
    [
        ("$ echo one; echo two\none\ntwo\n", False),
        ("$ echo one; echo two\n...\ntwo\n", False),
        ("$ A=5\n$ echo $A\n5\n", False),
        ("$ echo one \\\n    two\none two\n", False),
        ("$ echo one\ntwo\n", True),
        ("$ echo one\n", True),
        ("$ false\n", True),
        ("$ cat note.txt\nkept\n```\n\n```\n# note.txt\nkept\n", False),
        ("$ exit 1\n$ echo one\none\n", True),
    ],
)
def test_an_example_that_prints_something_else_is_found(
    shown: str, differs: bool, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n```console\n{shown}```\n", encoding="utf-8")
    folder = tmp_path / "copy"
    folder.mkdir()
    assert bool(run(page, shell_examples(page), folder, {})) is differs
