"""Whether a game's unseen cards are dealt in every possible way, equally often."""

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod
from typing import Any

import numpy as np
from scipy.stats import chisquare

from redouble.contract.game import WORK
from redouble.kernel import engine
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words
from redouble.match.match import Match
from redouble.testing.chance import History, Impossible, play_history

Arrangement = tuple[int, ...]
"""The cards at the places that a seat has not seen."""


def check_uniform(history: History, seat: int, samples: int = 20_000) -> list[Arrangement]:
    """Compare determinizations with every arrangement that could have happened; return these."""
    rules, seen = history.game.rules, seen_by(history, seat)
    places = unseen_places(seen)
    possible = [each for each in arrangements(history, seat) if could_be(history, seat, each)]
    determinize = engine.compiled(rules.determinize)
    generator = np.array(seed_words("uniform"), np.uint64)
    work, world = np.zeros(WORK, np.int64), engine.to_records(seen)
    start, found = world.copy(), Counter[Arrangement]()
    for _ in range(samples):
        world[0] = start[0]
        determinize(world[0], generator, work)
        found[tuple(world[0]["deck"][places].tolist())] += 1
    assert set(found) <= set(possible)
    if len(possible) > 1:
        assert chisquare([found[each] for each in possible]).pvalue > 0.001
    return possible


def seen_by(history: History, seat: int) -> Any:
    seen = history.states[-1].copy()
    history.game.rules.redact(seen, seat)
    return seen


def unseen_places(seen: Any) -> list[int]:
    return [place for place in range(seen.deck_n) if seen.deck[place] == ERASED]


def unseen_cards(history: History, seat: int) -> Counter[int]:
    """What lies at the places that a seat has not seen."""
    deck = history.states[-1].deck
    return Counter(int(deck[place]) for place in unseen_places(seen_by(history, seat)))


def number_of_arrangements(history: History, seat: int) -> int:
    """How many there are, possible or not."""
    cards = unseen_cards(history, seat)
    return factorial(cards.total()) // prod(map(factorial, cards.values()))


def arrangements(history: History, seat: int) -> Iterator[Arrangement]:
    """Yield every order of the cards that a seat has not seen."""
    cards = unseen_cards(history, seat)

    def orders(left: int) -> Iterator[Arrangement]:
        if not left:
            yield ()
        for card in sorted(cards):
            if cards[card]:
                cards[card] -= 1
                for rest in orders(left - 1):
                    yield (card, *rest)
                cards[card] += 1

    return orders(cards.total())


def could_be(history: History, seat: int, arrangement: Arrangement) -> bool:
    """Whether the same game with these cards is legal and looks the same to the seat."""
    seen = seen_by(history, seat)
    world = seen.copy()
    for place, card in zip(unseen_places(seen), arrangement, strict=True):
        world.deck[place] = card
    real: Any = history.header
    try:
        if real.stacked:
            start = real.copy()
            start.deck = world.deck[:]
            history.header = start
        reached = history.replay(world, seen, seat, only_ends=True)
    except Impossible:
        return False
    finally:
        history.header = real
    return bool(reached.states[-1].deck == world.deck and seen_by(reached, seat) == seen)


def history_of(match: Match) -> History:
    """Return a match's history, found by playing it again."""
    header = match.game.header(match.seats, match.options, match.seed, match.deck)
    actions = iter(match._actions)
    return play_history(match.game, header, lambda state, legal: next(actions), match.ply)


def cut(history: History, ply: int) -> History:
    """Return the history up to a ply, with the chance events of that far."""
    actions, game = iter(history.actions), history.game
    return play_history(game, history.header, lambda state, legal: next(actions), ply)
