"""Shell examples of the documents: blocks fenced as ``console``, with commands and their output.

A line that begins with ``$`` is a command, and the lines below it are what it prints; ``...``
stands for anything. The commands of a page run in one shell, from the first to the last, so files
and variables that one makes are there for the next. Commands that would change the machine, or
that nobody can wait for, stand in blocks fenced as ``sh``, which are not run. A block that begins
with a comment like ``# careful.py`` is a file of that name, which lies there from the beginning.
"""

import doctest
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.places import ROOT

SECONDS = 240
"""What the examples of one page may take, compiling included."""
FILE = re.compile(r"^```\w*\n# ([\w-]+\.\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
CHECKER = doctest.OutputChecker()
PROGRAMS = ("redouble", ".venv/bin/redouble", "scripts/play")
"""The ways in which documents start Redouble."""


@dataclass(frozen=True)
class ShellExample:
    """A command of a document, and what the document says that it prints."""

    line: int
    command: str
    output: str


def shell_examples(page: Path) -> list[ShellExample]:
    """Return the commands of a page in their order."""
    text = page.read_text(encoding="utf-8")
    examples = []
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        first = text.count("\n", 0, block.start(1)) + 1
        commands: list[tuple[int, list[str], list[str]]] = []
        for number, line in enumerate(block[1].splitlines(), first):
            if line.startswith("$ "):
                commands.append((number, [line[2:]], []))
            elif commands and commands[-1][1][-1].endswith(("\\", "|")) and not commands[-1][2]:
                commands[-1][1].append(line)
            else:
                assert commands, f"{page.name}:{number}: output without a command"
                commands[-1][2].append(line)
        examples += [
            ShellExample(number, "\n".join(command), "\n".join(output).rstrip())
            for number, command, output in commands
        ]
    return examples


def run(
    page: Path, examples: list[ShellExample], folder: Path, variables: Mapping[str, str]
) -> list[str]:
    """Run the examples in a folder and return a sentence for each that prints something else."""
    mark = "=== example"
    script = "".join(f"{example.command}\nprintf '\\n{mark} %s\\n' $?\n" for example in examples)
    for name in PROGRAMS:
        program = folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m redouble "$@"\n')
        program.chmod(0o755)
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, text in FILE.findall(page.read_text(encoding="utf-8")):
        (folder / name).write_text(text, encoding="utf-8")
    environment = os.environ | {
        "PATH": os.pathsep.join(
            [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
        "PYTHONUTF8": "1",
        "COLUMNS": "100",
        **variables,
    }
    process = subprocess.Popen(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with what the shell has started
        printed, _ = process.communicate()
    parts = re.split(rf"\n{mark} (\d+)\n", printed)
    outputs, codes = parts[::2], parts[1::2]
    differences = []
    for example, got, code in zip(examples, outputs, codes, strict=False):
        found = "\n".join(line.rstrip() for line in got.strip("\n").splitlines())
        wanted = f"{example.output}\n" if example.output else ""
        found = f"{found}\n" if found else ""
        silent_failure = code != "0" and not wanted
        if silent_failure or not CHECKER.check_output(wanted, found, doctest.ELLIPSIS):
            differences.append(
                f"{page.name}:{example.line}: $ {example.command}\n"
                f"expected:\n{wanted}got (exit code {code}):\n{found}"
            )
    if len(codes) < len(examples):
        differences.append(f"{page.name}:{examples[len(codes)].line}: ended here: {outputs[-1]}")
    return differences


@contextmanager
def serving(data: Path) -> Iterator[str]:
    """Run a server with its data in a folder; gives its address."""
    command = [sys.executable, "-m", "redouble", "serve", "--port", "0", "--no-prepare"]
    with subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout
            yield server.stdout.readline().split()[-1].rstrip("/")
        finally:
            server.kill()
