"""The code against docs/architecture.md: which package may import which, and what stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.structure import Folder, Structure, import_nodes
from tests.helpers.places import ROOT

SOURCE = ROOT / "src" / "redouble"

LAYERS = (
    {"kernel", "_start"},
    {"contract"},
    {"games", "match"},
    {"bots"},
    {"analysis", "envs"},
    {"exports"},
    {"assistant", "lab", "terminal", "testing", "web"},
    {"commands"},
    {"__init__", "__main__"},
)
"""Lowest first. A package imports only from packages on lower layers."""
MAX_PACKAGES, MAX_DEPENDENCIES = 14, 65
MAX_WEB_ROOMS, MAX_WEB_ARROWS = 20, 102
MAX_FEATURE_ARROWS = 25
"""Imports of modules of one feature by modules of another."""

DRAWINGS = sorted(
    [
        *(SOURCE / "games").glob("*/page*.py"),
        SOURCE / "contract" / "page" / "game_page.py",
        SOURCE / "contract" / "page" / "pieces.py",
    ]
)
"""What draws games on pages."""
PARSING = re.compile(
    r"""\.(?:r|l)?(?:split|strip|partition|find)\( | \.(?:starts|ends)with\(
    | \.replace\(
    | \b(?:text|name|face|spoken)\[
    | \.(?:text|name|face|spoken)\s*(?:==|!=|(?:not\s+)?in)\s*['"(\[]
    | ['"]\s*(?:==|!=)\s*\w+\.(?:text|name|face|spoken)\b""",
    re.VERBOSE,
)
"""What takes a text apart, or compares it with words."""

MAKERS = {
    "contract.page.html",
    "web.drawing.templates",  # a picture's SVG, and words with code in them
    "web.drawing.rulebook",  # what a Markdown parser returns
}
"""The modules that declare a text to be markup; all others build it from elements."""

LAZY = {
    "analysis.hint -> bots.search": "a game played without hints needs no compiler",
    "analysis.prepare -> analysis.solve": "costs the compiler, which is only then wanted",
    "analysis.prepare -> bots.search": "costs the compiler, which is only then wanted",
    "analysis.review -> analysis.solve": "reading a stored review needs no compiler",
    "analysis.review -> bots.search": "reading a stored review needs no compiler",
    "assistant.tables -> analysis.solve": "a game without a solver needs no compiler",
    "bots.levels -> bots.search": "only the master searches; the others need no compiler",
    "envs.trees.exact -> kernel.backend": "only a solitaire game with a solver needs the compiler",
    "lab.bench -> kernel.engine": "the import is part of what is measured",
    "lab.bench -> lab.simulate": "the import is part of what is measured",
    "terminal.study.solving -> analysis.solve": "a game without a solver needs no compiler",
    "testing.laws -> envs.arrays.observation": "only one law needs it, and it needs the compiler",
    "testing.laws -> kernel.engine": "only the laws about both engines need the compiler",
    "web.app -> web.api": "pages need no interface for programs, which takes long to load",
    "web.app -> web.api.docs": "pages need no description of the interface",
    "lab -> lab.arena.entrants": "a study needs no tournament",
    "lab -> lab.arena.tournament": "a tournament's bots are named without a compiler",
    "lab -> lab.studies.plan": "a tournament's bots are named without a compiler",
    "lab -> lab.studies.sweep": "a tournament's bots are named without a compiler",
    "web.server.serve -> web.server.tracing": "only a server that exports spans needs them",
    "web.server.serve -> web.server.metrics": "only a server that is watched counts figures",
    "web.server.work -> web.server.metrics": "only a worker that is watched counts figures",
    "web.features.study.solver -> analysis.solve": "a game without a solver needs no compiler",
}
"""Imports inside functions, which wait until they are needed, with the reason for each."""
COMPILING = {
    "kernel.backend",
    "kernel.engine",
    "kernel.portable",
    "envs",
    "exports",
    "lab",
}
"""Modules and packages that may import numpy and Numba when they are imported."""
STRUCTURE = Structure(SOURCE)
MODULES = STRUCTURE.paths


def top_package(name: str) -> str:
    return name.split(".")[0]


def outside(path: Path) -> set[str]:
    """The foreign packages that a module imports when it is imported."""
    found: set[str] = set()
    for node, lazy in import_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if lazy:
            continue
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif node.module:
            found.add(node.module.split(".")[0])
    return found


def layer(name: str) -> int:
    return next(i for i, packages in enumerate(LAYERS) if top_package(name) in packages)


def test_the_package_is_as_small_as_it_says() -> None:
    packages = {top_package(name) for name in MODULES}
    assert packages == set().union(*LAYERS)
    assert sum(not name.startswith("_") for name in packages) <= MAX_PACKAGES
    between = {
        (top_package(module), top_package(target))
        for module in MODULES
        for target in STRUCTURE.targets(module)
    }
    assert sum(a != b for a, b in between) <= MAX_DEPENDENCIES


def test_imports_point_strictly_down() -> None:
    """Between packages strictly, imports inside functions included; and no game imports another."""
    for mine in MODULES:
        for other in STRUCTURE.targets(mine):
            if top_package(other) != top_package(mine):
                assert layer(other) < layer(mine), f"{mine} imports {other}"
            elif top_package(mine) == "games":
                assert other.split(".")[1:2] == mine.split(".")[1:2], f"{mine} imports {other}"


def test_no_rooms_import_each_other_in_a_circle() -> None:
    """Neither the modules of a folder nor the folders in it, imports inside functions included."""
    circles = {folder: STRUCTURE.folder(folder).circles for folder in STRUCTURE.folders}
    assert {folder: found for folder, found in circles.items() if found} == {}


def test_the_web_has_few_rooms_and_arrows() -> None:
    """A newcomer finds any room of it at one look."""
    web = STRUCTURE.folder("web")
    assert len(web.rooms) <= MAX_WEB_ROOMS
    assert web.arrows <= MAX_WEB_ARROWS


def test_one_list_names_all_features() -> None:
    """The rest of the web asks that list; see ``web/feature.py``."""
    spine = (name for name in MODULES if name.startswith("web.") and ".features" not in name)
    named = {name for name in spine for one in STRUCTURE.targets(name) if ".features." in one}
    assert named == {"web.installed"}


def test_features_stand_mostly_alone() -> None:
    """A hook or a declaration tells another feature what it wants to know: see ``feature.py``."""
    between = [
        (name, one)
        for name in MODULES
        for one in STRUCTURE.targets(name)
        if name.startswith("web.features.")
        and one.startswith("web.features.")
        and name.split(".")[2] != one.split(".")[2]
    ]
    assert len(between) <= MAX_FEATURE_ARROWS, between


def test_a_circle_is_noticed() -> None:
    two = Folder("", {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"b"})})
    assert two.circles == (("b", "c"),)
    assert two.storeys == {"a": 2, "b": 1, "c": 1}


def test_lines_are_those_of_the_checkout_whose_source_is_given(tmp_path: Path) -> None:
    source = tmp_path / "src" / "redouble"
    for path, text in ((source / "a.py", "1\n2\n"), (tmp_path / "tests" / "b" / "c.py", "1\n")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    assert Structure(source).lines == {"source": 2, "tests": 1}


TESTS = sorted(
    path.relative_to(ROOT)
    for path in (ROOT / "tests").rglob("test_*.py")
    if path.relative_to(ROOT).parts[1] not in ("sixth_game", "seventh_game")
)


def test_the_folders_of_tests_are_those_of_the_package() -> None:
    """Two more are about something in each game, and about pages in a browser."""
    folders = {path.parent.relative_to("tests") for path in TESTS if len(path.parts) > 2}
    others = {folder.as_posix() for folder in folders if not (SOURCE / folder).is_dir()}
    assert len(folders) > 20
    assert others == {"games/features", "web/browser"}


def test_no_test_file_imports_another() -> None:
    """What several need lies in a module with a name: in ``tests/helpers``, or beside them."""
    for path in TESTS:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for node, _ in import_nodes(tree):
            assert not re.search(r"\btest_\w+", ast.unparse(node)), f"{path}: {ast.unparse(node)}"


def test_imports_inside_functions_are_listed_with_their_reason() -> None:
    """Commands are left out: each of them imports what it runs, and nothing before."""
    found = {
        f"{module} -> {other}"
        for module in MODULES
        for other in STRUCTURE.targets(module, lazy=True)
        if top_package(module) != "commands"
    }
    assert found == set(LAZY)


def test_only_compiled_code_imports_numpy_and_numba() -> None:
    for mine, path in MODULES.items():
        if not any(mine == name or mine.startswith(f"{name}.") for name in COMPILING):
            assert not outside(path) & {"numpy", "numba"}, mine


def test_the_web_reads_one_clock() -> None:
    """Machines have wrong clocks: what may then happen is in ``web/store/clock.py``."""
    reads = re.compile(r"\btime\.time(_ns)?\(|datetime\.(now|utcnow)\(|date\.today\(")
    found = {
        module
        for module, path in MODULES.items()
        if module.startswith("web.") and reads.search(path.read_text(encoding="utf-8"))
    }
    assert {one for one in found if "migrations" not in one} == {"web.store.clock"}


def test_no_game_is_named_outside_its_folder() -> None:
    """Nor in the pages' templates, style sheets and scripts."""
    folders = [path.name for path in (SOURCE / "games").iterdir() if (path / "rules.py").exists()]
    names = folders + [folder.replace("_", "-") for folder in folders]
    drawn = [path for kind in ("html", "css", "js") for path in SOURCE.rglob(f"*.{kind}")]
    for path in [*MODULES.values(), *drawn]:
        if "games" in path.relative_to(SOURCE).parts[:1] or path == SOURCE / "__init__.py":
            continue  # the package's docstring shows an example
        text = path.read_text(encoding="utf-8")
        assert [name for name in names if name in text] == [], path


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_drawings_take_no_text_apart(path: Path) -> None:
    """A view says in kinds, numbers, ranks and pips what a drawing would read out of texts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    code = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.expr)]
    assert len(code) > 50
    assert [part for part in code if PARSING.search(part)] == []


def test_only_the_builder_of_markup_makes_markup() -> None:
    """Elsewhere a text is escaped, whatever it contains."""
    made = re.compile(r"\b(?:Html|Markup)\(")
    found = {
        module for module, path in MODULES.items() if made.search(path.read_text(encoding="utf-8"))
    }
    assert found == MAKERS


@pytest.mark.parametrize(
    "code",
    [
        "face.text[1:]",
        "text[0]",
        "facts['foundation'].text.split()[-1]",
        "zone.name.startswith('cell')",
        "fact.name == 'to beat'",
        "fact.text != 'nothing'",
        "'in the trick' == fact.name",
        "fact.name in ('to beat', 'in a row')",
        "words.replace('+', ' plus ')",
    ],
)
def test_taking_a_text_apart_is_noticed(code: str) -> None:
    assert PARSING.search(code)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (
            "import redouble; m = redouble.new('double-down', seats=2);"
            "m.push(m.legal_moves[0]); m.view(0)",
            {"numba", "numpy", "llvmlite", "pydantic"},
        ),
        (
            "from redouble.envs.text import TextGame;"
            "g = TextGame('double-down', seats=2, seed='a', bots={1: 'expert'});"
            "g.play([lambda prompt: 'no'])",
            {"numba", "numpy"},
        ),
        (
            "from redouble.analysis.puzzle import puzzles_at; puzzles_at(None)[0].view();"
            "import redouble.terminal.study.puzzle",
            {"numba", "numpy", "llvmlite"},
        ),
        ("import redouble.testing", {"numba", "numpy", "llvmlite", "pytest"}),
    ],
)
def test_what_needs_neither_a_compiler_nor_a_validator_imports_none(
    code: str, heavy: set[str]
) -> None:
    """Numba takes seconds to import; pydantic takes longer than all of the package."""
    code = f"import sys; {code}; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_a_class_name_means_one_thing() -> None:
    """Only the games' positions share a name: the contract asks each game for its ``Position``."""
    found: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    shared = {name: places for name, places in found.items() if len(places) > 1}
    assert set(shared) <= {"Position"}, shared
    assert all(place.startswith("games.") for place in shared.get("Position", ()))
