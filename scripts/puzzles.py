"""Find puzzles in games that strong bots play, and write the best of them into the game's folder.

    .venv/bin/python scripts/puzzles.py GAME... [--seats 2,3] [--games 40] [--number 14]
        [--easy 0.03] [--seed TEXT] [--option name=value] [--write]
    .venv/bin/python scripts/puzzles.py GAME... --rate

Of so many games for each number of seats, so many puzzles are chosen: of every hardness, and of
every kind of answer. ``--write`` puts them behind those that the game has; what is there keeps its
number. ``--rate`` rates those that are there by the bots' levels as they are now, and finds none.
The same arguments find the same puzzles, on one core in about 1 to 6 seconds a game.
docs/puzzles.md says how it is done.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from redouble.analysis.puzzle import FILE, Puzzle, forget_puzzles, puzzles_of
from redouble.analysis.puzzle.maker import Care, chosen, puzzles, rated
from redouble.contract.game import Game
from redouble.contract.registry import GAMES

MAX_COUNTS = 4
"""Numbers of seats that are tried when none are given: the fewest, and those that follow."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="+", type=GAMES.__getitem__)
    parser.add_argument("--seats", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--games", type=int, default=40, help="games played for each: 40")
    parser.add_argument("--number", type=int, default=14, help="puzzles wanted of each: 14")
    parser.add_argument("--easy", type=float, default=Care.easy, help=f"see Care: {Care.easy}")
    parser.add_argument("--seed", default="puzzles", help="a text that decides all chance")
    parser.add_argument("--option", action="append", default=[], help="name=value")
    parser.add_argument("--write", action="store_true", help=f"into the game's {FILE}")
    parser.add_argument("--rate", action="store_true", help="rate anew what is there")
    wanted = parser.parse_args()
    if wanted.rate:
        for game in wanted.game:
            rate(game)
        return
    options = dict(one.split("=", 1) for one in wanted.option)
    for game in wanted.game:
        most = min(game.max_seats, game.min_seats + MAX_COUNTS - 1)
        found = []
        for seats in wanted.seats or range(max(2, game.min_seats), most + 1):
            games = puzzles(game, seats, options, wanted.seed, Care(easy=wanted.easy))
            found += tell(game, seats, islice(games, wanted.games), wanted.number)
        if wanted.write:
            with (game.folder / FILE).open("a", encoding="utf-8") as file:
                file.writelines(f"{puzzle}\n" for puzzle in found)
            forget_puzzles()
            print(f"{game.name}: {len(puzzles_of(game))} puzzles")


def rate(game: Game) -> None:
    """Rate the puzzles of a game anew; they keep their numbers."""
    path = game.folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [rated(Puzzle.parse(line, number)) for number, line in enumerate(lines, 1)]
    path.write_text("".join(f"{puzzle}\n" for puzzle in found), encoding="utf-8")
    stars = Counter(one.stars for one in found)
    print(f"{game.name}: {', '.join(f'{stars[n]} of {n} stars' for n in range(1, 6))}", flush=True)


def tell(game: Game, seats: int, games: Iterable[Puzzle | None], number: int) -> list[Puzzle]:
    """The puzzles chosen for a number of seats; says what was found."""
    start = time.perf_counter()
    looked = list(games)
    found = [one for one in looked if one]
    taken = chosen(found, number)
    stars = Counter(one.stars for one in taken)
    print(
        f"{game.name}, {seats} seats: {len(found)} puzzles in {len(looked)} games"
        f" ({time.perf_counter() - start:.0f} s), {len(taken)} taken:"
        f" {', '.join(f'{stars[n]} of {n} stars' for n in range(1, 6))}",
        flush=True,
    )
    for one in taken:
        margin = one.margins["trials"]
        print(
            f"  {one.stars} {one.answer} of {len(one.shares)}, {one.shares[one.answer]},"
            f" +{margin.value} +- {margin.error}, {list(one.found.values())}",
            flush=True,
        )
    return taken


if __name__ == "__main__":
    main()
