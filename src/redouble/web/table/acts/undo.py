"""Undo and redo: at once where no other people play, else when all of them agree."""

from collections import deque

from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.table.acts import checks
from redouble.web.table.acts.base import Act, Count, Event, LoggedAct, Sender
from redouble.web.table.acts.play import Move
from redouble.web.table.parts import Request
from redouble.web.table.state import MAX_LINES, Table


class Undo(Event):
    """The last moves were undone."""

    kind = "undo"
    changes_position = ends_undo_request = noted = True

    keep: Count
    """How many moves are left."""
    hindsight: bool = False
    """Whether the player had seen something hidden since."""

    def told(self, table: Table) -> str:
        if table.alone:
            return ""
        seen = " (new information was seen)" if self.hindsight else ""
        return f"undoes {_moves(self.keep, table)}{seen}"

    def change(self, table: Table) -> None:
        while table.match.ply > self.keep:
            table.undone.moves.append(table.match.pop())
            table.movers.pop()
            table.choices.pop()
        table.undone.times += 1
        table.undone.hindsight += self.hindsight
        table.undone.refused = frozenset()
        kept = (line for line in table.lines if not line.move or line.moves < self.keep)
        table.lines = deque(kept, maxlen=MAX_LINES)
        table.notes = [(min(moves, table.match.ply), text) for moves, text in table.notes]


class AskUndo(Event):
    """A seat asks the others whether it may undo."""

    kind = "ask"

    keep: Count
    hindsight: bool = False
    """Whether the asker has seen something hidden since."""

    def told(self, table: Table) -> str:
        said = f"asks to undo {_moves(self.keep, table)}"
        costs = self.hindsight and not table.undone.hindsight
        return f"{said}; the game would no longer count" if costs else said

    def change(self, table: Table) -> None:
        table.undone.request = Request(self.seat, self.keep, hindsight=self.hindsight)


class Undoing(Act):
    """An undo, or the request for one."""

    name, summary = "undo", "Undo"
    about = "Undo to your last decision. If other people play, this asks them first."

    step: bool = False
    """Undo only your last move, even if it was forced."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if table.header.compares:
            raise WebError("a deal that others play, too, is played without undo")
        keep = undo_to(table, sender.id, self.step)
        if keep is None:
            raise WebError("you have no decision to undo")
        seat = table.movers[keep]
        hindsight = not table.alone and table.match.learned(seat, keep)
        if not table.others(sender.id):
            return [Undo(seat=seat, keep=keep, hindsight=hindsight)]
        if table.undone.request is not None:
            raise Stale("a player has already asked to undo: answer that first")
        if _refused(table, keep):
            raise WebError("this undo was refused: play on")
        return [AskUndo(seat=seat, keep=keep, hindsight=hindsight)]

    def costs(self, table: Table, sender: Sender) -> bool:
        if table.undone.hindsight:
            return False
        return any(isinstance(one, Undo) and one.hindsight for one in self.events(table, sender))


class Redo(Move):
    """The move that was undone last, made again."""

    kind = "redo"
    allowed_when_full = False

    def change(self, table: Table) -> None:
        self.push(table)
        table.undone.moves.pop()


class Redoing(Act):
    """The undone move, made again."""

    name, summary = "redo", "Redo"
    about = "Make the undone move again, with the forced ones after it. Only in a solitaire game."

    step: bool = False
    """Make only one move."""

    def events(self, table: Table, sender: Sender) -> list[Event]:
        checks.check_running(table)
        undone, seat = table.undone.moves, table.match.turn
        if not table.alone or not undone or seat is None:
            raise WebError("there is no move to redo")
        if table.seats[seat].person != sender.id:
            raise NotYours("this isn't your game")
        checks.check_no_bot(table, seat)
        again, match = [Redo(seat=seat, move=undone[-1])], table.match.copy()
        for move in reversed(undone[:-1]):
            match.push(again[-1].move)
            if self.step or len(match.legal_moves) > 1:
                break
            again.append(Redo(seat=seat, move=move))
        return [*again]


class AgreeToUndo(LoggedAct):
    """The answer yes to a request to undo; when everyone has agreed, the moves are undone."""

    kind = name = "agree"
    summary = "Agree to an undo"
    words = "agrees"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        request, seat = _answered(table, sender)
        checks.check_can_agree(table, request, sender.id)
        made = self.at(seat)
        if checks.all_agree(table, checks.agreed(table, request, seat)):
            made.append(Undo(seat=request.seat, keep=request.keep, hindsight=request.hindsight))
        return made

    def change(self, table: Table) -> None:
        table.undone.request = checks.agreed(table, table.undone.request, self.seat)


class RefuseUndo(LoggedAct):
    """The answer no to a request to undo, or the end of one's own."""

    kind = name = "refuse"
    summary = "Refuse an undo"
    about = "Refuse another player's request to undo, or withdraw your own."
    ends_undo_request = True

    def events(self, table: Table, sender: Sender) -> list[Event]:
        return self.at(_answered(table, sender)[1])

    def told(self, table: Table) -> str:
        own = checks.asks(table.undone.request, self.seat)
        return "no longer asks to undo" if own else "doesn't agree"

    def change(self, table: Table) -> None:
        if request := table.undone.request:
            table.undone.refused |= {(request.seat, request.keep)}


def undo_to(table: Table, person: str | None, step: bool = True) -> int | None:
    """Return how many moves stay when a person undoes; None when they can't.

    By one ``step`` they get back to their last move, else to the last one with a choice.
    """
    mine = table.seats_of(person)
    if table.header.compares:
        return None
    if table.closed or table.abandoned or (table.over_by_rules and not table.alone):
        return None
    if any(table.seats[i].bot for i in mine):
        return None
    own = [ply for ply in reversed(range(len(table.movers))) if table.movers[ply] in mine]
    decided = (ply for ply in own if table.choices[ply] or step)
    return next(decided, own[0] if own else None)


def can_undo(table: Table, person: str | None) -> bool:
    """Return whether a person can undo to their last decision, or ask the others for it."""
    keep = undo_to(table, person, step=False)
    return keep is not None and table.undone.request is None and not _refused(table, keep)


def _refused(table: Table, keep: int) -> bool:
    return (table.movers[keep], keep) in table.undone.refused


def _answered(table: Table, sender: Sender) -> tuple[Request, int]:
    request = table.undone.request
    if request is None:
        raise Stale("the undo request is no longer open: reload the page")
    mine = table.people().get(sender.id)
    if not mine:
        raise NotYours("only players can answer")
    return request, mine[0]


def _moves(keep: int, table: Table) -> str:
    undone = table.match.ply - keep
    return "a move" if undone == 1 else f"{undone} moves"
