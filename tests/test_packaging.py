"""What each installation brings: a base, extras, and versions that fit together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.metadata import metadata, packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from redouble.kernel.version import __version__
from tests.helpers.known import known
from tests.helpers.packages import EXTRAS, PROJECT, required
from tests.helpers.places import ROOT

SOURCE = ROOT / "src" / "redouble"
PARTS = {
    **{"envs/arrays": "fast", "envs/cards": "cuda", "exports": "fast", "web": "web"},
    **{"lab/arena": "lab", "lab/dataset": "data", "lab/studies": "lab"},
}
"""Folders that say themselves what they need when they are imported, and their extra."""
UNDER_GUARD = {
    "kernel/backend.py": "fast",  # the base uses plain arrays
    "testing/plugin.py": "test",  # pytest imports it
    "web/features/signin/passkeys.py": "passkeys",
    "web/features/notices/deliver.py": "notices",
    "web/features/notices/push.py": "push",
    "web/people/seal.py": "push",
    "web/store/bus.py": "server",
    "web/server/metrics.py": "server",
    "web/store/postgresql.py": "server",
    "web/server/tracing.py": "otel",
}
"""Modules that are imported only after a check, and the extra that they need."""
FROM_AN_INDEX = re.compile(
    r"""\b(?:(?:pip|pipx|uv|poetry|pdm)\b[^\n|&;]*\b(?:install|inject|add)|pipx[ ]run|uvx)\b
    [^\n|&;]*?[ '"]redouble(?:\[[\w,]*\])?(?:[=<>~ '"`,]|$)""",
    re.VERBOSE,
)
"""A command that would look the package up by its name."""
SEARCHED = {".ci", ".github", "benchmarks", "deploy", "docs", "examples", "scripts", "src", "tests"}
TEXTS = {"", ".cff", ".html", ".ipynb", ".md", ".py", ".service", ".toml", ".yaml", ".yml"}
"""Folders and kinds of files that tell readers what to install."""


def foreign_imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a module imports from outside, with the extra of the guard around it."""

    def visit(node: ast.AST, extra: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.With):
            call = node.items[0].context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "needs":
                extra = ast.literal_eval(call.args[1])
        if isinstance(node, ast.Import):
            yield from ((name.name, extra) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", extra
        for child in ast.iter_child_nodes(node):
            yield from visit(child, extra)

    yield from visit(ast.parse(path.read_text(encoding="utf-8")), "")


def test_every_import_is_of_the_base_or_says_what_to_install() -> None:
    packages = packages_distributions()
    base = required()
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        usual = {part for folder, part in PARTS.items() if name.startswith(f"{folder}/")}
        usual |= {UNDER_GUARD[name]} if name in UNDER_GUARD else set()
        for module, extra in foreign_imports(path):
            found = {canonicalize_name(one) for one in packages.get(module.split(".")[0], ())}
            if found and "redouble" not in found:
                assert found & required(*usual, *filter(None, [extra])), f"{name}: {module}"
    assert "fastapi" not in base
    assert "numpy" not in base
    assert "scipy" not in base


def test_a_part_of_the_server_names_its_extra() -> None:
    """The check in the package names every package of the extra."""
    text = (SOURCE / "web" / "__init__.py").read_text(encoding="utf-8")
    checked = re.findall(r'"(\w+)"', text)
    packages = packages_distributions()
    named = {canonicalize_name(name) for module in checked for name in packages.get(module, ())}
    wanted = {canonicalize_name(Requirement(line).name) for line in EXTRAS["web"]}
    assert named == wanted - {PROJECT["name"]}


def test_the_constraints_cover_every_extra() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"==[\w.+]+", str(pin.specifier)) for pin in pins)
    names = {canonicalize_name(pin.name) for pin in pins}
    assert required(*EXTRAS) - names == set()
    assert not any("/" in line or line.startswith("-") for line in lines), "names a place"


def test_the_image_names_parts_whose_licenses_ask_for_more() -> None:
    named = (ROOT / "deploy" / "NOTICES.md").read_text(encoding="utf-8")
    for name in required("server"):
        about = metadata(name)
        kinds = ("License-Expression", "License", "Classifier")
        text = " ".join(line for kind in kinds for line in about.get_all(kind) or [])
        if re.search(r"\bL?GPL|\bMPL|Lesser|Mozilla", text) and " OR " not in text:
            assert re.search(rf"\b{re.escape(name)}\b", named), name


def test_the_versions_of_python_agree() -> None:
    found = [re.fullmatch(r".* :: (3\.\d+)", line) for line in PROJECT["classifiers"]]
    versions = [one[1] for one in found if one]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    looked_for = re.search(r"for python in (.*) python3;", (ROOT / "scripts/setup").read_text())
    assert looked_for
    assert sorted(looked_for[1].split()) == sorted(f"python{version}" for version in versions)


def test_the_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in text
    assert f"\nrepository-code: {PROJECT['urls']['Repository']}\n" in text


def test_the_workflows_try_every_version_of_python() -> None:
    versions = {line[-4:] for line in PROJECT["classifiers"] if re.search(r" 3\.\d+$", line)}
    workflows = ROOT / ".github" / "workflows"
    tests = yaml.safe_load((workflows / "tests.yml").read_text(encoding="utf-8"))
    assert set(tests["jobs"]["pythons"]["strategy"]["matrix"]["python"]) == versions
    release = (workflows / "release.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"^ +(3\.\d+)$", release, re.MULTILINE)) == versions
    script = (ROOT / "scripts/release").read_text(encoding="utf-8")
    looked_for = known(re.search(r"^VERSIONS = (.*)$", script, re.MULTILINE))
    assert set(ast.literal_eval(looked_for[1])) == versions


def test_nothing_installs_the_package_from_an_index() -> None:
    """The name isn't published yet, and whoever took it could run code on our readers' machines."""
    folders = [path for path in ROOT.iterdir() if path.name in SEARCHED]
    files = [*ROOT.iterdir(), *(path for folder in folders for path in folder.rglob("*"))]
    for path in files:
        if path.suffix in TEXTS and path.is_file() and path != Path(__file__):
            for line in path.read_text(encoding="utf-8").splitlines():
                assert not FROM_AN_INDEX.search(line), f"{path.relative_to(ROOT)}: {line.strip()}"


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install redouble", True),
        ("pip install 'redouble[server]'", True),
        ("/opt/redouble/bin/pip install redouble==0.1.0", True),
        ("pipx install redouble[web]", True),
        ("uv tool install redouble", True),
        ("uv add redouble", True),
        ("/opt/redouble/bin/pip install --constraint constraints.txt '.[server]'", False),
        ("pipx install './redouble-0.1.0-py3-none-any.whl[web]'", False),
        ("systemctl enable --now redouble.service", False),
    ],
)
def test_a_line_that_installs_from_an_index_is_noticed(line: str, wrong: bool) -> None:
    assert bool(FROM_AN_INDEX.search(line)) == wrong
