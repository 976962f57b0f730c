"""When people were last here, and what ends with a session."""

from __future__ import annotations

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
    with op.batch_alter_table("people") as people:
        people.add_column(sa.Column("seen", sa.Float(), nullable=False, server_default="0"))
        people.add_column(sa.Column("warned", sa.Float()))
    op.execute(LAST_SEEN)
    with op.batch_alter_table("people") as people:
        people.alter_column("seen", server_default=None)
        people.create_index("ix_people_seen", ["seen"])
    for name in ("addresses", "codes"):
        with op.batch_alter_table(name) as table:
            table.add_column(sa.Column("session", sa.String()))
            table.create_index(f"ix_{name}_session", ["session"])
            table.create_foreign_key(
                f"fk_{name}_session", "sessions", ["session"], ["id"], ondelete="CASCADE"
            )
    op.execute(ONLY_SESSION)
