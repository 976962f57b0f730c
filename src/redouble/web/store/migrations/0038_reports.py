"""Reports that stay when the reported person deletes their data, or the table is deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Foreign keys can't be changed in SQLite, so the table is made anew; nothing refers to it.
    op.execute("CREATE TABLE old_reports AS SELECT * FROM reports")
    op.drop_table("reports")
    op.create_table(
        "reports",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("reporter", sa.String(), nullable=False),
        sa.Column("reported", sa.String()),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("handled", sa.Float()),
        sa.ForeignKeyConstraint(
            ["reporter"], ["people.id"], name="fk_reports_reporter", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reported"], ["people.id"], name="fk_reports_reported", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
    )
    op.execute(
        "INSERT INTO reports (id, reporter, reported, token, game, ply, said, why, at, handled)"
        " SELECT id, reporter, reported, old_reports.token, game, ply, '[]', why, at, handled"
        " FROM old_reports JOIN tables ON tables.token = old_reports.token"
    )
    op.drop_table("old_reports")
    for name in ("reported", "token", "at"):
        op.create_index(f"ix_reports_{name}", "reports", [name])
    op.create_index(
        "ix_reports_reporter", "reports", ["reporter", "reported", "token"], unique=True
    )
