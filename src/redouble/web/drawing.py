"""The template environment of the pages, and the templates' helpers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
import segno
from markupsafe import Markup, escape

from redouble.bots.levels import LEVEL_WORDS, LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Data, Flag, Number, PerSeat
from redouble.contract.page.html import minus
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.web.markup.tally import draw_tally
from redouble.web.table import PACES

HERE = Path(__file__).parent
STATIC = HERE / "static"
GAME_FILES = {"table.css": "text/css", "cover.svg": "image/svg+xml"}
"""Files of a game's folder that are served unchanged, with their media types."""


def environment() -> jinja2.Environment:
    """Return the environment of the pages."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        auto_reload=False,  # a server's templates don't change
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    env.globals.update(
        levels=list(LEVELS),
        LEVEL_WORDS=LEVEL_WORDS,
        USUAL_LEVEL=USUAL_LEVEL,
        games=GAMES,
        paces=list(PACES),
        static=static_url,
        game_css=game_css_url,
        cover=cover_url,
        deal_url=deal_url,
        draw_tally=draw_tally,
        qr=qr_code,
        SPECTATOR=SPECTATOR,
        option_kind=option_kind,
        house_rules=house_rules,
    )
    env.filters["minus"] = minus
    env.filters["ago"] = ago
    env.filters["ordinal"] = ordinal
    env.filters["long_day"] = long_day
    env.filters["ticks"] = ticks
    return env


@cache
def static_url(name: str) -> str:
    """Return the URL of a static file. It changes with the content: browsers cache it for good."""
    return f"/static/{name}?{_digest(STATIC / name)}"


def game_css_url(game: Game) -> str:
    """Return the URL of a game's own style sheet; empty if it has none."""
    return _game_url(game, "table.css")


def cover_url(game: Game) -> str:
    """Return the URL of a game's picture, or of a plain one if it has none."""
    return _game_url(game, "cover.svg") or static_url("cover.svg")


def deal_url(game: Game, deal: str, options: Mapping[str, Any]) -> str:
    """Return the URL of a deal's page, or without a ``deal`` that of a random one.

    Its query names the options that differ from their defaults.
    """
    query = []
    for option in game.options:
        value = options[option.name]
        if value == option.default:
            continue
        if isinstance(value, list):
            value = ("\n" if isinstance(option, Data) else ",").join(map(str, value))
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        query.append((option.name, value))
    path = f"/deals/{game.name}/{quote(deal, safe='')}".removesuffix("/")
    return path + (f"?{urlencode(query)}" if query else "")


def _game_url(game: Game, name: str) -> str:
    path = game.folder / name
    return f"/games/{game.name}/{name}?{_digest(path)}" if path.exists() else ""


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def qr_code(address: str) -> Markup:
    """Return an address as a QR code in SVG."""
    code = segno.make(address, error="m", micro=False)
    return Markup(
        code.svg_inline(scale=4, border=2, dark="#10251a", light="#fffdf6", omitsize=True)
    )


def option_kind(option: Any) -> str:
    """Return the form field for an option: ``flag``, ``number``, ``seats`` or ``lines``."""
    for kind, name in ((Flag, "flag"), (Number, "number"), (PerSeat, "seats"), (Data, "lines")):
        if isinstance(option, kind):
            return name
    raise TypeError(f"no form field for {type(option).__name__}")


def house_rules(game: Game, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the label and the value in words of each option that differs from the usual game."""
    return [
        (option.label, _option_value(options[option.name]))
        for option in game.options
        if options[option.name] != option.default
    ]


def _option_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def ticks(text: str) -> Markup:
    """Return a text as HTML, with the parts between backticks as code."""
    parts = [escape(part) for part in re.split(r"`+", text)]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def ordinal(number: int) -> str:
    """Return a place, such as 3rd."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def long_day(day: date) -> str:
    """Return a day as people read it, such as 22 November 2026."""
    return f"{day.day} {day:%B %Y}"


def ago(seconds: float) -> str:
    """Return a span of time in words."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'s' if number > 1 else ''} ago"
    return "just now"
