#!/usr/bin/env python3
"""Write docs/pictures/<game>.svg, a picture of each game in a terminal.

.venv/bin/python scripts/pictures.py            write them
.venv/bin/python scripts/pictures.py --check    exit 1 when one is not what would be written
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.match.story import Story
from redouble.terminal.ask.prompt import Choices, asking
from redouble.terminal.draw.blocks import Block
from redouble.terminal.draw.cards import ROUND
from redouble.terminal.draw.table import TablePicture, draw
from redouble.terminal.play.setup import Setup

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
COLUMNS, ROWS = 80, 24
SEED = "picture"
PLIES = 40
"""Moves before the picture is taken; in a shorter game two thirds of its moves."""


def picture(game: Game) -> str:
    """Return the terminal in the middle of a game between bots as SVG, the same at every call."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=COLUMNS,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        highlight=False,
        _environ={},
    )
    for line in screen_of(game):
        console.print(line, soft_wrap=True)
    svg = console.export_svg(title=f"redouble play {game.name}", unique_id=game.name)
    # The viewer's monospaced font will do, so that a picture fetches nothing.
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


def screen_of(game: Game) -> Block:
    """Return the screen of seat 0 at one of its decisions in the middle of a game."""
    setup = Setup(game, seed=SEED)
    length = _play(setup.start(), 100_000)[0].ply
    match, story = _play(setup.start(), min(PLIES, length * 2 // 3))
    lines = story.lines(0, max(0, match.ply - match.seats))
    choices = Choices.of(match, ROWS)
    view = match.view(0)
    below = asking(view.prompt, choices, COLUMNS)
    picture = TablePicture(game.title, view, story.names, 0, lines, below)
    return [*draw(picture, ROUND, COLUMNS, ROWS - 1), Text("> ")]


def _play(match: Match, plies: int) -> tuple[Match, Story]:
    """Let greedy play ``plies`` plies, then on to a choice of seat 0."""
    story = Story(match, [0])
    while match.turn is not None:
        if match.ply >= plies and match.turn == 0 and len(match.legal_moves) > 1:
            break
        mover = match.turn
        chance = own_chance(SEED, mover, match.ply)
        match.push_action(BOTS["greedy"].choose(match.observation(), chance))
        story.hear(mover)
    return match, story


def main(arguments: list[str]) -> int:
    stale = 0
    for game in GAMES.values():
        if not game.folder.is_relative_to(ROOT / "src"):
            continue  # a stranger's game has its pictures elsewhere
        path = PICTURES / f"{game.name}.svg"
        svg = picture(game)
        if "--check" not in arguments:
            path.write_text(svg, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != svg:
            print(f"{path.name} is not what scripts/pictures.py would write")
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
