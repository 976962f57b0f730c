"""``scripts/release`` refuses what can't be a release, and says why."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from redouble.kernel.version import __version__
from tests.helpers.places import ROOT
from tests.helpers.programs import python

FILES = ("scripts/release", "pyproject.toml", "CHANGELOG.md", "src/redouble/kernel/version.py")
HOME = "git@github.com:redouble/redouble.git"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository that is ready for a release, apart from what the script would build."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changes = tmp_path / "CHANGELOG.md"
    heading = f"## [{__version__}] - 2026-12-01"
    text = re.sub(r"^## .*", heading, changes.read_text("utf-8"), count=1, flags=re.MULTILINE)
    changes.write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "remote", "add", "home", HOME)
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Change something")


def obstacles(folder: Path, version: str = __version__) -> list[str]:
    """Return what the script says against a release, without building anything."""
    code = (
        "import sys, runpy; script = runpy.run_path('scripts/release');"
        "print('\\n'.join(script['obstacles'](sys.argv[1])))"
    )
    done = python("-B", "-c", code, version, cwd=folder, check=True)
    return done.stdout.strip().splitlines()


def test_a_clean_clone_with_a_changelog_entry_can_be_released(clone: Path) -> None:
    assert obstacles(clone) == []


def test_the_script_ends_with_one_sentence(clone: Path) -> None:
    (clone / "new.txt").touch()
    done = python("scripts/release", __version__, cwd=clone)
    assert done.returncode == 1
    assert done.stderr.startswith("release: there are changes that aren't committed")
    assert done.stderr.count("\n") == 1
    assert not (clone / "dist").exists()


def test_a_wrong_version_is_refused(clone: Path) -> None:
    first, second = obstacles(clone, "9.9.9")
    assert "version.py doesn't say 9.9.9" in first
    assert "CHANGELOG.md has no entry" in second


def test_a_missing_changelog_entry_is_refused(clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n", encoding="utf-8")
    commit(clone)
    (only,) = obstacles(clone)
    assert f'add the heading "## {__version__} - YYYY-MM-DD"' in only


def test_an_unknown_repository_is_refused(clone: Path) -> None:
    git(clone, "remote", "set-url", "home", "https://example.org/somebody/redouble")
    (only,) = obstacles(clone)
    assert "no remote is there" in only
    file = clone / "pyproject.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"^Repository = .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    commit(clone)
    (only,) = obstacles(clone)
    assert "names no Repository" in only


def test_a_tag_on_another_commit_is_refused(clone: Path) -> None:
    git(clone, "tag", f"v{__version__}")
    assert obstacles(clone) == []
    commit(clone)
    (only,) = obstacles(clone)
    assert "is on another commit" in only
