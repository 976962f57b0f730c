"""Several processes: how often a table's rows were rewritten."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "tables", sa.Column("rewritten", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
