"""What searches, hints, reviews and solvers find, as lines to compare; as a program, in a tab."""

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from tests.helpers.in_tab import become_a_tab

POSITIONS = 4
"""Positions of a game in which the master decides, for each number of players."""


def decisions(game: Game) -> Iterator[str]:
    """Yield what is found in a few positions for each number of players that matters."""
    from redouble.analysis.hint import advise
    from redouble.analysis.review import review
    from redouble.bots import own_chance
    from redouble.bots.search import think
    from redouble.match.match import Match

    master = replace(LEVELS["master"], iterations=100)
    for seats in sorted({game.min_seats, game.usual_seats, game.max_seats}):
        match = Match(game, seats, "decisions", game.needed_options(seats))
        searched = 0
        while match.turn is not None and searched < POSITIONS:
            legal = match.legal_moves.actions
            if len(legal) > 1 and match.ply % 5 < 3:
                searched += 1
                chance = own_chance("decisions", match.turn, match.ply)
                yield repr(think(match.observation(), chance, master))
            match.push_action(legal[match.ply % len(legal)])
        if match.turn is not None:
            yield repr(advise(match.observation(), match.names, 60))
        if seats == game.min_seats:
            yield json.dumps(review(match, 10, threads=1).to_dict())
    if game.solver:
        yield from _solutions(game)


def _solutions(game: Game) -> Iterator[str]:
    from redouble.analysis.solve import Solving
    from redouble.match.match import Match

    solving = Solving(game)
    for deal in range(6):
        match = Match(game, 1, str(deal), {"free-flip": True} if deal % 2 else {})
        yield f"{solving.solve(match.state)} {solving.winnable(match.state)}"
        yield f"{solving.ease(match.state, playouts=5)}"
        yield f"{solving.chances(match.observation(), worlds=3)}"


async def main(name: str, modules: Path) -> None:
    """Print the decisions of a tab."""
    become_a_tab(modules)
    print("\n".join(await asyncio.to_thread(lambda: list(decisions(GAMES[name])))))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
