"""Duplicate evenings, who takes part in them, and the tables of their deals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    circle = sa.ForeignKey("circles.id", name="fk_evenings_circle", ondelete="CASCADE")
    host = sa.ForeignKey("people.id", name="fk_evenings_host", ondelete="SET NULL")
    op.create_table(
        "evenings",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("circle", sa.String(), circle, nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("host", sa.String(), host, nullable=True),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("started", sa.Float(), nullable=True),
        sa.Column("groups", sa.Integer(), nullable=False),
    )
    op.create_index("ix_evenings_circle", "evenings", ["circle"])
    op.create_index("ix_evenings_host", "evenings", ["host"])
    evening = sa.ForeignKey("evenings.id", name="fk_evening_players_evening", ondelete="CASCADE")
    person = sa.ForeignKey("people.id", name="fk_evening_players_person", ondelete="CASCADE")
    op.create_table(
        "evening_players",
        sa.Column("evening", sa.String(), evening, primary_key=True),
        sa.Column("person", sa.String(), person, primary_key=True),
    )
    op.create_index("ix_evening_players_person", "evening_players", ["person"])
    op.add_column("tables", sa.Column("evening", sa.String(), nullable=True))
    op.create_index("ix_tables_evening", "tables", ["evening"])
    left = sa.Column("deals_left", sa.Integer(), nullable=False, server_default=sa.text("0"))
    op.add_column("tables", left)
