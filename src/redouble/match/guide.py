"""A game's guide: the steps of its tutorial, the signs on its table, and the pictures and examples
of its rules page.

They are read from ``guide.toml`` in the game's folder; a game without that file has none.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from redouble.contract.game import Game
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.record import Record

FILE = "guide.toml"
# The keys of each kind of entry; those of a step and a sign are the fields of their classes.
_STEP = ("at", "do", "say", "begins", "record")
_SIGN = ("at", "see", "means")
_PICTURE = ("heading", "caption", "eyes", "record")
_EXAMPLE = ("begins", "record")


class GuideError(RedoubleError):
    """A guide is invalid. The message names the file, the entry and the fault."""


@dataclass(frozen=True)
class GuideStep:
    """One step of the tutorial: a move that the learner makes in seat 0, and what it shows."""

    at: str
    """What is pointed at after the move: the key of a zone or fact in the game's views, or
    ``prompt``, ``hand``, ``seats``, ``me`` for the viewer among the players, or ``moves``."""
    do: str
    """What the learner is asked to do."""
    say: str
    """The rule that the move shows."""
    begins: int
    """The number of moves before the learner's."""
    record: Record
    """The game up to the learner's move and what the others reply. Its format is checked, its moves
    aren't."""

    @property
    def move(self) -> str:
        """The learner's move."""
        return self.record.moves[self.begins]


@dataclass(frozen=True)
class GuideSign:
    """Something on the table whose meaning can't be guessed."""

    at: str
    """The CSS selector of what it is about."""
    see: str
    means: str


@dataclass(frozen=True)
class GuidePicture:
    """A position shown at the end of a section of the rulebook."""

    heading: str
    """The section's heading in ``rulebook.md``."""
    caption: str
    eyes: int | None
    """The seat whose view is shown; None shows everything."""
    record: Record
    """The game up to the position. Its format is checked, its moves aren't."""


@dataclass(frozen=True)
class GuideExample:
    """A game in which a worked example of the rulebook happens, up to its end."""

    begins: int
    """The number of moves after which the example begins."""
    record: Record
    """Its format is checked, its moves aren't."""


@dataclass(frozen=True)
class Guide:
    """The steps, signs, pictures and examples of a game, in the order of the file."""

    steps: tuple[GuideStep, ...] = ()
    signs: tuple[GuideSign, ...] = ()
    pictures: tuple[GuidePicture, ...] = ()
    examples: tuple[GuideExample, ...] = ()


@cache
def guide_of(game: Game) -> Guide:
    """Return the guide of a game, empty if it has none. Raises :class:`GuideError`."""
    try:
        data = tomllib.loads((game.folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Guide()
    except (OSError, ValueError) as error:
        raise GuideError(f"{game.name}: {FILE} cannot be read: {error}") from None
    try:
        if unknown := sorted(data.keys() - {"step", "sign", "picture", "example"}):
            known = "[[step]], [[sign]], [[picture]] and [[example]]"
            raise GuideError(f"{unknown[0]!r} is none of {known}")
        return Guide(
            tuple(_step(entry, game) for entry in _entries(data, "step", _STEP)),
            tuple(GuideSign(*map(one.text, _SIGN)) for one in _entries(data, "sign", _SIGN)),
            tuple(_picture(entry, game) for entry in _entries(data, "picture", _PICTURE)),
            tuple(_example(entry, game) for entry in _entries(data, "example", _EXAMPLE)),
        )
    except GuideError as error:
        raise GuideError(f"{game.name}: {FILE}: {error}") from None


@dataclass(frozen=True)
class _Entry:
    place: str
    table: dict[str, Any]

    def text(self, key: str) -> str:
        value = self.table[key]
        if not isinstance(value, str) or not value.strip():
            raise GuideError(f"{self.place}: {key} cannot be {value!r}: give a text")
        return value


def _entries(data: dict[str, Any], kind: str, keys: tuple[str, ...]) -> list[_Entry]:
    tables = data.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise GuideError(f"{kind} must be written as [[{kind}]]")
    entries = [_Entry(f"{kind} {number}", table) for number, table in enumerate(tables, 1)]
    for entry in entries:
        if set(entry.table) != set(keys):
            raise GuideError(f"{entry.place} must have the keys {', '.join(keys)} and no others")
    return entries


def _record(entry: _Entry, game: Game) -> Record:
    try:
        record = Record.parse(entry.text("record"))
    except RecordError as error:
        raise GuideError(f"{entry.place}: its record cannot be read: {error}") from None
    if record.game != game.name:
        raise GuideError(f"{entry.place}: its record is from {record.game!r}")
    return record


def _step(entry: _Entry, game: Game) -> GuideStep:
    at, do, say = map(entry.text, ("at", "do", "say"))
    moves = _example(entry, game)
    return GuideStep(at, do, say, moves.begins, moves.record)


def _example(entry: _Entry, game: Game) -> GuideExample:
    record, begins = _record(entry, game), entry.table["begins"]
    if type(begins) is not int or not 0 <= begins < len(record.moves):
        raise GuideError(
            f"{entry.place}: begins cannot be {begins!r}: give a number of moves from 0 to "
            f"{len(record.moves) - 1}"
        )
    return GuideExample(begins, record)


def _picture(entry: _Entry, game: Game) -> GuidePicture:
    record = _record(entry, game)
    eyes = entry.table["eyes"]
    if eyes == "open":
        eyes = None
    elif type(eyes) is not int or not 0 <= eyes < len(record.seats):
        raise GuideError(
            f'{entry.place}: eyes cannot be {eyes!r}: give the number of a seat, from 0, or "open"'
        )
    return GuidePicture(entry.text("heading"), entry.text("caption"), eyes, record)
