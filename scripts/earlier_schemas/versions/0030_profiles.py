"""Profiles."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "profiles",
        sa.Column("person", sa.String(), primary_key=True),
        sa.Column("motif", sa.String(), nullable=False),
        sa.Column("color", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("curves", sa.Integer(), nullable=False),
        sa.Column("badges", sa.Integer(), nullable=False),
        sa.Column("looks", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_profiles_person", ondelete="CASCADE"
        ),
    )
