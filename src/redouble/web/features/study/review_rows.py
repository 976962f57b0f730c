"""Finished reviews in the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import sqlalchemy as sa

from redouble.web.store.schema import (
    reviews,
)


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
    connection.execute(sa.delete(reviews).where(reviews.c.key == which.key))
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
