"""The addresses of static files, of a game's own files, and of deals."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from redouble.contract.game import Game
from redouble.contract.options import Data

STATIC = Path(__file__).resolve().parent.parent / "static"
GAME_FILES = {"table.css": "text/css", "cover.svg": "image/svg+xml"}
"""Files of a game's folder that are served unchanged, with their media types."""


@cache
def static_url(name: str) -> str:
    """Return the URL of a static file. It changes with the content: browsers cache it for good.

    Scripts import each other by relative addresses, so the digest of all is a folder in theirs.
    """
    if name.endswith(".js") and not name.startswith("vendor/"):
        return f"/static/{_digest_of(STATIC.rglob('*.js'))}/{name}"
    return f"/static/{name}?{_digest(STATIC / name)}"


@cache
def imports_of(script: str) -> list[str]:
    """Return the names of the scripts that a script imports, directly or through others."""
    found: dict[str, None] = {}
    waiting = [script]
    while waiting:
        path = STATIC / waiting.pop()
        for name in re.findall(r'(?:from|import) "(\..+?)"', path.read_text(encoding="utf-8")):
            imported = (path.parent / name).resolve().relative_to(STATIC).as_posix()
            if imported not in found:
                found[imported] = None
                waiting.append(imported)
    return list(found)


@cache
def static_version() -> str:
    """Return a digest of all static files: a page of another version has outdated scripts."""
    return _digest_of(STATIC.rglob("*.*"))


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


def _digest_of(paths: Iterable[Path]) -> str:
    digests = sorted(map(_digest, paths))
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:12]


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
