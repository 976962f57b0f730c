"""Without games of the day that circles picked and colors of people, and one audience of three."""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("circle_days")
    for name in ("curves", "badges"):  # the strictest choice stays
        op.execute(f"UPDATE profiles SET games = {name} WHERE {name} > games")
    for name in ("color", "curves", "badges"):
        op.drop_column("profiles", name)
    op.execute("ALTER TABLE profiles RENAME COLUMN games TO results")
