"""Which reported messages the operator has dealt with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "handled",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_handled_token", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token", "ply", name="pk_handled"),
    )
