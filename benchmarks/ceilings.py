"""Measure how far from perfect the bots are: by players that know more than a bot may.

    .venv/bin/python benchmarks/ceilings.py [--table NAME] [--game NAME] [--scale 1.0]
        [--exploiter FILE] [--write]

Two tables, each with deals of its own:

- ``sight``: a search that sees everything among experts, the same search with all hands but not
  the cards to come, and with what a bot may know; on the same deals, in each seat equally often.
- ``best-reply``: players that exploit an expert or a master in Double Down with two seats. They
  play each deal twice, with the seats exchanged. ``--exploiter`` is the file of a network that has
  learned against a search, as ``redouble weights`` writes it; then it plays, too.

Prints a JSON line for each row, with its processor time; ``--write`` updates the tables in
docs/strength.md, or the rows of one game. ``--scale`` multiplies the numbers of deals. The moves
depend only on the numbers of the deals, so the shares are the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time

from players import BestReply, Fair, Player, Searcher, SeesEverything, SeesHands, final_ranks
from redouble.analysis.shares import of_ranks
from redouble.bots import BOTS, Bot
from redouble.bots.learned import LearnedBot, LearnedWeights, read_weights
from redouble.bots.levels import LEVELS, LevelBot
from redouble.bots.policy import Policy
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tables import percent, table, with_others, write

DEALS = {
    "sight": {"double-decker": 24, "double-dominoes": 60, "double-down": 160, "three-up": 100},
    "best-reply": {"double-down": 200},
}
"""Deals of a row, by table and game; in ``sight`` rounded up so that each seat has as many."""
DEALS_OF_BEST_REPLY, DEALS_OF_NETWORKS = 40, 2000
"""The best reply takes seconds for each game, and a network next to no time."""
ITERATIONS = 512
"""Of each search in ``sight``. With nothing hidden, few worlds are enough."""

Row = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", choices=list(DEALS))
    parser.add_argument("--game", choices=list(GAMES))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--exploiter", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    measures: dict[str, Callable[[Game, float], Iterator[Row]]] = {
        "sight": sight,
        "best-reply": partial(best_reply, file=wanted.exploiter),
    }
    for name in [wanted.table] if wanted.table else DEALS:
        rows: list[Row] = []
        for game in DEALS[name]:
            if game != (wanted.game or game):
                continue
            begun = process_time()
            for row in measures[name](GAMES[game], wanted.scale):
                rows.append(row)
                print(json.dumps({**row, "s": round(process_time() - begun, 1)}), flush=True)
                begun = process_time()
        if wanted.write and rows:
            cells = [list(row.values()) for row in rows]
            if wanted.game:
                cells = with_others("strength.md", name, wanted.game, cells)
            write("strength.md", name, table(list(rows[0]), cells))


def sight(game: Game, scale: float) -> Iterator[Row]:
    """Yield a row for each number of seats: one player among experts."""
    policy = Policy(iterations=ITERATIONS, method="flat")
    for seats in range(game.min_seats, game.max_seats + 1):
        deals = math.ceil(deals_of("sight", game, scale) / seats) * seats
        sees, hands, guesses = (
            [among("expert", game, seats, deal, player) for deal in range(deals)]
            for player in (SeesEverything(policy), SeesHands(policy), Fair(Searcher(policy)))
        )
        yield {
            "game, seats": f"{game.name} {seats}",
            "sees everything": percent(sees),
            "sees all hands": percent(hands),
            "sees what a bot may": percent(guesses),
            "what hands tell": percent([a - b for a, b in zip(hands, guesses, strict=True)]),
            "deals": f"{deals}",
        }


def among(level: str, game: Game, seats: int, deal: int, player: Player) -> float:
    """Return the share of bots of a level that a player beats; its seat changes with the deal."""
    seat = deal % seats
    players: list[Player] = [Fair(LevelBot(level, LEVELS[level]))] * seats
    players[seat] = player
    ranks = final_ranks(game, f"sight {deal}", players, game.needed_options(seats))
    return of_ranks(ranks)[seat]


def duels(
    game: Game, seats: int, deals: int, series: str, one: Player, other: Player
) -> list[float]:
    """Return, for each deal, the share of the others that one beats; each has half of the seats.

    Every deal is played twice: then each has had all seats.
    """
    found = []
    for deal in range(deals):
        beaten = []
        for turn in range(2):
            mine = [(seat + turn) % 2 == 0 for seat in range(seats)]
            players = [one if own else other for own in mine]
            seed = f"{series} {deal}"
            ranks = final_ranks(game, seed, players, game.needed_options(seats))
            beaten += [
                (ranks[a] < ranks[b]) + 0.5 * (ranks[a] == ranks[b])
                for a in range(seats)
                for b in range(seats)
                if mine[a] and not mine[b]
            ]
        found.append(sum(beaten) / len(beaten))
    return found


def best_reply(game: Game, scale: float, file: Path | None) -> Iterator[Row]:
    """Yield a row for each player that tries to exploit a level, also by the network of a file."""
    exploiter = None if file is None else read_weights(file, game).get("2")
    if file is not None and exploiter is None:
        raise SystemExit(f"{file} has no network for 2 players: let one learn with --seats 2")
    for level in ("expert", "master"):
        target = (
            Searcher(LEVELS[level]) if LEVELS[level].iterations else LevelBot(level, LEVELS[level])
        )
        for name, player, usual in repliers(target, exploiter):
            deals = deals_of("best-reply", game, scale, usual)
            shares = duels(game, 2, deals, "reply", player, Fair(target))
            yield {
                "game, seats": f"{game.name} 2",
                "opponent": level,
                "player": name,
                "beats it": percent(shares),
                "deals": f"{deals}",
            }


def repliers(
    target: Bot, exploiter: LearnedWeights | None
) -> Iterator[tuple[str, Player, int | None]]:
    """Yield who tries to exploit a bot, and its deals where they aren't the usual number."""
    flat = {n: Policy(iterations=n, method="flat") for n in (256, 4000, 16_000)}
    yield "learned against experts", Fair(BOTS["learned"]), DEALS_OF_NETWORKS
    if exploiter is not None:
        yield "learned against a search", Fair(LearnedBot(exploiter)), DEALS_OF_NETWORKS
    yield "flat search, 4,000 iterations", Fair(Searcher(flat[4000])), None
    yield "flat search, 16,000 iterations", Fair(Searcher(flat[16_000])), None
    yield "sees everything", SeesEverything(flat[4000]), None
    best = BestReply(target, flat[4000], 2, 24, flat[256])
    yield "best reply", Fair(best), DEALS_OF_BEST_REPLY


def deals_of(name: str, game: Game, scale: float, usual: int | None = None) -> int:
    """Return how many deals are played."""
    return max(2, round(scale * (usual or DEALS[name][game.name])))


if __name__ == "__main__":
    main()
