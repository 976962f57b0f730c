"""What the book declares."""

from redouble.web.feature import Feature, PagePlace, TablePlace
from redouble.web.live.hooks import Hooks
from tests.web.helpers.guestbook import book, page

FEATURE = Feature(
    module=__name__,
    data=(book.DATA,),
    pages=(page.router,),
    api="tests.web.helpers.guestbook.api",
    services=lambda site: [book.Bell(site)],
    hooks=Hooks(ended=book.note_end),
    sections={PagePlace.CHOICES: page.on_my_page},
    table_sections={TablePlace.PILL: page.pill},
    messages=(book.WRITTEN,),
    commands={"sign": page.sign},
)
