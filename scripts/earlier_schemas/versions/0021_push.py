"""Push messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "push_addresses",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_push_addresses_person", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_push_addresses_person", "push_addresses", ["person"])
    op.create_table(
        "reminders",
        sa.Column("token", sa.String(), primary_key=True),
        sa.Column("ply", sa.Integer(), primary_key=True),
        sa.Column("person", sa.String(), primary_key=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_reminders_token", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_reminders_person", ondelete="CASCADE"
        ),
    )
