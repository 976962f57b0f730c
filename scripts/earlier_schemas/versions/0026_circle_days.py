"""The games of the day that circles have picked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    circle = sa.ForeignKey("circles.id", name="fk_circle_days_circle", ondelete="CASCADE")
    op.create_table(
        "circle_days",
        sa.Column("circle", sa.String(), circle, primary_key=True),
        sa.Column("day", sa.String(), primary_key=True),
        sa.Column("game", sa.String(), nullable=False),
    )
