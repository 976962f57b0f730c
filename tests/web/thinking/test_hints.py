"""Hints that take long: a guess comes first, and the search that goes on answers later; bots."""

import threading
from typing import Any

import pytest

from redouble.analysis.hint import Advice, guess
from redouble.bots import BOTS
from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.registry import GAMES
from redouble.match.match import Match, Observation
from redouble.web.live.robots import bot_at_table
from redouble.web.thinking import hints
from redouble.web.thinking.compiler import Compiler
from redouble.web.thinking.hints import Hints
from redouble.web.thinking.pools import Pool
from tests.web.helpers.house import in_house


def position() -> tuple[Observation, tuple[str, ...]]:
    match = Match(GAMES["double-down"], ["Ada", "Ben"], "hints")
    assert len(match.legal_moves) > 1
    return match.observation(), match.names


@in_house
async def test_a_slow_search_is_kept_and_answers_the_next_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end, calls = threading.Event(), []

    def search(observation: Observation, names: tuple[str, ...], iterations: int) -> Advice:
        calls.append(iterations)
        assert may_end.wait(60)
        action = observation.legal[-1]
        return Advice(action, observation.name(action), "it", "searched")

    async def nothing(self: Compiler, game: Any) -> None:
        """The code is ready."""

    monkeypatch.setattr(hints, "advise", search)
    monkeypatch.setattr(Compiler, "load", nothing)
    pool = Pool("test")
    found = Hints(Compiler(), pool)
    observation, names = position()
    monkeypatch.setattr(hints, "PATIENCE", 0.05)
    for _ in range(2):  # the second call waits for the same search
        first = await found.hint(observation, names, 0)
        assert first.coming
        assert first.again == hints.RETRY_SECONDS
        assert first.advice == guess(observation)
    may_end.set()
    monkeypatch.setattr(hints, "PATIENCE", 60.0)
    better = await found.hint(observation, names, 0)
    assert (better.coming, better.advice.reason) == (False, "searched")
    assert calls == [hints.EFFORT]
    await found.hint(observation, names, 0)  # answered searches are not kept
    assert len(calls) == 2
    await pool.close()


@in_house
async def test_code_that_does_not_compile_leaves_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: Compiler, game: Any) -> None:
        raise RuntimeError("it does not compile")

    monkeypatch.setattr(Compiler, "load", fails)
    pool = Pool("test")
    observation, names = position()
    hint = await Hints(Compiler(), pool).hint(observation, names, 0)
    assert hint.advice == guess(observation)
    assert not hint.coming
    await pool.close()


def test_without_its_bot_a_table_goes_on_with_a_usual_one(caplog: pytest.LogCaptureFixture) -> None:
    assert bot_at_table("master") is BOTS["master"]
    assert bot_at_table("ivy") is BOTS[USUAL_LEVEL] is bot_at_table("ivy")
    assert caplog.text.count("there is no bot named ivy: a club bot plays instead") == 1
