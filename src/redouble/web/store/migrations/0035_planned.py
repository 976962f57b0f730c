"""When a circle's duplicate game begins, and who doesn't come."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evenings", sa.Column("begins", sa.Float()))
    op.add_column(
        "evening_players",
        sa.Column("comes", sa.Boolean(), nullable=False, server_default=sa.true()),
    )
