"""Drawing pages: the templates, where games keep their own, and what every template may use."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
import segno
from markupsafe import Markup, escape

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.game import Game
from redouble.contract.options import Data, Flag, Number, PerSeat
from redouble.contract.registry import GAMES
from redouble.kernel.errors import UnknownGame
from redouble.kernel.state import SPECTATOR
from redouble.web.table import PACES

HERE = Path(__file__).parent
STATIC = HERE / "static"
GAME_FILES = {"table.css": "text/css", "cover.svg": "image/svg+xml"}
"""What of a game's folder is served as it is."""
USUAL_SCENE = "scene.html"
MINUS = "\N{MINUS SIGN}"
KEPT_FRAGMENTS = 400
"""Some kilobytes each."""


def environment() -> jinja2.Environment:
    """The templates: those of the pages, and ``games/NAME.html``, a game's own ``table.html``."""
    env = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(HERE / "templates"),
                jinja2.FunctionLoader(_game_template),
            ]
        ),
        autoescape=True,
        auto_reload=False,  # a board is drawn in a millisecond: no looking at files for each
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    env.globals.update(
        levels=list(LEVELS),
        USUAL_LEVEL=USUAL_LEVEL,
        games=GAMES,
        paces=list(PACES),
        static=static_url,
        game_css=game_css_url,
        cover=cover_url,
        deal_url=deal_url,
        scene_template=scene_template,
        qr=qr_code,
        SPECTATOR=SPECTATOR,
        option_kind=option_kind,
        house_rules=house_rules,
        kept=Fragments(),
    )
    env.filters["minus"] = lambda text: str(text).replace("-", MINUS)
    env.filters["ago"] = ago
    env.filters["ticks"] = ticks
    return env


class Fragments:
    """Parts of pages that come out alike for many who look: drawn once, and kept for a while.

    In a template, ``{% call kept(name, ...) %}`` round such a part names all that it is drawn from.
    """

    def __init__(self) -> None:
        self._drawn: OrderedDict[str, Markup] = OrderedDict()

    def __call__(self, *of: object, caller: Callable[[], Markup]) -> Markup:
        key = repr(of)
        found = self._drawn.get(key)
        if found is None:
            found = self._drawn[key] = caller()
            if len(self._drawn) > KEPT_FRAGMENTS:
                self._drawn.popitem(last=False)
        return found


def scene_template(game: Game) -> str:
    """The template that draws a game's scene: its own, or the one that draws any."""
    return f"games/{game.name}.html" if (game.folder / "table.html").exists() else USUAL_SCENE


def _game_template(name: str) -> str | None:
    found = re.fullmatch(r"games/(.+)\.html", name)
    if found is None:
        return None
    try:
        return (GAMES[found[1]].folder / "table.html").read_text(encoding="utf-8")
    except (UnknownGame, OSError):
        return None


def static_url(name: str) -> str:
    """The address of a file of ours, which changes with the file: browsers keep it for ever."""
    return f"/static/{name}?{_digest(STATIC / name)}"


def game_css_url(game: Game) -> str:
    """The address of a game's own style sheet; empty when it has none."""
    return _game_url(game, "table.css")


def cover_url(game: Game) -> str:
    """The address of a game's picture; that of a plain one when it has none."""
    return _game_url(game, "cover.svg") or static_url("cover.svg")


def deal_url(game: Game, deal: str, options: Mapping[str, Any]) -> str:
    """The address of a deal's page, without a ``deal`` that of one that chance chooses.

    It names the options that are not as usual.
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
    """An address as a QR code, drawn as SVG."""
    code = segno.make(address, error="m", micro=False)
    return Markup(
        code.svg_inline(scale=4, border=2, dark="#10251a", light="#fffdf6", omitsize=True)
    )


def option_kind(option: Any) -> str:
    """Which form field asks for an option: ``flag``, ``number``, ``seats`` or ``lines``."""
    for kind, name in ((Flag, "flag"), (Number, "number"), (PerSeat, "seats"), (Data, "lines")):
        if isinstance(option, kind):
            return name
    raise TypeError(f"no form field asks for {type(option).__name__}")


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
    """A text in which what stands between backticks is code."""
    parts = [escape(part) for part in re.split(r"`+", text)]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def ago(seconds: float) -> str:
    """A span of time in words."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'s' if number > 1 else ''} ago"
    return "just now"
