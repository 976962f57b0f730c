"""Puzzles: positions in which one move is clearly best, by what the seat to move knows.

A game's puzzles are in ``puzzles.jsonl`` in its folder, one per line, numbered from 1; a game
without this file has none. A puzzle contains the whole deal, so show only what :meth:`Puzzle.view`
and :meth:`Puzzle.last_moves` return, and after an answer :meth:`Puzzle.verdict`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import SystemRandom
from typing import Annotated, Any

from annotated_types import Ge, Le

from redouble.analysis.reason import reason
from redouble.analysis.shares import rank
from redouble.bots.levels import LEVELS
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.kernel import checks
from redouble.kernel.border import JsonShape, read_json, to_json
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.match.match import Match, listed
from redouble.match.record import Record
from redouble.match.replay import replay
from redouble.match.story import StoryLine, last_move, midsentence

__all__ = [
    "AnswerVerdict",
    "Margin",
    "NoPuzzle",
    "Puzzle",
    "PuzzleError",
    "number_of_puzzles",
    "puzzle_numbered",
    "puzzles_of",
]

FILE = "puzzles.jsonl"
HARDNESS = {"easy": (1, 2), "medium": (3,), "hard": (4, 5)}
"""The stars of each difficulty."""
SEARCHES = {"search 400": 400, "search 1000": 1000}
"""Iterations of the searches that rate puzzles together with the bots' levels."""
RATERS = (*LEVELS, *SEARCHES)
LADDER = ("novice", "expert", "search 400", "search 1000")
"""Raters in order of strength. A puzzle has one star, plus one for each rater before the first
that solves it."""
HALF = 0.5
"""The smallest share of its decisions in which a rater must find the answer to solve a puzzle."""
LAST_MOVES = 12
"""Moves before the position that are described."""

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class _Margins(JsonShape):
    search: tuple[Share, Share]
    trials: tuple[Share, Share]


@dataclass(frozen=True)
class _PuzzleLine(JsonShape):
    """The JSON of a puzzle, with its keys in order."""

    record: dict[str, Any]
    answer: str
    margins: _Margins
    shares: dict[str, Share]
    found: dict[str, Share]


class PuzzleError(RedoubleError):
    """A puzzle that cannot be read or played; the text names the game and the line."""


class NoPuzzle(PuzzleError):
    """A puzzle that does not exist."""


@dataclass(frozen=True)
class Margin:
    """The margin of the answer over the next best move, and its standard error.

    Both are shares of opponents beaten.
    """

    value: float
    error: float


@dataclass(frozen=True)
class AnswerVerdict:
    """The verdict on a chosen move."""

    move: str
    right: bool
    answer: str
    headline: str
    sentence: str
    """The comparison of the answer with the move, or with the next best one if it was right."""
    why: str
    """What the answer gains over that other move in the next turns."""
    heading: str
    """The unit of the texts in ``moves``."""
    moves: tuple[tuple[str, str, float, str], ...]
    """Every legal move, the move in words, the share of opponents it beats, and that share as text;
    best first."""
    found: Mapping[str, float]
    """The share of the decisions of each rater that find the answer: levels, and searches."""

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON."""
        return {
            "move": self.move,
            "right": self.right,
            "answer": self.answer,
            "said": f"{self.headline} {self.sentence}",
            "why": self.why,
            "shares": {move: share for move, _, share, _ in self.moves},
            "found": dict(self.found),
        }


@dataclass(frozen=True)
class Puzzle:
    """A position with its answer and ratings."""

    record: Record
    """The game up to the position."""
    answer: str
    margins: Mapping[str, Margin]
    """The margins by ``search`` and by ``trials``: see docs/puzzles.md."""
    shares: Mapping[str, float]
    """For each legal move, the share of opponents beaten if careful players finish the game."""
    found: Mapping[str, float]
    """The share of the decisions of each rater that find the answer: levels, and searches."""
    number: int = 0
    """The number in its game's file, from 1; 0 if it is in none."""

    def __post_init__(self) -> None:
        checks.instance(self.record, Record, "record", PuzzleError)
        checks.text(self.answer, "answer", PuzzleError)
        checks.whole(self.number, "number", 0, error=PuzzleError)
        for what in ("margins", "shares", "found"):
            if not isinstance(getattr(self, what), Mapping):
                raise checks.wrong(what, getattr(self, what), "a dictionary", PuzzleError)
        if set(self.margins) != {"search", "trials"}:
            raise PuzzleError("margins must have the keys search and trials, and no others")
        for margin in self.margins.values():
            checks.instance(margin, Margin, "a margin", PuzzleError)
        for move, share in (*self.shares.items(), *self.found.items()):
            checks.text(move, "a key of shares or found", PuzzleError)
            checks.number(share, "a share", 0, 1, PuzzleError)

    @classmethod
    def parse(cls, line: str, number: int = 0) -> Puzzle:
        """Read one JSON line. Raises :class:`PuzzleError`; does not play the position."""
        checks.text(line, "a puzzle", PuzzleError)
        checks.whole(number, "number", 0, error=PuzzleError)
        data = read_json(_PuzzleLine, line, PuzzleError)
        try:
            record = Record.from_dict(data.record)
        except RecordError as error:
            raise PuzzleError(f"its record cannot be read: {error}") from None
        answer, shares = data.answer, data.shares
        if answer not in shares or len(shares) < 2:
            raise PuzzleError(f"the answer {answer!r} must be one of several moves in shares")
        if max(shares, key=lambda move: shares[move]) != answer:
            raise PuzzleError(f"the answer {answer!r} is not the best move in shares")
        margins = {name: Margin(*pair) for name, pair in vars(data.margins).items()}
        return cls(record, answer, margins, shares, data.found, number)

    @property
    def game(self) -> Game:
        """The game it is of."""
        return GAMES[self.record.game]

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.record.seats)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return self.record.seats

    @property
    def seat(self) -> int:
        """The seat that has to move."""
        turn = self._position[0].turn
        assert turn is not None
        return turn

    @property
    def stars(self) -> int:
        """The difficulty, 1 to 5, by the raters that find the answer: see :data:`LADDER`."""
        finders = (step for step, rater in enumerate(LADDER) if self.found.get(rater, 0.0) >= HALF)
        return 1 + next(finders, len(LADDER))

    def match(self) -> Match:
        """Return the match at the position, with everything hidden; for tools.

        Raises :class:`PuzzleError` if the record cannot be played or the answer is not legal.
        """
        return self._position[0].copy()

    def view(self) -> View:
        """Return what the seat to move sees. Raises :class:`PuzzleError` as :meth:`match` does."""
        return self._position[0].view(self.seat)

    def last_moves(self) -> list[StoryLine]:
        """Return the last moves, as the seat to move observed them."""
        return list(self._position[1])

    def summary(self) -> dict[str, Any]:
        """Return the puzzle's entry in a list, as plain JSON."""
        return {
            "game": self.record.game,
            "number": self.number,
            "stars": self.stars,
            "seats": self.seats,
            "moves": len(self.shares),
        }

    def shown(self) -> dict[str, Any]:
        """Return everything that a player may see before answering, as plain JSON."""
        return {
            **self.summary(),
            "seat": self.seat,
            "names": list(self.names),
            "last_moves": [{"seat": one.seat, "text": one.text} for one in self.last_moves()],
            "view": self.view().to_dict(),
        }

    def verdict(self, move: str) -> AnswerVerdict:
        """Return the verdict on a move. Raises :class:`PuzzleError` if it is not legal."""
        move = checks.typed(checks.text(move, "move", PuzzleError))
        legal = self._position[0].legal_moves
        if move not in legal:
            raise PuzzleError(f"{move!r} is not legal here; legal: {listed(legal)}")
        ordered = sorted(self.shares.items(), key=lambda pair: (-pair[1], pair[0]))
        right = move == self.answer
        other = ordered[1][0] if right else move
        headline = "Right" if right else "Not quite"
        words = self._words
        best, less = (self.worth(self.shares[one]) for one in (self.answer, other))
        # The move that the reader has just chosen needs no name.
        called = f"the next best, to {midsentence(words[other])}," if right else "your move"
        if self.seats == 2:
            said = f"it wins {best} games from here; {called} wins {less}."
        else:
            said = (
                f"it leads to place {best} of {self.seats} on average; {called} leads to place "
                f"{less}."
            )
        return AnswerVerdict(
            move=move,
            right=right,
            answer=self.answer,
            headline=f"{headline}: the best move is to {midsentence(words[self.answer])}.",
            sentence=f"If careful players finish the game, {said}",
            why=self._why(other, "the next best move" if right else "your move"),
            heading="games won" if self.seats == 2 else f"average place of {self.seats}",
            moves=tuple((one, words[one], share, self.worth(share)) for one, share in ordered),
            found=self.found,
        )

    def _why(self, other: str, called: str) -> str:
        """Return what the answer gains over another move; found once, in up to a second."""
        if (other, called) not in self._reasons:
            match = self._position[0]
            best, less = (match.legal_moves.action(move) for move in (self.answer, other))
            assert best is not None
            assert less is not None
            self._reasons[other, called] = reason(match.observation(), best, less, called)
        return self._reasons[other, called]

    def worth(self, share: float) -> str:
        """Return a share of opponents beaten as games won of 100, or as the average place."""
        checks.number(share, "share", 0, 1, PuzzleError)
        return f"{100 * share:.0f} of 100" if self.seats == 2 else f"{rank(share, self.seats):.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the puzzle as plain JSON, as :meth:`parse` reads it, with deal and answer."""
        margins = {name: (m.value, m.error) for name, m in self.margins.items()}
        data: dict[str, Any] = to_json(
            _PuzzleLine(
                self.record.to_dict(),
                self.answer,
                _Margins(**margins),
                dict(self.shares),
                dict(self.found),
            )
        )
        return data

    def __str__(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @cached_property
    def _reasons(self) -> dict[tuple[str, str], str]:
        """The sentences that were found, by the other move and what it is called."""
        return {}

    @cached_property
    def _words(self) -> dict[str, str]:
        match = self._position[0]
        return {move: match.describe(move) for move in match.legal_moves}

    @cached_property
    def _position(self) -> tuple[Match, tuple[StoryLine, ...]]:
        """The match at the position, and the last moves as the seat to move observed them."""
        moves = self.record.moves
        try:
            whole = replay(self.record)
            match = replay(replace(self.record, moves=moves[: max(0, len(moves) - LAST_MOVES)]))
        except RedoubleError as error:
            raise PuzzleError(f"{self._place}: cannot be played: {error}") from None
        if set(whole.legal_moves) != set(self.shares):
            raise PuzzleError(
                f"{self._place}: shares names {listed(self.shares)}; legal: "
                f"{listed(whole.legal_moves)}"
            )
        story = []
        while match.turn is not None and match.ply < len(moves):
            mover = match.turn
            match.push(moves[match.ply])
            story.append(StoryLine(mover, last_move(match, self.names, whole.turn)))
        return whole, tuple(story)

    @property
    def _place(self) -> str:
        return f"{self.record.game}: {FILE}: line {self.number}"


def puzzles_of(game: Game) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game in the order of their numbers; none if it has no file.

    Raises :class:`PuzzleError`. Positions are played only when a puzzle is used.
    """
    return tuple(_puzzle(game, number) for number in range(1, number_of_puzzles(game) + 1))


def number_of_puzzles(game: Game) -> int:
    """Return how many puzzles a game has, without reading them. Raises :class:`PuzzleError`."""
    return len(_lines(checks.instance(game, Game, "game", PuzzleError)))


def forget_puzzles() -> None:
    """Clear the cache because the files have changed."""
    _lines.cache_clear()
    _puzzle.cache_clear()


@cache
def _lines(game: Game) -> tuple[str, ...]:
    try:
        return tuple((game.folder / FILE).read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise PuzzleError(f"{game.name}: {FILE} cannot be read: {error}") from None


@cache
def _puzzle(game: Game, number: int) -> Puzzle:
    try:
        puzzle = Puzzle.parse(_lines(game)[number - 1], number)
        if set(puzzle.found) != set(RATERS):
            raise PuzzleError(f"found must have the keys {', '.join(RATERS)} and no others")
        if puzzle.record.game != game.name:
            raise PuzzleError(f"its record is one of {puzzle.record.game!r}")
    except PuzzleError as error:
        raise PuzzleError(f"{game.name}: {FILE}: line {number}: {error}") from None
    return puzzle


def puzzle_numbered(game: Game, number: int) -> Puzzle:
    """Return a puzzle of a game. Raises :class:`NoPuzzle`, which names the existing numbers."""
    checks.whole(number, "number", error=NoPuzzle)
    known = number_of_puzzles(game)
    if not 1 <= number <= known:
        those = f"choose 1 to {known}" if known else "this game has no puzzles"
        raise NoPuzzle(f"there is no puzzle {number} of {game.title}: {those}")
    return _puzzle(game, number)


def puzzles_at(
    game: Game | None,
    number: int | None = None,
    difficulty: str | None = None,
    in_order: bool = False,
) -> list[Puzzle]:
    """Return the puzzles of a game, or of all games, from ``number`` on or shuffled.

    ``difficulty`` is one of HARDNESS. Raises :class:`NoPuzzle` if there are none.
    """
    if difficulty is not None and checks.text(difficulty, "difficulty", NoPuzzle) not in HARDNESS:
        known = checks.either(list(HARDNESS))
        raise NoPuzzle(f"there is no difficulty {difficulty!r}: choose {known}")
    if number is not None:
        if game is None:
            raise NoPuzzle(f"puzzle {number} of which game? Name the game and the number")
        puzzle_numbered(game, number)
    stars = HARDNESS[difficulty] if difficulty else range(1, 6)
    found = [
        puzzle
        for one in ([game] if game else GAMES.values())
        for puzzle in puzzles_of(one)
        if puzzle.number >= (number or 0) and (puzzle.stars in stars or puzzle.number == number)
    ]
    if not found:
        of = f" of {game.title}" if game else ""
        raise NoPuzzle(f"there are no {f'{difficulty} ' if difficulty else ''}puzzles{of}")
    if number is None and not in_order:
        SystemRandom().shuffle(found)
    return found
