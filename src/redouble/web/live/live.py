"""A table in memory, with the people who watch it and what was drawn for them."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from redouble.kernel.state import SPECTATOR
from redouble.web.people.people import Person
from redouble.web.people.profiles import Stranger
from redouble.web.store.clock import CLOCK
from redouble.web.table import Table
from redouble.web.table.talk import SHOWN_SECONDS, Message, Reaction

BOTS_AFTER_SECONDS = 20.0
"""How long people at a public table wait for others before bots are offered."""
AWAY_SECONDS = 30.0
"""A person without an open page is away after this time without a request."""
IDLE_SECONDS = 180.0
"""Without a clock, a person is also away who doesn't move for this time on their turn."""
WARNING_SECONDS = 0.6
"""What comes sooner after a warning is the second half of a double click, no answer."""


Key = TypeVar("Key")
Drawing = TypeVar("Drawing")
Said = TypeVar("Said", Message, Reaction)


class Slot(Generic[Key, Drawing]):
    """One kind of drawing. A key names all that differs between viewers, such as their seat.

    The module that draws makes the slot, so that its key and its drawing have types.
    """


class Drawings:
    """What was drawn since the last change, by slot and key."""

    def __init__(self) -> None:
        self._slots: dict[Slot[Any, Any], dict[Any, Any]] = {}

    def of(self, slot: Slot[Key, Drawing]) -> dict[Key, Drawing]:
        """Return the drawings of a slot by their keys."""
        return self._slots.setdefault(slot, {})

    def kept(self, slot: Slot[Key, Drawing], key: Key, draw: Callable[[], Drawing]) -> Drawing:
        """Return the drawing of a key, or draw it now."""
        drawn = self.of(slot)
        if key not in drawn:
            drawn[key] = draw()
        return drawn[key]

    def clear(self) -> None:
        """Forget all drawings, because the table has changed."""
        self._slots.clear()


class Waker(asyncio.Event):
    """Wakes the stream of one viewer, and ends it when their session has ended."""

    def __init__(self, session: str) -> None:
        super().__init__()
        self.session = session
        self.ended = False


def end_streams(wakers: Iterable[Waker], sessions: frozenset[str]) -> None:
    """End the streams of these sessions."""
    for waker in wakers:
        if waker.session in sessions:
            waker.ended = True
            waker.set()


class Presence:
    """Who is at a table now, by the ids of people."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        """How many streams they have here."""
        self._since = time.monotonic()
        self._seen: dict[str, float] = {}
        self._came: dict[str, float] = {}
        """Since when they have been here without going away."""
        self._elsewhere: dict[str, float] = {}
        """When they had the table open at another server."""
        self._visited: dict[str, float] = {}
        """When another server has last seen them."""
        self._follow: set[str] = set()
        """Who has had a stream; the pages of others have no script."""
        self._left: dict[str, float] = {}
        """When their last stream has ended."""

    def note(self, person: str) -> bool:
        """Note a sign of life, and return whether the person was away."""
        was_away, now = self.is_away(person), time.monotonic()
        if was_away or person not in self._came:
            self._came[person] = now
        self._seen[person] = now
        return was_away

    def note_elsewhere(self, person: str, *, follows: bool) -> None:
        """Note a sign of life of a person at another server, where they have a stream or don't."""
        self.note(person)
        self._visited[person] = self._seen[person]
        if follows:
            self._elsewhere[person] = self._seen[person]
            self._follow.add(person)

    def visiting(self, seconds: float) -> list[str]:
        """Return who has asked for something here within some seconds, and has no script."""
        since = time.monotonic() - seconds
        return [
            person
            for person, seen in self._seen.items()
            if seen > max(since, self._visited.get(person, since)) and person not in self._follow
        ]

    def is_away(self, person: str, thinking: float = 0.0) -> bool:
        """Return whether a person has no stream here and was silent for long.

        Whose pages have no script asks for nothing in the seconds that they have been ``thinking``.
        """
        silent = time.monotonic() - self._seen.get(person, self._since)
        if person in self._seen.keys() - self._follow:
            silent -= thinking
        return not self._open[person] and silent > AWAY_SECONDS

    def is_idle(self, thinking: float) -> bool:
        """Return whether somebody has been thinking for long, since the table was loaded."""
        return min(thinking, time.monotonic() - self._since) > IDLE_SECONDS

    def watches(self, person: str) -> bool:
        """Return whether a person has the table open, here or at another server."""
        heard = time.monotonic() - self._elsewhere.get(person, -AWAY_SECONDS)
        return self._open[person] > 0 or heard < AWAY_SECONDS

    def looking(self) -> set[str]:
        """Return who looks at the table: by a stream, or by requests that came lately."""
        now = time.monotonic()
        return {
            person
            for person, seen in self._seen.items()
            if self._open[person]
            or (now - seen < AWAY_SECONDS and seen > self._left.get(person, -AWAY_SECONDS))
        }

    def watching_here(self) -> list[str]:
        """Return the people who have the table open here."""
        return [person for person, streams in self._open.items() if streams]

    def longest(self, people: Iterable[str]) -> str | None:
        """Return who of these people is here and came first; None if nobody is here."""
        here = [person for person in people if not self.is_away(person)]
        return min(here, key=lambda one: self._came.get(one, self._since), default=None)

    @contextlib.contextmanager
    def opened(self, person: str) -> Iterator[None]:
        """Count a person's stream while it is open."""
        self._follow.add(person)
        self._open[person] += 1
        try:
            yield
        finally:
            self._open[person] -= 1
            self._seen[person] = self._left[person] = time.monotonic()


class Live:
    """A table in memory, with the people who watch it and what was drawn for them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lock = asyncio.Lock()
        self.drawn = Drawings()
        """What was drawn of the table as it stands; cleared at every change."""
        self.version = 0
        """Counts the changes that pages show: to the log, and to who is away."""
        self.kept = Drawings()
        """What was found out about the table, and stays so while it changes."""
        self.strangers: dict[str, Stranger] = {}
        """Those who wait at a public table, as visitors see them, by person."""
        self.motifs: dict[str, str] = {}
        """The pictures that people have chosen, by person."""
        self.noted = -1
        """The version at which these two were last looked up."""
        self.silence: Mapping[tuple[str, str], bool] | None = None
        """Who of the people here has muted whom (:func:`.mutes.silence_among`); None: not known."""
        self.used = time.monotonic()
        self.robot: asyncio.Task[None] | None = None
        self.dealer: asyncio.Task[None] | None = None
        """Waits for the shares of a fair deal."""
        self.next_commitment = ""
        """The server's commitment for the rematch, once the game is over."""
        self.preparing = False
        """Whether a bot waits until the code of its search is loaded."""
        self.finishing = False
        """Whether the game's last moves are made for its player, one after the other."""
        self.hurried = False
        """Whether the player has seen enough of that."""
        self.helped = False
        """Whether the player of a solitaire game has asked the solver."""
        self.dropped = False
        """Whether the table is no longer served: its streams end and its bots stop."""
        self._wakers: set[Waker] = set()
        self.presence = Presence()
        self._shown: tuple[object, ...] = (frozenset(), table.header.host, False, frozenset())
        """What pages show that time alone changes."""
        self._pause_ends = 0.0
        self._went_on: set[str] = set()
        self.asked = 0
        """How often people were asked whether to undo, and said no."""
        self._warned: dict[str, tuple[int, float]] = {}
        self._pause_over = asyncio.Event()

    def look_up_again(self, person: str) -> None:
        """Look up a person's picture again, which they have changed."""
        self.motifs.pop(person, None)
        self.noted = -1

    @property
    def watched(self) -> bool:
        """Whether the table is open in a browser or program."""
        return bool(self._wakers)

    def now(self) -> float:
        """Return the time by the clock of the table's log, in seconds since 1970."""
        return CLOCK.now()

    def touch(self) -> None:
        """Note a change and wake the streams."""
        self.version += 1
        self._shown = self._changed_by_time()
        self.drawn.clear()
        for waker in self._wakers:
            waker.set()

    def muted(self, seat: int) -> frozenset[int]:
        """Return the seats of those whom the person at a seat has muted."""
        people = [one.person or "" for one in self.table.seats]
        me = people[seat] if seat != SPECTATOR else ""
        return frozenset(i for i, one in enumerate(people) if (me, one) in (self.silence or {}))

    def chat(self, seat: int) -> list[Message]:
        """Return the chat as a seat sees it; spectators see none."""
        return self._heard(seat, self.table.talk.chat)

    def reactions(self, seat: int) -> list[Reaction]:
        """Return the reactions that a seat sees now; spectators see none."""
        return self._heard(seat, self.table.talk.reacting(CLOCK.now()))

    def _heard(self, seat: int, said: Iterable[Said]) -> list[Said]:
        if seat == SPECTATOR or self.silence is None:
            return []
        people, muted = [one.person or "" for one in self.table.seats], self.muted(seat)
        keep_away = {i for i, one in enumerate(people) if self.silence.get((one, people[seat]))}
        return [one for one in said if one.seat not in muted | keep_away]

    def mark_seen(self, person: Person | None) -> None:
        """Note a sign of life: a request of a person, if it has one."""
        self.used = time.monotonic()
        if person is None:
            return
        belongs = self.table.seats_of(person.id) or person.id == self.table.header.host
        if belongs and self.presence.note(person.id):
            self.touch()

    def note_elsewhere(self, people: Iterable[str], *, follows: bool) -> None:
        """Note a sign of life of people at another server: see :class:`Presence`."""
        for person in people:
            self.presence.note_elsewhere(person, follows=follows)
        self.look_around()

    def away(self, seat: int) -> bool:
        """Return whether the person at a seat is away, or keeps others waiting for long."""
        table, person = self.table, self.table.seats[seat].person
        if person is None:
            return False
        turn = table.clocks.turn
        mine = turn is not None and turn.seat == seat
        thinking = max(0.0, CLOCK.now() - turn.since) if turn is not None and mine else 0.0
        idle = self.presence.is_idle(thinking) and not table.clocks.control
        return (idle and bool(table.others(person))) or self.presence.is_away(person, thinking)

    def absent(self) -> frozenset[int]:
        """Return the seats whose people are away."""
        return frozenset(i for i in range(len(self.table.seats)) if self.away(i))

    def host(self) -> str | None:
        """Return the person who lets others in and out: the host, if they are here.

        While the host is away, or after they have left their seat, it is the player who has been
        here longest.
        """
        table, host = self.table, self.table.header.host
        left = any(seat.person == host for seat in table.header.seats) and not table.seats_of(host)
        if host is None or (not left and not self.presence.is_away(host)):
            return host
        return self.presence.longest(table.people()) or host

    def host_name(self) -> str:
        """Return the name of the player who invites to the table."""
        people, host = [seat for seat in self.table.seats if seat.person], self.host()
        hosts = [seat for seat in people if seat.person == host]
        return (hosts or people)[0].name if people else "A friend"

    def look_around(self) -> None:
        """Tell the pages what time alone changes.

        That is who has gone away, that bots are offered, and what is shown for some seconds.
        """
        if self._changed_by_time() != self._shown:
            self.touch()

    def _changed_by_time(self) -> tuple[object, ...]:
        return self.absent(), self.host(), self.offers_bots, self.passing().keys()

    def passing(self) -> dict[object, float]:
        """Return what pages show for some seconds: reactions, and who waits to write a line.

        Each has the seconds until it is over.
        """
        talk, now = self.table.talk, CLOCK.now()
        shown = [one for one in talk.reactions.values() if one.shown(now)]
        left: dict[object, float] = {one: one.at + SHOWN_SECONDS - now for one in shown}
        for person in talk.chat_times:
            left[person] = talk.seconds_to_say(person, now)
        return {one: seconds for one, seconds in left.items() if seconds > 0}

    @property
    def offers_bots(self) -> bool:
        """Whether people have waited for others long enough to be offered bots."""
        return self.table.for_anyone and self.seconds_to_offer <= 0

    @property
    def seconds_to_offer(self) -> float:
        """The seconds until bots are offered at a public table."""
        waited = CLOCK.now() - self.table.header.created
        return max(0.0, BOTS_AFTER_SECONDS - waited) if waited >= 0 else 0.0

    def here(self) -> set[str]:
        """Return the ids of the people at the table who aren't away."""
        return {person for person in self.table.people() if not self.presence.is_away(person)}

    def pause(self, seconds: float) -> None:
        """Let bots wait while pages show the moments of a move."""
        self._pause_ends = time.monotonic() + seconds
        self._went_on.clear()
        self._pause_over.clear()

    def go_on(self, person: str) -> None:
        """Note that a person has seen enough; the pause ends when all players have."""
        self._went_on.add(person)
        self.hurried = self.finishing
        players = {seat.person for seat in self.table.seats if seat.person}
        if {one for one in players if self.presence.watches(one)} <= self._went_on:
            self._pause_over.set()

    def warn(self, person: str, last_move: int) -> bool:
        """Note that a person is warned after this move; False if they have been."""
        now, (ply, at) = time.monotonic(), self._warned.get(person, (-1, 0.0))
        if ply == last_move:
            return now - at < WARNING_SECONDS
        self._warned[person] = (last_move, now)
        self.asked += 1
        self.touch()
        return True

    def asks_about_undo(self, person: str | None) -> bool:
        """Return whether a person was warned of an undo and hasn't answered."""
        return self._warned.get(person or "", (-1, 0.0))[0] == self.table.last_move

    def keep_playing(self, person: str) -> None:
        """Note that a person doesn't undo after the warning."""
        self._warned.pop(person, None)
        self.asked += 1
        self.touch()

    async def pause_over(self) -> None:
        """Wait until the pause ends, if there is one."""
        left = self._pause_ends - time.monotonic()
        if left > 0 and self.watched:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._pause_over.wait(), left)

    def end_streams(self, sessions: frozenset[str]) -> None:
        """End the streams of these sessions."""
        end_streams(self._wakers, sessions)

    @contextlib.contextmanager
    def watch(self, person: Person | None) -> Iterator[Waker]:
        """Yield an event that is set at every change. Meanwhile the person isn't away."""
        waker = Waker(person.session if person else "")
        self._wakers.add(waker)
        self.mark_seen(person)
        try:
            with self.presence.opened(person.id) if person else contextlib.nullcontext():
                yield waker
        finally:
            self._wakers.discard(waker)
            self.used = time.monotonic()
