"""The tiers of tests, their time limits, and the test run's own options."""

import compileall
import gc
import signal
import sys
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir
from platformdirs import user_cache_path

from redouble.commands.errors import damaged
from redouble.kernel.cores import cores
from tests.helpers import untouched
from tests.helpers.command import run
from tests.helpers.places import ROOT
from tests.helpers.strangers import installed_for, plays_a_strangers_game
from tests.shares import ONE_IN
from tests.web.browser.smoke import SMOKE

__all__ = ["run"]  # a fixture

set_hypothesis_home_dir(user_cache_path("redouble") / "hypothesis")
# No deadline: the first call of a compiled twin compiles it. Derandomized: a run is repeatable.
settings.register_profile("redouble", deadline=None, derandomize=True)
settings.load_profile("redouble")

HERE = Path(__file__).parent
BROWSER = "web/browser/"
FAST = (
    "games/test_",
    "seventh_game/",
    "sixth_game/",
    "test_architecture.py",
    "test_docs.py",
    "test_every_game.py",
    "test_types.py",
)
"""Folders and files of quick tests. A slow test in one of them is marked ``laws``, the tier of
everything else that needs no browser."""
SECONDS = {"fast": 300, "laws": 900, "browser": 900}
"""When a test of a tier has hung: long after it would have ended on a busy machine."""
LONG = (
    *("test_types.py", "web/browser/test_firefox.py", "web/browser/test_tab.py"),
    *("envs/cards/", "exports/", "lab/test_cluster.py", "test_strangers.py", "test_site.py"),
    "web/server/test_s",
)
"""Where single tests take longest: they begin first, so that none is left when others end."""
BEFORE = pytest.StashKey[untouched.Files]()
CHANGED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="let the laws play 25 times as much")
    parser.addoption(
        "--database",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="what the sites of tests/web keep their data in",
    )
    parser.addoption(
        "--servers",
        type=int,
        default=1,
        metavar="N",
        help="how many servers with one PostgreSQL database take the requests of tests/web in turn",
    )
    parser.addoption(
        "--firefox", action="store_true", help="open the pages of tests/web/browser in Firefox"
    )
    parser.addoption(
        "--untouched",
        action="store_true",
        help="fail if a file of this copy or of its environment has changed in the end",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, compile the package, and let programs be interrupted and hung up.

    Tests start programs, which write no bytecode (:func:`surroundings`), so what they import is
    compiled for all of them here. Where this process ignores signals, they would ignore them:
    what a process ignores, its children ignore; what it handles, they don't inherit.
    """
    gc.disable()  # until all tests are found: nearly nothing of what is imported is garbage
    if not hasattr(config, "workerinput"):
        for file in damaged((ROOT / "src").rglob("*.pyc")):
            file.unlink()
        for folder in ("src", "tests", "scripts"):
            compileall.compile_dir(ROOT / folder, quiet=2)
        if config.option.untouched:
            config.stash[BEFORE] = untouched.files()
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
    if config.option.database == "sqlite" and config.option.servers > 1:
        raise pytest.UsageError("only servers with --database postgresql can share their database")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Don't even import the other tiers when only quick tests are wanted."""
    if config.option.markexpr == "fast" and collection_path.name.startswith("test_"):
        return True if tier_of(collection_path) != "fast" else None
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Have two workers per core: those that test servers and browsers wait much of the time."""
    return 2 * cores()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, object, object]:
    """Find the cases of the strangers' games, too, where tests range over all games."""
    with installed_for(collector.path):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run tests that range over all games with the games of strangers installed."""
    with installed_for(item.path):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its tier and give it a time limit, before ``-m`` chooses."""
    if not any("::" in argument for argument in config.args):  # then whole files are collected
        check_names("smoke.py", SMOKE, {name_in(BROWSER, item) for item in items})
        check_names("shares.py", ONE_IN, {name_of_test(item) for item in items})
    seen = Counter[str]()
    for item in items:
        tier = "laws" if item.get_closest_marker("laws") else tier_of(item.path)
        item.add_marker(tier)
        if tier == "browser" and name_in(BROWSER, item) not in SMOKE:
            item.add_marker("thorough")
        if plays_a_strangers_game(item):
            item.add_marker("thorough")
        else:
            if seen[test := name_of_test(item)] % ONE_IN.get(test, 1):
                item.add_marker("thorough")
            seen[test] += 1
        option = item.config.option
        case = item.callspec.params if hasattr(item, "callspec") else {}
        two = case.get("two_servers")
        database, servers = ("postgresql", 2) if two else (option.database, option.servers)
        file = item.get_closest_marker("sqlite")  # marks that skip a test give the reason
        if file and database != "sqlite":
            item.add_marker(pytest.mark.skip(file.args[0]))
        alone = item.get_closest_marker("one_server")
        if alone and servers > 1:
            item.add_marker(pytest.mark.skip(alone.args[0]))
        to_itself = database != "sqlite" and servers == 1
        if item.get_closest_marker("shared") and to_itself:  # it locks out a second server
            item.add_marker(pytest.mark.skip("the server has its database to itself"))
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SECONDS[tier]))
    items.sort(key=lambda item: not is_long(item.path))


def check_names(where: str, named: Collection[str], names: Collection[str]) -> None:
    """Raise a ``UsageError`` if a test that is named in ``where`` is missing in its file."""
    files = {name.partition("::")[0] for name in names}
    gone = [name for name in named if name not in names and name.partition("::")[0] in files]
    if gone:
        raise pytest.UsageError(f"{where} names tests that don't exist: {sorted(gone)}")


def name_of_test(item: pytest.Item) -> str:
    """Return the name of a test, that of its file included, without its case."""
    return name_in("tests/", item).partition("[")[0]


def name_in(folder: str, item: pytest.Item) -> str:
    """Return the name of a test in a folder, that of its file included."""
    return item.nodeid.partition(folder)[2]


@cache
def is_long(path: Path) -> bool:
    """Return whether a file is one of ``LONG``."""
    return path.is_relative_to(HERE) and path.relative_to(HERE).as_posix().startswith(LONG)


@cache
def tier_of(path: Path) -> str:
    """Return the tier of the tests in a file."""
    if not path.is_relative_to(HERE):
        return "fast"
    name = path.relative_to(HERE).as_posix()
    if name.startswith(BROWSER):
        return "browser"
    return "fast" if name.startswith(FAST) else "laws"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look at all modules and tests for garbage once, instead of again and again."""
    freeze_garbage()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if files have changed."""
    if BEFORE in session.config.stash:
        session.config.stash[CHANGED] = untouched.changed(session.config.stash[BEFORE])
        if session.config.stash[CHANGED]:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List the files that have changed."""
    for path in config.stash.get(CHANGED, []):
        terminalreporter.write_line(f"CHANGED {path} (a test, or you, while the tests ran)")


def freeze_garbage() -> None:
    """Let the garbage collector leave what exists alone, and look at what is new less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let tests, and programs that they start, write no bytecode, and find nobody's games.

    Python replaces a module's bytecode even when it could write only a part of it, because the disk
    is full or a test limits the size of files. Every later program would load that part, and fail.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setattr(sys, "dont_write_bytecode", True)
        environment.setenv("PYTHONDONTWRITEBYTECODE", "1")
        environment.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def effort(request: pytest.FixtureRequest) -> int:
    """How many times the usual amount the laws play."""
    return 25 if request.config.getoption("--long") else 1
