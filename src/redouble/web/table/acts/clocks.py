"""The time that players have to think, and what happens when it has run out."""

from dataclasses import replace

from redouble.bots.levels import USUAL_LEVEL
from redouble.web.errors import Stale
from redouble.web.table.acts.base import Count, Event
from redouble.web.table.acts.play import bot_move
from redouble.web.table.clocks import DAY, FOR_GOOD, ONCE, UNTIL_BACK, TimeControl
from redouble.web.table.parts import TABLE
from redouble.web.table.rest import Rest, known_zone
from redouble.web.table.state import Table


class SetClock(Event):
    """The players have so long to think, in seconds; decided when the table is made."""

    kind = "clock"

    move: Count
    bank: Count
    increment: Count
    then: str
    """What happens when a player's time runs out."""
    level: str = USUAL_LEVEL
    """In logs of earlier versions, that of the bot that moves then."""
    nights: bool
    weekends: bool

    @property
    def control(self) -> TimeControl:
        rest = Rest(self.nights, self.weekends)
        return TimeControl(self.move, self.bank, self.increment, self.then, rest)

    def change(self, table: Table) -> None:
        table.clocks = table.clocks.begin(self.control, table.match.seats, table.now)
        table.notes.append((table.match.ply, self.control.sentences))


class SetZone(Event):
    """A player's time zone, at a table where nights or weekends are off."""

    kind = "zone"
    private = allowed_when_full = True

    zone: str

    def change(self, table: Table) -> None:
        table.clocks = table.clocks.in_zone(self.seat, self.zone)

    def without_person(self, name: str) -> Event:
        return self.model_copy(update={"zone": ""})


class RestartTurn(Event):
    """A player gets the time for a turn again: the server was off for long, or its clock set."""

    kind = "restart-turn"
    words = "has the full time for this move again, because the server was off or its clock set"
    starts_turn = allowed_when_full = True

    def change(self, table: Table) -> None:
        table.clocks = replace(table.clocks, since=table.now)


class TimeOut(Event):
    """A player's time has run out; a bot moves once, stands in or takes over."""

    kind = "time-out"
    changes_seats = ends_undo_request = allowed_when_full = noted = True

    then: str
    level: str

    def told(self, table: Table) -> str:
        does = {ONCE: "makes this move", UNTIL_BACK: "plays until they are back"}
        return f"runs out of time; a bot ({self.level}) {does.get(self.then, 'takes over')}"

    def change(self, table: Table) -> None:
        seat = table.seats[self.seat]
        if self.then != ONCE:
            over = self.then == FOR_GOOD
            table.seats[self.seat] = replace(seat, bot=self.level, resigned=over)
        table.hands.timed_out = True
        table.hands.missing |= {self.seat}
        table.clocks = table.clocks.run_out(self.seat, table.now, self.then)


class Abandon(Event):
    """A game ends that nobody has come back to."""

    kind = "abandon"
    allowed_when_full = True

    def change(self, table: Table) -> None:
        table.given_up = True
        table.notes.append((table.match.ply, "Nobody came back to play on."))


def set_clock(control: TimeControl) -> list[Event]:
    """Give a new table its time control, if it has one."""
    rest = control.rest
    if not control:
        return []
    return [
        SetClock(
            seat=TABLE,
            move=control.move,
            bank=control.bank,
            increment=control.increment,
            then=control.then,
            nights=rest.nights,
            weekends=rest.weekends,
        )
    ]


def in_zone(control: TimeControl, seat: int, person: str, zone: str) -> list[Event]:
    """Note the time zone of a seat, where nights or weekends are off."""
    known = known_zone(zone) if control.rest else ""
    return [SetZone(seat=seat, person=person, zone=known)] if known else []


def time_out(
    table: Table, now: float, action: int | None = None, stepped: float | None = None
) -> list[Event]:
    """Note that the time of the player to move has run out, at ``now`` in seconds since 1970.

    A game that nobody plays any more ends. ``action`` is the bot's move, where it makes this one.
    If the machine's clock has ``stepped`` during this turn, it begins again. Raises :class:`Stale`
    if there is time.
    """
    turn, control = table.clocks.turn, table.clocks.control
    if table.deserted and table.due is not None and now >= table.due:
        return [Abandon(seat=TABLE)]
    ahead = turn is not None and turn.since > now + DAY
    if turn is None or turn.until is None or (now < turn.until and not ahead):
        raise Stale("nobody's time has run out")
    if ahead or (stepped is not None and turn.since < stepped):
        return [RestartTurn(seat=turn.seat)]
    out = TimeOut(seat=turn.seat, then=control.then, level=USUAL_LEVEL)
    return [out] if action is None else [out, *bot_move(table, action)]
