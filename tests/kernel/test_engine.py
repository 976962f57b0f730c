"""The compiled engine: what it accepts, what it refuses, and its cache."""

import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from numba.core.errors import NumbaError

import redouble
from redouble.contract.registry import GAMES
from redouble.kernel import engine
from redouble.kernel.errors import InputError, RulesError
from tests.helpers.places import ROOT
from tests.helpers.programs import python

RUN = (
    "import numpy as np; from redouble.kernel.engine import compiled;"
    "from redouble.kernel.rng import below, seed_words; words = seed_words('x');"
    "made = compiled(below); assert made(np.array(words, np.uint64), 99) == below(words, 99);"
    "print(len(made.stats.cache_hits))"
)


def test_a_record_equals_the_plain_state() -> None:
    match = redouble.new("double-down", seats=5, seed="record")
    for _ in range(12):
        match.push(match.legal_moves[0])
    state = match.state
    records = engine.to_records(state, 3)
    assert len(records) == 3
    for record in records:
        assert engine.from_record(type(state), record) == state


def helper(x: int) -> int:
    return x + 1


FORBIDDEN = {"a": 1}


def uses_a_dict(x: int) -> int:
    return FORBIDDEN["a"] + helper(x)


TABLE = ((1, 2), (3, 4))


def uses_a_table(x: int) -> int:
    return TABLE[x][1] + helper(x)


def test_a_function_that_is_not_a_rule_is_refused_by_name() -> None:
    with pytest.raises(RulesError, match="uses_a_dict uses FORBIDDEN, a dict"):
        engine.compiled(uses_a_dict)
    with pytest.raises(RulesError, match="function cannot be 5: give a Python function"):
        engine.compiled(cast(Any, 5))
    outer = 3
    with pytest.raises(RulesError, match="cannot be compiled"):
        engine.compiled(lambda: outer)


def test_a_state_that_its_record_cannot_hold_is_refused() -> None:
    state = redouble.new("double-down", seats=3, seed="wide").state
    state.total = 10**9
    with pytest.raises(InputError, match="its field total is not valid"):
        engine.to_records(state)
    state.total, state.hand = 0, [0]
    with pytest.raises(InputError, match="its field hand has the shape"):
        engine.to_records(state)


def test_tuples_become_constant_arrays_and_callees_are_compiled() -> None:
    assert engine.compiled(uses_a_table)(1) == uses_a_table(1) == 6


def lists(x: int) -> int:
    return [x, 2][helper(x)]


def test_a_rule_that_allocates_memory_is_refused() -> None:
    with pytest.raises(NumbaError, match="NRT required"):
        engine.compiled(lists)(0)


def driver(x: int) -> int:
    return step(x) + inner(x)


def inner(x: int) -> int:
    return 10 * step(x)


def step(x: int) -> int:
    """Bound by the tests."""
    return x


def test_a_function_typed_into_a_notebook_is_compiled_but_not_kept() -> None:
    scope: dict[str, Any] = {}
    typed = "def twice(x):\n    return 2 * x + 1\ndef calls(x):\n    return twice(x) + {}\n"
    for more in (1, 2):
        exec(compile(typed.format(more), "<a cell>", "exec"), scope)
        made = engine.compiled(scope["calls"])
        assert made(20) == 41 + more
        assert not made.stats.cache_path


def test_bound_names_reach_the_functions_of_the_drivers_own_module() -> None:
    assert engine.compiled(driver)(3) == 33
    assert engine.compiled(driver, step=helper)(3) == 44


def run_with_cache(
    folder: Path, before: Callable[[], object] | None = None, **variables: str
) -> bool:
    """Run a compiled function in a process of its own, and return whether its code was there."""
    environment = {**os.environ, "REDOUBLE_CACHE_DIR": str(folder), **variables}
    command = [sys.executable, "-c", RUN]
    return subprocess.check_output(command, env=environment, preexec_fn=before) == b"1\n"


def obey_modes() -> None:
    """Take from root what lets it read and write files of any mode."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability)  # PR_CAPBSET_DROP


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    run_with_cache(folder)
    return folder


@pytest.fixture
def cache(first_run: Path, tmp_path: Path) -> Path:
    """A copy of the cache that the first run leaves."""
    return shutil.copytree(first_run, tmp_path / "cache")


def kept(cache: Path) -> dict[Path, int]:
    """The files of compiled code, and when they were written."""
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}


def test_compiled_code_is_cached_under_a_digest_that_copies_share(
    cache: Path, tmp_path: Path
) -> None:
    assert list((cache / "compiled").iterdir())
    files = kept(cache)
    assert files
    assert run_with_cache(cache)
    assert kept(cache) == files
    copy, source = tmp_path / "elsewhere", Path(redouble.__file__).parent
    shutil.copytree(source, copy / "redouble", ignore=shutil.ignore_patterns("web", "__pycache__"))
    assert run_with_cache(cache, PYTHONPATH=str(copy))
    assert kept(cache) == files


def test_of_two_processes_one_compiles_and_the_other_loads(tmp_path: Path) -> None:
    code = f"{RUN}; print(sum(compiled(below).stats.cache_misses.values()))"
    environment = {**os.environ, "REDOUBLE_CACHE_DIR": str(tmp_path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = sorted(process.communicate()[0] for process in running)  # hits, and misses
    assert said == ["0\n1\n", "1\n0\n"]


def test_what_does_not_compile_holds_no_other_process_up() -> None:
    with pytest.raises(NumbaError):
        engine.compiled(lists)(0)
    code = (
        "from redouble.kernel import engine; from tests.kernel.test_engine import lists;"
        "engine.MAX_TURN_SECONDS = 1e9\n"
        "try: engine.compiled(lists)(0)\n"
        "except engine.numba.core.errors.NumbaError: print('refused')"
    )
    done = python("-c", code, cwd=ROOT)
    assert done.stdout == "refused\n", done.stderr


def test_a_changed_callee_or_constant_is_compiled_anew(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    cache = tmp_path / "cache"
    (package / "low.py").write_text("def value(x: int) -> int:\n    return x + 1\n")
    (package / "high.py").write_text(
        "from low import value\nfrom size import MORE\n"
        "def twice(x: int) -> int:\n    return 2 * value(x) + MORE\n"
    )
    (package / "size.py").write_text("MORE = 0\n")
    code = (
        "from redouble.kernel.engine import compiled; from high import twice;"
        "print(compiled(twice)(1))"
    )
    environment = {**os.environ, "REDOUBLE_CACHE_DIR": str(cache), "PYTHONPATH": str(package)}

    def answer() -> str:
        run = python("-c", code, env=environment, check=True)
        return run.stdout.strip()

    assert answer() == "4"
    (package / "low.py").write_text("def value(x: int) -> int:\n    return x + 5\n")
    assert answer() == "12"
    (package / "size.py").write_text("MORE = 3\n")
    assert answer() == "15"


@pytest.mark.parametrize("kind", ["a file stands there", "its parent is a file"])
def test_an_unwritable_cache_folder_breaks_nothing(tmp_path: Path, kind: str) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder")
    run_with_cache(blocked if kind == "a file stands there" else blocked / "deeper")
    assert blocked.read_text() == "no folder"


@pytest.mark.skipif(sys.platform != "linux", reason="it needs Linux's capabilities")
@pytest.mark.parametrize("mode", [0o500, 0o000], ids=["read-only", "unreadable"])
def test_code_that_can_be_read_is_used_and_other_is_skipped(cache: Path, mode: int) -> None:
    files = [path for path in cache.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(mode & 0o400)
        path.parent.chmod(mode)
    try:
        assert run_with_cache(cache, obey_modes) == bool(mode)
    finally:
        for path in files:
            path.parent.chmod(0o700)


def test_a_full_disk_and_a_damaged_file_break_nothing(tmp_path: Path, cache: Path) -> None:
    run_with_cache(tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert not kept(tmp_path / "compiled")
    (file,) = kept(cache)
    file.write_bytes(file.read_bytes()[:100])
    assert not run_with_cache(cache)
    assert run_with_cache(cache)
    assert len(file.read_bytes()) > 100


def test_a_switched_off_compiler_and_a_user_without_a_home_break_nothing(tmp_path: Path) -> None:
    run_with_cache(tmp_path, NUMBA_DISABLE_JIT="1")
    assert kept(tmp_path)
    homeless = {"REDOUBLE_CACHE_DIR": "", "XDG_CACHE_HOME": "~/nowhere"}
    with contextlib.chdir(tmp_path):
        run_with_cache(Path(), None, **homeless)
    assert not (tmp_path / "~").exists()


def test_only_the_least_recently_used_folders_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDOUBLE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engine, "KEPT_FOLDERS", 2)
    root = tmp_path / "compiled"
    for age, name in enumerate(["oldest", "older", "recent"]):
        (root / name).mkdir(parents=True)
        os.utime(root / name, (1000 + age, 1000 + age))
    engine.cache_folder.cache_clear()
    engine.cache_folder("new")
    assert {path.name for path in root.iterdir()} == {"older", "recent", "new"}
    engine.cache_folder.cache_clear()


def test_every_state_has_a_record_type_of_its_declared_fields() -> None:
    for name in redouble.GAMES:
        cls = GAMES[name].rules.Position
        assert engine.dtype(cls).names == tuple(field.name for field in cls.FIELDS)
        assert all(field.meaning for field in cls.FIELDS)


COUNT_ALLOCATIONS = """
from numba.core.runtime import rtsys
from redouble.contract.registry import GAMES
from redouble.lab.simulate import Simulator

for game in GAMES.values():
    simulator = Simulator(game, game.min_seats)
    simulator.playouts(1)
    print(game.name)
    for games in (5, 500):
        before = rtsys.get_allocation_stats().alloc
        simulator.playouts(games)
        print(rtsys.get_allocation_stats().alloc - before)
"""


def test_random_play_allocates_nothing() -> None:
    """Deals, legal moves and moves allocate nothing: 500 games use no more than five."""
    environment = {**os.environ, "NUMBA_NRT_STATS": "1"}
    command = [sys.executable, "-c", COUNT_ALLOCATIONS]
    said = subprocess.check_output(command, env=environment, text=True).split()
    assert said[::3] == list(GAMES)
    assert said[1::3] == said[2::3]  # what the call itself needs to pass the arrays
