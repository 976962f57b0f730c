"""A wrong clock, in both directions, deletes nothing and stops nobody."""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.features.account.retention import tidy
from redouble.web.features.operate.admin import Admin, AdminError
from redouble.web.features.study import queue
from redouble.web.features.study.queue import ReviewKey, Wanted
from redouble.web.limits import Rate, Rates
from redouble.web.live import lists
from redouble.web.people import sessions
from redouble.web.store import schema
from redouble.web.store.clock import CLOCK, DAY, EARLIEST, SETTLING_SECONDS
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of
from tests.web.helpers.visitors import Visitor, in_loop, rows, stored

GAME = next(game for game in GAMES.values() if game.min_seats <= 2 <= game.max_seats)
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
YEAR = 365 * DAY
WRONG = {"ahead": NOW + 3 * YEAR, "in 1970": 0.0, "behind": NOW - YEAR}
KEPT = (schema.people, schema.sessions, schema.tables)

SetClock = Callable[[float], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[SetClock]:
    """Sets what this machine's clock says."""

    def set_clock(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: seconds)

    set_clock(NOW)
    yield set_clock
    CLOCK.start(EARLIEST)


def started(folder: Path) -> TestClient:
    return TestClient(create_app(folder, limits=ROOMY))


def tidied(client: TestClient) -> tuple[int, ...]:
    """The rows that are left when the server has deleted what is due."""
    in_loop(client, tidy, site_of(client))
    return tuple(rows(client, table) for table in KEPT)


def new_table(visitor: Visitor, *kinds: str) -> str:
    body = {"game": GAME.name, "seats": [{"kind": kind} for kind in kinds], "pace": "slow"}
    made = visitor.client.post("/api/tables", json=body, headers=visitor._headers())
    assert made.status_code == 201, made.text
    return str(made.json()["table"])


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_start_with_a_wrong_clock_deletes_nothing(
    tmp_path: Path, set_clock: SetClock, caplog: pytest.LogCaptureFixture, wrong: float
) -> None:
    """Not then, not at the next start with it, and not once the clock is right again."""
    with started(tmp_path) as client:
        anna = Visitor(client, "Anna")
        Visitor(client, "Ben")
        new_table(anna, "me", "here")
        new_table(anna, "me", "friend")
        kept = tidied(client)
        assert kept == (2, 2, 2)
    for number, at in enumerate((wrong, wrong + DAY, NOW + DAY, NOW + 2 * DAY)):
        set_clock(at)
        with started(tmp_path) as client:
            anna.client = client
            assert tidied(client) == kept
            said = client.get("/health/ready").text
            assert ("nothing is deleted" in said) is (wrong > 0 or at < EARLIEST)
            if number == 0:
                assert "clock" in caplog.text
                new_table(anna, "me", "here")  # it gets a wrong time
                new_table(anna, "me", "friend")
                kept = (2, 2, 4)
            for page in ("/", "/daily", "/me"):
                assert "Anna" in anna.get(page)


def test_time_heals_and_the_operator_can_say_that_the_clock_is_right(
    tmp_path: Path, set_clock: SetClock
) -> None:
    with started(tmp_path) as client:
        new_table(Visitor(client, "Anna"), "me", "friend")
        set_clock(NOW + YEAR)  # while the server runs
        assert tidied(client)[2] == 1
        for left in (24, 18, 12, 6):
            set_clock(NOW + YEAR + SETTLING_SECONDS - left * DAY)
            assert tidied(client)[2] == 1
        at = NOW + YEAR + SETTLING_SECONDS
        set_clock(at)
        assert tidied(client)[2] == 0
    with started(tmp_path) as client:
        new_table(Visitor(client, "Ben"), "me", "friend")
        set_clock(at + YEAR)
        assert tidied(client)[2] == 1
        admin = Admin(site_of(client).store, ())
        assert admin.clock().settles == at + YEAR + SETTLING_SECONDS
        admin.trust_clock()
        assert admin.clock().settles is None
        assert tidied(client)[2] == 0
        set_clock(0.0)
        with pytest.raises(AdminError, match="set it first"):
            admin.trust_clock()


def test_a_clock_of_1970_goes_on_from_the_last_time(tmp_path: Path, set_clock: SetClock) -> None:
    with started(tmp_path) as client:
        tidied(client)
    set_clock(5.0)
    with started(tmp_path) as client:
        assert NOW <= site_of(client).now() < NOW + 600
    assert EARLIEST < NOW


def test_a_database_of_an_earlier_version_knows_its_newest_time(
    tmp_path: Path, set_clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    with started(tmp_path) as client:
        new_table(Visitor(client, "Anna"), "me", "friend")
        stored(client, lambda c: c.execute(sa.delete(schema.clock)) and None)
        set_clock(NOW + YEAR)
        with caplog.at_level(logging.WARNING):
            assert tidied(client) == (1, 1, 1)
        assert "ahead by 365 days" in caplog.text


def test_what_was_written_while_the_clock_was_ahead_is_in_nobodys_way(
    tmp_path: Path, set_clock: SetClock
) -> None:
    """Reviews, sessions, the list of tables and reports, once the clock is right again."""
    with started(tmp_path) as client:
        anna = Visitor(client, "Anna")
        token = new_table(anna, "me", "here")
        mine, session = anna.person.id, anna.person.session

        def ahead(connection: sa.Connection) -> None:
            later = NOW + YEAR
            key = ReviewKey("ahead", 1, 1)
            queue.save_review(connection, key, "{}", later, 2, token)
            queue.save_review(connection, ReviewKey("too", 1, 1), "{}", later, 2, token)
            sessions.note_seen(connection, {session: later})
            queue.add(connection, Wanted("game", "{}", token, None), mine)
            assert queue.take(connection, "gone", later, alone=False)
            changed = sa.update(schema.tables).values(public=True, changed=later)
            connection.execute(changed)

        stored(client, ahead)

        def right(connection: sa.Connection) -> None:
            queue.save_review(connection, ReviewKey("new", 1, 1), "{}", NOW, 2, token)
            assert queue.review_text(connection, ReviewKey("new", 1, 1)) is not None
            sessions.note_seen(connection, {session: NOW})
            assert [one.seen for one in sessions.sessions_of(connection, mine)] == [NOW]
            assert queue.take(connection, "here", NOW, alone=False)
            assert queue.take(connection, "other", NOW, alone=False) is None
            assert lists.public_tables(connection, NOW - lists.WATCHABLE_SECONDS, 12) == []

        stored(client, right)


@pytest.mark.parametrize("step", [YEAR, -YEAR, -NOW])
def test_limits_and_presence_do_not_follow_the_clock(
    tmp_path: Path, set_clock: SetClock, step: float
) -> None:
    with started(tmp_path) as client:
        anna = Visitor(client, "Anna")
        token = new_table(anna, "me", "here")
        live = in_loop(client, site_of(client).tables.get, token)
        rates, rate = Rates(), [("posts", "anna", Rate(1, 60))]
        rates.take(rate)
        set_clock(NOW + step)
        assert live.absent() == set()
        assert 0 < rates.wait(rate)[0] <= 60
        assert anna.person.name == "Anna"
        for text in ("one", "two"):
            anna.post(f"/t/{token}/do", command="say", seat=0, text=text)
