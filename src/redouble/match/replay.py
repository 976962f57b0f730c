"""Playing a record again: the match it stands for, or every step of it through anyone's eyes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.kernel import checks
from redouble.kernel.errors import IllegalMove, OutOfRange, RecordError, RedoubleError, SeatsError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match, Moment
from redouble.match.record import Record
from redouble.match.story import StoryLine, last_moments, last_move, ties_broken

__all__ = ["Replay", "Step", "replay"]

FRAMES = 32
"""A copy of the match is kept every this many plies; those between are played again from it."""
MAX_NAME = 40
MAX_VALUE = 120
"""Characters of a name, and of an option or seed, that are shown."""


def replay(record: Record | str, number: int = 1) -> Match:
    """Play a record, or its JSON line, again and return the match.

    Raises :class:`RecordError`, which names the line, and the move if one is illegal.
    """
    number = checks.whole(number, "number", error=RecordError)
    if isinstance(record, str):
        record = Record.parse(record, number)
    return _replayed(record, number)


def _replayed(
    record: Record, number: int, before: Callable[[Match, str], None] | None = None
) -> Match:
    try:
        return _replay(checks.instance(record, Record, "a record", RecordError), before)
    except RedoubleError as error:
        raise RecordError(f"line {checks.quoted(number)}: {error}") from None


def _replay(record: Record, before: Callable[[Match, str], None] | None = None) -> Match:
    """Play a record again; ``before`` is called before each of its moves."""
    newest = GAMES[record.game]
    game = newest.of_version(record.rules)
    if game is None:
        raise RecordError(
            f"rules version {record.rules} of {newest.title} is not the one installed, "
            f"{newest.version}"
        )
    for name, value in record.options.items():
        if isinstance(value, str):  # as people type it, and records never write it
            raise RecordError(
                f"option {name} cannot be {checks.quoted(value)} in a record: text is not allowed"
            )
    match = Match(game, record.seats, record.seed, record.options, record.deck, record.fair)
    for ply, move in enumerate(record.moves, 1):
        try:
            if before is not None:
                before(match, move)
            match.push(move)
        except RedoubleError as error:
            raise RecordError(f"move {ply}: {error}") from None
    ranks = None if match.outcome is None else match.outcome.ranks
    if record.ranks is not None and record.ranks != ranks:
        found = "the game is not over" if ranks is None else f"the moves give {list(ranks)}"
        raise RecordError(f"ranks {list(record.ranks)} are wrong: {found}")
    return match


@dataclass(frozen=True)
class Step:
    """A ply of a replay, as one reader may know it."""

    ply: int
    view: View
    """The table after the move."""
    line: StoryLine | None = None
    """The move that led here, in words; None at the deal."""
    move: str | None = None
    """That move's text; None at the deal and where it is secret."""
    moments: tuple[Moment, ...] = ()
    """What there was to see in the middle of that move."""


class Replay:
    """A record, step by step, through the eyes of any reader.

    A reader is a seat, ``SPECTATOR`` for what everybody may know, or None for everything. Texts of
    the record are made printable, since they come from files. Raises :class:`RecordError`, naming
    the record's line ``number``, when the record cannot be played.
    """

    def __init__(self, record: Record, number: int = 1) -> None:
        number = checks.whole(number, "number", error=RecordError)
        self._frames: list[Match] = []
        self._secret: list[bool] = []
        """Of each move, whether the other seats could not see it."""
        whole = _replayed(record, number, self._note)
        self.record = record
        self.game = whole.game
        self.outcome = whole.outcome
        self.names = [_name(name, seat) for seat, name in enumerate(record.seats)]
        if whole.ply % FRAMES == 0:
            self._frames.append(whole.copy())
        self._told: dict[tuple[int | None, int], list[StoryLine]] = {}
        """The moves in words, by reader and frame."""
        self._described: dict[tuple[int, str], str] = {}

    @cached_property
    def key(self) -> str:
        """A digest of the record: equal for equal records."""
        return self.record.key

    @property
    def seats(self) -> int:
        """The number of players."""
        return len(self.names)

    @property
    def last(self) -> int:
        """The last ply."""
        return len(self.record.moves)

    @property
    def opening(self) -> int:
        """The ply at which play begins.

        That is the deal, unless the game begins with secret choices: then it is the move that
        reveals them.
        """
        secret = next((ply for ply, one in enumerate(self._secret) if not one), self.last)
        return min(secret + 1, self.last) if secret else 0

    def at(self, ply: int) -> Match:
        """Return a copy of the match as it stood after ``ply`` moves. Raises OutOfRange."""
        ply = checks.whole(ply, "ply", 0, self.last, OutOfRange)
        match = self._frames[ply // FRAMES].copy()
        while match.ply < ply:
            match.push(self.record.moves[match.ply])
        return match

    def described(self, ply: int, move: str) -> str:
        """Return a move that was legal after ``ply`` moves as a short instruction in words.

        Raises :class:`OutOfRange` or :class:`IllegalMove`.
        """
        ply = checks.whole(ply, "ply", 0, self.last, OutOfRange)
        checks.text(move, "the move", IllegalMove)
        if (ply, move) not in self._described:
            self._described[ply, move] = self.at(ply).describe(move)
        return self._described[ply, move]

    def moments(self, ply: int, reader: int | None) -> tuple[Moment, ...]:
        """Return what there was to see in the middle of the move that led to ``ply``.

        Empty at the deal. Raises :class:`OutOfRange` or :class:`SeatsError`.
        """
        return last_moments(self.at(ply), self.names, self._checked(reader))

    def story(self, reader: int | None, first: int = 1, last: int | None = None) -> list[StoryLine]:
        """Return the moves in words, as the reader may know them.

        The first and the last are those that lead to these plies. Raises :class:`OutOfRange` or
        :class:`SeatsError`.
        """
        reader = self._checked(reader)
        first = checks.whole(first, "first", 1, self.last + 1, OutOfRange)
        last = self.last if last is None else checks.whole(last, "last", 0, self.last, OutOfRange)
        lines: list[StoryLine] = []
        for frame in range((first - 1) // FRAMES, -(-last // FRAMES)):
            if (reader, frame) not in self._told:
                begin = frame * FRAMES
                walk = self._walk(reader, begin, begin + FRAMES)
                self._told[reader, frame] = [line for _, line in walk]
            lines += self._told[reader, frame]
        skipped = (first - 1) % FRAMES
        return lines[skipped : skipped + max(0, last - first + 1)]

    def _note(self, match: Match, move: str) -> None:
        """Keep what is wanted of a match before one of its moves."""
        if match.ply % FRAMES == 0:
            self._frames.append(match.copy())
        action = match.legal_moves.action(move)
        self._secret.append(
            action is not None and bool(match.game.rules.hidden(match.state, action))
        )

    def _checked(self, reader: int | None) -> int | None:
        if reader is None:
            return None
        return checks.whole(reader, "reader", SPECTATOR, self.seats - 1, SeatsError)

    def steps(self, reader: int | None) -> Iterator[Step]:
        """Yield the deal and then every move, as the reader may know them."""
        yield Step(0, self.at(0).view(reader))
        for secret, (match, line) in zip(self._secret, self._walk(reader), strict=True):
            known = not secret or reader in (None, line.seat)
            yield Step(
                match.ply,
                match.view(reader),
                line,
                match.moves[-1] if known else None,
                last_moments(match, self.names, reader),
            )

    def _walk(
        self, reader: int | None, begin: int = 0, end: int | None = None
    ) -> Iterator[tuple[Match, StoryLine]]:
        """Yield one match that goes on from move to move, and each move in words."""
        match = self.at(begin)
        for move in self.record.moves[begin:end]:
            mover = match.turn
            assert mover is not None
            match.push(move)
            yield match, StoryLine(mover, last_move(match, self.names, reader))

    def notes(self, ply: int) -> list[str]:
        """Return what else happened after ``ply`` moves, in sentences."""
        return [_printable(note) for note in self.record.notes_at(ply)]

    @property
    def seed(self) -> str:
        """The name of the deal, shortened if it is long."""
        return _shortened(_printable(self.record.seed))

    @property
    def options(self) -> list[tuple[str, str]]:
        """The labels of the options that differ from the usual ones, with their values in words."""
        options = {option.name: option for option in self.game.options}
        return [
            (options[name].label, _shortened(_printable(options[name].in_words(value))))
            for name, value in self.record.options.items()
        ]

    @property
    def placing(self) -> list[dict[str, Any]]:
        """Seat, name, rank and score of each player, best first; no ranks before the end."""
        ended = self.outcome
        scores = ended.scores if ended else None
        rows = [
            {
                "seat": seat,
                "name": name,
                "rank": ended.ranks[seat] if ended else None,
                "score": scores[seat] if scores else None,
            }
            for seat, name in enumerate(self.names)
        ]
        return sorted(rows, key=lambda row: row["rank"] or 0)

    @property
    def ties(self) -> list[str]:
        """A sentence for each tie in points at the end that another number broke."""
        return ties_broken(self.at(self.last).view(SPECTATOR), self.names)


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


def _name(name: str, seat: int) -> str:
    return " ".join(_printable(name).split())[:MAX_NAME] or f"Player {seat + 1}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."
