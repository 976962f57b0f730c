"""The games of the examples in C and JavaScript, played by interpreted rules."""

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

from redouble.contract.game import Game

GAMES, SEATS = 100, 4


def random_games(game: Game) -> str:
    """Return what random_games.c and random_games.html print."""
    moves, wins = 0, [0] * SEATS
    ranks = [0] * SEATS
    for s, made in islice(_games(game), GAMES):
        moves += made
        game.rules.rank(s, ranks)
        wins = [won + (rank == 1) for won, rank in zip(wins, ranks, strict=True)]
    return f"{GAMES} games, {moves} moves, wins: {' '.join(map(str, wins))}\n"


def games_of_moves(game: Game, moves: int) -> int:
    """Return how many games billion_moves.c begins for so many moves."""
    for number, (_, made) in enumerate(_games(game), 1):
        moves -= made
        if moves <= 0:
            return number
    raise AssertionError("games never end")


def _games(game: Game) -> Iterator[tuple[Any, int]]:
    """Yield the end of each game, and its moves."""
    rules, dice = game.rules, 1
    legal = [0] * (rules.MAX_LEGAL + 1)
    for number in count():
        s = game.header(SEATS, {})
        s.rng[:] = [number, 1, 2, 3]
        rules.setup(s)
        moves = 0
        while n := rules.legal(s, legal):
            dice = (dice * 1664525 + 1013904223) % 2**32
            rules.play(s, legal[(dice >> 16) % n])
            moves += 1
        yield s, moves
