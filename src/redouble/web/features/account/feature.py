"""A person's data: sign-out, export, deletion, and what expires."""

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.account import data, page
from redouble.web.features.account.retention import ABSENT, Tidying

FEATURE = Feature(
    module=__name__,
    data=data.DATA,
    pages=(
        page.router,
        page.router,
    ),
    services=lambda site: [Tidying(site)],
    messages=(ABSENT,),
    sections={
        PagePlace.ACCOUNT: page.data,
    },
)
