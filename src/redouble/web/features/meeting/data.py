"""What becomes of the searches for people."""

import sqlalchemy as sa

from redouble.web import personal
from redouble.web.features.meeting.seekers import drop_old, seekers, sought

_WISHES = sa.select(
    *(sought.c.person, sought.c.game, seekers.c.least, seekers.c.kind, seekers.c.tell),
    *(seekers.c.since, seekers.c.seen),
).join(seekers, seekers.c.person == sought.c.person)

DATA = personal.PersonalData(
    tables=(seekers, sought),
    adopt=personal.left_behind,
    forget=personal.by_foreign_key,
    export={
        "looks_for": personal.listed(personal.found_by(_WISHES, sought.c.person), "since", "seen")
    },
    expire=drop_old,
    keeps=(),
    privacy=(
        personal.Stored(
            "Which games you look for people to play with, and whether you want to be notified "
            "when somebody comes; others see it while you look",
            "1 day",
            on_servers=True,
        ),
    ),
    sessions=(),
)
