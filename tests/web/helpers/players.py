"""Programs that play at a server that may be gone, and what they were told.

Two programs play at a table of each game for several players: both look, and both move for whoever
is to move, so that they often want different moves at once. Some moves are sent twice, and some
with an old position. In the end :mod:`.history` compares what was answered with the log in the
database, read without our own code.
"""

import contextlib
import http.client
import json
import sqlite3
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import psycopg

import redouble
from redouble.contract.registry import GAMES
from redouble.web.errors import OutcomeUnknown, StoreError
from redouble.web.store import FILE
from tests.web.helpers.history import READ, Call, Entry, faults

PROGRAMS = 2
"""At each table."""
TWICE, OLD = 0.1, 0.05
"""How often a move is sent twice, and with a position that has passed."""
PAUSE = 0.05
"""Seconds between attempts to reach a server that is gone."""
TIMEOUT = 30.0


class Gone(Exception):
    """The server didn't answer."""


class Client:
    """A connection to a server that may be gone."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: http.client.HTTPConnection | None = None

    def send(self, path: str, token: str = "", body: Any = None) -> tuple[int, Any]:
        """Send a request to the interface for programs and return the status and the answer.

        Raises :class:`Gone`.
        """
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        method = "GET" if body is None else "POST"
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", self._port, timeout=TIMEOUT
                )
            text = None if body is None else json.dumps(body)
            self._connection.request(method, f"/api{path}", text, headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Gone from error

    def made(self, path: str, body: Any, token: str = "") -> Any:
        """Make something and return the answer. Raises :class:`Gone` if it can't be saved now."""
        status, made = self.send(path, token, body)
        if status == StoreError.status:
            raise Gone
        return made

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Play:
    """The tables of a game, one after another, and what was asked and answered at them.

    Programs think that many seconds before each turn.
    """

    def __init__(self, game: str, port: int, stop: threading.Event, think: float = 0.0) -> None:
        self.calls: list[Call] = []
        self.over: list[str] = []
        self.errors: list[str] = []
        self.latest = 0.0
        """When the latest confirmed move was sent."""
        self._game, self._port, self._stop, self._think = game, port, stop, think
        self._making = threading.Lock()
        self._now: tuple[str, list[str]] = ("", [])

    def run(self, number: int) -> None:
        """Play until it has to stop; several threads can at once."""
        client, dice = Client(self._port), Random(f"{self._game} {number}")
        while not self._stop.is_set():
            time.sleep(self._think)
            try:
                self._turn(client, dice)
            except Gone:
                time.sleep(PAUSE)
            except Exception:  # nobody sees what ends a thread
                self.errors.append(traceback.format_exc())
                break
        client.close()

    def _turn(self, client: Client, dice: Random) -> None:
        """Look at the table, and make a move for the seat that is to move."""
        table, tokens = self._now
        state = self._look(client, table, dice.choice(tokens)) if table else {"status": "none"}
        if state["status"] != "playing":
            self._next(client, table, state["status"])
            return
        token = tokens[int(state["turn"] or 0)]
        state = self._look(client, table, token)
        if not state["my_turn"]:
            return  # the other program has moved
        ply, move = state["ply"], dice.choice(state["view"]["legal_moves"])
        if dice.random() < OLD:
            ply = dice.randrange(ply)
        for _ in range(2 if dice.random() < TWICE else 1):
            self._move(client, table, token, ply, move)

    def _look(self, client: Client, table: str, token: str) -> Any:
        begun = time.monotonic()
        status, state = client.send(f"/tables/{table}", token)
        if status != 200:
            raise Gone  # it is starting or stopping
        self.calls.append(Call(table, state["ply"], READ, begun, time.monotonic(), True))
        return state

    def _move(self, client: Client, table: str, token: str, ply: int, move: str) -> None:
        begun, confirmed = time.monotonic(), None
        try:
            status, said = client.send(f"/tables/{table}/moves", token, {"ply": ply, "move": move})
            if said.get("title") != OutcomeUnknown.title:
                confirmed = status == 200
        finally:
            self.calls.append(Call(table, ply, move, begun, time.monotonic(), confirmed))
        if confirmed:
            self.latest = begun

    def _next(self, client: Client, table: str, status: str) -> None:
        """Begin a new table, unless the other program has."""
        with self._making:
            if self._now[0] != table:
                return
            if status == "over":
                self.over.append(table)
            seats = GAMES[self._game].min_seats
            tokens = [client.made("/guests", {})["token"] for _ in range(seats)]
            kinds = [{"kind": "me"}, *[{"kind": "friend"}] * (seats - 1)]
            made = client.made("/tables", {"game": self._game, "seats": kinds}, tokens[0])
            for token in tokens[1:]:
                client.send(f"/join/{made['invite']}", token, {})
            self._now = (made["table"], tokens)


def log_of(data: Path, database: str = "") -> dict[str, list[Entry]]:
    """Return the log of each table in the database, read without our own code."""
    connection: Any = psycopg.connect(database) if database else sqlite3.connect(data / FILE)
    try:
        rows = connection.execute("SELECT token, ply, kind, payload FROM log ORDER BY token, ply")
        logs: dict[str, list[Entry]] = {}
        for token, ply, kind, payload in rows:
            move = json.loads(payload)["move"] if kind == "move" else ""
            logs.setdefault(token, []).append(Entry(ply, move))
        return logs
    finally:
        connection.close()


def changed_records(port: int, tables: Sequence[str], logs: Mapping[str, Sequence[Entry]]) -> int:
    """Return how many finished tables give a record of other moves than those in their log."""
    client, wrong = Client(port), 0
    token = client.send("/guests", body={})[1]["token"]
    for table in tables:
        _, record = client.send(f"/tables/{table}/record", token)
        played = redouble.replay(json.dumps(record)).record().moves
        wrong += list(played) != [entry.move for entry in logs[table] if entry.move]
    client.close()
    return wrong


@contextlib.contextmanager
def playing(port: int, think: float = 0.0) -> Iterator[list[Play]]:
    """Let programs play at a table of each game for several while the context is open.

    A move has been confirmed at each when it begins.
    """
    stop = threading.Event()
    games = [name for name, game in GAMES.items() if game.max_seats > 1]
    plays = [Play(name, port, stop, think) for name in games]
    threads = [
        threading.Thread(target=play.run, args=(number,))
        for play in plays
        for number in range(PROGRAMS)
    ]
    for thread in threads:
        thread.start()
    try:
        until_confirmed(plays, 0.0)
        yield plays
    finally:
        stop.set()
        for thread in threads:
            thread.join(TIMEOUT)


def verdict(plays: Sequence[Play], logs: Mapping[str, Sequence[Entry]], port: int) -> Any:
    """What was played, and the faults in what was answered."""
    calls = [call for play in plays for call in play.calls]
    over = [table for play in plays for table in play.over]
    found = faults(calls, logs) + [error for play in plays for error in play.errors]
    if wrong := changed_records(port, over, logs):
        found.append(f"{wrong} records have other moves than the log")
    moves = [call for call in calls if call.move != READ]
    return {
        "tables": len(logs),
        "games over": len(over),
        "calls": len(calls),
        "moves confirmed": sum(call.confirmed is True for call in moves),
        "moves refused": sum(call.confirmed is False for call in moves),
        "moves without an answer": sum(call.confirmed is None for call in moves),
        "of these in the log": sum(
            call.confirmed is None and Entry(call.ply, call.move) in logs.get(call.table, ())
            for call in moves
        ),
        "faults": found,
    }


def until_confirmed(plays: Sequence[Play], since: float) -> None:
    """Wait until a move is confirmed at all tables that was sent since then."""
    deadline = time.monotonic() + 2 * TIMEOUT
    while not all(play.latest > since for play in plays):
        errors = [error for play in plays for error in play.errors]
        if errors or time.monotonic() > deadline:
            raise RuntimeError("\n".join(["play does not go on", *errors]))
        time.sleep(0.005)
