"""``redouble prepare``: compile ahead of time."""

from __future__ import annotations

from redouble.commands.arguments import OptionalGame
from redouble.contract.registry import GAMES


def prepare(
    game: OptionalGame = None,
) -> None:
    """Compile the bots' search ahead of time.

    Otherwise the first game that needs it has to wait. You need this only once
    after each installation or update.
    """
    from redouble.analysis.prepare import prepare as compile_code
    from redouble.analysis.prepare import purposes

    for each in [GAMES[game]] if game else GAMES.values():
        print(f"{each.title}...", end=" ", flush=True)
        for purpose in purposes(each):
            compile_code(each, purpose)
        print("ready", flush=True)
