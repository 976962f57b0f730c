"""Muted people, reports of people, and what the operator says to people.

Bans become one kind of sanction. Reports of single lines of chat, which stood in the logs of
tables, become reports of the people who wrote them.
"""

from __future__ import annotations

import json
import secrets

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mutes",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("muted", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_mutes_person", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["muted"], ["people.id"], name="fk_mutes_muted", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_mutes_person", "mutes", ["person", "muted"], unique=True)
    op.create_index("ix_mutes_muted", "mutes", ["muted"])
    reports = op.create_table(
        "reports",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("reporter", sa.String(), nullable=False),
        sa.Column("reported", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("handled", sa.Float()),
        sa.ForeignKeyConstraint(
            ["reporter"], ["people.id"], name="fk_reports_reporter", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reported"], ["people.id"], name="fk_reports_reported", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["token"], ["tables.token"], name="fk_reports_token", ondelete="CASCADE"
        ),
    )
    op.create_index(
        "ix_reports_reporter", "reports", ["reporter", "reported", "token"], unique=True
    )
    op.create_index("ix_reports_reported", "reports", ["reported"])
    op.create_index("ix_reports_token", "reports", ["token"])
    op.create_index("ix_reports_at", "reports", ["at"])
    sanctions = op.create_table(
        "sanctions",
        sa.Column("person", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("until", sa.Float()),
        sa.Column("seen", sa.Boolean(), nullable=False),
        sa.Column("appeal", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name="fk_sanctions_person", ondelete="CASCADE"
        ),
    )
    connection = op.get_bind()
    banned = connection.execute(sa.text("SELECT person, reason, at FROM bans")).mappings().all()
    if banned:
        more = {"kind": "ban", "until": None, "seen": False, "appeal": ""}
        op.bulk_insert(sanctions, [dict(row) | more for row in banned])
    if rows := _reports(connection):
        op.bulk_insert(reports, rows)
    op.drop_table("bans")
    op.drop_table("handled")
    op.drop_index("ix_log_reports", "log")


def _reports(connection: sa.Connection) -> list[dict[str, object]]:
    """Return the reports that stand in logs, of people who are still here."""
    here = {row.id for row in connection.execute(sa.text("SELECT id FROM people"))}
    done = {
        (row.token, row.ply): row.at
        for row in connection.execute(sa.text("SELECT token, ply, at FROM handled"))
    }
    found: dict[object, dict[str, object]] = {}
    told = "SELECT token, ply, at, person, payload FROM log WHERE kind = 'report' ORDER BY at"
    line = sa.text("SELECT person FROM log WHERE token = :token AND ply = :ply AND kind = 'say'")
    for row in connection.execute(sa.text(told)).all():
        said = json.loads(row.payload)["said"]
        author = connection.execute(line, {"token": row.token, "ply": said}).scalar()
        if author not in here or row.person not in here:
            continue
        at = done.get((row.token, said), 0.0)
        found[row.person, author, row.token] = {
            "id": secrets.token_hex(8),
            "reporter": row.person,
            "reported": author,
            "token": row.token,
            "ply": said + 1,
            "why": "",
            "at": row.at,
            "handled": at if at >= row.at else None,
        }
    return list(found.values())
