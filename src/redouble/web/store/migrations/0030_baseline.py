"""The schema before the first release, below which no database is brought up to date from here.

New databases are made from ``schema.py`` as it is. ``scripts/upgrade_database.py`` brings those of
earlier versions to this one.
"""

revision = "0030"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: databases begin here."""
