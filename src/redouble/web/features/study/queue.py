"""Reviews in the database: the queue, so that any process can make any of them, and those made."""

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from redouble.web.errors import TooMuch
from redouble.web.people.people import lock
from redouble.web.store import count, insert_first
from redouble.web.store.schema import metadata, owned_by

jobs = sa.Table(
    "review_jobs",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.String, nullable=False, unique=True),  # identifies the game
    sa.Column("person", sa.String, nullable=False, index=True),
    sa.Column("line", sa.Text, nullable=False),  # the game's record
    sa.Column("token", owned_by("tables.token"), index=True),
    sa.Column("record", owned_by("records.token"), index=True),
    sa.Column("process", sa.String, nullable=False, server_default=sa.text("''")),  # that makes it
    sa.Column("heard", sa.Float, nullable=False, server_default=sa.text("0")),
    sa.Column("done", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("total", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("problem", sa.Text, nullable=False, server_default=sa.text("''")),
)
"""Reviews that people have asked for, until they are made; the reason stays if that fails."""

reviews = sa.Table(
    "reviews",
    metadata,
    sa.Column("key", sa.String, primary_key=True),  # identifies the game
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("iterations", sa.Integer, nullable=False),
    sa.Column("token", owned_by("tables.token"), index=True),
    sa.Column("record", owned_by("records.token"), index=True),
    sa.Column("at", sa.Float, nullable=False, index=True),
    sa.Column("review", sa.Text, nullable=False),
)
"""Reviews, each with its table or record. They contain no names."""

MAX_WAITING = 8
"""Reviews in the queue, including those in progress; further ones are refused."""
PROBLEMS = 64
"""Games for which the reason why they can't be reviewed is remembered."""
LOST_SECONDS = 15.0
"""After this silence a process no longer makes the review that it has taken."""
_waiting = jobs.c.problem == ""


@dataclass(frozen=True)
class Job:
    """A review in progress or in the queue, or one that couldn't be made."""

    person: str
    """The id of the person who asked for it."""
    done: int
    total: int
    """Steps; 0 until it begins."""
    before: int
    """How many reviews are ahead of this one."""
    problem: str
    """Why it couldn't be made; empty otherwise."""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


@dataclass(frozen=True)
class Wanted:
    """A game to review: the key of its replay, its record, and the table or record it is of."""

    key: str
    line: str
    token: str | None
    record: str | None


def standing(connection: sa.Connection, key: str) -> Job | None:
    """Return how the review of a game stands; None if nobody has asked for it, or it is made."""
    row = connection.execute(sa.select(jobs).filter_by(key=key)).first()
    if row is None:
        return None
    before = count(connection, jobs, _waiting, jobs.c.number < row.number)
    return Job(row.person, row.done, row.total, before, row.problem)


def add(connection: sa.Connection, game: Wanted, person: str) -> None:
    """Put a review at the end of the queue, unless it is in there; again after a problem.

    Raises :class:`TooMuch` if the person has another review in the queue or the queue is full.
    """
    lock(connection, person)
    connection.execute(sa.delete(jobs).filter_by(key=game.key).where(~_waiting))
    queue = connection.execute(sa.select(jobs.c.key, jobs.c.person).where(_waiting)).all()
    if any(row.key == game.key for row in queue):
        return
    if any(row.person == person for row in queue):
        raise TooMuch("you already have a review in progress: wait for it to finish")
    if len(queue) >= MAX_WAITING:
        raise TooMuch(f"{len(queue)} reviews are waiting: try again later")
    # It can't be put there if another process was first, or the game was deleted meanwhile.
    insert_first(connection, jobs, asdict(game) | {"person": person})


def drop(connection: sa.Connection, key: str, person: str) -> None:
    """Take out a review that this person has asked for."""
    connection.execute(sa.delete(jobs).filter_by(key=key, person=person).where(_waiting))


def take(connection: sa.Connection, process: str, now: float, alone: bool) -> sa.Row[Any] | None:
    """Take the first review that nobody makes, for a process; None if there is none.

    A process that is ``alone`` takes those of earlier processes at once.
    """
    # Of a later time was heard only before the clock was set back.
    silent = ~jobs.c.heard.between(now - LOST_SECONDS, now + LOST_SECONDS)
    free = sa.true() if alone else sa.or_(jobs.c.process == "", silent)
    first = sa.select(jobs).where(_waiting, free).order_by(jobs.c.number).limit(1)
    row = connection.execute(first.with_for_update(skip_locked=True)).first()
    if row is not None:
        mine = sa.update(jobs).filter_by(number=row.number)
        connection.execute(mine.values(process=process, heard=now))
    return row


def tell(
    connection: sa.Connection, number: int, process: str, done: int, total: int, now: float
) -> bool:
    """Note the progress of a review; return whether this process is still to make it."""
    told = sa.update(jobs).filter_by(number=number, process=process)
    return connection.execute(told.values(done=done, total=total, heard=now)).rowcount > 0


def finish(connection: sa.Connection, number: int) -> None:
    """Take a review out of the queue because it is made."""
    connection.execute(sa.delete(jobs).filter_by(number=number))


def give_back(connection: sa.Connection, number: int, process: str) -> None:
    """Leave a review that this process doesn't make any more to others."""
    left = sa.update(jobs).filter_by(number=number, process=process)
    connection.execute(left.values(process="", done=0, total=0))


def give_up(connection: sa.Connection, number: int, process: str, why: str) -> None:
    """Remember why a review can't be made, and forget the oldest such reasons."""
    failed = sa.update(jobs).filter_by(number=number, process=process)
    connection.execute(failed.values(process="", problem=why, line=""))
    failures = sa.select(jobs.c.number).where(~_waiting).order_by(jobs.c.number.desc())
    kept = failures.limit(PROBLEMS).scalar_subquery()
    connection.execute(sa.delete(jobs).where(~_waiting, jobs.c.number.not_in(kept)))


@dataclass(frozen=True)
class ReviewKey:
    """Identifies a review by its game and by how it was made."""

    key: str
    """The key of the game's replay."""
    version: int
    iterations: int


def save_review(
    connection: sa.Connection,
    which: ReviewKey,
    text: str,
    at: float,
    limit: int,
    token: str | None = None,
    record: str | None = None,
) -> None:
    """Save the review of a table or record, and delete all reviews but the newest ``limit``.

    Raises ``sqlalchemy.exc.IntegrityError`` when the table or record was deleted.
    """
    connection.execute(sa.delete(reviews).filter_by(key=which.key))
    row = asdict(which) | {"review": text, "at": at, "token": token, "record": record}
    connection.execute(sa.insert(reviews).values(row))
    # What is of a later time was made while the clock was ahead: it counts as the oldest.
    made = sa.case((reviews.c.at > at, 0.0), else_=reviews.c.at)
    newest = sa.select(reviews.c.key).order_by(made.desc()).limit(limit)
    connection.execute(sa.delete(reviews).where(reviews.c.key.not_in(newest)))


def review_text(connection: sa.Connection, which: ReviewKey) -> bytes | None:
    """Return the bytes of a saved review; None if there is none."""
    wanted = [reviews.c[name] == value for name, value in asdict(which).items()]
    as_it_lies = sa.cast(reviews.c.review, sa.LargeBinary)  # damaged text may not be UTF-8
    found: bytes | None = connection.execute(sa.select(as_it_lies).where(*wanted)).scalar()
    return found
