"""What becomes of passkeys and codes."""

from __future__ import annotations

import sqlalchemy as sa

from redouble.web.features.signin import codes as code_rows
from redouble.web.features.signin import passkeys as passkey_rows
from redouble.web.personal import (
    Owner,
    PersonalData,
    Stored,
    as_time,
    by_foreign_key,
    moved,
    read_rows,
)
from redouble.web.store.schema import codes, passkeys, recovery_codes, used_challenges


def _adopt(connection: sa.Connection, guest: str, person: str) -> None:
    passkey_rows.adopt(connection, guest, person)
    moved(recovery_codes.c.person)(connection, guest, person)  # a paper in a drawer stays good


def _recovery(connection: sa.Connection, owner: Owner) -> object:
    made = code_rows.recovery_made(connection, owner.id)
    return made and as_time(made)


def _passkeys(connection: sa.Connection, owner: Owner) -> object:
    left_out = ("id", "person", "handle")
    return read_rows(passkey_rows.rows_of(connection, owner.id), "made", "used", without=left_out)


def _expire(connection: sa.Connection, now: float) -> None:
    passkey_rows.drop_old(connection, now)
    connection.execute(sa.delete(codes).where(codes.c.until <= now))


DATA = PersonalData(
    tables=(codes, recovery_codes, passkeys, used_challenges),
    adopt=_adopt,
    forget=by_foreign_key,
    export={"recovery_code_made": _recovery, "passkeys": _passkeys},
    expire=_expire,
    keeps=(
        sa.select(codes.c.person),
        sa.select(recovery_codes.c.person),
        sa.select(passkeys.c.person),
    ),
    privacy=(
        Stored(
            "Your passkeys: the public key, the browser in which you added it, when you "
            "added and last used it, and how often your device has used it",
            "until you remove them, or delete your data",
            on_servers=True,
        ),
        Stored(
            "A digest of your recovery code, and when you made it",
            "until you use it, or delete your data",
            on_servers=True,
        ),
        Stored(
            "A code that links another device",
            f"{code_rows.SECONDS // 60:.0f} minutes, and no longer than the session in which you "
            "made it",
        ),
    ),
    sessions=(codes.c.session,),
)
