"""Messages about more than turns, in ways and at times that people choose."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    addresses = op.create_table(
        "addresses",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("stop", sa.String(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.UniqueConstraint("stop", name="uq_addresses_stop"),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_addresses_person", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_addresses_person", "addresses", ["person"])
    wishes = op.create_table(
        "wishes",
        sa.Column("person", sa.String(), primary_key=True),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("quiet_from", sa.Integer(), nullable=False),
        sa.Column("quiet_until", sa.Integer(), nullable=False),
        sa.Column("push", sa.JSON(), nullable=False),
        sa.Column("own", sa.JSON(), nullable=False),
        sa.Column("daily_at", sa.Integer(), nullable=False),
        sa.Column("daily_next", sa.Float(), nullable=True),
        sa.Column("summary_at", sa.Integer(), nullable=False),
        sa.Column("summary_next", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_wishes_person", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_wishes_daily_next", "wishes", ["daily_next"])
    op.create_index("ix_wishes_summary_next", "wishes", ["summary_next"])
    letters = op.create_table(
        "letters",
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("at", sa.Float(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_letters_person", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["address"], ["addresses.digest"], name="fk_letters_address", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_letters_token", ondelete="CASCADE"
        ),
    )
    for name, columns in {
        "address": ["address"],
        "token": ["token"],
        "at": ["at"],
        "person": ["person", "kind", "token"],
    }.items():
        op.create_index(f"ix_letters_{name}", "letters", columns)
    _move(op.get_bind(), addresses, wishes, letters)
    op.drop_table("reminders")
    op.drop_table("push_addresses")


def _move(
    connection: sa.Connection, addresses: sa.Table, wishes: sa.Table, letters: sa.Table
) -> None:
    """Keep the addresses of browsers, what they were used for, and the turns that were told."""
    zones: dict[str, str] = {}
    found = "SELECT digest, person, sealed, zone, made, failed FROM push_addresses ORDER BY made"
    for row in connection.execute(sa.text(found)).all():
        kept = {"digest": row.digest, "person": row.person, "sealed": row.sealed, "made": row.made}
        more = {"failed": row.failed, "stop": secrets.token_hex(16), "tries": 0}
        connection.execute(
            sa.insert(addresses).values(kept | more | {"channel": "push", "confirmed": True})
        )
        zones[row.person] = row.zone
    for person, zone in zones.items():
        values = {"person": person, "zone": zone, "quiet_from": 1320, "quiet_until": 480}
        more = {"push": ["turn"], "own": [], "daily_at": 1080, "summary_at": 540}
        connection.execute(sa.insert(wishes).values(values | more))
    told = "SELECT token, ply, person, at FROM reminders"
    for row in connection.execute(sa.text(told)).all():
        about = f"{row.token} {row.ply}"
        values = {"key": f"turn {about} {row.person}", "kind": "turn", "person": row.person}
        more = {"token": row.token, "ply": row.ply, "about": about, "made": row.at, "tries": 0}
        connection.execute(sa.insert(letters).values(values | more))
