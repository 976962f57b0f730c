"""Whether a game's unseen cards are dealt in every possible way, equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from scipy.stats import chisquare

import redouble
from redouble.contract.game import WORK
from redouble.kernel.rng import seed_words
from redouble.match.match import Match


def check_uniform(match: Match, eye: int) -> list[tuple[int, ...]]:
    """Compare determinizations with every arrangement that looks the same; return these.

    To be possible, an arrangement must look the same when it is dealt and played with the same
    moves.
    """
    seen, state = match.seen_by(eye), match.state
    erased = [place for place, card in enumerate(seen.deck[: state.deck_n]) if card < 0]
    possible = []
    for arrangement in permutations(state.deck[place] for place in erased):
        deck = list(state.deck[: state.deck_n])
        for place, card in zip(erased, arrangement, strict=True):
            deck[place] = card
        texts = [match.game.text.CARDS[card] for card in deck]
        other = redouble.new(match.game.name, match.seats, seed=match.seed, deck=texts)
        for move in match.moves:
            other.push(move)
        if other.seen_by(eye) == seen:
            possible.append(arrangement)
    rng = seed_words("uniform")
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(20_000):
        world = seen.copy()
        match.game.rules.determinize(world, rng, [0] * WORK)
        found[tuple(world.deck[place] for place in erased)] += 1
    assert set(found) == set(possible)
    assert chisquare([found[arrangement] for arrangement in possible]).pvalue > 0.001
    return possible
