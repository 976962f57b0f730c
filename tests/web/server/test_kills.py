"""A killed server loses no move that it has confirmed, and the check of that finds every fault."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.web.helpers.history import READ, Call, Entry, faults
from tests.web.helpers.kills import run
from tests.web.helpers.weeks import compare

LOG = {"t": [Entry(0, ""), Entry(1, "5"), Entry(2, "7"), Entry(3, "9")]}


def call(ply: int, move: str, begun: float, confirmed: bool | None = True) -> Call:
    return Call("t", ply, move, begun, begun + 0.5, confirmed)


HISTORY = [
    call(1, READ, 0.0),
    call(1, "5", 1.0),
    call(1, "6", 1.1, confirmed=False),
    call(2, READ, 2.0),
    call(2, "7", 3.0, confirmed=None),
    call(0, "5", 3.0),  # sent again for a position without the first player
    call(1, "5", 4.0),  # sent again
    call(3, "9", 5.0),
    call(3, "4", 5.0, confirmed=None),  # without an answer, and never made
    call(4, READ, 6.0),
]


@pytest.mark.thorough
def test_a_server_that_is_killed_loses_nothing_and_confirms_nothing_twice(tmp_path: Path) -> None:
    ways = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL)
    result = run(tmp_path, ways, frozen=0.2)
    assert result["faults"] == []
    assert result["moves confirmed"] > len(ways)


@pytest.mark.thorough
def test_days_of_slow_games_are_the_same_with_a_server_that_is_killed(tmp_path: Path) -> None:
    result = compare(tmp_path, people=5, days=1, kills=3)
    assert result["kills"] == 3
    assert result["moves"] > 10
    assert result["tables that differ"] == []
    assert result["not told"] == []
    # A process that is killed when it has sent something can't say so any more.
    assert len(result["told again"]) <= result["kills"], result


def test_a_history_as_it_should_be_has_no_faults() -> None:
    assert faults(HISTORY, LOG) == []


@pytest.mark.parametrize(
    ("calls", "log", "fault"),
    [
        (HISTORY, LOG["t"][:3], "'9' was confirmed as entry 3, where the log has nothing"),
        (HISTORY, [*LOG["t"][:3], Entry(3, "4")], "'9' was confirmed as entry 3"),
        (HISTORY, [LOG["t"][0], *LOG["t"][2:]], "its log has the entries [0, 2, 3]"),
        ([*HISTORY[:7], *HISTORY[8:]], LOG["t"], "nobody sent '9', which is entry 3"),
        ([*HISTORY[:7], call(3, "9", 5.0, confirmed=False)], LOG["t"], "'9' was refused, and is"),
        ([*HISTORY, call(2, READ, 7.0)], LOG["t"], "someone saw a log of length 2 when it had 4"),
        ([*HISTORY, call(5, READ, 7.0)], LOG["t"], "someone saw a log of length 5, which has 4"),
        ([call(2, READ, 0.0), *HISTORY[1:]], LOG["t"], "'5' became entry 1 when it had 2 entries"),
        (HISTORY, [], "'5' was confirmed as entry 1, where the log has nothing"),
    ],
    ids=["lost", "replaced", "gap", "made up", "refused", "old", "dreamt", "late", "gone"],
)
def test_each_kind_of_fault_is_found(calls: list[Call], log: list[Entry], fault: str) -> None:
    assert any(one.startswith(f"table t: {fault}") for one in faults(calls, {"t": log}))
