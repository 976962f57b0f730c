"""Without the level of the bots at a circle's duplicate game: it is always the usual one."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("evenings", "level")
