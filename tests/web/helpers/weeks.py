"""Weeks of people who play slow games, on two servers that are killed and on one that isn't.

``python -m tests.web.helpers.weeks --people 40 --days 14 --kills 40`` prints a line of JSON, and
ends with 1 if the two differ, with PostgreSQL. Time is virtual: an hour passes when everything has
happened that it brings, so that both runs have the same logs, to the second, and the same messages;
only one whose process was killed when it had sent it is sent again. People sleep, stay away for a
day or two, decide moves in advance, ask to undo some, chat, resign, come back to seats that a bot
plays, ask for rematches and leave them, and mute or block each other: then nothing of the other may
reach them. Servers are killed (SIGKILL) at random moments, also while one answers, acts at a
clock's end, makes a move in advance or sends.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import ec

from redouble.contract.registry import GAMES
from tests.web.helpers.players import PAUSE
from tests.web.helpers.postgresql import Cluster, running
from tests.web.helpers.server import Server, program
from tests.web.helpers.services import Browser
from tests.web.helpers.virtual_time import VirtualTime

MONDAY = datetime(2027, 3, 1, tzinfo=UTC)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Auckland")
STEPS = (0, 60, 120, 300)
"""Seconds after each hour at which the server may have something to do: a pause before a move in
advance is drawn and ends, a turn is told, and a killed process's message is taken over."""
OFTEN = {
    **{"premoves": 0.4, "undo": 0.2, "refuse": 0.3, "say": 0.3, "resign": 0.04},
    **{"mute": 0.2, "block": 0.1, "rematch": 0.6, "leave": 0.5},
}
"""How often a person does this where it is possible."""
ENDED = "double-dominoes"
"""The tables of this game have been played to the end before the first hour."""
PATIENCE = 120.0
"""Seconds that the servers may take for what an hour brings."""
LEFT = """SELECT 1 FROM tables LEFT JOIN seats ON seats.token = tables.token
    AND seats.seat = tables.turn LEFT JOIN premoves ON premoves.token = tables.token
    AND premoves.seat = tables.turn WHERE status = 'playing' AND (tables.due <= :now
    OR seats.bot != '' OR premoves.since != tables.changed OR premoves.due <= :now) LIMIT 1"""
"""Finds clocks, bots and moves in advance with something left to do."""


@dataclass(eq=False)
class Someone:
    """A person."""

    number: int
    zone: str
    name: str
    token: str = ""
    unheard: dict[str, float] = field(default_factory=dict)
    """By name, the people of whom nothing reaches this one, and since when."""

    def is_awake(self, at: datetime) -> bool:
        """Whether they look at their tables: some hours of most days."""
        day = Random(f"{self.number} {at.date()}")
        return at.hour in day.sample(range(24), 6) and day.random() < 0.7


class Simulation:
    """People at their tables, and servers of which one is killed at each of these moments."""

    def __init__(
        self, folder: Path, address: str, people: int, servers: int = 1, kills: Sequence[int] = ()
    ) -> None:
        folder.mkdir()
        self.time = VirtualTime(folder, MONDAY.timestamp(), servers)
        shared = os.environ | {"REDOUBLE_DATABASE": address, "REDOUBLE_WORKERS": "1"}
        life = "from tests.web.helpers.virtual_time import take_over; take_over({!r}, {})"
        programs = [program(life.format(f"{folder}", number)) for number in range(servers)]
        self._servers = [Server(folder, one, shared) for one in programs]
        read = address.replace("postgresql", "postgresql+psycopg", 1)
        self._database = sa.create_engine(read, isolation_level="AUTOCOMMIT")
        self._messages, self._client = folder / "messages", httpx2.Client(timeout=60)
        self._messages.touch()
        self._kills, self._killer = {*kills}, ThreadPoolExecutor(1)
        self._killed: list[Future[None]] = []
        self.moment = self.first = 0
        zones = Random("zones").choices(ZONES, k=people)
        self.people = [Someone(i, zone, f"Player-{i:03}") for i, zone in enumerate(zones)]
        self.tables: dict[str, list[Someone]] = {}
        self.did: Counter[str] = Counter()
        self.heard: list[str] = []
        """What reached people of those whom they don't hear."""

    def ask(self, person: Someone | None, path: str, body: Any = None, form: Any = None) -> Any:
        """Send a request until it is answered; a refusal is an answer, too."""
        server = self._pass_moment()
        headers = {"Authorization": f"Bearer {person.token}"} if person else {}
        method = "GET" if body is form is None else "POST"
        while True:
            url = f"{self._servers[server].address}{path}"
            with contextlib.suppress(httpx2.TransportError):
                answer = self._client.request(method, url, json=body, data=form, headers=headers)
                if answer.status_code < 500:
                    return answer.json() if path.startswith("api/") else answer.text
            time.sleep(PAUSE)
            server = (server + 1) % len(self._servers)

    def _pass_moment(self) -> int:
        """Return the server that is asked at the next moment; it may be killed meanwhile."""
        self.moment += 1
        server = self.moment % len(self._servers)
        if self.moment in self._kills:
            dead = self._killer.submit(self._kill, self._servers[server], Random(self.moment))
            self._killed.append(dead)
        return server

    def _kill(self, server: Server, dice: Random) -> None:
        """Kill a server soon, whatever it does then, and start it again."""
        time.sleep(dice.uniform(0.0, 0.05))
        server.end(signal.SIGKILL)

    def run(self, hours: int) -> None:
        for server in self._servers:
            server.start()
        try:
            self._begin()
            self.first = self.moment
            for hour in range(hours):
                self._pass(MONDAY + timedelta(hours=hour))
            for dead in self._killed:
                dead.result()
            self.logs = self._logs()
        finally:
            self._database.dispose()
            self._client.close()
            for server in self._servers:
                server.kill()
        self.messages = Counter(self._told())

    def _begin(self) -> None:
        """Let people come, want messages, and sit down at their tables."""
        for person in self.people:
            person.token = self.ask(None, "api/guests", {"name": person.name})["token"]
            key = ec.derive_private_key(person.number + 1, ec.SECP256R1())
            browser = Browser(f"fcm/send/{person.number}", key, bytes(16))
            self.ask(person, "push", form=browser.form(person.zone))
        games = [game for game in GAMES.values() if game.max_seats > 1] * len(self.people)
        for game, first in zip(games, self.people, strict=False):
            dice = Random(f"table {first.number}")
            number = max(game.min_seats, min(len(self.people), dice.choice((2, 2, 3, 4))))
            host, *others = players = dice.sample(self.people, number)
            clock: dict[str, Any] = {"control": dice.choice(("1-day", "3-days"))}
            clock |= {"then": dice.choice(("once", "until-back", "for-good"))}
            clock |= {one: dice.random() < 0.3 for one in ("nights", "weekends")}
            plan: dict[str, Any] = {"game": game.name, "clock": clock, "zone": host.zone}
            plan |= {"seats": [{"kind": "me"}, *[{"kind": "friend"}] * len(others)]}
            plan |= {"options": game.needed_options(number), "pace": "instant"}
            made = self.ask(host, "api/tables", plan)
            self.tables[made["table"]] = players
            for one in others:
                self.ask(one, f"api/join/{made['invite']}", {"zone": one.zone})
            moving = players if game.name == ENDED else ()
            while any(self._move(one, made["table"], dice) for one in moving):
                pass

    def _pass(self, at: datetime) -> None:
        """Let an hour pass."""
        for step in STEPS:
            self.time.set((at + timedelta(seconds=step)).timestamp())
            if step != STEPS[-1]:  # after a kill then, a message would come an hour later
                self._pass_moment()
            self._settle()
        for person in self.people:
            for number, table in enumerate([*self.tables] if person.is_awake(at) else ()):
                if person in self.tables[table]:
                    self._visit(person, table, Random(f"{person.number} {number} {at}"), at)
        self._settle()

    def _visit(self, person: Someone, table: str, dice: Random, at: datetime) -> None:
        """Let a person look after a table."""
        state = self.ask(person, f"api/tables/{table}")
        status, seat, request = state["status"], state["seat"], state["undo_request"]
        said = [line["text"] for line in state["chat"]]
        self.heard += [f"{person.name} reads {one}" for one in said if one[:10] in person.unheard]
        likes = {what for what, rate in OFTEN.items() if dice.random() < rate}
        acts = []
        if status == "playing" and "resign" not in likes:
            if state["seats"][seat]["stand_in"]:
                acts.append("back")
            elif request is not None and request["seat"] != seat:
                acts.append("refuse" if "refuse" in likes else "agree")
            acts += sorted({"undo", "say"} & likes)
            if {"mute", "block"} & likes and len(person.unheard) < 2:
                self._mute(person, table, dice.choice(state["seats"]), "block" in likes)
        else:
            fits = {"playing": "resign", "waiting": "leave", "over": "rematch"}.get(status, "")
            acts += {fits} & likes if seat is not None else ()
        for act in acts:
            body = {"text": f"{person.name} says this at {at:%d, %H}"} if act == "say" else {}
            again = self._do(person, table, act, body).get("table")
            self.tables.setdefault(again or table, self.tables[table])
        move = self._move(person, table, dice) if status == "playing" else ""
        if move and "premoves" in likes:
            self._do(person, table, "premoves", {"premoves": [{"move": move}]})

    def _mute(self, person: Someone, table: str, seat: Any, blocks: bool) -> None:
        for other in self.people:
            if other.name == seat["name"] != person.name:
                command = "block" if blocks else "mute"
                form = {"command": command, "other": seat["seat"]}
                self.ask(person, f"t/{table}/do", form=form)
                self.did[command] += 1
                for one, them in ((person, other), (other, person))[: 1 + blocks]:
                    one.unheard.setdefault(them.name, self.time.now())

    def _move(self, person: Someone, table: str, dice: Random) -> str:
        """Let a person move if it is their turn, and return the move."""
        state = self.ask(person, f"api/tables/{table}")
        if not state["my_turn"]:
            return ""
        move = str(dice.choice(state["view"]["legal_moves"]))
        self._do(person, table, "moves", {"ply": state["ply"], "move": move})
        return move

    def _do(self, person: Someone, table: str, what: str, body: Any) -> Any:
        """Let a person do something at a table, and wait for what follows from it."""
        answer = self.ask(person, f"api/tables/{table}/{what}", body)
        self.did[what] += "detail" not in answer
        self._settle()
        return answer

    def _settle(self) -> None:
        """Wait until nothing is left to do at this time."""
        now, until, left = self.time.now(), time.monotonic() + PATIENCE, True
        while left:
            left = bool(self._rows(LEFT, now=now))
            self.time.forget_told()
            while self.time.told != {now}:
                assert time.monotonic() < until, f"at {now} there is still something left to do"
                time.sleep(0.005)
            left = left or bool(self._rows(LEFT, now=now))

    def _rows(self, query: str, **values: Any) -> Sequence[Any]:
        with self._database.connect() as connection:
            return connection.execute(sa.text(query), values).all()

    def _logs(self) -> list[list[tuple[Any, ...]]]:
        """The tables' logs, without ids; a line that was sent again counts once."""
        names = {table: f"{i}" for i, table in enumerate(self.tables)}
        names |= dict(self._rows("SELECT id, name FROM people"))
        known = re.compile("|".join(map(re.escape, names)))

        def written(payload: Any) -> str:
            return known.sub(lambda one: names[one[0]], json.dumps(payload))

        query = "SELECT seat, kind, at, payload FROM log WHERE token = :token ORDER BY ply"
        logs = [self._rows(query, token=table) for table in self.tables]
        return [list(dict.fromkeys((*one, written(text)) for *one, text in log)) for log in logs]

    def _told(self) -> Iterator[tuple[str, ...]]:
        """The messages about tables; none may be because of somebody who isn't heard."""
        numbers = {f"/t/{table}": f"{i}" for i, table in enumerate(self.tables)}
        for line in self._messages.read_text(encoding="utf-8").splitlines():
            to, title, body, url, at = json.loads(line)
            person, path = self.people[int(to.rpartition("/")[2])], url[url.find("/t/") :]
            unheard = {name for name, since in person.unheard.items() if since < at}
            others = {one.name for one in self.tables.get(path[3:], ())} - {person.name}
            own = re.search("left for your move|Your time ran out", title) or path not in numbers
            if any(one in f"{title} {body}" for one in unheard) or (others <= unheard and not own):
                self.heard.append(f"{person.name} is told: {title} {body}")
            if path in numbers:
                yield to, title, body, numbers[path]


def compare(folder: Path, people: int, hours: int, kills: int, cluster: Cluster) -> dict[str, Any]:
    """Return figures of both runs, and where they differ."""
    calm = Simulation(folder / "calm", cluster.create("calm_weeks"), people)
    calm.run(hours)
    moments = Random("kills").sample(range(calm.first, calm.moment), kills)
    killed = Simulation(folder / "killed", cluster.create("weeks"), people, 2, moments)
    killed.run(hours)
    again = sorted((killed.messages - calm.messages).elements())
    pairs = enumerate(zip(calm.logs, killed.logs, strict=True))
    return {
        "tables": len(calm.tables),
        "entries": Counter(kind for log in calm.logs for _, kind, *_ in log),
        "done": calm.did,
        "messages": calm.messages.total(),
        "never done": sorted(OFTEN.keys() - +calm.did),
        "told again": len(again),
        "faults": {
            "tables that differ": [i for i, (a, b) in pairs if a != b],
            "not told": sorted((calm.messages - killed.messages).elements()),
            "told too often": again[kills:],
            "heard": calm.heard + killed.heard,
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("people", 40), ("days", 14), ("kills", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running() as cluster:
        found = compare(Path(folder), wanted.people, 24 * wanted.days, wanted.kills, cluster)
    print(json.dumps(found))
    sys.exit(any(found["faults"].values()) or bool(found["never done"]))


if __name__ == "__main__":
    main()
