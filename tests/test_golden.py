"""Golden records: a whole game of each kind, readable, that must replay to the same words.

Every game here has one, and some have one by house rules. ``python -m tests.test_golden`` writes
those that are missing; to accept a change of rules, remove the file and write it anew, so that the
difference can be read.
"""

from collections.abc import Iterator
from typing import Any

import pytest

import redouble
from redouble import Match
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from tests.helpers.places import GOLDEN
from tests.helpers.worlds import own_games

MAX_BYTES = 50_000
GAMES_PLAYED: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in own_games()},
    "house-rules/three-up": ("three-up", {"colors": "red and green", "stall": 1, "games": 2}),
}
"""By file: the game, and its options."""


@pytest.mark.parametrize("file", GAMES_PLAYED)
def test_the_golden_record_replays_to_the_same_words(file: str) -> None:
    text = (GOLDEN / f"{file}.txt").read_text(encoding="utf-8")
    assert len(text) < MAX_BYTES
    record, *told = text.splitlines()
    match = redouble.replay(record)
    assert match.outcome is not None
    assert list(words(match)) == told
    assert str(match.record()) == record


def words(match: Match) -> Iterator[str]:
    """The game in words, one line per move, with nothing hidden."""
    again = Match(match.game, match.names, match.seed, match.options, match.deck)
    for ply, move in enumerate(match.moves, 1):
        mover = again.turn
        again.push(move)
        told = again.tell().format(*again.names)
        yield f"{ply:4} {match.names[mover or 0]} {told}"
    assert again.outcome is not None
    yield f"     {again.outcome.reason}: ranks {list(again.outcome.ranks)}" + (
        f", scores {list(again.outcome.scores)}" if again.outcome.scores else ""
    )


def golden(file: str) -> str:
    """A game between greedy players, as its file."""
    name, options = GAMES_PLAYED[file]
    game = GAMES[name]
    match = Match(game, min(max(3, game.min_seats), game.max_seats), "golden", options)
    greedy, rng, work = game.player.greedy, seed_words("golden players"), [0] * WORK
    while match.turn is not None:
        observation = match.observation()
        out = [*observation.legal, *[0] * (game.rules.MAX_LEGAL + 1 - len(observation.legal))]
        match.push_action(greedy(observation.state, out, len(observation.legal), rng, work))
    return "\n".join([str(match.record()), *words(match)]) + "\n"


def main() -> None:
    for file in GAMES_PLAYED:
        path = GOLDEN / f"{file}.txt"
        if not path.exists():
            path.write_text(golden(file), encoding="utf-8")
            print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
