"""Friends, the invitations among them, and who hides when they are online."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "friends",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("pair", sa.String(), nullable=False),
        _person("friends", "asker"),
        _person("friends", "asked"),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.UniqueConstraint("pair", name="uq_friends_pair"),
    )
    op.create_index("ix_friends_asker", "friends", ["asker"])
    op.create_index("ix_friends_asked", "friends", ["asked"])
    op.create_table("hidden", _person("hidden", "person", primary_key=True))
    token = sa.ForeignKey("tables.token", name="fk_calls_token", ondelete="CASCADE")
    op.create_table(
        "calls",
        sa.Column("id", sa.String(), primary_key=True),
        _person("calls", "caller"),
        _person("calls", "called"),
        sa.Column("token", sa.String(), token, nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_index("ix_calls_called", "calls", ["called", "caller", "token"], unique=True)
    op.create_index("ix_calls_caller", "calls", ["caller"])
    op.create_index("ix_calls_token", "calls", ["token"])


def _person(table: str, name: str, primary_key: bool = False) -> sa.Column[str]:
    deleted = sa.ForeignKey("people.id", name=f"fk_{table}_{name}", ondelete="CASCADE")
    return sa.Column(name, sa.String(), deleted, primary_key=primary_key, nullable=False)
