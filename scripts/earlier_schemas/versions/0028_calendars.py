"""Private calendars of deadlines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "calendars",
        sa.Column("person", sa.String(), primary_key=True),
        sa.Column("link", sa.String(), nullable=False),
        sa.Column("daily", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("link", name="uq_calendars_link"),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_calendars_person", ondelete="CASCADE"
        ),
    )
