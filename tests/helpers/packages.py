"""What Redouble and its extras require, and environments that have just that."""

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


@cache
def required(*extras: str) -> set[str]:
    """Return the names of all packages that Redouble with these extras is installed with."""
    found: set[tuple[str, str]] = set()
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    todo = [(Requirement(line), "") for line in lines]
    while todo:
        requirement, extra = todo.pop()
        name = canonicalize_name(requirement.name)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        for chosen in ("", *requirement.extras) if wanted else ():
            if (name, chosen) not in found:
                found.add((name, chosen))
                todo += [(Requirement(line), chosen) for line in _requirements(name, chosen)]
    return {name for name, _ in found} - {PROJECT["name"]}


def _requirements(name: str, extra: str) -> list[str]:
    """Return what a package requires, as far as it is installed; our own as the file says."""
    if name == PROJECT["name"]:
        return EXTRAS.get(extra, [])
    try:
        return distribution(name).requires or []
    except PackageNotFoundError:
        return []


def lend(names: set[str], folder: Path) -> None:
    """Link the files of installed packages into a folder for packages."""
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(package.locate_file(top))).resolve())
