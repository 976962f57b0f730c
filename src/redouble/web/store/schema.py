"""The tables of the database; ``migrations`` bring an older one up to date."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
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
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), primary_key=True),
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
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), primary_key=True),
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
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), primary_key=True),
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

ratings = Table(
    "ratings",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("token", String, nullable=False),  # its table, which may be deleted before this
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("game", String, nullable=False),
    Column("points", Float, nullable=False),
    Column("spread", Float, nullable=False),
    Column("games", Integer, nullable=False),  # rated ones up to this
    Column("at", Float, nullable=False),
    Index("ix_ratings_person", "person", "game", "number"),
    Index("ix_ratings_token", "token"),
    sqlite_autoincrement=True,
)
"""Each person's rating after each game that changed it: see rating_rows.py."""

hinted = Table(
    "hinted",
    metadata,
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
)
"""Seats that were given a hint in a game with other people."""

listed = Table(
    "listed",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
)
"""People who asked to be on the leaderboards."""

records = Table(
    "records",
    metadata,
    Column("token", String, primary_key=True),
    Column("person", String, nullable=False, index=True),
    Column("line", Text, nullable=False),
    Column("at", Float, nullable=False),
)
"""Games that people imported."""

reviews = Table(
    "reviews",
    metadata,
    Column("key", String, primary_key=True),  # identifies the game
    Column("version", Integer, nullable=False),
    Column("iterations", Integer, nullable=False),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), index=True),
    Column("record", ForeignKey("records.token", ondelete="CASCADE"), index=True),
    Column("at", Float, nullable=False, index=True),
    Column("review", Text, nullable=False),
)
"""Reviews, each with its table or record. They contain no names."""

review_jobs = Table(
    "review_jobs",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False, unique=True),  # identifies the game
    Column("person", String, nullable=False, index=True),
    Column("line", Text, nullable=False),  # the game's record
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), index=True),
    Column("record", ForeignKey("records.token", ondelete="CASCADE"), index=True),
    Column("process", String, nullable=False, server_default=text("''")),  # that makes it
    Column("heard", Float, nullable=False, server_default=text("0")),
    Column("done", Integer, nullable=False, server_default=text("0")),
    Column("total", Integer, nullable=False, server_default=text("0")),
    Column("problem", Text, nullable=False, server_default=text("''")),
)
"""Reviews that people have asked for, until they are made; the reason stays if that fails."""

shares = Table(
    "shares",
    metadata,
    Column("id", String, primary_key=True),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), nullable=False, unique=True),
    Column("at", Float, nullable=False),
)
"""The results that players have shared: a link that shows nothing else of the table."""

dailies = Table(
    "dailies",
    metadata,
    Column("day", String, primary_key=True),  # in UTC, as 2026-11-22
    Column("game", String, primary_key=True),  # empty for the puzzle
    Column("person", String, primary_key=True, index=True),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), unique=True),
    Column("begun", Float, nullable=False),
    Column("finished", Float),
    Column("rank", Integer),
    Column("score", Integer),
    Column("won", Boolean, nullable=False),
    Column("resigned", Boolean, nullable=False),
    Column("tried", JSON, nullable=False),  # the moves tried in a puzzle
)
"""Each person's one counted try at the deals and the puzzle of a day."""

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
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("muted", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Index("ix_mutes_person", "person", "muted", unique=True),
)
"""Whom people don't want to hear, at any table."""

reports = Table(
    "reports",
    metadata,
    Column("id", String, primary_key=True),
    Column("reporter", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("reported", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), nullable=False, index=True),
    Column("ply", Integer, nullable=False),  # of the log: its last lines of chat before this
    Column("why", Text, nullable=False),
    Column("at", Float, nullable=False, index=True),
    Column("handled", Float),  # when the operator dealt with it
    Index("ix_reports_reporter", "reporter", "reported", "token", unique=True),
)
"""Whom people have reported to the operator, one report of a person at a table."""

sanctions = Table(
    "sanctions",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String, primary_key=True),  # see sanctions.py
    Column("reason", String, nullable=False),
    Column("at", Float, nullable=False),
    Column("until", Float),  # none if the operator has to lift it
    Column("seen", Boolean, nullable=False),  # whether the person has read it
    Column("appeal", Text, nullable=False),
)
"""What the operator says to people: warnings, mutes and bans, with the reasons that they read."""

friends = Table(
    "friends",
    metadata,
    Column("id", String, primary_key=True),
    Column("pair", String, nullable=False, unique=True),  # both ids, the same whoever has asked
    Column("asker", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("asked", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("game", String, nullable=False),  # that they met at
    Column("state", String, nullable=False),  # see friends.py
    Column("at", Float, nullable=False),
)
"""Who is whose friend, and who has asked to be."""

hidden = Table(
    "hidden",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
)
"""People who don't show their friends when they are online."""

calls = Table(
    "calls",
    metadata,
    Column("id", String, primary_key=True),
    Column("caller", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("called", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", Float, nullable=False),
    Index("ix_calls_called", "called", "caller", "token", unique=True),
    Index("ix_calls_caller", "caller"),
)
"""Invitations of friends to tables."""

circles = Table(
    "circles",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("link", String, nullable=False, unique=True),
    Column("made", Float, nullable=False),
)
"""Standing groups of people: see circles.py."""

circle_members = Table(
    "circle_members",
    metadata,
    Column("id", String, primary_key=True),
    Column("circle", ForeignKey("circles.id", ondelete="CASCADE"), nullable=False),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("place", Integer, nullable=False),  # of two members, the owner would be the lower one
    Column("since", Float, nullable=False),
    Index("ix_circle_members_circle", "circle", "person", unique=True),
)
"""Who is in which circle."""

evenings = Table(
    "evenings",
    metadata,
    Column("id", String, primary_key=True),
    Column("circle", ForeignKey("circles.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("game", String, nullable=False),
    Column("seats", Integer, nullable=False),  # at each table
    Column("deals", Integer, nullable=False),
    Column("level", String, nullable=False),  # of the bots
    Column("host", ForeignKey("people.id", ondelete="SET NULL"), index=True),
    Column("secret", String, nullable=False),  # that its deals are derived from
    Column("made", Float, nullable=False),
    Column("started", Float),
    Column("groups", Integer, nullable=False),  # tables for each deal
)
"""Duplicate evenings: see evenings.py."""

evening_players = Table(
    "evening_players",
    metadata,
    Column("evening", ForeignKey("evenings.id", ondelete="CASCADE"), primary_key=True),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True),
)
"""Who takes part in an evening, until it begins."""

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
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

codes = Table(
    "codes",
    metadata,
    Column("code", String, primary_key=True),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("until", Float, nullable=False),
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), index=True),
)
"""One-time codes that link a device to a person."""

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("digest", String, primary_key=True),  # SHA-256, in hexadecimal digits
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("made", Float, nullable=False),
)
"""One-time codes for paper, by which a person signs in on any device and day."""

passkeys = Table(
    "passkeys",
    metadata,
    Column("id", String, primary_key=True),
    Column("credential", String, nullable=False, unique=True),  # in base 64, as what follows
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("handle", String, nullable=False),  # by which the device knows the person
    Column("public_key", Text, nullable=False),
    Column("count", BigInteger, nullable=False),  # signatures that the device has counted
    Column("name", String, nullable=False),
    Column("made", Float, nullable=False),
    Column("used", Float),
)
"""Public keys of people's devices, by which they sign in: see passkeys.py."""

used_challenges = Table(
    "used_challenges",
    metadata,
    Column("digest", String, primary_key=True),
    Column("at", Float, nullable=False, index=True),
)
"""Challenges that a passkey has answered: none is answered twice."""

profiles = Table(
    "profiles",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("motif", String, nullable=False),
    Column("results", Integer, nullable=False),  # who sees them
    Column("looks", String, nullable=False),
)
"""What people have chosen about their picture, and about who sees what: see profiles.py."""

puzzle_tries = Table(
    "puzzle_tries",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("game", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("right", Boolean, nullable=False),
    Column("points", Float, nullable=False),  # the person's rating after it
    Column("at", Float, nullable=False),
)
"""People's first tries at puzzles: see puzzle_tries.py."""

addresses = Table(
    "addresses",
    metadata,
    Column("digest", String, primary_key=True),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("channel", String, nullable=False),  # see wishes.py
    Column("sealed", Text, nullable=False),  # with the server's key
    Column("made", Float, nullable=False),
    Column("failed", Integer, nullable=False),  # messages in a row that weren't taken
    Column("stop", String, nullable=False, unique=True),  # what the link that stops it holds
    Column("confirmed", Boolean, nullable=False),
    Column("tries", Integer, nullable=False),  # wrong codes
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), index=True),  # of a browser
)
"""Where people get messages: see addresses.py."""

wishes = Table(
    "wishes",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("zone", String, nullable=False),
    Column("quiet_from", Integer, nullable=False),  # times are minutes of the day
    Column("quiet_until", Integer, nullable=False),
    Column("push", JSON, nullable=False),  # kinds of messages
    Column("own", JSON, nullable=False),
    Column("daily_at", Integer, nullable=False),
    Column("daily_next", Float, index=True),
    Column("summary_at", Integer, nullable=False),
    Column("summary_next", Float, index=True),
)
"""What people want to be told, and when: see wishes.py."""

calendars = Table(
    "calendars",
    metadata,
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("link", String, nullable=False, unique=True),  # without what the server's key adds
    Column("daily", Boolean, nullable=False),
)
"""Private calendars: see calendars.py."""

letters = Table(
    "letters",
    metadata,
    Column("key", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("address", ForeignKey("addresses.digest", ondelete="CASCADE"), index=True),
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), index=True),
    Column("ply", Integer, nullable=False),
    Column("about", String, nullable=False),
    Column("made", Float, nullable=False),
    Column("at", Float, index=True),
    Column("tries", Integer, nullable=False),
    Index("ix_letters_person", "person", "kind", "token"),
)
"""What people are to be told, and were lately: see letters.py."""

premoves = Table(
    "premoves",
    metadata,
    Column("token", ForeignKey("tables.token", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("person", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("moves", JSON, nullable=False),
    Column("made", Integer, nullable=False),  # moves of the seat when these were decided
    Column("version", String, nullable=False),
    Column("since", Float, nullable=False),  # the turn whose pause was drawn: tables.changed
    Column("due", Float, nullable=False),
)
"""Moves that players have decided in advance: see premoves.py."""

clock = Table(
    "clock",
    metadata,
    Column("number", Integer, primary_key=True),  # the only row
    Column("seen", Float, nullable=False),
    Column("stepped", Float),
)
"""The newest time that servers have seen, and when the clock was last set: see clock.py."""
