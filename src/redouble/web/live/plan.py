"""Plans of new tables: who sits where, by which options, and what is dealt."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from redouble.bots import BOT_NAMES, BOTS
from redouble.bots.levels import USUAL_LEVEL
from redouble.contract.game import Game
from redouble.kernel.checks import word
from redouble.web.errors import NotYours, Stale, WebError
from redouble.web.people.people import Person, clean_name, new_id
from redouble.web.store.clock import CLOCK
from redouble.web.table import TABLE, USUAL_PACE, Event, Header, Seat, Table, check_pace, open_seat
from redouble.web.table.acts.bots import SetPace
from redouble.web.table.acts.clocks import in_zone, set_clock
from redouble.web.table.acts.deals import GiveShare, PromiseShare, part_in_deal
from redouble.web.table.acts.rating import set_rated
from redouble.web.table.acts.rematch import Keep
from redouble.web.table.acts.talk import SetChat
from redouble.web.table.clocks import UNTIMED, TimeControl, usual_control
from redouble.web.table.names import looks
from redouble.web.table.parts import KeptSeat
from redouble.web.table.seats import unique
from redouble.web.table.talk import OPEN_CHAT, PUBLIC_CHAT
from redouble.web.table.wordlist import WORDS

DEALS = 1_000_000
"""The number of the last deal of a solitaire game."""
FAIR = ""
"""The seed of a plan whose deal is to be fair; the server's secret takes its place."""
SEED_LENGTH = 40
"""Characters in the name of a deal."""


@dataclass(frozen=True)
class SeatPlan:
    """Who gets a seat of a new table.

    ``kind`` is ``me``, ``here`` (another player on the same device), ``friend`` or ``bot``.
    """

    kind: str
    name: str = ""
    bot: str = USUAL_LEVEL


@dataclass(frozen=True)
class TablePlan:
    """A table to make."""

    game: Game
    seats: Sequence[SeatPlan]
    options: Mapping[str, Any] | None = None
    """None for the usual ones."""
    public: bool = False
    seed: str | None = None
    """Only in a solitaire game: the seed tells every card."""
    pace: str | None = None
    before: str = ""
    dealt: str = ""
    """A seed that the server has chosen, for any number of seats."""
    daily: str = ""
    """The day whose deal this is, as 2026-11-22."""
    circle: str = ""
    """The circle whose members alone may sit down."""
    offer: str = ""
    """The id of the offer with which the page or program was made, for a fair deal."""
    share: str = ""
    """What the host gives to the deal, or else ``promise``, its SHA-256, if friends sit down."""
    promise: str = ""
    control: TimeControl = UNTIMED
    rated: bool = True
    """Whether the game changes ratings, if several people play it."""
    zone: str = ""
    """The host's time zone, such as ``Europe/Berlin``, for nights and weekends off."""

    def header(self, host: Person) -> Header:
        """Return the header of the table. Raises a ``RedoubleError`` if the plan isn't valid."""
        if self.seed is not None and len(self.seats) > 1:
            raise WebError("you can only choose the deal in a solitaire game: it tells the cards")
        if self.pace is not None:
            check_pace(self.pace)
        self.game.check_seats(len(self.seats))
        players, options = len(self.seats), self.options
        if options is None:
            options = usual_options(self.game, players)
        if self.control and len(self.seats) == 1:
            raise WebError("a solitaire game has no clock: take the time you need")
        for seat in self.seats:
            if seat.kind == "bot":
                BOTS[seat.bot]  # raises UnknownBot
        seed = new_seed(len(self.seats)) if self.seed is None else clean_seed(self.seed)
        return Header(
            token=new_id(12),
            invite=secrets.token_urlsafe(16),
            game=self.game,
            options=self.game.check_options(players, options),
            seed=self.dealt or seed,
            seats=tuple(_seats(host, self.seats)),
            host=host.id,
            public=self.public,
            created=CLOCK.now(),
            before=self.before,
            daily=self.daily,
            circle=self.circle,
        )

    def begun(self, header: Header) -> list[Event]:
        """Return what the log of the new table begins with."""
        zones = dict.fromkeys(range(len(header.seats)), self.zone)
        first: list[Event] = [] if self.rated else set_rated(False)
        return _begun(header.seats, self.pace or USUAL_PACE, first, self.control, zones)

    def part_in_deal(self, seats: Sequence[Seat]) -> GiveShare | PromiseShare | None:
        """Return the host's part in a fair deal: a promise while friends are awaited, else a share.

        Raises :class:`WebError` for a share or promise that isn't one.
        """
        mine = [number for number, seat in enumerate(self.seats) if seat.kind in ("me", "here")]
        promise = self.promise if any(seat.open for seat in seats) else ""
        return part_in_deal(mine[0], self.share, promise) if mine else None


def seat_plans(players: int, friends: int = 0, level: str = USUAL_LEVEL) -> list[SeatPlan]:
    """Return the seats of a person, of friends, and of bots of a level."""
    plans = [SeatPlan("me"), *[SeatPlan("friend")] * friends]
    return plans + [SeatPlan("bot", bot=level)] * (players - len(plans))


def usual_options(game: Game, players: int) -> Mapping[str, Any]:
    """Return the options of a table that is opened for several people by one of them, or none."""
    return game.check_options(players, game.as_played({}) | game.needed_options(players))


def seated(people: Iterable[KeptSeat], players: int) -> tuple[Seat, ...]:
    """Return the seats of a table where people have the first ones, and usual bots the others.

    Each has another name.
    """
    sitting = list[Seat]()
    for one in people:
        sitting.append(Seat(unique(one.name, [seat.name for seat in sitting]), one.person))
    taken = {looks(seat.name) for seat in sitting}
    bots = iter([name for name in BOT_NAMES if looks(name) not in taken])
    while len(sitting) < players:
        name = unique(next(bots, f"Bot {len(sitting) + 1}"), [seat.name for seat in sitting])
        sitting.append(Seat(name, bot=USUAL_LEVEL))
    return tuple(sitting)


def strangers_table(
    game: Game,
    people: Sequence[KeptSeat],
    players: int,
    rated: bool,
    promises: Mapping[int, str],
) -> tuple[Header, list[Event]]:
    """Return the table of people who have found each other, and what its log begins with.

    Nobody hosts it. The ``promises`` are those of their shares in the deal, by seat.
    """
    seats = seated(people, players)
    header = Header(
        token=new_id(12),
        invite=secrets.token_urlsafe(16),
        game=game,
        options=usual_options(game, players),
        seed=FAIR,
        seats=seats,
        public=True,
        created=CLOCK.now(),
    )
    first: list[Event] = [PromiseShare(seat=seat, promise=one) for seat, one in promises.items()]
    first += [] if rated else set_rated(False)
    return header, _begun(seats, USUAL_PACE, first, usual_control(game), {})


def rematch_header(table: Table, person: Person) -> Header:
    """Return the header of a rematch: the same options and seats, with people back in their own.

    Raises :class:`Stale` before the end of the game, and :class:`NotYours` for a spectator.
    """
    if not table.over:
        raise Stale("the game isn't over: finish it before the rematch")
    if not table.seats_of(person.id) and person.id != table.header.host:
        raise NotYours("only players can start a rematch")
    seats = [Seat(seat.name, bot=seat.bot or USUAL_LEVEL) for seat in table.seats]
    for i, one in _wanted(table).items():
        taken = [seat.name for j, seat in enumerate(seats) if j != i]
        seats[i] = Seat(unique(one.name, taken), one.person)
    return replace(
        table.header,
        token=new_id(12),
        invite=secrets.token_urlsafe(16),
        seed=new_seed(table.match.seats),
        seats=tuple(seats),
        created=CLOCK.now(),
        before=table.header.token,
        daily="",
        rewritten=0,
    )


def asking(header: Header, person: Person) -> tuple[Header, list[Event]]:
    """Return the header of a rematch with the seats of others open, and what keeps these for them.

    Nobody is dealt in who hasn't joined. Only an evening's players have said yes to all its deals.
    """
    others = {
        i: seat
        for i, seat in enumerate(header.seats)
        if seat.person and seat.person != person.id and not header.evening
    }
    seats = [Seat(open_seat(i)) if i in others else seat for i, seat in enumerate(header.seats)]
    kept: list[Event] = [
        Keep(seat=i, person=seat.person, name=seat.name) for i, seat in others.items()
    ]
    return replace(header, seats=tuple(seats)), kept


def rematch_begun(table: Table, seats: Sequence[Seat]) -> list[Event]:
    """Return what the log of a rematch begins with: what was chosen for the game before."""
    usual = PUBLIC_CHAT if table.header.public else OPEN_CHAT
    first: list[Event] = set_rated(False) if table.casual else []
    if table.talk.mode != usual:
        first.append(SetChat(seat=TABLE, chat=table.talk.mode))
    clocks = table.clocks
    return _begun(seats, table.pace, first, clocks.control, clocks.zones)


def _wanted(table: Table) -> dict[int, KeptSeat]:
    """Return who is asked to join the rematch of a game, by seat.

    These are its players, those who didn't answer when it began, and who asked for a bot's seat.
    """
    people = {i: KeptSeat(one.person, one.name) for i, one in enumerate(table.seats) if one.person}
    asked = {i: one for i, one in table.kept.items() if i in table.bots()}
    bots = [i for i in table.bots() if i not in asked]
    wants = table.next.wants.items()
    new = {i: KeptSeat(*want) for i, want in zip(bots, wants, strict=False)}
    return people | asked | new


def rematch_secret(table: Table) -> str:
    """Return the name of the secret for a table's rematch, the same on all its pages."""
    return f"rematch {table.header.token}"


def new_seed(seats: int) -> str:
    """Return a new seed: a deal's number in a solitaire game, else ``FAIR``."""
    return str(secrets.randbelow(DEALS) + 1) if seats == 1 else FAIR


def clean_seed(seed: str) -> str:
    """Return the name of a deal as it is compared. Raises :class:`WebError`."""
    seed = word(seed)
    if not seed or len(seed) > SEED_LENGTH or not seed.isprintable():
        raise WebError(f"the deal's name is empty or too long: use 1 to {SEED_LENGTH} characters")
    return seed


def _begun(
    seats: Sequence[Seat],
    pace: str,
    first: list[Event],
    control: TimeControl,
    zones: Mapping[int, str],
) -> list[Event]:
    begun: list[Event] = [] if pace == USUAL_PACE else [SetPace(seat=TABLE, pace=pace)]
    begun += [*first, *set_clock(control)]
    for seat, zone in zones.items():
        if (person := seats[seat].person) is not None:
            begun += in_zone(control, seat, person, zone)
    return begun


def _seats(host: Person, plans: Sequence[SeatPlan]) -> Iterable[Seat]:
    """Yield the seats of a new table, each with a unique name."""
    taken: set[str] = set()
    bots = iter([name for name in BOT_NAMES if looks(name) != looks(host.name)])
    if sum(plan.kind == "me" for plan in plans) > 1:
        raise WebError("you can only take one seat: give other players on your device their own")
    for i, plan in enumerate(plans):
        if plan.kind == "me":
            WORDS.check_name(host.name)
            seat = Seat(host.name, host.id)
        elif plan.kind == "here":
            seat = Seat(clean_name(plan.name or f"Player {i + 1}"), host.id)
        elif plan.kind == "friend":
            seat = Seat(open_seat(i))
        elif plan.kind == "bot":
            seat = Seat(next(bots, f"Bot {i + 1}"), bot=plan.bot)
        else:
            raise WebError(f"seat kind {plan.kind!r} is unknown: use me, here, friend or bot")
        name = unique(seat.name, taken)
        taken.add(name)
        yield replace(seat, name=name)
