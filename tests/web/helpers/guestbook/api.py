"""The book, for programs."""

from redouble.web.api.asking import Known
from redouble.web.visitor import SiteOf
from redouble.web.visitor.costs import Cost, Router
from tests.web.helpers.guestbook import book

router = Router(prefix="/api")


@router.get("/guestbook", Cost.PAGE, summary="Read your lines of the guest book", tags=["people"])
async def read(site: SiteOf, person: Known) -> list[str]:
    return await site.store.run(book.written, person.id)
