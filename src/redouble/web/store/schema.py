"""The tables of the database; ``migrations`` bring an older one up to date."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""The tables of this module and, once they are imported, those of features."""


def owned_by(key: str) -> ForeignKey:
    """Return a foreign key whose row is deleted with the one that it refers to."""
    return ForeignKey(key, ondelete="CASCADE")


people = Table(
    "people",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False, index=True, server_default=text("0")),  # last here
    Column("warned", Float),  # when the person was last told that their data will be deleted
)

tables = Table(
    "tables",
    metadata,
    Column("token", String, primary_key=True),
    Column("invite", String, nullable=False, unique=True),
    Column("game", String, nullable=False),
    Column("rules", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("seed", String, nullable=False),
    Column("seats", JSON, nullable=False),  # as the table was made
    Column("host", String, index=True),
    Column("public", Boolean, nullable=False),
    Column("before", String, nullable=False),
    Column("created", Float, nullable=False),
    Column("daily", String, nullable=False, server_default=text("''")),  # the day, of a daily deal
    Column("fair", JSON(none_as_null=True)),  # the pledge of a fair deal, whose secret is the seed
    Column("rewritten", Integer, nullable=False, server_default=text("0")),  # how often it was
    Column("circle", String, index=True),  # whose members alone play here
    Column("evening", String, index=True),  # whose deal others play, too
    Column("deals_left", Integer, nullable=False, server_default=text("0")),  # of the evening
    # What follows is computed from the log, for lists of tables.
    Column("changed", Float, nullable=False),
    Column("status", String, nullable=False),
    Column("turn", Integer),
    Column("due", Float, index=True),  # when the server acts by itself, at a table with a clock
    Index("ix_tables_public", "public", "status", "changed"),
)

seats = Table(
    "seats",
    metadata,
    Column("token", owned_by("tables.token"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("person", String, index=True),
    Column("bot", String, nullable=False),
    Column("resigned", Boolean, nullable=False),
)
"""Who sits where now: computed from the log, for lists of tables."""

log = Table(
    "log",
    metadata,
    Column("token", owned_by("tables.token"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("payload", Text, nullable=False),  # JSON; events.py says what each kind holds
    Column("at", Float, nullable=False),
    Column("person", String),
)
"""Append-only: every event at a table, one entry a ply."""

results = Table(
    "results",
    metadata,
    Column("token", owned_by("tables.token"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("person", String, nullable=False, index=True),
    Column("game", String, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("score", Integer),
    Column("won", Boolean, nullable=False),
    Column("counts", Boolean, nullable=False),  # false when moves were undone with hindsight
    Column("undos", Integer, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("reason", String, nullable=False),
    Column("at", Float, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
    Column("created", Float, nullable=False),
)
"""What the site must not show to anyone."""

commitments = Table(
    "commitments",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("previous", String, nullable=False),
    Column("commitment", String, nullable=False, unique=True),
    Column("link", String, nullable=False),
    Column("secret", String, nullable=False),
    Column("token", String, nullable=False),  # its table, which may be deleted before this
    Column("made", Float, nullable=False),
)
"""What the server has bound itself to, each linked to the one before: see fair.py."""

mutes = Table(
    "mutes",
    metadata,
    Column("id", String, primary_key=True),
    Column("person", owned_by("people.id"), nullable=False),
    Column("muted", owned_by("people.id"), nullable=False, index=True),
    Column("blocks", Boolean, nullable=False, server_default=false()),
    Index("ix_mutes_person", "person", "muted", unique=True),
)
"""Players whom people have muted or blocked: see mutes.py."""

wary = Table("wary", metadata, Column("person", owned_by("people.id"), primary_key=True))
"""People who have no chat with strangers."""

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("person", owned_by("people.id"), nullable=False, index=True),
    Column("device", String, nullable=False),
    Column("begun", Float, nullable=False),
    Column("seen", Float, nullable=False, index=True),
)
"""The browsers and programs in which people are signed in."""

notices = Table(
    "notices",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("sender", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("about", String, nullable=False),
    sqlite_autoincrement=True,  # a number is never used again
)
"""What other processes should look at again: see notices.py."""

answers = Table(
    "answers",
    metadata,
    Column("key", String, primary_key=True),  # a digest of the mark or key
    Column("request", String, nullable=False),  # a digest of what was sent
    Column("person", String, nullable=False),  # empty if there is none
    Column("at", Float, nullable=False, index=True),
    Column("status", Integer, nullable=False),  # 0 while it is being carried out
    Column("headers", Text, nullable=False),  # JSON
    Column("body", Text, nullable=False),  # by zlib, in base 64
    Column("cookie", String),
    Index("ix_answers_person", "person", "at"),
)
"""Answers to requests that may be sent again: see repeats.py."""

profiles = Table(
    "profiles",
    metadata,
    Column("person", owned_by("people.id"), primary_key=True),
    Column("motif", String, nullable=False),
    Column("results", Integer, nullable=False),  # who sees them
    Column("looks", String, nullable=False),
)
"""What people have chosen about their picture, and about who sees what: see profiles.py."""

clock = Table(
    "clock",
    metadata,
    Column("number", Integer, primary_key=True),  # the only row
    Column("seen", Float, nullable=False),
    Column("stepped", Float),
)
"""The newest time that servers have seen, and when the clock was last set: see clock.py."""

SPINE = tuple(metadata.sorted_tables)
"""The tables of this module: :class:`~redouble.web.feature.FeatureList` adds those of features."""
