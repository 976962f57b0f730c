"""Puzzles for programs: a view to choose a move in, and the verdict on it."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from redouble.analysis.puzzle import NoPuzzle, Puzzle, puzzle_numbered, puzzles_of
from redouble.contract.registry import GAMES
from redouble.contract.view import View
from redouble.web.api.asking import GameName
from redouble.web.api.docs import about
from redouble.web.api.shapes import Answered
from redouble.web.errors import NotFound, WebError
from redouble.web.table.acts.base import Given
from redouble.web.table.acts.play import MAX_MOVE
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)

MAX_NUMBER = 10**6
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The puzzle's number.")]


class PuzzleRow(Answered):
    """A puzzle in a list."""

    game: str
    number: int
    """Its number within the game, from 1."""
    stars: int
    """Its difficulty, 1 to 5."""
    seats: int
    moves: int
    """The number of legal moves."""


class PuzzleList(Answered):
    """All puzzles."""

    puzzles: list[PuzzleRow]


class LastMove(Answered):
    """A move in the words that the seat to move may read, after the name of the player."""

    seat: int
    text: str


class PuzzleState(PuzzleRow):
    """A position with one clearly best move."""

    seat: int
    """The seat to move."""
    names: list[str]
    last_moves: list[LastMove]
    """The last moves, newest last."""
    view: View
    """What the seat sees; `view.legal_moves` are the moves to choose from."""


class PuzzleAnswer(Given):
    """A move for a puzzle."""

    move: Annotated[str, Field(max_length=MAX_MOVE)]
    """One of its `view.legal_moves`."""


class PuzzleVerdict(Answered):
    """The verdict on a move."""

    move: str
    right: bool
    answer: str
    said: str
    why: str
    """What the answer gains in the next turns over the move, or over the next best one."""
    shares: dict[str, float]
    """By legal move: the share of opponents beaten when careful players continue from it."""
    found: dict[str, float]
    """How often the answer is found, from 0 to 1: by each level of bots, and by searches with these
    numbers of iterations."""


@router.get("/puzzles", Cost.RENDERING, **about("List the puzzles", "The puzzles.", "games"))
async def list_puzzles() -> PuzzleList:
    """Positions with one clearly best move, given what the seat to move can know."""
    return PuzzleList(
        puzzles=[
            PuzzleRow(**puzzle.summary()) for game in GAMES.values() for puzzle in puzzles_of(game)
        ]
    )


@router.get(
    "/puzzles/{game}/{number}",
    Cost.PAGE,
    **about("Read a puzzle", "The puzzle.", "games", 404, 422),
)
async def read_puzzle(game: GameName, number: Number) -> PuzzleState:
    """The position as the seat to move sees it, without the deal and the answer."""
    return PuzzleState(**_asked_for(game, number).shown())


@router.post(
    "/puzzles/{game}/{number}",
    Cost.PAGE,
    **about("Answer a puzzle", "The verdict.", "games", 400, 403, 404, 413, 422),
)
async def answer_puzzle(
    game: GameName, number: Number, given: PuzzleAnswer, site: SiteOf
) -> PuzzleVerdict:
    """Nothing is saved: you can answer again."""
    puzzle = _asked_for(game, number)
    if given.move not in puzzle.view().legal_moves:
        raise WebError(f"{given.move!r} isn't legal here: play one of view.legal_moves")
    verdict = await site.renderings.run(puzzle.verdict, given.move)
    return PuzzleVerdict(**verdict.to_dict())


def _asked_for(game: str, number: int) -> Puzzle:
    try:
        return puzzle_numbered(GAMES[game], number)
    except NoPuzzle as error:
        raise NotFound(str(error)) from None
