"""The laws as a pytest plugin: every law in every setting of a game is a test.

The plugin is installed with the package. Name a game on the command line::

    pytest --redouble-game my-game

or in the project's pytest configuration::

    [tool.pytest.ini_options]
    redouble_games = ["my-game"]

Name a game by its registered name, or as ``module:attribute`` if it isn't registered. The laws
run with the project's own tests. They are marked ``laws``: ``-m laws`` runs only them, ``-m "not
laws"`` leaves them out. Without a named game the plugin does nothing.

``--redouble-spread`` and ``--redouble-effort`` are arguments of
:func:`redouble.testing.check_game`.
"""

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import Any

import pytest

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError, UnknownGame
from redouble.testing import LAWS, Law, LawBroken, Setting, settings_of
from redouble.testing.laws import MAX_EFFORT
from redouble.testing.settings import MAX_SPREAD

__all__: list[str] = []  # its functions are called by pytest alone


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("redouble", "laws for games of Redouble")
    group.addoption(
        "--redouble-game",
        action="append",
        default=[],
        metavar="NAME",
        help="test the laws on this game: a registered name, or module:attribute; repeatable",
    )
    for name, default, what in (
        ("--redouble-spread", 3, "random combinations of options for each seat count"),
        ("--redouble-effort", 1, "multiplies how much each law plays"),
    ):
        said = f"{what} (default: {default})"
        group.addoption(name, type=int, default=default, metavar="N", help=said)
    parser.addini("redouble_games", "games to test the laws on", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "laws: a law of redouble.testing, tried on a game")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the laws of the chosen games to what was collected."""
    config = session.config
    chosen = [*config.getini("redouble_games"), *config.getoption("--redouble-game")]
    for name in dict.fromkeys(chosen):
        items.extend(_tests(session, name))


class LawTest(pytest.Item):
    """One law in one setting."""

    def __init__(self, *, law: Law, setting: Setting, effort: int, **others: Any) -> None:
        super().__init__(**others)
        self._law, self._setting, self._effort = law, setting, effort
        self.add_marker("laws")

    def runtest(self) -> None:
        """Try the law."""
        self._law(self._setting, self._effort)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is broken; for errors raised by the game, where they were raised."""
        if isinstance(excinfo.value, LawBroken):
            return f"{self._law.__doc__}\n{self._setting}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """Return the headline of a failure."""
        return "redouble.testing", None, self.name


def _tests(session: pytest.Session, name: str) -> Iterator[pytest.Item]:
    effort, spread = (session.config.getoption(f"--redouble-{n}") for n in ("effort", "spread"))
    try:
        checks.whole(effort, "--redouble-effort", 1, MAX_EFFORT)
        checks.whole(spread, "--redouble-spread", 0, MAX_SPREAD)
        settings = list(settings_of(_game(name), spread))
    except RedoubleError as error:
        raise pytest.UsageError(str(error)) from None
    for setting in settings:
        for law in LAWS:
            yield LawTest.from_parent(
                session,
                name=f"{setting}::{law.__name__}",
                nodeid=f"redouble::{setting}::{law.__name__}",
                law=law,
                setting=setting,
                effort=effort,
            )


def _game(name: str) -> Game:
    if ":" not in name:
        return GAMES[name]
    try:
        game = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownGame(f"there is no game at {name!r}: {error}") from None
    if not isinstance(game, Game):
        raise UnknownGame(f"{name} is not a Game: name the attribute that is one")
    return game
