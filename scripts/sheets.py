#!/usr/bin/env python3
"""Write docs/games/<game>.md, a spec sheet for each game, from the registry.

.venv/bin/python scripts/sheets.py            write them
.venv/bin/python scripts/sheets.py --check    exit 1 when one is not what would be written
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import redouble
from redouble.contract.game import Game
from redouble.contract.options import Choice, Flag, Number, Option, PerSeat
from redouble.contract.registry import GAMES
from redouble.contract.view import Fact, Zone
from redouble.envs.arrays.observation import Slice, layout, tensor_size
from redouble.kernel.engine import dtype
from redouble.kernel.errors import RedoubleError
from redouble.match.match import Match

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "games"
PICTURES = ROOT / "docs" / "pictures"
VIEW_FILE = "view.toml"
"""In a game's folder: what the kinds of its zones and facts mean."""
MAX_GAMES = 60
"""Random games in which all these kinds have to come up."""
MAX_MOVES = 600
Kind = tuple[str, str, str]
"""``zones`` or ``facts``, ``table`` or ``seat``, and the kind."""


class SheetError(Exception):
    """A sheet can't be written; the message says why."""


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
        *_page_picture(game),
        f"![A game of {game.title} in the terminal](../pictures/{game.name}.svg)",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in facts),
        "",
        *_options(game),
        *_view(game),
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


def _page_picture(game: Game) -> list[str]:
    """Return the picture of the game's table in a browser, if there is one."""
    name = f"pages/table-{game.name}-desktop.webp"
    if not (PICTURES / name).exists():
        return []
    return [f"![A game of {game.title} in the browser](../pictures/{name})", ""]


def _options(game: Game) -> list[str]:
    if not game.options:
        return ["It has no options.", ""]
    return [
        "| option | default | values | meaning |",
        "|---|---|---|---|",
        *(f"| `{o.name}` | {o.usual} | {_values(o)} | {o.meaning} |" for o in game.options),
        "",
    ]


def _view(game: Game) -> list[str]:
    """Return the section on what the game's views list, if its folder says what that means."""
    meanings = _meanings(game)
    if not meanings:
        return []
    _check_kinds(game, set(meanings))
    rows = [
        f"| {what.removesuffix('s')} | `{kind}` | {owner} | {meaning} |"
        for (what, owner, kind), meaning in meanings.items()
    ]
    return [
        "## View",
        "",
        "A [view](../library.md#views) has these zones and facts: `view.zone(kind, seat)` and "
        "`view.fact(kind, seat)` look them up, without a seat for those of the table.",
        "",
        "| | kind | owner | meaning |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def _meanings(game: Game) -> dict[Kind, str]:
    """Return the meaning of each kind, from the game's folder."""
    path = game.folder / VIEW_FILE
    if not path.exists():
        return {}
    return {
        (what, owner, kind): meaning
        for what, owners in tomllib.loads(path.read_text(encoding="utf-8")).items()
        for owner, kinds in owners.items()
        for kind, meaning in kinds.items()
    }


def _check_kinds(game: Game, described: set[Kind]) -> None:
    """Play random games until every kind has come up.

    Raises :class:`SheetError` if one has no meaning, or never comes up.
    """
    missing, changes = set(described), _changes(game)
    for number in range(MAX_GAMES):
        if number >= len(changes) and not missing:
            return
        chance, options = Random(number), changes[number % len(changes)]
        try:
            match = redouble.new(game, game.usual_seats, f"{number}", **options)
        except RedoubleError:
            continue  # too few cards for so many seats
        while True:
            shown = _kinds(match)
            if shown - described:
                raise SheetError(f"{game.name}: {VIEW_FILE} lacks {sorted(shown - described)}")
            missing -= shown
            if match.turn is None or match.ply >= MAX_MOVES:
                break
            match.push(chance.choice(match.legal_moves))
    if missing:
        raise SheetError(f"{game.name}: {VIEW_FILE} has {sorted(missing)}, which never came up")


def _changes(game: Game) -> list[dict[str, Any]]:
    """Return options to play with: none, and each one changed alone."""
    changes: list[dict[str, Any]] = [{}]
    for option in game.options:
        if isinstance(option, Flag):
            changes.append({option.field: not option.default})
        elif isinstance(option, Number):
            ends = {option.low, option.high} - {option.default}
            changes += [{option.field: end} for end in sorted(ends)]
    return changes


def _kinds(match: Match) -> set[Kind]:
    """Return the kinds in the view of the seat to move; at the end, in that of everything."""
    view = match.view(match.turn)
    things: list[tuple[str, Zone | Fact]] = [("zones", zone) for zone in view.zones]
    things += [("facts", fact) for fact in view.facts]
    return {(what, "table" if one.seat is None else "seat", one.kind) for what, one in things}


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


def _values(option: Option) -> str:
    if isinstance(option.default, bool):
        return "yes, no"
    if isinstance(option, PerSeat):
        return f"{option.low}-{option.high}, one a seat"
    if isinstance(option, Choice):
        return "; ".join(f"{option.low + i} {words}" for i, words in enumerate(option.words))
    if isinstance(option, Number):
        return f"{option.low}-{option.high}"
    return "a file"


def main(arguments: list[str]) -> int:
    stale = 0
    for game in GAMES.values():
        if not game.folder.is_relative_to(ROOT / "src"):
            continue  # a stranger's game brings its own documents
        path = DOCS / f"{game.name}.md"
        try:
            text = sheet(game)
        except SheetError as error:
            print(error)
            return 1
        if "--check" in arguments:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path.name} is not what scripts/sheets.py would write")
                stale = 1
        else:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
