"""Weeks of people who play slow games, once with kills of the server and once without.

``python -m tests.web.helpers.weeks --people 40 --days 14 --kills 40`` prints a line of JSON, and
ends with 1 if the two differ. Time is virtual: an hour passes when everything has happened that it
brings, so that both have the same logs, to the second, and the same messages; only one whose
process was killed when it had sent it is sent again. People sleep, stay away for a day or two,
decide moves in advance, and come back to seats that a bot plays. The server is killed (SIGKILL) at
random moments, also while it answers, acts at a clock's end, makes a move in advance or sends a
message.
"""

import argparse
import contextlib
import json
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
from cryptography.hazmat.primitives.asymmetric import ec

from redouble.contract.registry import GAMES
from redouble.web.store import FILE
from tests.web.helpers.players import Client, Gone
from tests.web.helpers.server import Server, program
from tests.web.helpers.services import Browser
from tests.web.helpers.virtual_time import VirtualTime

MONDAY = datetime(2027, 3, 1, tzinfo=UTC)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Auckland")
STEPS = (0, 60, 120, 300)
"""Seconds after each hour at which the server may have something to do: a pause before a move in
advance is drawn and ends, a turn is told, and a killed process's message is taken over."""
AHEAD = 0.2
"""How often a player decides moves in advance."""
AWAKE = range(8, 22)
PATIENCE = 120.0
"""Seconds that the server may take for what an hour brings."""


@dataclass
class Someone:
    """A person."""

    number: int
    zone: str
    token: str = ""

    def is_awake(self, at: datetime) -> bool:
        """Whether they look at their tables: some hours of most days."""
        there = at.astimezone(ZoneInfo(self.zone))
        day = Random(f"{self.number} {there.date()}")
        hours = day.sample(AWAKE, 6)
        return day.random() < 0.7 and there.hour in hours


@dataclass
class SlowTable:
    """A table, and who plays there."""

    game: str
    players: list[Someone]
    token: str = ""


class Simulation:
    """People at their tables, and a server that may be killed."""

    def __init__(self, folder: Path, people: int, seed: str, moments: Sequence[int] = ()) -> None:
        """The server is killed during these requests, by their number."""
        folder.mkdir()
        dice = Random(seed)
        self.time = VirtualTime(folder, MONDAY.timestamp())
        take_over = "from tests.web.helpers.virtual_time import take_over"
        self.server = Server(folder, program(take_over, f"take_over({str(folder)!r})"))
        self.requests = self.first = 0
        """How many requests there were, and how many of them before the first hour."""
        self._database = folder / "data" / FILE
        self._messages = folder / "messages"
        self._killers: list[threading.Thread] = []
        self.people = [Someone(i, dice.choice(ZONES)) for i in range(people)]
        self.tables = [self._table(dice, i) for i in range(people)]
        self._moments = sorted(moments)

    def _table(self, dice: Random, number: int) -> SlowTable:
        several = [game for game in GAMES.values() if game.max_seats > 1]
        game = several[number % len(several)]
        seats = max(game.min_seats, min(len(self.people), dice.choice((2, 2, 3, 4))))
        return SlowTable(game.name, dice.sample(self.people, seats))

    # Requests.

    def ask(self, person: Someone | None, path: str, body: Any = None) -> Any:
        """Send a request until it is answered; a refusal is an answer, too."""
        self.requests += 1
        if self._moments and self.requests >= self._moments[0]:
            self._kill(Random(self._moments.pop(0)).uniform(0.0, 0.03))
        while True:
            try:
                status, answer = self._client.send(path, person.token if person else "", body)
            except Gone:
                time.sleep(0.05)
                continue
            if status < 500:
                return answer
            time.sleep(0.05)

    def _kill(self, after: float) -> None:
        """Kill the server that many seconds from now, whatever it does then, and start it again."""

        def run() -> None:
            time.sleep(after)
            self.server.end(signal.SIGKILL)

        self._restarted()
        self._killers.append(threading.Thread(target=run))
        self._killers[-1].start()

    def _restarted(self) -> None:
        """Wait until the server is up again after all kills."""
        for killer in self._killers:
            killer.join()

    # Before the first hour.

    def begin(self) -> None:
        for person in self.people:
            person.token = self.ask(None, "/guests", {"name": f"P{person.number}"})["token"]
            self._wants_messages(person)
        for number, table in enumerate(self.tables):
            dice = Random(f"clock {number}")
            clock = {
                "control": dice.choice(("1-day", "3-days")),
                "then": dice.choice(("once", "until-back", "for-good")),
                "nights": dice.random() < 0.3,
                "weekends": dice.random() < 0.3,
            }
            host, *others = table.players
            plan: dict[str, Any] = {"game": table.game, "clock": clock, "zone": host.zone}
            plan["pace"] = "instant"
            plan |= {"seats": [{"kind": "me"}, *[{"kind": "friend"}] * len(others)]}
            plan |= {"options": GAMES[table.game].needed_options(len(table.players))}
            made = self.ask(host, "/tables", plan)
            table.token = made["table"]
            for one in others:
                self.ask(one, f"/join/{made['invite']}", {"zone": one.zone})

    def _wants_messages(self, person: Someone) -> None:
        """Let a person be told things by their browser, and every third one by mail, too."""
        key = ec.derive_private_key(person.number + 1, ec.SECP256R1())
        browser = Browser(f"fcm/send/{person.number}", key, bytes(16))
        self._enter(person, "push", browser.form(person.zone))
        if person.number % 3 == 0:
            to = f"p{person.number}@example.org"
            self._enter(person, "me/messages/address", {"address": to})
            self._settle()
            told = next(title for one, title, *_ in self._sent() if one == to)
            self._enter(person, "me/messages/confirm", {"code": told.split()[-1]})

    def _enter(self, person: Someone, path: str, form: dict[str, str]) -> None:
        """Send a form of the pages."""
        headers = {"Authorization": f"Bearer {person.token}"}
        answer = httpx2.post(f"{self.server.address}{path}", data=form, headers=headers, timeout=60)
        assert answer.status_code in (204, 303), answer.text

    # Hour after hour.

    def run(self, days: int) -> None:
        self.server.start()
        self._client = Client(self.server.port)
        try:
            self.begin()
            self.first = self.requests
            for hour in range(24 * days):
                self._pass(MONDAY + timedelta(hours=hour))
            self._restarted()
        finally:
            self._client.close()
            self.server.kill()
        self.logs = [self._log(table.token) for table in self.tables]
        """Of each table, its log's entries with their times."""
        self.messages = Counter(self._told())
        """Whom a message was sent to, and its words, with the number of the table."""

    def _pass(self, at: datetime) -> None:
        """Let an hour pass."""
        for step in STEPS:
            self.time.set((at + timedelta(seconds=step)).timestamp())
            self._settle()
        for person in self.people:
            if person.is_awake(at):
                self._visit(person, at)
        self._settle()

    def _visit(self, person: Someone, at: datetime) -> None:
        """Let a person look after their tables."""
        for table in self.tables:
            if person not in table.players:
                continue
            seat = table.players.index(person)
            dice = Random(f"{person.number} {table.token and self.tables.index(table)} {at}")
            path = f"/tables/{table.token}"
            state = self.ask(person, path)
            if state["status"] != "playing":
                continue
            if state["seats"][seat]["stand_in"]:
                self.ask(person, f"{path}/back", {})
                self._settle()
                state = self.ask(person, path)
            if state["turn"] == seat and state["view"]["legal_moves"]:
                move = dice.choice(state["view"]["legal_moves"])
                self.ask(person, f"{path}/moves", {"ply": state["ply"], "move": move})
                self._settle()
                if dice.random() < AHEAD:
                    moves = dice.sample(state["view"]["legal_moves"], 1)
                    self.ask(person, f"{path}/premoves", {"premoves": [{"move": moves[0]}]})

    def _settle(self) -> None:
        """Wait until nothing is left to do at this time."""
        now = self.time.now()
        until = time.monotonic() + PATIENCE
        left: object = "messages"
        self.time.note_told(0.0)
        while left:
            assert time.monotonic() < until, f"at {now} there is still left to do: {left}"
            time.sleep(0.01)
            left = self._open(now) or (self.time.told != now and "messages")

    def _open(self, now: float) -> str:
        """What the database says that is to be done now."""
        with contextlib.closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as db:
            for what, query in QUERIES.items():
                if db.execute(query, {"now": now}).fetchone() is not None:
                    return what
        return ""

    def _log(self, token: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(self._database)) as db:
            query = "SELECT ply, seat, kind, payload, at FROM log WHERE token = ? ORDER BY ply"
            return db.execute(query, (token,)).fetchall()

    def _told(self) -> Iterator[tuple[str, ...]]:
        numbers = {f"/t/{table.token}": f"{i}" for i, table in enumerate(self.tables)}
        for to, title, body, url in self._sent():
            if url.endswith(tuple(numbers)):
                path = url[url.index("/t/") :]
                yield to, title, body, numbers[path]

    def _sent(self) -> Iterator[list[str]]:
        for line in self._messages.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


QUERIES = {
    "a clock": "SELECT 1 FROM tables WHERE status = 'playing' AND due <= :now",
    "a bot": "SELECT 1 FROM tables JOIN seats ON seats.token = tables.token"
    " AND seats.seat = tables.turn WHERE status = 'playing' AND seats.bot != ''",
    "a move in advance": "SELECT 1 FROM premoves JOIN tables ON tables.token = premoves.token"
    " AND tables.turn = premoves.seat WHERE status = 'playing'"
    " AND (premoves.since != tables.changed OR premoves.due <= :now)",
}
"""What is left to do, by queries that find it."""


def compare(
    folder: Path, people: int, days: int, kills: int, seed: str = "weeks"
) -> dict[str, Any]:
    """Return figures of both runs, and where they differ."""
    calm = Simulation(folder / "calm", people, seed)
    calm.run(days)
    moments = Random(seed).sample(range(calm.first, calm.requests), kills)
    killed = Simulation(folder / "killed", people, seed, moments)
    killed.run(days)
    differ = [i for i, (a, b) in enumerate(zip(calm.logs, killed.logs, strict=True)) if a != b]
    kinds = Counter(entry[2] for log in calm.logs for entry in log)
    return {
        "people": people,
        "days": days,
        "kills": len(killed._killers),
        "entries": sum(map(len, calm.logs)),
        "moves": kinds["move"],
        "time-outs": kinds["time-out"],
        "messages": calm.messages.total(),
        "tables that differ": differ,
        "not told": sorted((calm.messages - killed.messages).elements()),
        "told again": sorted((killed.messages - calm.messages).elements()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("people", 40), ("days", 14), ("kills", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = compare(Path(folder), wanted.people, wanted.days, wanted.kills)
    print(json.dumps(found))
    repeated = len(found["told again"]) > found["kills"]
    sys.exit(bool(found["tables that differ"] or found["not told"] or repeated))


if __name__ == "__main__":
    main()
