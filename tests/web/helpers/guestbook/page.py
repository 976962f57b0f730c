"""The page of the book, and what *Your page* and tables show of it."""

from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from redouble.contract.page import html
from redouble.contract.page.html import Html
from redouble.web.feature import Fragment, TableVisit, Visit
from redouble.web.site import At
from redouble.web.visitor import CurrentUser, FormText, SiteOf, Visitor
from redouble.web.visitor.costs import Cost, Router
from tests.web.helpers.guestbook import book

router = Router(include_in_schema=False)


@router.get("/guestbook", Cost.PAGE)
async def show(site: SiteOf, person: Visitor) -> HTMLResponse:
    mine = await site.store.run(book.written, person.id) if person else []
    return site.page("guestbook/book.html", person=person, lines=mine)


@router.post("/guestbook", Cost.PAGE)
async def write(site: SiteOf, person: CurrentUser, text: FormText = "") -> RedirectResponse:
    await site.store.run(book.write, person.id, text)
    return RedirectResponse("/guestbook", 303)


async def on_my_page(visit: Visit) -> Fragment | None:
    if visit.person is None:
        return None
    me = visit.person.id
    mine = await visit.site.store.run(book.written, me)
    return visit.part("guestbook/section.html", lines=mine)


async def pill(visit: TableVisit) -> Html | None:
    return html.a({"class": "pill", "href": "/guestbook"}, "Guest book")


async def sign(at: At, form: FormData) -> None:
    await at.site.store.run(book.write, at.person.id, "signed at a table")
