"""Third-party games from separate packages, found by entry point as if they were installed.

``sixth_game`` is as small as a game can be: no template, no drawing, no data. ``seventh_game`` is
for one or two and brings all of these, and a solver.
"""

import os
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import redouble
from redouble.contract import registry
from tests.helpers.places import ROOT
from tests.helpers.programs import python

TESTS = ROOT / "tests"
PACKAGES = {"highest-card": TESTS / "sixth_game", "uphill": TESTS / "seventh_game"}
"""The folder of each stranger's package, by the name of its game."""
ONLY_OURS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "redouble.testing.plugin",
}
"""What keeps a run of pytest from loading the plugins of other packages, which takes longest."""
GENERAL = tuple(
    str(TESTS / file)
    for file in (
        *("bots/test_bots.py", "bots/test_search.py", "commands/test_cli.py"),
        *("contract/test_guides.py", "contract/test_words.py", "kernel/test_engine.py"),
        *("match/test_replay.py", "terminal", "web/api/test_api.py", "web/drawing/test_drawing.py"),
        *("web/drawing/test_guide_page.py", "web/gate/test_security.py", "web/live/test_tables.py"),
        *("web/pages/test_rules.py", "web/pages/test_solitaire.py", "web/table/test_table.py"),
        *("web/features/study/test_replay.py", "web/features/study/test_solitaire_solver.py"),
        *("web/test_secrecy.py", "web/thinking/test_compiler.py"),
    )
)
"""Files and folders whose tests range over all installed games, those of the strangers included."""


def installed(site: Path, projects: Sequence[Path] = (ROOT, *PACKAGES.values())) -> dict[str, str]:
    """Return the environment of a machine on which Redouble and the strangers' games are installed.

    ``site`` is an empty folder. It gets the metadata that installing the projects would write.
    """
    for folder in projects:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        version = project.get("version", redouble.__version__)
        info = site / f"{project['name'].replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
        )
        lines = []
        for group, points in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    sources = [str(folder / "src") for folder in PACKAGES.values()]
    path = os.pathsep.join([str(site), *sources, os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


@contextmanager
def installed_for(path: Path) -> Iterator[None]:
    """Install the strangers' games, for this process and its children, for these tests."""
    if not str(path).startswith((*GENERAL, str(TESTS / "test_strangers.py"))):
        yield
        return
    _, points, environment = _installation()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_points", lambda: points)
        patch.setenv("PYTHONPATH", environment["PYTHONPATH"])
        yield


@cache
def _installation() -> tuple[TemporaryDirectory[str], dict[str, EntryPoint], dict[str, str]]:
    """Return a folder that is deleted with the process, the games, and a child's environment."""
    folder = TemporaryDirectory()
    environment = installed(Path(folder.name))
    found = [each.entry_points for each in distributions(path=[folder.name])]
    points = {point.name: point for each in found for point in each.select(group=registry.GROUP)}
    return folder, dict(sorted(points.items())), environment


def plays_a_strangers_game(item: pytest.Item) -> bool:
    """Return whether a test of ``GENERAL`` is the case of a stranger's game."""
    return str(item.path).startswith(GENERAL) and any(name in item.name for name in PACKAGES)


def run_module(
    environment: dict[str, str], *arguments: str, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run a Python module there."""
    return python("-m", *arguments, env=environment, cwd=folder)
