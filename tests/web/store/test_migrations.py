"""Databases of earlier versions are brought up to date, and their tables are what they were.

``schema-0002.sql`` was written by the version before tables' logs held JSON; with it lies
what that version made of each table. It has every kind of entry that a log can hold.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.web.app import create_app
from redouble.web.errors import StoreError
from redouble.web.features.account import retention
from redouble.web.features.company.reports import reports_now
from redouble.web.features.company.sanctions import sanctions_of
from redouble.web.features.friends.friends import friends as friend_rows
from redouble.web.features.notices import addresses, wishes
from redouble.web.features.notices.letters import letters
from redouble.web.features.operate.backup import restore
from redouble.web.features.ratings.rows import ratings
from redouble.web.features.study.queue import reviews
from redouble.web.installed import FEATURES
from redouble.web.live import table_rows
from redouble.web.people.people import COOKIE, Person
from redouble.web.people.profiles import Audience, Profile, profile_of
from redouble.web.store import (
    BEFORE_UPDATE,
    FILE,
    HEAD,
    Store,
    database,
    open_store,
    revision,
    schema,
    sqlite,
)
from redouble.web.store.clock import DAY
from redouble.web.table import Table
from scripts.upgrade_database import upgrade
from tests.helpers.places import OLD_DATABASES
from tests.web.helpers import servers, visitors
from tests.web.helpers.house import differences
from tests.web.helpers.roomy import ROOMY

pytestmark = pytest.mark.sqlite("the older databases are files of SQLite: see test_postgresql.py")

EXPECTED: dict[str, dict[str, Any]] = json.loads((OLD_DATABASES / "schema-0002.json").read_text())
REPLACED = {"handled", "bans", "push_addresses", "circle_days"}
"""Tables whose rows became others, which tests of their own show above, or nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder as the version with schema 0002 left it."""
    connection = sqlite3.connect(tmp_path / FILE)
    connection.executescript((OLD_DATABASES / "schema-0002.sql").read_text())
    connection.close()
    return tmp_path


def test_a_copy_from_before_an_update_can_be_put_back(folder: Path) -> None:
    before = (folder / FILE).read_bytes()
    with pytest.raises(StoreError, match=r"early version of Redouble .schema 0002.: bring it up"):
        open_store(folder, FEATURES.tables)
    opened(folder).close()
    opened(folder).close()  # which is up to date
    (copy,) = folder.glob(f"{BEFORE_UPDATE}*-from-0002")
    with contextlib.closing(sqlite3.connect(copy / FILE)) as database:
        kept = list(database.iterdump())
    (folder / "old").write_bytes(before)
    with contextlib.closing(sqlite3.connect(folder / "old")) as database:
        assert kept == list(database.iterdump())
    restore(copy, folder, replace=True)
    assert revision(folder / FILE) == "0002"
    retention._drop_copies(folder, time.time() + 31 * DAY)
    assert not copy.exists()


def opened(folder: Path) -> Store:
    """A database of any earlier version, brought up to date as its operator would."""
    upgrade(str(folder))
    return open_store(folder, FEATURES.tables)


def summary(table: Table) -> dict[str, Any]:
    """The state of a table without its log in words."""
    asked = table.undone.request
    return {
        "game": table.game.name,
        "status": table.status,
        "turn": table.turn,
        "ply": table.ply,
        "last_move": table.last_move,
        "host": table.header.host,
        "options": dict(table.header.options),
        "seed": table.header.seed,
        "names": list(table.match.names),
        "seats": [asdict(seat) for seat in table.seats],
        "moves": list(table.match.moves),
        "legal_moves": sorted(table.match.legal_moves),
        "lines": [[line.ply, line.seat, line.moves, line.move] for line in table.lines],
        "chat": [[said.ply, said.seat, said.text] for said in table.talk.chat],
        "pace": table.pace,
        "ask": asked and [asked.seat, asked.keep, sorted(asked.agreed)],
        "undone": table.undone.moves,
        "undos": table.undone.times,
        "hindsight": table.undone.hindsight,
        "rematch": table.next.token,
        "notes": [at for at, _ in table.notes],
        "unguided": sorted(table.unguided),
        "changed": table.now,
    }


def stored(folder: Path, token: str) -> Table:
    store = opened(folder)
    try:
        return table_rows.folded(*store.call(lambda c: table_rows.stored(c, token)).result(30))
    finally:
        store.close()


@pytest.mark.parametrize("token", EXPECTED)
def test_a_table_in_an_older_database_is_unchanged(folder: Path, token: str) -> None:
    expected = EXPECTED[token]
    expected["legal_moves"].sort()
    assert summary(stored(folder, token)) == expected


def test_a_server_opens_an_older_database_and_shows_its_tables(folder: Path) -> None:
    upgrade(str(folder))
    with TestClient(create_app(folder, limits=ROOMY)) as client:
        for token, expected in EXPECTED.items():
            page = client.get(f"/t/{token}")
            assert page.status_code == 200
            assert f'data-ply="{expected["ply"]}"' in page.text


def test_people_stay_signed_in(folder: Path) -> None:
    """Their cookies held their own id, before there were sessions."""
    upgrade(str(folder))
    with TestClient(create_app(folder, limits=ROOMY)) as client:
        first = visitors.stored(client, lambda c: c.execute(sa.select(schema.people)).first())
        assert first is not None
        cookie = servers.site_of(client).people.token(Person(first.id, first.name, first.id))
        client.cookies.set(COOKIE, cookie)
        assert client.get("/api/me").json() == {"name": first.name}


def at_revision(folder: Path, revision: str) -> None:
    """Bring a database to what it was at a revision."""
    upgrade(str(folder), revision)


def before_reviews(folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(folder / FILE)) as database:
        database.execute("DROP TABLE reviews")
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        database.commit()


@pytest.mark.parametrize(
    ("go_back", "added"),
    [
        (before_reviews, reviews),
        (partial(at_revision, revision="0015"), ratings),
        (partial(at_revision, revision="0019"), friend_rows),
    ],
    ids=["reviews", "clocks and ratings", "friends"],
)
def test_what_came_later_is_there_and_empty_and_games_go_on_without_a_deadline(
    folder: Path, go_back: Callable[[Path], None], added: sa.Table
) -> None:
    go_back(folder)
    store = opened(folder)
    assert store.call(lambda c: c.execute(sa.select(added)).all()).result(30) == []
    found = store.call(lambda c: list(c.execute(sa.select(schema.tables.c.due)).scalars()))
    assert found.result(30) == [None] * len(EXPECTED)
    store.close()
    for token, expected in EXPECTED.items():
        assert summary(stored(folder, token))["moves"] == expected["moves"]


def test_browsers_that_were_reminded_of_turns_still_are(folder: Path) -> None:
    """As it was before migration 0023: whoever is told of turns has what the form begins with."""
    at_revision(folder, "0022")
    with contextlib.closing(sqlite3.connect(folder / FILE)) as database:
        (person,) = database.execute("SELECT id FROM people").fetchone()
        (token,) = database.execute("SELECT token FROM tables").fetchone()
        browser = ("digest", person, "sealed", "Europe/Berlin", 1.0, 2)
        database.execute("INSERT INTO push_addresses VALUES (?, ?, ?, ?, ?, ?)", browser)
        database.execute("INSERT INTO reminders VALUES (?, 7, ?, 1.0, 1)", (token, person))
        database.commit()
    store = opened(folder)
    mine = store.call(lambda c: wishes.wishes_of(c, person)).result(30)
    assert mine == wishes.Wishes(zone="Europe/Berlin", push=("turn",))
    [address] = store.call(lambda c: addresses.addresses_of(c, person)).result(30)
    assert (address.sealed, address.failed, address.confirmed) == ("sealed", 2, True)
    key = store.call(lambda c: c.execute(sa.select(letters.c.key)).scalar_one()).result(30)
    assert key == f"turn {token} 7 {person}"
    store.close()


def test_bans_and_reports_of_chat_become_sanctions_and_reports_of_people(folder: Path) -> None:
    """As they were before migration 0027."""
    at_revision(folder, "0026")
    with sqlite3.connect(folder / FILE) as old:
        said = "SELECT token, ply, person FROM log WHERE kind = 'say' AND person IN"
        token, ply, author = old.execute(f"{said} (SELECT id FROM people)").fetchone()
        others = old.execute("SELECT id FROM people WHERE id != ?", (author,)).fetchall()
        last = old.execute("SELECT MAX(ply) FROM log WHERE token = ?", (token,)).fetchone()[0]
        for number, teller in enumerate([others[0][0], "somebody who is gone"]):
            row = (token, last + 1 + number, "report", 0, json.dumps({"said": ply}), 7.0, teller)
            old.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        old.execute("INSERT INTO handled VALUES (?, ?, 9.0)", (token, ply))
        old.execute("INSERT INTO bans VALUES (?, 'Enough.', 5.0)", (author,))
    old.close()
    store = opened(folder)
    everything = partial(reports_now, everything=True)
    (told,) = store.call(everything).result(30)
    assert (told.person, told.reporter, told.handled) == (author, others[0][0], 9.0)
    assert told.chat
    (ban,) = store.call(sanctions_of).result(30)
    assert (ban.person, ban.kind, ban.reason, ban.until) == (author, "ban", "Enough.", None)
    store.close()


def test_of_three_audiences_the_strictest_stays(folder: Path) -> None:
    """As they were before migration 0032."""
    at_revision(folder, "0030")
    with contextlib.closing(sqlite3.connect(folder / FILE)) as old:
        people = [row[0] for row in old.execute("SELECT id FROM people LIMIT 3")]
        for person, (games, curves, badges) in zip(people, permutations((0, 1, 2)), strict=False):
            row = (person, "star", 3, games, curves, badges, "theme=dark")
            old.execute("INSERT INTO profiles VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        old.commit()
    store = opened(folder)
    found = store.call(lambda c: [profile_of(c, person) for person in people]).result(30)
    assert found == [Profile("star", Audience.NOBODY, "theme=dark")] * len(people)
    store.close()


def test_a_migration_can_lie_in_the_folder_of_a_feature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(tmp_path, FEATURES.tables).close()
    (tmp_path / "9999_moods.py").write_text(
        f"from alembic import op\nrevision, down_revision = '9999', '{HEAD}'\n"
        "def upgrade():\n    op.execute('ALTER TABLE people ADD COLUMN mood VARCHAR')\n"
    )
    monkeypatch.setattr(database, "MIGRATIONS", [*database.MIGRATIONS, tmp_path])
    for module in (database, sqlite):
        monkeypatch.setattr(module, "HEAD", "9999")
        monkeypatch.setattr(module, "REVISIONS", [*database.REVISIONS, "9999"])
    store = open_store(tmp_path, FEATURES.tables)
    assert store.call(lambda c: list(c.exec_driver_sql("SELECT mood FROM people"))).result(30) == []
    store.close()
    assert sqlite.revision(tmp_path / FILE) == "9999"
    assert len(list(tmp_path.glob(f"{BEFORE_UPDATE}*-from-{HEAD}"))) == 1


def test_the_words_of_deleted_people_stay_deleted(folder: Path) -> None:
    """The old text is overwritten on the disk, not only unlinked."""
    path = folder / FILE
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE log SET text = 'between ourselves' WHERE kind = 'say'")
    connection.close()
    store = opened(folder)
    store.call(lambda c: c.execute(sa.delete(schema.log)) and None).result(30)
    store.close()
    files = [path, *folder.glob(f"{FILE}-*")]
    assert not any(b"between ourselves" in file.read_bytes() for file in files)


def content(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table of a database."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: [dict(row) for row in database.execute(f"SELECT * FROM {name}")]
            for (name,) in names
            if name not in ("alembic_version", "sqlite_sequence")
        }


def foreign_keys(path: Path) -> dict[str, set[tuple[str, ...]]]:
    """What the columns of each table refer to, and what becomes of their rows."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return {
            name: {row[2:] for row in database.execute(f"PRAGMA foreign_key_list({name})")}
            for name in content(path)
        }


@pytest.mark.parametrize("number", ["0012", "0030"])
def test_each_row_of_an_earlier_version_is_there_and_the_schema_is_as_declared(
    tmp_path: Path, number: str
) -> None:
    """The databases were written by the versions c28bc99 and db8e33b, with a row in every table."""
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.executescript((OLD_DATABASES / f"schema-{number}.sql").read_text())
    before = content(tmp_path / FILE)
    store = opened(tmp_path)
    found = store.call(differences).result(30)
    store.close()
    # SQLAlchemy can't read what a key does that came with an added column: SQLite says it below.
    assert [one for one in found if one[0] not in ("add_fk", "remove_fk")] == []
    (tmp_path / "new").mkdir()
    open_store(tmp_path / "new", FEATURES.tables).close()
    assert foreign_keys(tmp_path / FILE) == foreign_keys(tmp_path / "new" / FILE)
    after = content(tmp_path / FILE)
    for name, rows in before.items():
        if name in REPLACED:
            continue
        assert len(after[name]) == len(rows), name
        for row, then in zip(rows, after[name], strict=True):
            assert {key: row[key] for key in row if key in then}.items() <= then.items(), name
