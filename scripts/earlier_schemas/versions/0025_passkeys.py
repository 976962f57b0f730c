"""Passkeys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("credential", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("used", sa.Float()),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_passkeys_person", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("credential", name="uq_passkeys_credential"),
    )
    op.create_index("ix_passkeys_person", "passkeys", ["person"])
    op.create_table(
        "used_challenges",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_index("ix_used_challenges_at", "used_challenges", ["at"])
