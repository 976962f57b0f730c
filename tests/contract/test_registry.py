"""One broken game stops nothing: it is left out and named once, and the rest works."""

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from redouble.contract import registry
from redouble.contract.registry import GAMES
from redouble.kernel.errors import UnknownGame
from redouble.web.app import create_app
from tests.helpers.command import Run

BROKEN = {
    "missing": ("", "ModuleNotFoundError"),
    "needy": ("import no_such_package", "no_such_package"),
    "nameless": ("", "AttributeError"),
    "mistyped": ("GAME = 'a game'", "is not a game of this name"),
    "misnamed": ("from redouble.games.three_up import GAME", "is not a game of this name"),
    "raising": ("raise RuntimeError('two\\nlines')", "RuntimeError"),
    "silent": ("raise EOFError", "EOFError"),
    "unwritten": ("GAME = = 1", "SyntaxError"),
    "leaving": ("raise SystemExit(3)", "SystemExit"),
}
"""The source of each broken game's module, and what its reason says."""


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the games that work, while all the broken ones are installed."""
    names = list(GAMES)
    points = dict(registry._points())
    for name, (source, _) in BROKEN.items():
        points[name] = EntryPoint(name, f"broken_{name}:GAME", registry.GROUP)
        if name != "missing":
            (tmp_path / f"broken_{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_points", lambda: points)
    registry._load.cache_clear()
    yield names
    registry._load.cache_clear()


def test_broken_games_stop_nothing(
    whole: list[str], run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, registry.__name__):
        assert list(GAMES) == whole
        for command in (["games"], ["play"], ["rules", whole[0]]):
            ran = run(*command, typed="1\n\nq\ny\n")
            assert not ran.code, ran.err
        with TestClient(create_app(tmp_path)) as client:
            for path in ("/", "/rules", "/api/games", "/puzzles"):
                answer = client.get(path)
                assert answer.status_code == 200, path
                assert "broken_" not in answer.text
            assert client.get("/rules/raising").status_code == 404
    said = [one.getMessage() for one in caplog.records if one.name == registry.__name__]
    assert len(said) == len(BROKEN)
    for name, (_, reason) in BROKEN.items():
        (sentence,) = [one for one in said if one.startswith(f"the game {name!r} can't be loaded")]
        assert reason in sentence
        assert "\n" not in sentence
        with pytest.raises(UnknownGame, match=reason):
            GAMES[name]
        assert name not in GAMES
