"""Ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ratings",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("spread", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_ratings_person", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ratings_person", "ratings", ["person", "game", "number"])
    op.create_index("ix_ratings_token", "ratings", ["token"])
    op.create_table(
        "hinted",
        sa.Column("token", sa.String(), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_hinted_token", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "listed",
        sa.Column("person", sa.String(), primary_key=True),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_listed_person", ondelete="CASCADE"
        ),
    )
