"""Third-party games from separate packages, found by entry point as if they were installed.

``sixth_game`` is as small as a game can be: no template, no drawing, no data. ``seventh_game`` is
for one or two and brings all of these, and a solver.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import redouble
from tests.helpers.places import ROOT

TESTS = ROOT / "tests"
PACKAGES = {"highest-card": TESTS / "sixth_game", "uphill": TESTS / "seventh_game"}
"""The folder of each stranger's package, by the name of its game."""


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


def run(
    environment: dict[str, str], *arguments: str, text: str = "", folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run a Python module there."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env=environment,
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
