"""A share of the tests of sites holds for two servers as well: the rest is run by hand."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.places import ROOT

SHARES = [
    (["test_secrecy.py", "live/test_fair.py"], "double-down or fair"),
    (["people/test_sessions.py", "drawing/test_share.py"], ""),
]
"""Files and which of their tests: what everyone may see, and whose it is."""


def with_options(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=800)


@pytest.mark.thorough
@pytest.mark.one_server("it runs other tests on two servers")
@pytest.mark.parametrize(("files", "which"), SHARES)
def test_sites_of_two_servers_are_as_those_of_one(files: list[str], which: str) -> None:
    options = ["--database", "postgresql", "--servers", "2", "-k", which]
    ran = with_options(*options, *[f"tests/web/{file}" for file in files])
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_file_is_served_by_one_server() -> None:
    ran = with_options("--servers", "2", "tests/web/drawing/test_share.py")
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert "only servers with --database postgresql can share" in ran.stderr
