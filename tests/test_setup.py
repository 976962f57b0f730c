"""scripts/setup makes an environment once, and anew when what it was made with has changed."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from redouble.commands.command_line import app
from tests.helpers.places import ROOT
from tests.helpers.programs import finished

PYTHON = """\
#!/bin/sh
# Stands for a Python: it makes environments of itself, and writes down how pip is run.
here=$(dirname "$0")
case "$*" in
    *sys.version\\)) ! grep -qs damaged "$here"/../../src/*.pyc && cat "$STUB/version" ;;
    *"import pip") [ -e "$here/pip" ] ;;
    "-m venv --clear "*)
        rm -rf "$4" && mkdir -p "$4/bin" && cp "$STUB/python3.14" "$4/bin/python"
        echo "#!$4/bin/python" >"$4/bin/pip"
        echo venv >>"$STUB/log" ;;
    "-m pip install "*)
        [ ! -e "$STUB/slow" ] || cat "$STUB/slow" # until something ends it
        env >"$STUB/environment"
        printf '#!/bin/sh\\nenv >"$STUB/played"\\n' >"$here/redouble" && chmod +x "$here/redouble"
        echo pip >>"$STUB/log" ;;
esac
"""
ELSEWHERE = {"PYTHONPATH": "/x", "PYTHONHOME": "/x", "PYTHONWARNINGS": "error"}
NOT_HERE = {"PIP_USER": "1", "PIP_TARGET": "/x", "PIP_NO_DEPS": "1", "PIP_REQUIRE_HASHES": "1"}
WHERE_FROM = {"PIP_INDEX_URL": "https://mirror.example", "PIP_CERT": "/c", "PIP_PROXY": "http://p"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of what setting up reads, with a stub of Python in the folder ``stub``."""
    stub, clone = tmp_path / "stub", tmp_path / "a clone"
    for folder in (stub, *(clone / name for name in ("docs", "scripts", "src"))):
        folder.mkdir(parents=True)
    (stub / "version").write_text("3.14.0\n")
    (stub / "python3.14").write_text(PYTHON)
    (stub / "python3.14").chmod(0o755)
    for name in (
        "pyproject.toml",
        "constraints.txt",
        "docs/command-line.md",
        "scripts/setup",
        "scripts/play",
        "scripts/test",
    ):
        shutil.copy(ROOT / name, clone / name)
    return clone


def environment(clone: Path) -> dict[str, str]:
    stub = clone.parent / "stub"
    return {**os.environ, "PATH": f"{stub}:{os.environ['PATH']}", "STUB": str(stub)}


def play(clone: Path, said: str = "", **variables: str) -> list[str]:
    """Run scripts/play, and return what it had to do, ``venv`` or ``pip``; it has to say this."""
    log = clone.parent / "stub" / "log"
    log.write_text("")
    done = finished(clone / "scripts" / "play", env={**environment(clone), **variables}, check=True)
    assert said in done.stderr
    return log.read_text().split()


@pytest.mark.fast
def test_an_environment_is_made_once_and_again_when_its_python_changes(clone: Path) -> None:
    assert play(clone) == ["venv", "pip"]
    assert play(clone) == []
    (clone.parent / "stub" / "version").write_text("3.14.1\n")
    assert play(clone) == ["pip"]
    assert play(clone) == []
    (clone / ".venv/bin/pip").unlink()  # a Python that doesn't find what was installed for another
    (clone.parent / "stub" / "version").write_text("3.15.0\n")
    assert play(clone) == ["venv", "pip"]
    (clone / ".venv/bin/python").unlink()
    (clone / ".venv/bin/python").symlink_to("/gone")
    assert play(clone) == ["venv", "pip"]
    moved = clone.rename(clone.with_name("moved"))
    assert play(moved) == ["venv", "pip"]
    assert play(moved) == []


@pytest.mark.fast
def test_other_installations_in_the_environment_do_not_count(clone: Path) -> None:
    play(clone, **ELSEWHERE, **NOT_HERE, **WHERE_FROM)
    for file, gone in (("environment", {**ELSEWHERE, **NOT_HERE}), ("played", ELSEWHERE)):
        text = (clone.parent / "stub" / file).read_text()
        seen = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        assert seen.keys() & gone.keys() == set()
        assert seen.items() >= WHERE_FROM.items()


@pytest.mark.fast
def test_a_killed_set_up_is_started_again(clone: Path) -> None:
    assert play(clone) == ["venv", "pip"]
    (clone / "pyproject.toml").write_text("changed")
    slow = clone.parent / "stub" / "slow"
    os.mkfifo(slow)
    with (
        subprocess.Popen(
            [clone / "scripts" / "play"], env=environment(clone), start_new_session=True
        ) as killed,
        slow.open("w"),
    ):  # once pip reads from it
        os.killpg(killed.pid, signal.SIGKILL)
    slow.unlink()
    assert play(clone, "interrupted: starting again") == ["venv", "pip"]
    assert play(clone) == []


@pytest.mark.fast
def test_damaged_bytecode_is_deleted(clone: Path) -> None:
    play(clone)
    bytecode = clone / "src" / "module.pyc"
    bytecode.write_text("damaged")
    assert play(clone, "damaged; they have been deleted") == []
    assert not bytecode.exists()
    assert play(clone) == []


@pytest.mark.fast
def test_a_mistyped_command_is_refused_before_anything_is_set_up(clone: Path) -> None:
    done = finished(clone / "scripts" / "play", "nonsense", env=environment(clone))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no command 'nonsense'" in done.stderr
    assert not (clone / ".venv").exists()
    names: Any = get_command(app)
    for words in (["--port", "8350"], *([name] for name in names.commands)):
        finished(clone / "scripts" / "play", *words, env=environment(clone), check=True)


@pytest.mark.fast
def test_help_is_printed_before_anything_is_set_up(clone: Path) -> None:
    done = finished(
        clone / "scripts" / "test", "--fast", "--help", env=environment(clone), check=True
    )
    assert "\n  scripts/test --fast      only the quick ones" in done.stdout
    assert done.stderr == ""
    assert not (clone / ".venv").exists()
