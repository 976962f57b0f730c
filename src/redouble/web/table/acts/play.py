"""Moves, and what else a game's log tells of its course."""

from typing import Annotated

from pydantic import Field

from redouble.kernel.checks import either
from redouble.kernel.errors import IllegalMove
from redouble.match.match import listed
from redouble.match.story import midsentence
from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.acts.base import Act, Event, LoggedAct, Ply, SeatNumber, Sender
from redouble.web.table.acts.checks import check_no_bot, check_running
from redouble.web.table.parts import TABLE
from redouble.web.table.state import MoveMade, Table

MAX_MOVE = 200
"""Characters of a move."""
MOVES_LISTED = 12
"""Legal moves that the refusal of an illegal one names."""
MOVES_IN_WORDS = 6
"""Legal moves that it puts into words, which are longer."""


class Move(Event):
    """A move of the game."""

    kind = "move"
    is_move = changes_position = ends_undo_request = allowed_when_full = True

    move: str

    def change(self, table: Table) -> None:
        self.push(table)
        table.undone.moves.clear()

    def push(self, table: Table) -> None:
        """Make the move, and note who did."""
        table.choices.append(len(table.match.legal_moves) > 1)
        table.match.push(self.move)
        table.movers.append(self.seat)
        seat = table.seats[self.seat]
        table.hands.note(self.seat, bool(seat.person and seat.bot))
        if not seat.bot:
            table.made.append(MoveMade(self.seat, self.move, table.last_move, table.ply))


class NewMove(Act):
    """A move."""

    name, operation, summary = "moves", "move", "Make a move"
    as_seat = True
    about = """The move is on disk before the answer comes.

    The answer is 409 if the position is no longer the one at `ply`: get the new state. Sending
    the same move with the same `ply` twice makes it once.
    """

    ply: Ply
    """The `ply` of the state in which you chose the move."""
    move: Annotated[str, Field(max_length=MAX_MOVE)]
    """One of its `view.legal_moves`."""
    seat: SeatNumber | None = None
    """Which of your seats moves; by default the one whose turn it is."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        seat = self.seat
        if seat is None:
            seat = repeated(table, sender.id, self.move, self.ply)
        return make_move(table, sender.seat(table, seat), self.move, self.ply)


class PlayOut(Event):
    """The moves that follow are made at once, because only bots still play."""

    kind = "play-out"
    allowed_when_full = True

    def change(self, table: Table) -> None:
        table.played_out_from = table.match.ply


class AskSolver(Event):
    """The player of a solitaire game had asked the solver, which sees every card, before the end.

    It is noted at the end: in the middle of a game, programs count on entries that they caused.
    """

    kind = "ask-solver"
    allowed_when_full = True

    def change(self, table: Table) -> None:
        table.helped = True


class PlayOn(Event):
    """A player goes on from a position of a recorded game, whose cards can be known."""

    kind = "play-on"
    words = "plays on from here; the game doesn't count"

    def change(self, table: Table) -> None:
        table.undone.hindsight += 1


class Close(Event):
    """The operator ends the game, or a server that no longer knows its rules."""

    kind = "close"
    ends_undo_request = allowed_when_full = True

    reason: str
    """A sentence for the players."""

    def change(self, table: Table) -> None:
        table.closed = self.reason
        table.notes.append((table.match.ply, self.reason))


class SkipGuide(LoggedAct):
    """The end of the tutorial, which explains a first game."""

    kind, name = "unguided", "skip"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        mine = sender.seats(table)
        return [] if table.unguided.intersection(mine) else self.at(mine[0])

    def change(self, table: Table) -> None:
        table.unguided |= {self.seat}


def make_move(table: Table, seat: int, move: str, ply: int) -> list[Event]:
    """Make a move on a page that showed the first ``ply`` entries of the log.

    Returns no event when this move was already made from there: the request was sent twice.
    Raises :class:`Stale` when the position is no longer the one on the page, :class:`NotYours` and
    :class:`IllegalMove`.
    """
    if ply < table.last_move:
        if any(made.matches(seat, move, ply) for made in table.made):
            return []
        check_running(table)
        raise Stale(
            "the position has changed since you loaded this page: choose a move in the new one",
            f"ply {ply} is outdated: the last move is newer",
        )
    if ply > table.ply:
        raise Stale(
            f"the table has {table.ply} entries, not yet {ply}: reload it",
            f"ply {ply} is too high: the table is at {table.ply}",
        )
    check_running(table)
    turn = table.match.turn
    if turn != seat:
        assert turn is not None
        raise NotYours(f"it is {table.seats[turn].name}'s turn, not yours")
    check_no_bot(table, seat)
    action = table.match.legal_moves.action(move)
    if action is None:
        raise _not_legal(table, move)
    return bot_move(table, action)


def bot_move(table: Table, action: int) -> list[Event]:
    """Make the move of the bot whose turn it is."""
    turn = table.match.turn
    assert turn is not None
    return [Move(seat=turn, move=table.match.legal_moves.name(action))]


def repeated(table: Table, person: str, move: str, ply: int) -> int | None:
    """Return the seat of a person that already made this move from there; None if none did."""
    mine = table.seats_of(person)
    made = (seat for seat in mine for one in table.made if one.matches(seat, move, ply))
    return next(made, None) if ply < table.last_move else None


def close(table: Table, reason: str) -> list[Event]:
    """End a game before it is over, for all its players."""
    if table.over:
        raise WebError("the game is over already")
    return [Close(seat=TABLE, reason=reason)]


def _not_legal(table: Table, move: str) -> IllegalMove:
    """Return the error that names legal moves of the seat on turn, which sent an illegal one."""
    legal = list(table.match.legal_moves)
    said = f"{move!r} isn't a legal move: play one of {listed(legal, MOVES_LISTED)}"
    words = [midsentence(table.match.describe(one)) for one in legal[:MOVES_IN_WORDS]]
    if len(legal) > len(words):
        words.append("make another move")
    return IllegalMove(said, f"that move isn't legal: you can {either(words)}")
