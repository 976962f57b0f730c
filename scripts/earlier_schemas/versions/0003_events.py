"""The log holds each event's payload as JSON; before, it was packed into a text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

UNPACKED = """
INSERT INTO events (token, ply, kind, seat, payload, at, person)
SELECT token, ply, kind, seat,
  CASE
    WHEN kind IN ('move', 'redo') THEN json_object('move', text)
    WHEN kind = 'undo' THEN json_object(
      'keep', CAST(text AS INTEGER),
      'hindsight', json(CASE WHEN text LIKE '% seen' THEN 'true' ELSE 'false' END))
    WHEN kind = 'ask' THEN json_object('keep', CAST(text AS INTEGER))
    WHEN kind IN ('resign', 'bot') THEN json_object('level', text)
    WHEN kind = 'sit' THEN json_object('name', text)
    WHEN kind = 'say' THEN json_object('text', text)
    WHEN kind IN ('mute', 'unmute') THEN json_object('other', CAST(text AS INTEGER))
    WHEN kind = 'pace' THEN json_object('pace', text)
    WHEN kind = 'rematch' THEN json_object('token', text)
    ELSE '{}'
  END,
  at, person
FROM log ORDER BY token, ply
"""


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":  # only SQLite has had databases of this age
        op.drop_column("log", "text")
        op.add_column("log", sa.Column("payload", sa.Text(), nullable=False))
        return
    op.create_table(
        "events",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("person", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name=op.f("fk_log_token"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token", "ply", name=op.f("pk_log")),
    )
    op.execute(UNPACKED)
    op.drop_table("log")
    op.rename_table("events", "log")
