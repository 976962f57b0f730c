"""The games of the examples in C and JavaScript, played by interpreted rules."""

from __future__ import annotations

from redouble.contract.game import Game

GAMES, SEATS = 100, 4


def random_games(game: Game) -> str:
    """Return what the examples print."""
    rules = game.rules
    dice, moves, wins = 1, 0, [0] * SEATS
    legal, ranks = [0] * (rules.MAX_LEGAL + 1), [0] * SEATS
    for number in range(GAMES):
        s = game.header(SEATS, {})
        s.rng[:] = [number, 1, 2, 3]
        rules.setup(s)
        while n := rules.legal(s, legal):
            dice = (dice * 1664525 + 1013904223) % 2**32
            rules.play(s, legal[(dice >> 16) % n])
            moves += 1
        rules.rank(s, ranks)
        wins = [won + (rank == 1) for won, rank in zip(wins, ranks, strict=True)]
    return f"{GAMES} games, {moves} moves, wins: {' '.join(map(str, wins))}\n"
