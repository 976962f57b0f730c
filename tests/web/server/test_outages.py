"""Whatever part of a site ends, no confirmed move is lost, and play goes on."""

from __future__ import annotations

from pathlib import Path
from signal import SIGKILL, SIGSTOP, SIGTERM, Signals

import pytest

from tests.web.helpers.outages import PROXIES, Outage, run


@pytest.mark.parametrize(
    ("proxy", "strikes"),
    [
        ("caddy", [("web", SIGKILL), ("proxy", SIGKILL), ("worker", SIGTERM), ("web", SIGSTOP)]),
        ("nginx", [("database", SIGKILL), ("proxy", SIGTERM)]),
    ],
    ids=PROXIES,
)
def test_a_site_whose_parts_end_loses_nothing(
    tmp_path: Path, proxy: str, strikes: list[tuple[str, Signals]]
) -> None:
    result = run(tmp_path, strikes, frozen=0.5, proxy=proxy)
    assert result["faults"] == []
    assert result["moves confirmed"] > len(strikes)
    assert result["reviews"] == sum(part == "worker" for part, _ in strikes)


def test_an_outage_that_lasts_too_long_is_noticed() -> None:
    assert not Outage("web", "SIGKILL", 3.0, first=2.9, everywhere=3.0).too_long
    assert Outage("web", "SIGKILL", 3.0, first=3.1, everywhere=0.1).too_long
    assert Outage("web", "SIGKILL", 3.0, first=0.1, everywhere=3.1).too_long
