"""Fair deals: a table's pledge, and the chain of the server's commitments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("fair", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "commitments",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("previous", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("link", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_commitments"),
        sa.UniqueConstraint("commitment", name="uq_commitments_commitment"),
    )
