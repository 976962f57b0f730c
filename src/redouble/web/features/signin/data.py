"""What becomes of passkeys and codes."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.signin import codes as code_rows
from redouble.web.features.signin import passkeys as passkey_rows
from redouble.web.features.signin.codes import codes, recovery_codes
from redouble.web.features.signin.passkeys import passkeys, used_challenges
from redouble.web.store.clock import DAY


def _recovery(connection: sa.Connection, owner: personal.Owner) -> object:
    made = code_rows.recovery_made(connection, owner.id)
    return made and personal.as_time(made)


DATA = personal.PersonalData(
    tables=(codes, recovery_codes, passkeys, used_challenges),
    adopt=personal.in_turn(
        passkey_rows.adopt,
        personal.moved(recovery_codes.c.person),  # a paper in a drawer stays good
    ),
    forget=personal.by_foreign_key,
    export={
        "recovery_code_made": _recovery,
        "passkeys": personal.listed(
            passkey_rows.passkeys_of, "made", "used", without=("id", "person", "handle")
        ),
    },
    expire=personal.in_turn(
        personal.older_than(used_challenges.c.at, DAY),  # too old to be answered again
        personal.older_than(codes.c.until, 0.0),
    ),
    keeps=(
        sa.select(codes.c.person),
        sa.select(recovery_codes.c.person),
        sa.select(passkeys.c.person),
    ),
    privacy=(
        personal.Stored(
            "Your passkeys: the public key, the browser in which you added it, when you "
            "added and last used it, and how often your device has used it",
            "until you remove them, or delete your data",
            on_servers=True,
        ),
        personal.Stored(
            "A digest of your recovery code, and when you made it",
            "until you use it, or delete your data",
            on_servers=True,
        ),
        personal.Stored(
            "A code that links another device",
            f"{code_rows.SECONDS // 60:.0f} minutes, and no longer than the session in which you "
            "made it",
        ),
    ),
    sessions=(codes.c.session,),
)
