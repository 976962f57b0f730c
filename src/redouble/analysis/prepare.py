"""Compile what thinking bots need, so that nobody waits for it in a game.

Compiled code is kept on disk: the first time this takes some ten seconds a game, later hardly any.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

from redouble.bots import own_chance
from redouble.contract.game import Game
from redouble.match.match import Match

POLITE = 10
"""How much other work goes before this, as Unix counts it."""


def prepare(game: Game) -> None:
    """Compile the search for a game, and its solver if it has one, or find them compiled."""
    from redouble.bots.search import Search

    match = Match(game, game.usual_seats, "prepare")
    while len(match.legal_moves) == 1:
        match.push(match.legal_moves[0])
    Search(match.observation(), own_chance("prepare", 0, 0)).run(1)
    if game.solver is not None:
        from redouble.analysis import solve

        solve.prepare(game.name)


@contextlib.contextmanager
def in_background() -> Iterator[None]:
    """Let a process of its own prepare every game, and end it with what is done meanwhile.

    A thread would not do: the compiler keeps other threads from running.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "redouble", "prepare"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt in the terminal is for the server
        preexec_fn=lambda: os.nice(POLITE),
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()
