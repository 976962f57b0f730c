"""Pauses at a table with a clock: they begin when all players have agreed."""

from dataclasses import replace

from redouble.web.errors import Stale, WebError
from redouble.web.table.acts.base import Event, LoggedAct, Sender
from redouble.web.table.acts.checks import agreed, all_agree, asks, check_can_agree, check_running
from redouble.web.table.parts import Pause, Request
from redouble.web.table.state import Table


class AskPause(LoggedAct):
    """A seat asks the others for a pause; alone among bots, it pauses at once."""

    kind, name, operation = "ask-pause", "pause", "ask_for_pause"
    summary = "Ask for a pause"
    about = "At a table with a clock. The pause begins when all players have agreed."

    def events(self, table: Table, sender: Sender) -> list[Event]:
        check_running(table)
        if not table.clocks.control:
            raise WebError("this table has no clock: take the time you need")
        if table.pause.request is not None:
            raise Stale("a player has already asked for a pause: answer that first")
        seat = sender.playing(table)
        if (seat, len(table.movers)) in table.pause.refused:
            raise WebError("this pause was refused: ask again after the next move")
        return self.at(seat)

    def told(self, table: Table) -> str:
        alone = all_agree(table, Request(self.seat))
        return "pauses the game" if alone else "asks for a pause"

    def change(self, table: Table) -> None:
        _settle(table, Request(self.seat))


class AgreeToPause(LoggedAct):
    """A seat agrees to a pause; when all have agreed, the clocks stand."""

    kind, name, operation = "agree-pause", "agree-to-pause", "agree_to_pause"
    summary = "Agree to a pause"

    def events(self, table: Table, sender: Sender) -> list[Event]:
        request, seat = table.pause.request, sender.playing(table)
        if request is None:
            raise Stale("the request for a pause is no longer open: reload the page")
        check_can_agree(table, request, sender.id)
        return self.at(seat)

    def told(self, table: Table) -> str:
        last = all_agree(table, agreed(table, table.pause.request, self.seat))
        return "agrees, and the game is paused" if last else "agrees to a pause"

    def change(self, table: Table) -> None:
        _settle(table, agreed(table, table.pause.request, self.seat))


class EndPause(LoggedAct):
    """A seat ends the pause, or refuses or withdraws the request for one."""

    kind, name, operation = "end-pause", "end-pause", "end_pause"
    summary = "End a pause"
    about = "Any player can. This also refuses another player's request, or withdraws your own."

    def events(self, table: Table, sender: Sender) -> list[Event]:
        if table.over or not (table.pause.begun or table.pause.request):
            raise Stale("the pause is over: reload the page")
        return self.at(sender.playing(table))

    def told(self, table: Table) -> str:
        if table.pause.begun:
            return "ends the pause"
        own = asks(table.pause.request, self.seat)
        return "no longer asks for a pause" if own else "doesn't agree to a pause"

    def change(self, table: Table) -> None:
        pause, asked = table.pause, table.pause.request
        refused = {(asked.seat, len(table.movers))} if asked else set[tuple[int, int]]()
        table.pause = Pause(refused=pause.refused | refused)


def _settle(table: Table, request: Request) -> None:
    begun = all_agree(table, request)
    table.pause = replace(table.pause, request=None if begun else request, begun=begun)
