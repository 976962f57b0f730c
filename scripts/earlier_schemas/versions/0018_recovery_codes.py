"""Codes for paper."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_recovery_codes_person", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_recovery_codes_person", "recovery_codes", ["person"])
