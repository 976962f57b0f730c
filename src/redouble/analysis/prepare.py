"""Compiling the code of games ahead of time, so that no player has to wait for it.

Compiling takes about half a minute for each game; afterwards the code is cached on disk. Run as a
program (``python -m redouble.analysis.prepare``), this module is a server's worker: it compiles
what the server asks for, and exits when the server does.
"""

import contextlib
import os
import queue
import sys
import threading
from enum import StrEnum
from typing import TextIO

from redouble.bots import own_chance
from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match

NICENESS = 10
"""The worker's niceness: it gives way to other processes."""
READY = "ready"
"""The worker's answer when a request is done; any other answer is an error."""


class Purpose(StrEnum):
    """What compiled code is for."""

    SEARCH = "search"
    """Bots that search, hints and reviews."""
    SOLVER = "solver"
    """Solving the deals of a game for one player."""


def purposes(game: Game) -> tuple[Purpose, ...]:
    """Return the purposes that a game has code for."""
    return (Purpose.SEARCH,) if game.solver is None else tuple(Purpose)


def prepare(game: Game, purpose: Purpose) -> None:
    """Compile the code of a game for one purpose, or load it from disk.

    If several processes want the same code, each function is compiled by one of them.
    """
    if purpose is Purpose.SOLVER:
        from redouble.analysis import solve

        solve.prepare(game.name)
    else:
        _search_once(game)


class Preparation:
    """Code of a game that is compiled or loaded in the background, from the start of this object.

    Loading takes about a second, so begin before somebody waits for a bot that searches.
    """

    def __init__(self, game: Game, purpose: Purpose) -> None:
        self._thread = threading.Thread(target=self._prepare, args=(game, purpose), daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Return when the code can be called, or when it has turned out not to compile."""
        self._thread.join()

    def _prepare(self, game: Game, purpose: Purpose) -> None:
        with contextlib.suppress(Exception):  # the caller gets the same when it calls the code
            prepare(game, purpose)


def _search_once(game: Game) -> None:
    from redouble.bots.search import Search, forecast

    match = Match(game, game.usual_seats, "prepare")
    while len(match.legal_moves) == 1:
        match.push(match.legal_moves[0])
    observation = match.observation()
    for policy in (one for one in LEVELS.values() if one.iterations):
        Search(observation, own_chance("prepare", 0, 0), policy).run(1)
    forecast(observation, own_chance("prepare", 0, 0), 1)  # what hints and reviews want as well


def work(requests: TextIO, answers: TextIO) -> None:
    """Compile what is requested, one game and purpose per line, and answer each with a line.

    The process exits at the end of ``requests``, even while compiling. The system closes that pipe
    when the server ends, even if it was killed, so no worker outlives its server.
    """
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting), daemon=True).start()
    while True:
        request = waiting.get()
        try:
            name, purpose = request.split()
            prepare(GAMES[name], Purpose(purpose))
            answer = READY
        except Exception as error:  # the server decides how to go on without this code
            answer = f"{type(error).__name__}: {' '.join(str(error).split())}"
        print(answer, file=answers, flush=True)


def _receive(requests: TextIO, waiting: queue.SimpleQueue[str]) -> None:
    for line in requests:
        waiting.put(line)
    os._exit(0)  # the main thread may be compiling: an exception would not reach it in time


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # a sandbox refuses it
        os.nice(NICENESS)
    work(sys.stdin, sys.stdout)
