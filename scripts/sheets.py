#!/usr/bin/env python3
"""Write docs/games/<game>.md, a spec sheet for each game, from the registry.

.venv/bin/python scripts/sheets.py            write them
.venv/bin/python scripts/sheets.py --check    exit 1 when one is not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from redouble.contract.game import Game
from redouble.contract.options import Data, Number, Option, PerSeat
from redouble.contract.registry import GAMES
from redouble.envs.observation import Slice, layout, tensor_size
from redouble.kernel.engine import dtype

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "games"


def sheet(game: Game) -> str:
    """The spec sheet of one game."""
    seats = (
        f"{game.min_seats}"
        if game.min_seats == game.max_seats
        else (f"{game.min_seats}-{game.max_seats}")
    )
    rulebook = f"../../src/redouble/games/{game.folder.name}/rulebook.md"
    facts = [
        ("name", f"`{game.name}`"),
        ("seats", seats),
        ("rules version", game.version),
        ("actions", game.rules.ACTIONS),
        ("legal actions at most", game.rules.MAX_LEGAL),
        ("cards in the default deck", _deck_size(game)),
        ("state", f"{dtype(game.rules.Position).itemsize} bytes"),
        ("ends by", ", ".join(reason.text for reason in game.text.REASONS[1:])),
        ("points", "yes" if _scored(game) else "no"),
    ]
    lines = [
        f"# {game.title}",
        "",
        game.summary,
        "",
        _players_and_time(game),
        "",
        f"Rules, moves, worked examples and rulings: [the rulebook]({rulebook}), also as "
        f"`redouble rules {game.name}`.",
        "",
        f"![A game of {game.title} in the terminal](../pictures/{game.name}.svg)",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in facts),
        "",
        "| option | default | values | meaning |",
        "|---|---|---|---|",
        *(f"| `{o.name}` | {_default(o)} | {_values(o)} | {o.meaning} |" for o in game.options),
        "",
        "## Observations",
        "",
        f"A seat's tensor at a table of {game.usual_seats} has "
        f"{tensor_size(game, game.usual_seats):,} slots ([what they are](../environments.md)):"
        if game.usual_seats > 1
        else f"The player's tensor has {tensor_size(game, 1):,} slots "
        "([what they are](../environments.md)):",
        "",
        "| field | slots | how to read it | meaning |",
        "|---|---|---|---|",
        *(
            f"| `{one.name}` | {_slots(one)} | {one.kind} | {one.meaning} |"
            for one in layout(game, game.usual_seats)
        ),
        "",
    ]
    return "\n".join(lines)


def _slots(one: Slice) -> str:
    return f"{one.start}-{one.stop - 1}" if one.stop - one.start > 1 else f"{one.start}"


def _players_and_time(game: Game) -> str:
    """Return the emphasized words with which the rulebook begins: players, ages and time."""
    words = game.rulebook().split("*")[1]
    return f"*{' '.join(words.split())}*"


def _deck_size(game: Game) -> int:
    seats = game.min_seats
    return len(game.text.box(seats, game.check_options(seats, {})))


def _scored(game: Game) -> bool:
    header = game.header(game.min_seats, game.check_options(game.min_seats, {}))
    game.rules.setup(header)
    return game.rules.score(header, [0] * game.max_seats) > 0


def _default(option: Option) -> str:
    if isinstance(option.default, bool):
        return "yes" if option.default else "no"
    if isinstance(option, Data):
        return "the game's own"
    return "none" if option.default is None else str(option.default)


def _values(option: Option) -> str:
    if isinstance(option.default, bool):
        return "yes, no"
    if isinstance(option, PerSeat):
        return f"{option.low}-{option.high}, one a seat"
    if isinstance(option, Number):
        return f"{option.low}-{option.high}"
    return "a file"


def main(arguments: list[str]) -> int:
    stale = 0
    for game in GAMES.values():
        if not game.folder.is_relative_to(ROOT / "src"):
            continue  # a stranger's game brings its own documents
        path = DOCS / f"{game.name}.md"
        text = sheet(game)
        if "--check" in arguments:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path.name} is not what scripts/sheets.py would write")
                stale = 1
        else:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
