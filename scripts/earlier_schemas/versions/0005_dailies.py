"""The daily deals and the secret that they are derived from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "tables", sa.Column("daily", sa.String(), server_default=sa.text("''"), nullable=False)
    )
    op.create_table(
        "dailies",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("begun", sa.Float(), nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("resigned", sa.Boolean(), nullable=False),
        sa.Column("tried", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name=op.f("fk_dailies_token"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("day", "game", "person", name=op.f("pk_dailies")),
        sa.UniqueConstraint("token", name=op.f("uq_dailies_token")),
    )
    op.create_index(op.f("ix_dailies_person"), "dailies", ["person"], unique=False)
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
