"""The reviews."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("iterations", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("record", sa.String(), nullable=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("review", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name=op.f("fk_reviews_token"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["record"], ["records.token"], name=op.f("fk_reviews_record"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_reviews")),
    )
    op.create_index(op.f("ix_reviews_token"), "reviews", ["token"], unique=False)
    op.create_index(op.f("ix_reviews_record"), "reviews", ["record"], unique=False)
    op.create_index(op.f("ix_reviews_at"), "reviews", ["at"], unique=False)
