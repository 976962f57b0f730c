"""Helpers for tests of tables: tables without a server, and their content."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from redouble.contract.game import Game
from redouble.web.table import (
    Act,
    Entry,
    Event,
    Header,
    Seat,
    Sender,
    Table,
    apply,
    load,
    open_seat,
)
from redouble.web.table.acts.play import bot_move, make_move
from tests.helpers.worlds import Setting, settings

Command = Callable[[Table], list[Event]]


def person(number: int) -> str:
    return f"person {number}"


def asks(who: str, act: Act, **about: Any) -> Command:
    """What a person asks for; ``about`` is more of what a server knows of them."""
    return lambda table: act.events(table, Sender(who, **about))


def header(game: Game, seats: Sequence[Seat], seed: str = "seed", **options: Any) -> Header:
    """A table that person 0 has made."""
    return Header(
        token="token",
        invite="invite",
        game=game,
        options=game.check_options(len(seats), options),
        seed=seed,
        seats=tuple(seats),
        host=person(0),
    )


def seated(*kinds: str) -> list[Seat]:
    """Seats by kind: ``p0`` is person 0, ``b`` a bot, ``-`` an open seat; names are their own."""
    seats = []
    for i, kind in enumerate(kinds):
        if kind == "-":
            seats.append(Seat(open_seat(i)))
        elif kind == "b":
            seats.append(Seat(f"Bot {i}", bot="greedy"))
        else:
            seats.append(Seat(f"Player {i}", person(int(kind[1:]))))
    return seats


SEATINGS: dict[str, Callable[[int], list[str]]] = {
    "people": lambda n: [f"p{i}" for i in range(n)],
    "one device": lambda n: [f"p{int(i == 2)}" for i in range(n)],
    "bots": lambda n: ["p0", *["b"] * (n - 1)],
    "friends": lambda n: ["p0", *["-"] * (n - 1)],
}


def few_settings() -> Iterator[Setting]:
    """Every installed game with its fewest and a usual number of seats, and some options."""
    for setting in settings(spread=1):
        game = setting.game
        if setting.seats in (game.min_seats, min(game.max_seats, max(3, game.min_seats))):
            yield setting


class Playing:
    """A table and the log that it was made from, so far."""

    def __init__(self, made: Header) -> None:
        self.table = Table(made)
        self.log: list[Entry] = []

    @property
    def status(self) -> str:
        return self.table.status

    def do(self, command: Command, at: float = 0.0) -> list[Entry]:
        """Carry out a command, or refuse it as a real table would."""
        caused = command(self.table)
        entries = [Entry(ply, at, event) for ply, event in enumerate(caused, self.table.ply)]
        for entry in entries:
            apply(self.table, entry)
        self.log += entries
        return entries

    def ask(self, who: int, act: Act, at: float = 0.0, **about: Any) -> list[Entry]:
        """Let a person ask for something at a time."""
        return self.do(asks(person(who), act, now=at, **about), at)

    def move(self, text: str | None = None, at: float = 0.0) -> str:
        """Let the seat to move play a move, the first legal one if none is given."""
        seat = self.table.turn
        assert seat is not None
        text = text or self.table.match.legal_moves[0]
        if self.table.seats[seat].bot:
            action = self.table.match.legal_moves.action(text)
            assert action is not None
            self.do(lambda table: bot_move(table, action), at)
        else:
            self.do(lambda table: make_move(table, seat, text, table.ply), at)
        return text

    def play_on(self, dice: Random, plies: int = 2000) -> None:
        """Play at random for this many plies or to the end."""
        while self.table.turn is not None and plies:
            self.move(dice.choice(list(self.table.match.legal_moves)))
            plies -= 1

    def again(self) -> Table:
        """The table loaded from its log."""
        return load(self.table.header, self.log)


def content(table: Table) -> dict[str, Any]:
    """A copy of everything a table holds."""
    held = {name: value for name, value in vars(table.copy()).items() if name != "match"}
    match = table.match
    return held | {"state": match.state, "moves": match.moves, "names": match.names}
