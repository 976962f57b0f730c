"""Clocks: when the server has to act at a table by itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("due", sa.Float()))
    op.create_index("ix_tables_due", "tables", ["due"])
