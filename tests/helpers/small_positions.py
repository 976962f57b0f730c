"""Make the corpus of small positions, where brute force leaves no doubt which moves are best.

``python -m tests.helpers.small_positions [GAME...]`` adds positions to the corpus. A setting is
done when it has the number of positions wanted, or when all its games have been searched. They are
the last decisions of careless games, many with small decks, so that little is hidden. The choice
doesn't depend on any search.
"""

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from redouble.bots import BOTS, own_chance
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.match.match import Match, Observation
from tests.helpers.brute import CLEARLY, MAX_WORK, Brute, TooLarge, best_of, is_clear, mean
from tests.helpers.corpus import SmallPosition, read, solved, write

A_CARD = 0.02
"""CLEARLY for a game alone, where a share of 0.01 is a card on the foundation."""
CARELESS = 0.3
AMPLE = 1.2
"""Candidates to look for, as a multiple of the positions that are missing."""


@dataclass(frozen=True)
class Setting:
    """Where to look for positions: among the last decisions of this many games."""

    name: str
    seats: int
    options: Mapping[str, Any]
    games: int
    last: int
    wanted: int
    max_work: int = MAX_WORK
    """Of brute force in a position: small ones are found sooner than a large one is solved."""

    def holds(self, position: SmallPosition) -> bool:
        """Whether a position of the corpus is of this setting."""
        options = dict(
            Match(GAMES[self.name], self.seats, "setting", self.options).record().options
        )
        return (position.game, position.seats) == (self.name, self.seats) and (
            position.record["options"] == options
        )


def deck(cards: str) -> dict[str, Any]:
    """The option for a deck with this number of each card."""
    counts = [card.split(":") for card in cards.split()]
    return {"cards": [f"{card} x{count}" for card, count in counts]}


DOWN = "10:4 9:2 66:1 33:1 5:1 0:2"
DOWN_TURNS = "10:3 8:2 44:1 2:2 -10:1 turn:1 x2:1"
DOWN_OF_THREE = "10:9 33:2 5:3 0:1 x2:1"
DOWN_OF_THREE_TURNS = "9:8 44:2 6:4 turn:2"
DOWN_TENS = "10:6 33:3 5:2"
DOWN_REPEATS = "11:4 10:3 0:2 turn:2"
UP = "3r:4 5r:2 7r:2 9r:4 clear-r:4 clear+1-r:2"
UP_AND_PILE = f"{UP} 2r:1 8r:1"
UP_CLEARS = "3r:2 5r:2 8r:2 9r:2 clear-r:6 clear-b:2 clear+1-r:2"
UP_FEW_KINDS = "3r:4 9r:4 5r:3 clear-r:5 clear+1-r:2"
UP_TO_DRAW = "3r:2 5r:2 8r:3 9r:3 clear-r:6 clear+1-r:2"
UP_OF_THREE = "2r:4 4r:4 6r:4 8r:3 10r:4 clear-r:5 clear+1-r:2 clear+2-g:1"
UP_OF_THREE_CLEARS = "2r:4 4r:4 6r:4 8r:3 10r:4 clear-r:6 clear+1-r:2"
UP_OF_FOUR = "2r:4 3r:4 4r:4 6r:4 7r:2 8r:4 10r:4 clear-r:6 clear-b:4 clear+1-r:2"
FLIP = {"free-flip": True}
SETTINGS = (
    Setting("double-down", 2, deck(DOWN), 160, 3, 25, 1_000),
    Setting("double-down", 2, deck(DOWN_TURNS), 160, 3, 12, 1_000),
    Setting("double-down", 2, deck(DOWN_TENS), 160, 2, 35, 3_000),
    Setting("double-down", 2, deck("66:7 turn:2 10:2"), 160, 2, 20, 1_000),
    Setting("double-down", 2, deck("9:7 x2:1 0:1 33:2"), 160, 2, 20, 2_000),
    Setting("double-down", 2, {**deck(DOWN_REPEATS), "repeats-cost": True}, 160, 2, 10, 2_000),
    Setting("double-down", 3, deck(DOWN_OF_THREE), 60, 3, 4),
    Setting("double-down", 3, deck(DOWN_OF_THREE_TURNS), 60, 3, 4),
    Setting("double-down", 3, deck("10:12 33:3 5:1"), 700, 1, 40, 3_500),
    Setting("double-down", 4, deck("10:17 33:3 5:1"), 900, 1, 35, 4_500),
    Setting("double-or-quits", 1, FLIP, 250, 8, 85, 1_000),
    Setting("double-or-quits", 1, {**FLIP, "redeals": 1}, 250, 12, 85, 1_000),
    Setting("double-or-quits", 1, {**FLIP, "redeals": 0}, 600, 20, 35, 1_000),
    Setting("three-up", 2, deck(UP), 90, 6, 8),
    Setting("three-up", 2, {**deck(UP_AND_PILE), "draw-instead": True}, 40, 6, 3),
    Setting("three-up", 2, deck(UP_CLEARS), 3_000, 3, 45, 400),
    Setting("three-up", 2, {**deck(UP_TO_DRAW), "draw-instead": True}, 2_000, 2, 35, 500),
    Setting("three-up", 2, {**deck(UP_FEW_KINDS), "swap-piles": True}, 1_000, 2, 35, 500),
    Setting("three-up", 3, deck(UP_OF_THREE), 250, 6, 4),
    Setting("three-up", 3, {**deck(UP_OF_THREE_CLEARS), "play-on": True}, 1_500, 1, 30, 1_000),
    Setting("three-up", 3, {**deck(UP_OF_THREE_CLEARS), "games": 1}, 1_500, 2, 30, 600),
    Setting("three-up", 4, {**deck(UP_OF_FOUR), "play-on": True}, 1_500, 1, 20, 1_000),
    Setting("double-decker", 4, {}, 600, 2, 100, 6_000),
    Setting("double-decker", 5, {}, 20, 2, 6),
    Setting("double-decker", 6, {}, 800, 1, 110, 8_000),
    Setting("double-dominoes", 2, {"victory": 999}, 1_600, 1, 160, 2_200),
    Setting("double-dominoes", 2, {"victory": 130}, 500, 1, 45, 2_200),
    Setting("double-dominoes", 2, {}, 90, 2, 3),
    Setting("double-dominoes", 3, {"victory": 999}, 60, 1, 5),
)


def main(names: list[str]) -> None:
    """Add to the corpus, for these games or for all."""
    corpus = read()
    chosen = [setting for setting in SETTINGS if setting.name in (names or GAMES)]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(more, setting, corpus) for setting in chosen]
        for setting, job in zip(chosen, jobs, strict=True):
            found = job.result()
            corpus += found
            write(corpus)
            print(setting.name, setting.seats, setting.options, f"{len(found)} new", flush=True)


def more(setting: Setting, corpus: list[SmallPosition]) -> list[SmallPosition]:
    """Clear positions that the corpus lacks. Those come first in which what is hidden makes a
    difference to what a move is worth, and which the heuristic player gets wrong.
    """
    known = [position for position in corpus if setting.holds(position)]
    missing = setting.wanted - len(known)
    if missing <= 0:
        return []
    begin = max((int(one.record["seed"].split()[-1]) + 1 for one in known), default=0)
    found: list[tuple[int, SmallPosition]] = []
    for number in range(begin, setting.games):
        if len(found) >= AMPLE * missing:
            break
        for match in endings(setting, f"brute {number}"):
            with suppress(TooLarge):
                each = Brute(match, setting.max_work).values_by_world()
                values = {action: mean(outcomes) for action, outcomes in each.items()}
                if is_clear(values, clearly(setting.seats)):
                    tells = any(len(set(outcomes)) > 1 for outcomes in each.values())
                    missed = greedy(match.observation()) not in best_of(values)
                    worlds = len(next(iter(each.values())))
                    found.append((tells + missed, solved(match, values, worlds)))
    found.sort(key=lambda entry: -entry[0])
    return [position for _, position in found[:missing]]


def clearly(seats: int) -> float:
    """How much worse a move must certainly be."""
    return CLEARLY if seats > 1 else A_CARD


def greedy(observation: Observation) -> int:
    return BOTS["greedy"].choose(observation, seed_words("brute"))


def endings(setting: Setting, seed: str) -> Iterator[Match]:
    """The last decisions of a game of careless players, the last one first."""
    dice = Random(seed)
    match = Match(GAMES[setting.name], setting.seats, seed, setting.options)
    while match.turn is not None:
        bot = BOTS["random" if dice.random() < CARELESS else "greedy"]
        match.push_action(bot.choose(match.observation(), own_chance(seed, match.turn, match.ply)))
    left = setting.last
    while left and match.ply:
        match.pop()
        if len(match.legal_moves) > 1:
            left -= 1
            yield match.copy()


if __name__ == "__main__":
    main(sys.argv[1:])
