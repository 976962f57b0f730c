"""Whatever part of a site ends, no confirmed move is lost; and the check of that finds faults."""

from pathlib import Path
from signal import SIGKILL, SIGQUIT, SIGSTOP, SIGTERM
from typing import Any

import pytest

from tests.web.helpers.history import READ, Call, Entry, faults
from tests.web.helpers.outages import Outage, Strike, run
from tests.web.helpers.postgresql import Cluster
from tests.web.helpers.weeks import compare

ALONE: list[Strike] = [("server", SIGKILL), ("server", SIGTERM), ("server", SIGSTOP)]
TWO: list[Strike] = [("web", SIGKILL), ("server", SIGKILL), ("database", SIGQUIT), ("web", SIGKILL)]
CADDY: list[Strike] = [("web", SIGKILL), ("proxy", SIGKILL), ("worker", SIGTERM), ("web", SIGSTOP)]
NGINX: list[Strike] = [("database", SIGKILL), ("proxy", SIGTERM)]


@pytest.mark.parametrize(
    ("proxy", "processes", "strikes"),
    [
        pytest.param("", 0, ALONE, id="alone", marks=pytest.mark.thorough),
        pytest.param("", 2, TWO, id="two processes", marks=pytest.mark.thorough),
        pytest.param("caddy", 2, CADDY, id="caddy"),
        pytest.param("nginx", 2, NGINX, id="nginx"),
    ],
)
def test_a_site_whose_parts_end_loses_nothing(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    proxy: str,
    processes: int,
    strikes: list[Strike],
) -> None:
    cluster: Any = request.getfixturevalue("cluster") if processes else None
    site = {"proxy": proxy, "processes": processes, "cluster": cluster}
    result = run(tmp_path, strikes, frozen=0.5, **site)
    assert result["faults"] == []
    assert result["moves confirmed"] > len(strikes)
    assert result["reviews"] == sum(part == "worker" for part, _ in strikes)


def test_an_outage_that_lasts_too_long_is_noticed() -> None:
    assert not Outage("web", "SIGKILL", 3.0, first=2.9, everywhere=3.0).too_long
    assert Outage("web", "SIGKILL", 3.0, first=3.1, everywhere=0.1).too_long
    assert Outage("web", "SIGKILL", 3.0, first=0.1, everywhere=3.1).too_long


@pytest.mark.thorough
def test_days_of_slow_games_are_the_same_with_servers_that_are_killed(
    tmp_path: Path, cluster: Cluster
) -> None:
    result = compare(tmp_path, people=4, hours=12, kills=2, cluster=cluster)
    assert result["done"]["moves"] > 10
    assert result["done"]["mute"]
    assert not any(result["faults"].values()), result


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
