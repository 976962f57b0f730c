"""Servers whose time a test sets, and whose messages to people go to a file.

Time is in a file that all map into memory; each server writes beside it up to which time nothing is
left to tell anybody. Then it looks no more what there is to do until time passes or it is asked.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

TIME = struct.Struct("d")
LOOK_SECONDS = 0.02


class VirtualTime:
    """The time of some servers, in a folder."""

    def __init__(self, folder: Path, start: float = 0.0, servers: int = 1) -> None:
        path = folder / "time"
        if not path.exists():
            path.write_bytes(TIME.pack(start) + bytes(TIME.size * servers))
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def now(self) -> float:
        time: float = TIME.unpack_from(self._map)[0]
        return time

    def set(self, time: float) -> None:
        TIME.pack_into(self._map, 0, time)

    @property
    def told(self) -> frozenset[float]:
        """For each server, the last time at which it had nothing to tell anybody."""
        return frozenset(time for (time,) in TIME.iter_unpack(self._map[TIME.size :]))

    def forget_told(self) -> None:
        """Let each server look again what there is to tell."""
        self._map[TIME.size :] = bytes(len(self._map) - TIME.size)

    def is_told(self, server: int) -> bool:
        """Whether a server has nothing to tell anybody now, and wasn't asked to look again."""
        return self._map[TIME.size * (1 + server) :][: TIME.size] == self._map[: TIME.size]

    def note_told(self, server: int, time: float) -> None:
        TIME.pack_into(self._map, TIME.size * (1 + server), time)


def take_over(folder: str, server: int = 0) -> None:
    """Let this process live in a folder's time, deal known cards, and send messages to a file.

    It is the only process of its server, so that a kill ends the server.
    """
    from redouble.web.features.notices import reminders
    from redouble.web.features.notices.addresses import Delivery
    from redouble.web.features.notices.own import MAIL, OwnAddresses
    from redouble.web.features.notices.push import Push
    from redouble.web.features.premoves import premoves
    from redouble.web.live import live, plan, timekeeper
    from redouble.web.server import serve
    from redouble.web.store.clock import Clock, ClockState

    time = VirtualTime(Path(folder))
    live.AWAY_SECONDS = -1.0  # nobody has a table open
    plan.new_seed = lambda seats: f"week {time.now():.0f}"
    begin = reminders.Reminders.begin
    look_at_clocks = timekeeper.Timekeeper._look
    look_at_premoves = premoves.Premover.look

    async def clocks_seen(self: Any) -> float:
        return LOOK_SECONDS if time.is_told(server) else await look_at_clocks(self)

    async def premoves_seen(self: Any) -> None:
        if not time.is_told(server):
            await look_at_premoves(self)

    async def begun(self: Any) -> list[asyncio.Task[bool]]:
        if time.is_told(server):
            return []
        now = time.now()
        sending = await begin(self)
        if not any(await asyncio.gather(*sending)):
            time.note_told(server, now)
        return sending

    async def push(self: Any, outgoing: Any) -> Delivery:
        return note(self.opened(outgoing.sealed).endpoint, outgoing.letter)

    async def mail(self: Any, outgoing: Any) -> Delivery:
        return note(self._seal.open(outgoing.sealed), outgoing.letter)

    def note(to: str, letter: Any) -> Delivery:
        line = json.dumps([to, letter.title, letter.body, letter.url, time.now()])
        with open(Path(folder) / "messages", "ab", 0) as file:
            file.write(f"{line}\n".encode())
            os.fsync(file.fileno())
        return Delivery.SENT

    def serve_here(work: Callable[..., None], count: int, *arguments: Any) -> bool:
        work(0, *arguments)
        return True

    replaced: list[tuple[Any, str, Any]] = [
        (serve, "run_processes", serve_here),
        # what a killed server has left is taken over in the same hour
        (timekeeper, "AGAIN_SECONDS", 1.0),
        (Clock, "now", lambda self: time.now()),
        (Clock, "possible", property(lambda self: True)),
        (reminders.Reminders, "begin", begun),
        (timekeeper.Timekeeper, "_look", clocks_seen),
        (premoves.Premover, "look", premoves_seen),
        (Push, "send", push),
        (OwnAddresses, "kinds", property(lambda self: [MAIL])),
        (OwnAddresses, "send", mail),
        *((one, "LOOK_SECONDS", LOOK_SECONDS) for one in (timekeeper, premoves, reminders)),
        # weeks in minutes are an implausible clock
        (timekeeper, "state_at", lambda connection, now: ClockState(now, None)),
    ]
    for owner, name, value in replaced:
        setattr(owner, name, value)
