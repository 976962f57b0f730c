"""An index of reported chat, which costs nothing to write for other entries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    reports = sa.text("kind = 'report'")
    op.create_index(
        "ix_log_reports",
        "log",
        ["at"],
        unique=False,
        sqlite_where=reports,
        postgresql_where=reports,
    )
