"""Circles, their members, and the tables that are theirs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "circles",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("link", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.UniqueConstraint("link", name="uq_circles_link"),
    )
    op.create_table(
        "circle_members",
        sa.Column("id", sa.String(), primary_key=True),
        _to("circle_members", "circle", "circles.id"),
        _to("circle_members", "person", "people.id"),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
    )
    op.create_index("ix_circle_members_circle", "circle_members", ["circle", "person"], unique=True)
    op.create_index("ix_circle_members_person", "circle_members", ["person"])
    op.add_column("tables", sa.Column("circle", sa.String(), nullable=True))
    op.create_index("ix_tables_circle", "tables", ["circle"])


def _to(table: str, name: str, where: str) -> sa.Column[str]:
    deleted = sa.ForeignKey(where, name=f"fk_{table}_{name}", ondelete="CASCADE")
    return sa.Column(name, sa.String(), deleted, nullable=False)
