"""What the files of a data set hold: tables with columns, and who knows what they say."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from redouble.contract.game import Game
from redouble.envs.arrays.observation import tensor_size
from redouble.kernel import checks
from redouble.kernel.engine import dtype, from_record
from redouble.kernel.errors import InputError
from redouble.kernel.state import size

__all__ = ["KNOWN_BY", "Column", "pack", "packed_dtype", "tables", "unpack"]


KNOWN_BY = {
    "seat": "the seat to move knows it before it decides: an agent's input",
    "answer": "follows from what the seat knows: what an agent learns",
    "truth": "tells what the seat can't know, or what came later: never an agent's input",
    "about": "says which row it is, or how it was made",
}
"""Who knows what a column says."""


class Column(NamedTuple):
    """A column: ``kind`` is a type such as ``int16``, ``list<string>``, ``int8[265]`` (that many in
    each row) or ``binary[688]`` (bytes)."""

    name: str
    kind: str
    known_by: str
    """A key of :data:`KNOWN_BY`."""
    meaning: str


def tables(game: Game, seats: int) -> Mapping[str, tuple[Column, ...]]:
    """Return the columns of each table. Raises :class:`~redouble.kernel.errors.SeatsError`."""
    checks.instance(game, Game, "game").check_seats(seats)
    alone = seats == 1 and game.solver is not None
    tensor = f"int8[{tensor_size(game, seats)}]"
    state = f"binary[{size(game.rules.Position)}]"
    seen = (
        Column("seat", "int8", "seat", "the seat to move, from 0"),
        Column("observation", tensor, "seat", "the observation tensor of the seat to move"),
        Column("text", "string", "seat", "the table in sentences, as the seat to move sees it"),
        Column("legal", "list<int16>", "seat", "the legal actions, ascending"),
        Column("moves", "list<string>", "seat", "the same moves as texts"),
    )
    key = (
        Column("game", "int32", "about", "the number of the game, from 0"),
        Column("ply", "int32", "about", "the number of moves made before"),
    )
    share = "shares won" if seats == 1 else "share of opponents beaten, 0 to 1"
    exact = Column(
        "winnable",
        "list<int8>",
        "truth",
        "for each legal move, whether the game can be"
        " won after it by a player who knows the stock: 1 yes, 0 no, -1 undecided; exact",
    )
    positions = (
        *key,
        *seen,
        Column("shares", "list<float64>", "answer", f"for each legal move, the mean {share}"),
        Column("errors", "list<float64>", "answer", "the standard errors of these means"),
        Column("action", "int16", "truth", "the action that was played"),
        Column("bot", "string", "truth", "the bot that played it"),
        Column("result", "float64", "truth", f"how the game ended for the seat: {share}"),
        *((exact,) if alone else ()),
        Column("state", state, "truth", "the whole position: see *State*"),
        Column("record", "string", "truth", "the game up to here: a line of JSON"),
    )
    found = f"for each legal move, the {share} in this world"
    worlds = (
        *key,
        Column("world", "int32", "about", "the number of the world, from 0"),
        Column("state", state, "answer", "the world, a whole position: see *State*"),
        Column("cards", "list<string>", "answer", "the card at each place of the deck"),
        Column("shares", "list<float64>", "answer", found),
        *((exact._replace(known_by="answer"),) if alone else ()),
    )
    games = (
        key[0],
        Column("seed", "string", "truth", "the text that decides the deal"),
        Column("bots", "list<string>", "truth", "the bot in each seat"),
        Column("plies", "int32", "truth", "the number of moves"),
        Column("ranks", "list<int8>", "truth", "each seat's rank, from 1; equal ranks are ties"),
        Column("scores", "list<int32>", "truth", "each seat's points; null in a game without"),
        Column("reason", "string", "truth", "why the game ended"),
        Column("record", "string", "truth", "the whole game: a line of JSON"),
    )
    puzzles = (
        Column("number", "int32", "about", "the number of the puzzle in its game, from 1"),
        Column("stars", "int8", "about", "the difficulty, 1 to 5"),
        *seen,
        Column("last_moves", "list<string>", "seat", "the latest moves, as that seat saw them"),
        Column("answer", "int16", "answer", "the best action"),
        Column("shares", "list<float64>", "answer", f"for each legal move, the mean {share}"),
        Column(
            "margin_search",
            "float64",
            "answer",
            "by how much long searches find the answer better than the next best move",
        ),
        Column("margin_search_error", "float64", "answer", "its standard error"),
        Column("margin_trials", "float64", "answer", "the same by trials in the same worlds"),
        Column("margin_trials_error", "float64", "answer", "its standard error"),
        Column("raters", "list<string>", "about", "bots and searches that rated the puzzle"),
        Column(
            "found",
            "list<float64>",
            "answer",
            "the share of each rater's decisions that find the answer",
        ),
        Column("verdict", "string", "answer", "what the best move wins, and the next best one"),
        Column("why", "string", "answer", "what the best move gains over the next best one"),
        Column("state", state, "truth", "the whole position: see *State*"),
        Column("record", "string", "truth", "the game up to here: a line of JSON"),
    )
    return {"positions": positions, "worlds": worlds, "games": games, "puzzles": puzzles}


def packed_dtype(game: Game) -> np.dtype[Any]:
    """Return the type of a packed state: the fields in order, little-endian, without gaps."""
    checks.instance(game, Game, "game")
    aligned = dtype(game.rules.Position)
    return np.dtype([(name, aligned[name].newbyteorder("<")) for name in aligned.names or ()])


def pack(game: Game, records: np.typing.NDArray[np.void]) -> np.typing.NDArray[np.void]:
    """Return records of a game's states without the gaps between their fields.

    The result has the type :func:`packed_dtype`; the bytes of each are a row's ``state``.

    Raises :class:`~redouble.kernel.errors.InputError` if they are something else.
    """
    packed = packed_dtype(game)
    if not isinstance(records, np.ndarray) or records.dtype != dtype(game.rules.Position):
        raise checks.wrong("records", records, f"an array of {game.title}'s states", InputError)
    flat = np.zeros(len(records), packed)
    for name in packed.names or ():
        flat[name] = records[name]
    return flat


def unpack(game: Game, data: bytes) -> Any:
    """Return the state that a row's ``state`` holds.

    Raises :class:`~redouble.kernel.errors.InputError` for other bytes.
    """
    packed = packed_dtype(game)
    checks.instance(data, bytes, "data")
    if len(data) != packed.itemsize:
        raise InputError(
            f"data has {len(data)} bytes, but a state of {game.title} has {packed.itemsize}: give"
            " the column state of this game"
        )
    record = np.zeros(1, dtype(game.rules.Position))
    row = np.frombuffer(data, packed)
    for name in packed.names or ():
        record[name] = row[name]
    return from_record(game.rules.Position, record[0])
