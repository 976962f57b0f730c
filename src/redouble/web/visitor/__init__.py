"""Who sends a request, and what a response says to them."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeVar

from fastapi import Depends, Form, Request
from starlette.datastructures import FormData
from starlette.responses import Response
from starlette.types import Scope

from redouble.web.errors import Banned, Busy, Full, TooMuch, WebError
from redouble.web.limits import Allowances, network_of
from redouble.web.people.people import COOKIE, Person
from redouble.web.people.sessions import device_name
from redouble.web.site import Site

SAFE = {"GET", "HEAD", "OPTIONS"}
"""The methods that change nothing."""
NOT_BANNED = ("/me/name", "/me/code")
"""What only people who aren't banned may do with their data; all may delete it and sign out."""
AnyResponse = TypeVar("AnyResponse", bound=Response)
_VISITOR, _NEWCOMER, _MARK = "redouble.visitor", "redouble.newcomer", "redouble.mark"
"""Keys of a request's scope: its sender, the guest that it makes if it succeeds, and its mark."""


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def client_of(request: Request) -> str:
    """Return the address that counts for the limits of a request."""
    return network_of(request.client.host if request.client else "")


def marked(response: AnyResponse, request: Request, error: Exception) -> AnyResponse:
    """Return the response to a request that has failed, which says when to try again.

    If a limit was reached, the log says so.
    """
    if isinstance(error, WebError) and error.retry_after:
        response.headers["Retry-After"] = f"{error.retry_after}"
    if isinstance(error, (TooMuch, Busy, Full)):
        # What went wrong, without what to do: a number of seconds would make each line another.
        what = str(error).partition(":")[0]
        site_of(request).refusals.note(f"{request.method}: {what}", client_of(request))
    return response


def device_of(request: Request) -> str:
    """Return a plain name of the browser or program that sent a request."""
    return device_name(request.headers.get("user-agent", ""))


async def visitor(request: Request) -> Person | None:
    """Return the current user by bearer token or cookie; None for a new visitor.

    Raises :class:`Banned` for somebody who may only look, and wants to do something.
    """
    if _VISITOR not in request.scope:
        people, token = site_of(request).people, shown_token(request)
        known = request.scope[_VISITOR] = await people.known(token)
        if known is not None and token == request.cookies.get(COOKIE) and people.is_stale(token):
            know(request, people.token(known))
    person: Person | None = request.scope[_VISITOR]
    if person is not None and person.banned and request.method not in SAFE:
        path = request.url.path.removeprefix("/api")
        if not path.startswith("/me/") or path.startswith(NOT_BANNED):
            raise Banned(person.banned)
    return person


def shown_token(request: Request) -> str:
    """Return the bearer token or cookie of a request; empty if it has none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")


def sender_of(request: Request) -> str:
    """Return the session that a request was sent in, open or not; empty if it shows none."""
    return site_of(request).people.session_of(shown_token(request))


async def first_act(request: Request, mark: str) -> None:
    """Take a visitor without a cookie for the guest that the same page has just made, if it has."""
    people = site_of(request).people
    person = await people.begun_with(mark)
    if person is None:
        request.scope[_MARK] = mark
        return
    request.scope[_VISITOR] = person
    know(request, people.token(person))


def arrived(request: Request, person: Person) -> None:
    """Note who a request has come from, if it says so itself."""
    request.scope[_VISITOR] = person


async def current_user(request: Request) -> Person:
    """Return the current user; a new visitor gets a name.

    If the request succeeds they are stored and get a cookie (:func:`welcome`). Raises
    :class:`TooMuch` if too many guests have come from this address.
    """
    person = await visitor(request)
    if person is None:
        site = site_of(request)
        taken = site.take_guest(client_of(request), request.scope["route"].path)
        person = request.scope[_VISITOR] = site.people.newcomer(
            device=device_of(request), mark=request.scope.get(_MARK, "")
        )
        request.scope[_NEWCOMER] = person, taken
    return person


async def welcome(scope: Scope, succeeded: bool) -> None:
    """Store the new guest of a request that succeeded, and set their cookie; else forget them."""
    newcomer: tuple[Person, Allowances] | None = scope.pop(_NEWCOMER, None)
    if newcomer is None:
        return
    (person, taken), request = newcomer, Request(scope)
    site = site_of(request)
    if not succeeded:
        site.people.dismiss(person)
        site.rates.give_back(taken)
        return
    try:
        await site.people.keep(person)
    except BaseException:
        site.rates.give_back(taken)
        raise
    if "set_token" not in scope.get("state", {}):
        know(request, site.people.token(person))


def know(request: Request, token: str) -> None:
    """Let the response set the cookie to ``token``, or delete it if that is empty."""
    request.scope.setdefault("state", {})["set_token"] = token


async def _site_at_once(request: Request) -> Site:
    """Return the site; FastAPI would call a plain function in another thread."""
    return site_of(request)


async def _sent(request: Request) -> AsyncIterator[FormData]:
    async with request.form() as form:  # closes what was sent as files
        yield form


Fields = Annotated[FormData, Depends(_sent)]
"""The form that was posted."""
SiteOf = Annotated[Site, Depends(_site_at_once)]
Visitor = Annotated[Person | None, Depends(visitor)]
CurrentUser = Annotated[Person, Depends(current_user)]
FormText = Annotated[str, Form()]
