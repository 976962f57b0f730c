"""Measure drawing: milliseconds for the pages of one move, up to four, by game and seats.

    .venv/bin/python benchmarks/drawing.py [--games NAME,...] [--moves 60] [--write]

Plays a random game with people in every seat, and after each move draws the board for the first
four seats: what they see is worked out (*view*), prepared (*scene*) and turned into markup
(*markup*). Prints a JSON line for each game and number of seats: the means over the moves, in
milliseconds of this process's time on the processor. ``--write`` updates the table in
results/drawing.csv.
"""

from __future__ import annotations

import argparse
import json
from random import Random
from time import process_time
from typing import Any

from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.web.drawing.board import Viewpoint, board_of
from redouble.web.drawing.markup.board import draw
from redouble.web.live.live import Live
from redouble.web.table import Entry, Header, Seat, Table, apply
from redouble.web.table.acts.play import make_move
from tables import write

PAGES = 4
WARM_MOVES = 5


def at_table(game: Game, seats: int) -> Table:
    """Return a table with a person in every seat."""
    people = tuple(Seat(f"Player {seat}", f"person {seat}") for seat in range(seats))
    options = game.check_options(seats, game.needed_options(seats))
    return Table(Header("token", "invite", game, options, "drawing", people, "person 0"))


def play(played: Table, dice: Random) -> None:
    """Make a random move."""
    seat = played.turn
    assert seat is not None
    move = dice.choice(list(played.match.legal_moves))
    for event in make_move(played, seat, move, played.ply):
        apply(played, Entry(played.ply, 0.0, event))


def measure(game: Game, seats: int, moves: int) -> dict[str, Any]:
    """Return the mean times for the pages of a move."""
    played, dice = at_table(game, seats), Random(game.name)
    pages = [Viewpoint(seat) for seat in range(min(seats, PAGES))]
    spent = {"view": 0.0, "scene": 0.0, "markup": 0.0}
    measured = 0
    for number in range(WARM_MOVES + moves):
        if played.turn is None:
            break
        play(played, dice)
        live = Live(played)
        begun = process_time()
        for point in pages:
            played.match.view(None if played.over else point.eyes)
        seen = process_time()
        boards = [board_of(live, point) for point in pages]
        prepared = process_time()
        for board in boards:
            draw(board)
        drawn = process_time()
        if number >= WARM_MOVES:
            measured += 1
            spent["view"] += seen - begun
            spent["scene"] += prepared - seen - (seen - begun)
            spent["markup"] += drawn - prepared
    means = {name: round(1000 * seconds / measured, 2) for name, seconds in spent.items()}
    return {"game": game.name, "seats": seats, "pages": len(pages), **means}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rows = []
    for name in given.games.split(","):
        game = GAMES[name]
        for seats in sorted({game.min_seats, game.usual_seats, game.max_seats}):
            rows.append(measure(game, seats, given.moves))
            print(json.dumps(rows[-1]), flush=True)
    if given.write:
        heads = list(rows[0])
        write("drawing", heads, [list(row.values()) for row in rows])


if __name__ == "__main__":
    main()
