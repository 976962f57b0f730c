"""A server whose time a test sets, and whose messages to people go to a file.

Time is in a file that both map into memory; the server writes beside it up to which time nothing is
left to tell anybody.
"""

from __future__ import annotations

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
    from redouble.web.store.clock import Clock

    time = VirtualTime(Path(folder))
    live.AWAY_SECONDS = -1.0  # nobody has a table open
    deals = itertools.count()
    plan.new_seed = lambda seats: f"week {next(deals)}"
    look = reminders.Reminders.look

    async def looked(self: Any) -> int:
        now = time.now()
        sent = await look(self)
        if not sent:
            time.note_told(now)
        return sent

    def send(self: Any, address: Any, signer: Any, outgoing: Any) -> Delivery:
        letter = outgoing.letter
        note(address.endpoint, letter.title, letter.body, letter.url)
        return Delivery.SENT

    def mail(self: Any, jobs: list[dict[str, str]]) -> set[int]:
        for job in jobs:
            body, url, _ = job["body"].rsplit("\n\n", 2)
            note(job["to"], job["title"], body, url)
        return set(range(len(jobs)))

    def note(*line: str) -> None:
        with open(Path(folder) / "messages", "ab", 0) as file:
            file.write(f"{json.dumps(line)}\n".encode())
            os.fsync(file.fileno())

    replaced: list[tuple[Any, str, Any]] = [
        (Clock, "now", lambda self: time.now()),
        (Clock, "possible", property(lambda self: True)),
        (reminders.Reminders, "look", looked),
        (Push, "_send", send),
        (OwnAddresses, "kinds", property(lambda self: [MAIL])),
        (OwnAddresses, "_run", mail),
        *((one, "LOOK_SECONDS", LOOK_SECONDS) for one in (timekeeper, premoves, reminders)),
        # weeks in minutes are an implausible clock
        *((one, "is_believed", lambda *_: True) for one in (timekeeper, reminders)),
    ]
    for owner, name, value in replaced:
        setattr(owner, name, value)
