"""Arrays without NumPy are what NumPy's would be, to the byte."""

from typing import Any

import numpy as np
import pytest

from redouble.contract.registry import GAMES
from redouble.kernel import arrays, engine, modules
from redouble.kernel.errors import InputError
from redouble.match.match import Match

SHAPES: tuple[Any, ...] = (0, 3, (2, 3), (4, 0), (2, 3, 4))


def test_records_have_the_same_bytes() -> None:
    for game in GAMES.values():
        match = Match(game, game.usual_seats, "bytes")
        match.push(match.legal_moves[0])
        records, plain = engine.to_records(match.state, 3), modules.to_records(match.state, 3)
        assert plain.memory == records.tobytes()
        for name in records.dtype.names:
            assert plain[1][name] == records[1][name].tolist() or (
                plain[1][name].tolist() == records[1][name].tolist()
            )
    state = Match(GAMES["double-down"], 2, "x").state
    state.turn = 1000
    with pytest.raises(InputError, match="its field turn is not valid"):
        modules.to_records(state)


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "int64", "uint64", "float64"])
def test_numbers_are_read_and_written_alike(name: str) -> None:
    for shape in SHAPES:
        both = [kind.zeros(shape, getattr(kind, name)) for kind in (np, arrays)]
        for one in both:
            if len(one):
                one[-1] = one[0] if one.shape[1:] else 7
                one[1:2] = one[:1] if one.shape[1:] else [9]
                if one.shape[1:]:
                    one[1][-1:] = one[0][:1]
            copied = one.copy()
            copied[:] = one
        theirs, ours = both
        assert (ours.shape, ours.nbytes, ours.tolist()) == (
            *(theirs.shape, theirs.nbytes),
            theirs.tolist(),
        )
        assert ours.memory == theirs.tobytes()
    with pytest.raises(IndexError):
        arrays.zeros((2, 2))[2]
    with pytest.raises(ValueError, match="different structures"):
        arrays.zeros(2)[:] = [1.0]


def test_a_field_of_all_records_is_a_copy_and_of_one_a_view() -> None:
    kind = [("few", "int8"), ("many", "int64", (2,)), ("last", "int16")]
    theirs = np.zeros(3, np.dtype(kind, align=True))
    ours = arrays.zeros(3, arrays.dtype(kind))
    for one in (theirs, ours):
        one[1]["last"] = 5
        one[1]["many"][1] = 6
        one[2] = one[1]
    assert ours.memory == theirs.tobytes()
    assert ours["last"].tolist() == theirs["last"].tolist() == [0, 5, 5]
