"""Players whom people have blocked."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "mutes", sa.Column("blocks", sa.Boolean(), nullable=False, server_default=sa.false())
    )
