"""When people were last here, and what ends with a session."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

LAST_SEEN = """
    UPDATE people SET seen = (
        SELECT max(at) FROM (
            SELECT people.created AS at
            UNION ALL SELECT seen FROM sessions WHERE person = people.id
            UNION ALL SELECT at FROM results WHERE person = people.id
        ) AS times
    )
"""
ONLY_SESSION = """
    UPDATE addresses SET session = (SELECT max(id) FROM sessions WHERE person = addresses.person)
    WHERE channel = 'push'
    AND (SELECT count(*) FROM sessions WHERE person = addresses.person) = 1
"""
"""Where a person has one session, their browser is the one in it."""


def upgrade() -> None:
    # Not by copying the tables, as Alembic would in SQLite: to drop one deletes what refers to it.
    op.add_column("people", sa.Column("seen", sa.Float(), nullable=False, server_default="0"))
    op.add_column("people", sa.Column("warned", sa.Float()))
    op.execute(LAST_SEEN)
    op.create_index("ix_people_seen", "people", ["seen"])
    for name in ("addresses", "codes"):
        op.execute(
            f"ALTER TABLE {name} ADD COLUMN session VARCHAR CONSTRAINT fk_{name}_session"
            " REFERENCES sessions (id) ON DELETE CASCADE"
        )
        op.create_index(f"ix_{name}_session", name, ["session"])
    op.execute(ONLY_SESSION)
