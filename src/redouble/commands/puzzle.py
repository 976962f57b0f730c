"""``redouble puzzle``: positions to solve."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from redouble.commands.arguments import AsJson, OptionalGame, Plain
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RedoubleError


def puzzle(
    game: OptionalGame = None,
    number: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of the first puzzle.", show_default="a random order"
        ),
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option(
            metavar="DIFFICULTY",
            help="Only puzzles of this difficulty: easy, medium or hard.",
            show_default="every one",
        ),
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(metavar="MOVE", help="Judge this answer to puzzle --number, and exit."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the puzzles.")] = False,
    as_json: AsJson = False,
    plain: Plain = False,
) -> None:
    """Find the best move from what a player can see."""
    from redouble.analysis.puzzle import puzzles_at
    from redouble.terminal.ask.screen import Screen
    from redouble.terminal.study import puzzle as table

    screen = Screen(plain)
    chosen = None if game is None else GAMES[game]
    if answer is not None and (number is None or listed):
        raise RedoubleError("--answer needs a puzzle: give its number with --number")
    found = puzzles_at(chosen, number, difficulty, in_order=listed)
    if listed and as_json:
        print(json.dumps([one.summary() for one in found], ensure_ascii=False))
    elif listed:
        screen.console.print(table.listing(found, screen.glyphs))
    elif as_json:
        table.as_json(found[0], answer, screen)
    elif answer is not None:
        table.answer(found[0], answer, screen)
    else:
        table.solve(found, screen)
