"""A server whose time a test sets, and whose messages to people go to a file.

Time is in a file that both map into memory; the server writes beside it up to which time nothing is
left to tell anybody.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import mmap
import os
import struct
from pathlib import Path
from typing import Any

SHOWN = struct.Struct("dd")
"""The time, and the last one at which nobody was to be told anything."""
LOOK_SECONDS = 0.02


class VirtualTime:
    """The time of a server, in a folder."""

    def __init__(self, folder: Path, start: float = 0.0) -> None:
        self._path = folder / "time"
        if not self._path.exists():
            self._path.write_bytes(SHOWN.pack(start, 0.0))
        with open(self._path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), SHOWN.size)

    def now(self) -> float:
        time: float = SHOWN.unpack_from(self._map)[0]
        return time

    def set(self, time: float) -> None:
        struct.pack_into("d", self._map, 0, time)

    @property
    def told(self) -> float:
        """The last time at which nobody was to be told anything."""
        time: float = SHOWN.unpack_from(self._map)[1]
        return time

    def note_told(self, time: float) -> None:
        struct.pack_into("d", self._map, 8, time)


def take_over(folder: str) -> None:
    """Let this process live in a folder's time, deal known cards, and send messages to a file."""
    from redouble.web.features.notices import reminders
    from redouble.web.features.notices.addresses import Delivery
    from redouble.web.features.notices.own import MAIL, OwnAddresses
    from redouble.web.features.notices.push import Push
    from redouble.web.features.premoves import premoves
    from redouble.web.live import live, plan, timekeeper
    from redouble.web.store.clock import Clock, ClockState

    time = VirtualTime(Path(folder))
    live.AWAY_SECONDS = -1.0  # nobody has a table open
    deals = itertools.count()
    plan.new_seed = lambda seats: f"week {next(deals)}"
    begin = reminders.Reminders.begin

    async def begun(self: Any) -> list[asyncio.Task[bool]]:
        now = time.now()
        sending = await begin(self)
        if not any(await asyncio.gather(*sending)):
            time.note_told(now)
        return sending

    async def push(self: Any, outgoing: Any) -> Delivery:
        return note(self.opened(outgoing.sealed).endpoint, outgoing.letter)

    async def mail(self: Any, outgoing: Any) -> Delivery:
        return note(self._seal.open(outgoing.sealed), outgoing.letter)

    def note(to: str, letter: Any) -> Delivery:
        line = json.dumps([to, letter.title, letter.body, letter.url])
        with open(Path(folder) / "messages", "ab", 0) as file:
            file.write(f"{line}\n".encode())
            os.fsync(file.fileno())
        return Delivery.SENT

    replaced: list[tuple[Any, str, Any]] = [
        (Clock, "now", lambda self: time.now()),
        (Clock, "possible", property(lambda self: True)),
        (reminders.Reminders, "begin", begun),
        (Push, "send", push),
        (OwnAddresses, "kinds", property(lambda self: [MAIL])),
        (OwnAddresses, "send", mail),
        *((one, "LOOK_SECONDS", LOOK_SECONDS) for one in (timekeeper, premoves, reminders)),
        # weeks in minutes are an implausible clock
        (timekeeper, "state_at", lambda connection, now: ClockState(now, None)),
    ]
    for owner, name, value in replaced:
        setattr(owner, name, value)
