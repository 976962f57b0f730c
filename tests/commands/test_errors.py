"""What isn't a person's doing is a fault, with a sentence and an exit code of its own."""

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from redouble.commands import errors
from redouble.commands.errors import EXIT_FAULT, EXIT_INTERRUPTED
from tests.helpers.places import ROOT
from tests.helpers.programs import python

FAULT = "redouble: the program itself has failed: please report it, with the lines above.\n"


@pytest.mark.parametrize("error", [EOFError, BrokenPipeError, KeyError])
def test_what_nobody_typed_or_closed_is_a_fault(
    capsys: pytest.CaptureFixture[str], error: type[Exception]
) -> None:
    def failing() -> NoReturn:
        raise error("marshal data too short")

    assert errors.run(failing) == EXIT_FAULT
    said = capsys.readouterr().err
    assert said.startswith("Traceback")
    assert said.endswith(FAULT)


def test_an_interrupt_is_a_persons(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> NoReturn:
        raise KeyboardInterrupt

    assert errors.run(interrupted) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == "\n"


def test_only_output_without_a_reader_may_break_a_pipe() -> None:
    code = "from redouble.commands import errors; raise SystemExit(errors.run(lambda: 1 / 0))"
    unread, pipe = os.pipe()
    os.close(unread)
    done = subprocess.run([sys.executable, "-c", code], stdout=pipe, stderr=subprocess.PIPE)
    assert done.returncode == EXIT_FAULT  # the fault, and not the end of the output
    code = code.replace("1 / 0", "print(end='x')")
    done = subprocess.run([sys.executable, "-c", code], stdout=pipe, stderr=subprocess.PIPE)
    os.close(pipe)
    assert (done.returncode, done.stderr) == (0, b"")


def test_bytecode_that_a_full_disk_cut_off_is_said_and_made_again(tmp_path: Path) -> None:
    package = tmp_path / "redouble"
    left_out = shutil.ignore_patterns("web", "__pycache__")
    shutil.copytree(ROOT / "src" / "redouble", package, ignore=left_out)
    compileall.compile_dir(package, quiet=2)
    cut_off = [
        next((package / folder / "__pycache__").glob(f"{module}.*.pyc"))
        for folder, module in (("games/three_up", "text"), ("lab", "simulate"))
    ]
    for file in cut_off:
        os.truncate(file, 200)

    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return python("-P", "-m", "redouble", "games", env=environment)

    failed = run()
    assert failed.returncode == EXIT_FAULT
    assert failed.stdout == ""
    assert failed.stderr.startswith("redouble: damaged compiled files were deleted (2, such as ")
    assert failed.stderr.endswith("): run the command again.\n")
    assert not any(file.exists() for file in cut_off)
    assert run().returncode == 0
