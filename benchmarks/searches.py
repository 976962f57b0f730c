"""Compare searches: each sits among the same others, in each seat equally often.

    .venv/bin/python benchmarks/searches.py GAME SEATS DEALS SEARCH... [--option NAME=VALUE]
        [--series NAME] [--again N] [--others expert]

A search is written as `redouble arena` takes it, such as search:flat,iterations=4000, and the
others are players of a level or such a search. All play the same deals. Prints a JSON line for each
search: the share of opponents that it beats (in solitaire, of deals that it wins), the difference
to the first search deal by deal, both with 95 % intervals, and, among others that don't search, the
processor time of a decision on one core. The moves depend only on the arguments, so the shares are
the same on any machine. Another series has other deals; the same deals --again, for any number from
1, give the players other chance. Compiling is not included.
"""

from __future__ import annotations

import argparse
import json
from time import thread_time

import numpy as np

from redouble.bots.levels import LEVELS
from redouble.bots.policy import search_policy
from redouble.contract.registry import GAMES
from redouble.lab.contest import FORCED, MOVES, Contest, numbered_words
from tables import percent

SERIES = "exp"
"""The usual series that the deals are numbered in."""
DEAL_WORDS = 4
"""The first words of a game's seed deal the cards; the others are the players' chance."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("seats", type=int)
    parser.add_argument("deals", type=int)
    parser.add_argument("searches", nargs="+", metavar="search")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--series", default=SERIES, metavar="NAME")
    parser.add_argument("--again", type=int, default=0, metavar="N")
    parser.add_argument("--others", default="expert", metavar="LEVEL or search")
    wanted = parser.parse_args()
    game = GAMES[wanted.game]
    options = game.read_options(wanted.option)
    others = LEVELS.get(wanted.others) or search_policy(wanted.others)
    policies = [others, *map(search_policy, wanted.searches)]
    contest = Contest(game, wanted.seats, policies, options)
    words = numbered_words(wanted.series, 0, wanted.deals)
    words[:, DEAL_WORDS:] ^= np.uint64(wanted.again)
    first = None
    for number, text in enumerate(wanted.searches, 1):
        players = np.zeros((wanted.deals, wanted.seats), np.int64)
        players[np.arange(wanted.deals), np.arange(wanted.deals) % wanted.seats] = number
        contest.play(players[:1], numbered_words(f"{wanted.series} compiles", 0, 1))
        begun = thread_time()
        results = contest.play(players, words)
        seconds = thread_time() - begun
        shares = results.utilities()[players == number]
        if game.max_seats == 1:
            shares = np.array([reason.won for reason in game.text.REASONS])[results.reasons] * 1.0
        first = shares if first is None else first
        choices = (results.counts[:, MOVES] - results.counts[:, FORCED]).sum() / wanted.seats
        found = {
            "search": text,
            "share": percent(shares),
            "more than the first": percent(shares - first),
        }
        if not others.iterations:
            found["ms"] = round(1000 * seconds / choices, 1)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
