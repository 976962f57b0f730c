"""The corpus of small positions: where brute force leaves no doubt which moves are best.

``python -m tests.small_positions`` looks for them and writes them, with what their moves are worth,
to the file that ``test_search`` reads. They are the last decisions of careless games, some with
small decks, so that little is hidden. The choice doesn't depend on any search. It takes
15 minutes on two cores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation

from .brute import CLEARLY, Brute, Interval, TooLarge, best_of, is_clear, mean

A_CARD = 0.02
"""CLEARLY for a game alone, where a share of 0.01 is a card on the foundation."""
CARELESS = 0.3
DIGITS = 4
CORPUS = Path(__file__).parent / "golden" / "brute.jsonl"


@dataclass(frozen=True)
class Setting:
    """Where to look for positions: among the last moves of this many games."""

    name: str
    seats: int
    options: Mapping[str, Any]
    games: int
    last: int
    wanted: int
    min_worlds: int = 2
    """Worlds of a position."""


def deck(cards: str) -> dict[str, Any]:
    """The option for a deck with this number of each card."""
    counts = [card.split(":") for card in cards.split()]
    return {"cards": [f"{card} x{count}" for card, count in counts]}


DOWN = "10:4 9:2 66:1 33:1 5:1 0:2"
DOWN_TURNS = "10:3 8:2 44:1 2:2 -10:1 turn:1 x2:1"
DOWN_OF_THREE = "10:9 33:2 5:3 0:1 x2:1"
DOWN_OF_THREE_TURNS = "9:8 44:2 6:4 turn:2"
UP = "3r:4 5r:2 7r:2 9r:4 clear-r:4 clear+1-r:2"
UP_AND_PILE = f"{UP} 2r:1 8r:1"
UP_OF_THREE = "2r:4 4r:4 6r:4 8r:3 10r:4 clear-r:5 clear+1-r:2 clear+2-g:1"
FLIP = {"free-flip": True}
SETTINGS = (
    Setting("double-down", 2, deck(DOWN), 60, 3, 5),
    Setting("double-down", 2, deck(DOWN_TURNS), 40, 2, 2),
    Setting("double-down", 3, deck(DOWN_OF_THREE), 60, 3, 4),
    Setting("double-down", 3, deck(DOWN_OF_THREE_TURNS), 60, 3, 4),
    Setting("double-decker", 4, {}, 60, 2, 8),
    Setting("double-decker", 5, {}, 20, 2, 6),
    Setting("double-dominoes", 2, {"victory": 999}, 40, 3, 6),
    Setting("double-dominoes", 2, {}, 90, 2, 3),
    Setting("double-dominoes", 3, {"victory": 999}, 60, 1, 5),
    Setting("three-up", 2, deck(UP), 90, 6, 8),
    Setting("three-up", 2, {**deck(UP_AND_PILE), "draw-instead": True}, 40, 6, 3),
    Setting("three-up", 3, deck(UP_OF_THREE), 250, 6, 4),
    Setting("double-or-quits", 1, {**FLIP, "redeals": 0}, 300, 20, 10),
    Setting("double-or-quits", 1, FLIP, 80, 8, 5, min_worlds=1),
)


def main() -> None:
    """Write the corpus."""
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(positions, SETTINGS))
    lines = [json.dumps(line) for each in found for line in each]
    CORPUS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def positions(setting: Setting) -> list[dict[str, Any]]:
    """Clear positions as lines of the corpus, of a game one at most. Those come first in which what
    is hidden makes a difference to what a move is worth, and which the heuristic player gets wrong.
    """
    found = []
    for number in range(setting.games):
        for match in endings(setting, f"brute {number}"):
            with suppress(TooLarge):
                each = Brute(match).values_by_world()
                values = {action: mean(outcomes) for action, outcomes in each.items()}
                worlds = len(next(iter(each.values())))
                if worlds >= setting.min_worlds and is_clear(values, clearly(setting.seats)):
                    tells = any(len(set(outcomes)) > 1 for outcomes in each.values())
                    missed = greedy(match.observation()) not in best_of(values)
                    found.append((tells + missed, as_line(match, worlds, values)))
                    break
    found.sort(key=lambda entry: -entry[0])
    return [line for _, line in found[: setting.wanted]]


def clearly(seats: int) -> float:
    """How much worse a move must certainly be."""
    return CLEARLY if seats > 1 else A_CARD


def greedy(observation: Observation) -> int:
    return BOTS["greedy"].choose(observation, seed_words("brute"))


def as_line(match: Match, worlds: int, values: Mapping[int, Interval]) -> dict[str, Any]:
    observation = match.observation()
    return {
        "record": json.loads(str(match.record())),
        "worlds": worlds,
        "values": {
            observation.name(action): [round(bound, DIGITS) for bound in value]
            for action, value in values.items()
        },
    }


def endings(setting: Setting, seed: str) -> Iterator[Match]:
    """The last decisions of a game of careless players, the last one first."""
    dice = Random(seed)
    match = Match(GAMES[setting.name], setting.seats, seed, setting.options)
    while match.turn is not None:
        bot = BOTS["random" if dice.random() < CARELESS else "greedy"]
        match.push_action(bot.choose(match.observation(), own_chance(seed, match.turn, match.ply)))
    for _ in range(min(setting.last, match.ply)):
        match.pop()
        if len(match.legal_moves) > 1:
            yield match.copy()


if __name__ == "__main__":
    main()
