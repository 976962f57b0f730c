"""The newest time that servers have seen, by which a wrong clock is noticed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clock",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("seen", sa.Float(), nullable=False),
        sa.Column("stepped", sa.Float()),
    )
