"""What requests cost: the class of each route, and the time that is charged for."""

import asyncio
import itertools
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount
from starlette.testclient import TestClient

from redouble.web import watchers
from redouble.web.app import App
from redouble.web.errors import TooMuch
from redouble.web.gate.throttle import FILES, HEALTH
from redouble.web.limits import Rate
from redouble.web.thinking.pools import MAX_IN_LINE, Slots
from redouble.web.visitor.costs import ASKING, Cost, Costed
from redouble.web.watchers import Meter, in_task, measured_by, metered, spent
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import counted_alone, create_app
from tests.web.helpers.visitors import Visitor


def leaves(routes: Iterable[Any]) -> Iterator[Any]:
    for route in routes:
        if (within := getattr(route, "original_router", None)) is not None:
            yield from leaves(within.routes)
        else:
            yield route


def server_of(folder: Path) -> App:
    """One of the servers of a site."""
    made: Any = create_app(folder)
    app: App = getattr(made, "apps", [made])[0]
    return app


def test_every_route_has_a_cost(tmp_path: Path) -> None:
    app = server_of(tmp_path)
    app.warm_up()
    found = list(leaves(app.routes))
    assert len(found) > 80
    for route in found:
        if isinstance(route, Mount):
            assert route.path.startswith(FILES[0].rstrip("/"))
            continue
        assert isinstance(route, APIRoute)
        assert isinstance(route, Costed), route.path
        assert isinstance(route.cost, Cost)
        assert (route.cost is Cost.FILE) == route.path.startswith((*FILES, HEALTH)), route.path


def test_what_makes_tables_searches_or_uploads_says_so(tmp_path: Path) -> None:
    app = server_of(tmp_path)
    app.warm_up()
    found: dict[Cost, set[str]] = {}
    for route in leaves(app.routes):
        if isinstance(route, Costed):
            for method in route.methods or ():
                found.setdefault(route.cost, set()).add(f"{method} {route.path}")
                if route.cost_of_asking is not route.cost:
                    found.setdefault(route.cost_of_asking, set()).add(f"asking {route.path}")
    assert found[Cost.TABLE] == {
        "POST /play/{game}",
        "POST /people",
        "POST /api/people",
        "POST /friends/{friendship}/invite",
        "POST /circles/{circle}/tables",
        "POST /circles/{circle}/evenings/{evening}/start",
        "POST /new/{game}",
        "POST /deals/{game}/{deal:path}",
        "POST /daily/{day}/deal/{game}",
        "POST /t/{token}/resume",
        "POST /r/{token}/resume",
        "POST /t/{token}/rematch",
        "POST /api/tables",
        "POST /api/tables/{table}/rematch",
        "POST /api/daily/{game}",
    }
    assert found[Cost.SEARCH] == {
        "asking /t/{token}",
        "asking /deals/{game}",
        "asking /deals/{game}/{deal:path}",
        "GET /t/{token}/hint",
        "GET /t/{token}/solver",
        "POST /t/{token}/review",
        "POST /r/{token}/review",
        "POST /api/tables/{table}/hint",
        "POST /api/tables/{table}/review",
        "POST /api/records/{record}/review",
    }
    assert found[Cost.UPLOAD] == {"POST /replays", "POST /api/records"}
    assert ASKING.search("flips=2&solve=1")
    assert ASKING.search("difficulty=easy")
    assert not ASKING.search("hint=0")
    assert not ASKING.search("flips=2")


class Worked(threading.local):
    """How long each thread has worked, however busy the machine is."""

    seconds = 0.0


WORKED = Worked()


def work(seconds: float) -> None:
    WORKED.seconds += seconds


@pytest.fixture
def exact_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "_worked", lambda: WORKED.seconds)


@pytest.mark.usefixtures("exact_work")
def test_a_request_pays_for_its_own_time_wherever_it_is_spent() -> None:
    async def request() -> None:
        work(0.02)
        await asyncio.to_thread(metered(work), 0.03)
        await asyncio.create_task(in_task(slow()))
        with pytest.raises(ValueError, match="none"):
            await failing()

    async def slow() -> None:
        await asyncio.sleep(0)
        work(0.02)

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("none")

    async def main() -> tuple[float, float]:
        mine, other = Meter(), Meter()
        await asyncio.gather(
            measured_by(mine, request()),
            measured_by(other, asyncio.sleep(0)),
            asyncio.to_thread(work, 0.05),
        )
        return mine.seconds, other.seconds

    mine, other = asyncio.run(main())
    assert mine == pytest.approx(0.07)
    assert other == 0.0


def test_a_canceled_request_is_canceled() -> None:
    async def main() -> bool:
        task = asyncio.create_task(measured_by(Meter(), asyncio.sleep(60)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_each_client_has_a_few_turns_at_a_time_and_others_dont_wait_for_them() -> None:
    async def main() -> tuple[int, list[str]]:
        slots, most, done = Slots(2), 0, list[str]()
        now = 0

        async def ask(who: str) -> None:
            nonlocal most, now
            async with slots.held(who):
                now += who == "a"
                most = max(most, now)
                await asyncio.sleep(0.001)
                done.append(who)
                now -= who == "a"

        many = [asyncio.create_task(ask("a")) for _ in range(MAX_IN_LINE)]
        await asyncio.sleep(0)
        with pytest.raises(TooMuch):
            await ask("a")
        await ask("b")
        await asyncio.gather(*many)
        assert not vars(slots)["_free"]
        return most, done

    most, done = asyncio.run(main())
    assert most == 2
    assert done.index("b") < 6


@pytest.mark.usefixtures("exact_work")
def test_long_pages_of_one_client_take_a_quarter_of_a_processor_from_the_first_on() -> None:
    async def main() -> tuple[float, float]:
        slots, begun = Slots(2, spent), time.monotonic()

        async def draw(who: str) -> float:
            async with slots.held(who, paced=True):
                await asyncio.to_thread(metered(work), 0.01)
            return time.monotonic() - begun

        many = [asyncio.create_task(measured_by(Meter(), draw("a"))) for _ in range(8)]
        other = await asyncio.create_task(measured_by(Meter(), draw("b")))
        whole = max(await asyncio.gather(*many))
        while vars(slots)["_free"]:
            await asyncio.sleep(0.01)
        return other, whole

    other, whole = asyncio.run(main())
    assert whole >= 0.2  # the last two of eight wait for three turns with their rests
    assert other < whole


@counted_alone
def test_whoever_takes_the_server_long_waits_and_neighbors_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = itertools.count()  # each step of a request takes as long, however busy the machine is
    monkeypatch.setattr(watchers, "_worked", lambda: next(steps) / 1000)
    limits = replace(
        ROOMY, work_per_person=Rate(400, 40_000), work_per_address=Rate(400, 10_000_000)
    )
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
        puppets = [Visitor(client, f"Guest {number}") for number in range(6)]

        def ask(who: Visitor, path: str = "/rules") -> int:
            return int(client.get(path, headers=who._headers()).status_code)

        pages = 0
        while (status := ask(anna)) == 200:
            pages += 1
            assert pages < 2000
        assert status == 429
        refused = client.get("/api/me", headers=anna._headers())
        assert "have taken the server long" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) > 0
        assert ask(ben) == 200
        assert ask(anna, "/offline") == ask(anna, "/health/live") == 200
        served = 0
        for puppet in puppets:
            while ask(puppet) == 200:
                served += 1
        assert served < 3 * pages  # however many guests there are, each has only a little
        assert ask(Visitor(client)) == 429
        assert ask(ben) == 200  # of what is surely his, there is still some


@counted_alone
def test_who_asks_all_the_time_how_the_server_is_is_refused(tmp_path: Path) -> None:
    limits = replace(ROOMY, health_per_address=Rate(5, 60))
    with TestClient(create_app(tmp_path, limits=limits)) as client:
        asked = [client.get("/health/live").status_code for _ in range(7)]
        assert asked == [200] * 5 + [429] * 2
        assert client.get("/").status_code == 200
