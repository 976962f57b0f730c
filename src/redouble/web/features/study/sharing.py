"""What strangers may see of a table: a shared result and an invitation, as texts and as pictures.

A shared result says how a game ended: its title, the standings and the day. It shows no card, no
move, no message and no link to the table, so it has an id of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

import jinja2

from redouble.contract.game import Game
from redouble.kernel.state import SPECTATOR
from redouble.match.story import ending_in_words
from redouble.web.drawing.addresses import STATIC
from redouble.web.drawing.board import headline
from redouble.web.drawing.pixels import png_of
from redouble.web.drawing.scene import scene_of
from redouble.web.errors import NotFound
from redouble.web.table import Table

WIDTH, HEIGHT = 1200, 630
"""The size of a picture, as sites that show links expect it."""
MAX_ROWS = 7
"""Rows of standings that fit on a picture."""
KEPT_PICTURES = 32
"""Pictures of about 100 kB each."""
FONTS = [str(STATIC / "vendor" / f"nunito-{weight}.ttf") for weight in (600, 900)]


@dataclass(frozen=True)
class Standing:
    """A player in a shared result."""

    rank: int
    name: str
    hue: int
    note: str
    score: int | None


@dataclass(frozen=True)
class SharedResult:
    """How a game ended, for everyone."""

    game: Game
    headline: str
    decided: str
    standings: tuple[Standing, ...]
    day: str

    @property
    def alone(self) -> bool:
        return len(self.standings) == 1

    def sealed(self) -> SharedResult:
        """Return what somebody may see who may still play this deal: that it was played."""
        return replace(self, headline="Play this deal to see the result", decided="", standings=())


def result_of(table: Table) -> SharedResult:
    """Return the result of a table. Raises :class:`NotFound` unless the rules ended the game."""
    if not table.over_by_rules:
        raise NotFound("there is no result at this link: the game goes on")
    match = table.match
    scene = scene_of(match.view(SPECTATOR), match.names, playable=False)
    ending = ending_in_words(match, match.names, SPECTATOR)
    assert ending is not None
    at = datetime.fromtimestamp(table.changed, UTC)
    return SharedResult(
        game=table.game,
        headline=headline(scene, table),
        decided=ending.decided,
        standings=tuple(
            Standing(
                place.rank or 0,
                place.name,
                place.hue,
                ending.notes[place.seat] if ending.notes else "",
                place.score,
            )
            for place in scene.placing
        ),
        day=f"{at.day} {at:%B %Y}",
    )


class Pictures:
    """Draws pictures for links as PNG. Its methods can run in any thread."""

    def __init__(self, env: jinja2.Environment) -> None:
        self._env = env

    def of_result(self, result: SharedResult) -> bytes:
        """Return the picture of a shared result."""
        rows, more = result.standings[:MAX_ROWS], len(result.standings) - MAX_ROWS
        return self._drawn(result.game, result=result, rows=rows, more=more)

    def of_invitation(self, game: Game, host: str) -> bytes:
        """Return the picture of an invitation by the player of this name."""
        return self._drawn(game, host=host, result=None)

    def _drawn(self, game: Game, **context: object) -> bytes:
        cover = game.folder / "cover.svg"
        if not cover.exists():
            cover = STATIC / "cover.svg"
        svg = self._env.get_template("study/picture.svg").render(
            game=game, width=WIDTH, height=HEIGHT, cover_file=cover.name, **context
        )
        return picture(svg, str(cover.parent))


@lru_cache(maxsize=KEPT_PICTURES)
def picture(svg: str, folder: str) -> bytes:
    """Return a drawing that uses the files of a folder as PNG."""
    family = {"font_family": "Nunito", "sans_serif_family": "Nunito"}
    return png_of(svg, resources_dir=folder, font_files=FONTS, **family)
