"""Whether worlds are as likely as in simulated games in which the same was seen.

Many games are played. Where one ends, what its first seat can't see is compared with a world that
``determinize`` makes of what it sees. If worlds are as likely as they should be, nothing in the
one is more frequent than in the other. Seats choose by faces, so that it is chance that picks one
of several equal cards, and so that nothing can be concluded from what they chose: each face that
could be there has the same chance to be named, and a game goes on only if it is.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.games.double_dominoes.rules import PIT, PLACEMENTS
from redouble.games.three_up.actions import COLORED, UP
from redouble.kernel import engine
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words
from tests.helpers.worlds import own_games

OBSERVER, OTHER = 0, 1
GUESSES = 3
"""Determinizations of a position."""


@dataclass(frozen=True)
class Case:
    """Games of which some are simulated, and how seats choose in them."""

    name: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    plies: tuple[int, ...] = (4, 5, 6, 7, 8)
    games: int = 3_000
    """To be played as far as that."""
    face: Callable[[int], Any] = int
    """What a seat chooses when it makes a move."""
    named: Callable[[Any, list[int]], int] = lambda state, legal: len(legal)
    """How many faces could be there, for all that is seen by everybody."""


def bits_in_hand(state: Any, legal: list[int]) -> int:
    return int(state["hand"][state["turn"]]).bit_count()


def cards_in_hand(state: Any, legal: list[int]) -> int:
    return 20 if UP <= legal[0] < COLORED else int(state["size"][state["turn"]]) + 1


CASES = (
    Case(
        "double-down",
        3,
        {"cards": ["10 x12", "2 x8", "turn x6", "x2 x4"], "ages": [11, 20, 30]},
        named=lambda state, legal: 4,
    ),
    Case(
        "double-dominoes",
        2,
        plies=(3, 4),
        games=8_000,
        face=lambda action: action // PLACEMENTS if action < PIT else PIT,
        named=lambda state, legal: 4,
    ),
    Case(
        "three-up",
        2,
        {"cards": ["2r x4", "4r x4", "5b x4", "7r x4", "9r x4", "clear-r x4"]},
        plies=(2, 3, 4),
        named=cards_in_hand,
    ),
    Case("double-decker", 4, plies=(8, 12, 13, 14), named=bits_in_hand),
    Case("double-or-quits", 1),
)


@dataclass
class Simulation:
    """Compiled games of a case, with what tells worlds apart."""

    case: Case

    def __post_init__(self) -> None:
        game, case = GAMES[self.case.name], self.case
        self.rules = game.rules
        self.compiled = {
            name: engine.compiled(getattr(game.rules, name))
            for name in ("setup", "legal", "play", "redact", "determinize")
        }
        options = game.check_options(case.seats, case.options)
        self.start = engine.to_records(game.header(case.seats, options, "simulated"))
        self.games, self.sights = self.start.copy(), self.start.copy()
        self.out = np.zeros(game.rules.MAX_LEGAL + 1, np.int64)
        self.work = np.zeros(WORK, np.int64)
        self.dice = Random(case.name)

    def seen(self, seat: int) -> Any:
        self.sights[0] = self.games[0]
        self.compiled["redact"](self.sights[0], seat)
        return self.sights[0]

    def unseen(self, seat: int) -> set[int]:
        state = self.seen(seat)
        return set(np.flatnonzero(state["deck"][: state["deck_n"]] == ERASED).tolist())

    def move(self, state: Any) -> bool:
        """Make a move by faces, if the face that was named is there."""
        n = self.compiled["legal"](state, self.out)
        faces: dict[Any, list[int]] = {}
        for action in self.out[:n].tolist():
            faces.setdefault(self.case.face(action), []).append(action)
        if not faces or PIT in faces:
            return False
        named = self.case.named(state, self.out[:n].tolist())
        assert len(faces) <= named
        number = self.dice.randrange(named)
        if number >= len(faces):
            return False
        self.compiled["play"](state, [*faces.values()][number][0])
        return True

    def play(self) -> list[int] | None:
        """Play a game; return which cards the other seat showed, or None."""
        self.games[0] = self.start[0]
        state = self.games[0]
        state["rng"] = seed_words(str(self.dice.random()))
        self.compiled["setup"](state)
        shown: list[int] = []
        for _ in range(self.dice.choice(self.case.plies)):
            others = state["turn"] == OTHER
            before = self.unseen(OBSERVER) if others else set()
            if not self.move(state):
                return None
            if others:
                deck = state["deck"].tolist()
                shown += [deck[place] for place in sorted(before - self.unseen(OBSERVER))]
        return shown

    def compare(self) -> dict[str, tuple[Counter[int], Counter[int]]]:
        """Count what is true of real positions, and of their determinizations."""
        found = {
            what: (Counter[int](), Counter[int]()) for what in ("first", "last", "held", "unseen")
        }
        generator = np.array(seed_words("simulated"), np.uint64)
        played = 0
        while played < self.case.games:
            shown = self.play()
            if shown is None:
                continue
            played += 1
            unseen = self.unseen(OBSERVER)
            held = sorted(unseen - self.unseen(OTHER)) if self.case.seats > 1 else []
            decks = [self.games[0]["deck"]]
            for _ in range(GUESSES):
                world = self.seen(OBSERVER)
                self.compiled["determinize"](world, generator, self.work)
                decks.append(world["deck"].copy())
            for number, deck in enumerate(decks):
                side = min(number, 1)
                kinds = [int(deck[place]) for place in held]
                if shown:
                    found["first"][side][min(3, kinds.count(shown[0]))] += 1
                    found["last"][side][min(3, kinds.count(shown[-1]))] += 1
                if kinds:
                    found["held"][side][kinds[0] % 8] += 1
                if unseen:
                    found["unseen"][side][int(deck[min(unseen)]) % 8] += 1
        return found


def test_every_game_is_simulated() -> None:
    assert sorted(case.name for case in CASES) == sorted(own_games())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_worlds_are_as_likely_as_in_simulated_games(case: Case) -> None:
    for what, counts in Simulation(case).compare().items():
        outcomes = sorted(counts[0] | counts[1])
        if len(outcomes) > 1:
            table = [[side[outcome] for outcome in outcomes] for side in counts]
            assert chi2_contingency(table).pvalue > 0.001, what
