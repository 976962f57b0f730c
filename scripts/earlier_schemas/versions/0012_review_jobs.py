"""The queue of reviews, which was in the memory of the server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    none, empty = sa.text("0"), sa.text("''")
    op.create_table(
        "review_jobs",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("token", sa.String()),
        sa.Column("record", sa.String()),
        sa.Column("process", sa.String(), nullable=False, server_default=empty),
        sa.Column("heard", sa.Float(), nullable=False, server_default=none),
        sa.Column("done", sa.Integer(), nullable=False, server_default=none),
        sa.Column("total", sa.Integer(), nullable=False, server_default=none),
        sa.Column("problem", sa.Text(), nullable=False, server_default=empty),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_review_jobs_token", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["record"], ["records.token"], name="fk_review_jobs_record", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("key", name="uq_review_jobs_key"),
    )
    for column in ("person", "token", "record"):
        op.create_index(f"ix_review_jobs_{column}", "review_jobs", [column])
