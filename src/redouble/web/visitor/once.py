"""Carries out a request once that is sent several times; see :mod:`redouble.web.people.repeats`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from redouble.web.errors import WebError
from redouble.web.people.repeats import MAX_ANSWER, MIN_SECRET, KeptAnswer, RequestKey, digest_of
from redouble.web.visitor import first_act, know, sender_of, shown_token, site_of, visitor, welcome

HEADER = "idempotency-key"
"""What programs send."""
MAX_KEY = 255
FORMS = "application/x-www-form-urlencoded", "multipart/form-data"
MARK = re.compile(rb'(?:(?:^|&)once=|name="once"\r\n\r\n)([\w-]{1,64})(?=[&\r]|$)', re.ASCII)
"""The mark of a form, as browsers send it in either way."""
BOUNDARY = re.compile(r'boundary="?([^";,\s]+)')
DRAWN = re.compile(rb"(?:^|&)(share|promise)=[0-9a-f]*")
"""What a page's script adds to a form, which may come too late for the first of two taps."""
Serve = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass
class _Body:
    """The body of a request, which is read before the application asks for it."""

    messages: list[Message] = field(default_factory=list)
    problem: HTTPException | None = None
    """Why it couldn't be read to its end, for whoever asks for it."""

    @property
    def data(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


async def once(scope: Scope, receive: Receive, send: Send, serve: Serve) -> None:
    """Serve a request, or answer it as the same one was answered before.

    Only requests with a mark or key are known again. Raises what :meth:`Repeats.begin` raises, and
    :class:`WebError` for a key that can't be used.
    """
    headers = Headers(scope=scope)
    key, kind = headers.get(HEADER), headers.get("content-type", "")
    if key is None and not kind.startswith(FORMS):
        await serve(scope, receive, send)
        return
    body = await _read(receive)
    request = Request(scope)
    site, sender = site_of(request), sender_of(request)
    if key is not None:
        _check_key(key, known=bool(sender))
        claim = _claim_of_key(scope, key, sender, body.data)
    else:
        found = MARK.search(body.data)
        mark = found[1].decode() if found else ""
        if not sender:
            if len(mark) < MIN_SECRET:
                mark = ""
            else:
                await first_act(request, mark)
        if not mark:
            await serve(scope, _again(body, receive), send)
            return
        claim = _claim_of_mark(scope, mark, sender, _sent(body.data, kind))
    person = await visitor(request)
    answer = await site.repeats.begin(claim, person.id if person else "")
    if answer is not None and (person or not shown_token(request) or not answer.body):
        if answer.cookie is not None:
            know(request, answer.cookie)
        await _send(answer, send)
    elif answer is not None:  # of a session that has ended since: nobody may read it any more
        await serve(scope, _again(body, receive), send)
    else:
        await _carry_out(scope, _again(body, receive), send, serve, claim)


async def _carry_out(
    scope: Scope, receive: Receive, send: Send, serve: Serve, claim: RequestKey
) -> None:
    """Serve the first request, and keep its answer if it has changed anything."""
    request, begun, parts, kept = Request(scope), None, list[bytes](), False
    problem: WebError | None = None
    site = site_of(request)

    async def keeping(message: Message) -> None:
        nonlocal begun, kept, problem
        if problem is not None:
            return
        if message["type"] == "http.response.start" and message["status"] < 400:
            try:
                await welcome(scope, succeeded=True)
            except WebError as error:
                problem = error
            begun = message
            return
        if begun is None or message["type"] != "http.response.body":
            await send(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        body = b"".join(parts)
        if len(body) <= MAX_ANSWER:
            person = await visitor(request)
            cookie = scope.get("state", {}).get("set_token")
            headers = tuple(
                (one.decode("latin-1"), of.decode("latin-1")) for one, of in begun["headers"]
            )
            answer = KeptAnswer(begun["status"], headers, body, cookie)
            await site.repeats.finish(claim, person.id if person else "", answer)
            kept = True
        await send(begun)
        await send({"type": "http.response.body", "body": body})

    try:
        await serve(scope, receive, keeping)
        if problem is not None:
            raise problem
    finally:
        if not kept:
            await site.repeats.give_up(claim)


async def _send(answer: KeptAnswer, send: Send) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


async def _read(receive: Receive) -> _Body:
    body = _Body()
    try:
        while not body.messages or body.messages[-1].get("more_body"):
            body.messages.append(await receive())
    except HTTPException as error:  # it is too long
        body.problem = error
    return body


def _again(body: _Body, receive: Receive) -> Receive:
    """Return what receives a body that was read already, and then the rest."""
    messages = iter(body.messages)

    async def received() -> Message:
        if (message := next(messages, None)) is not None:
            return message
        if body.problem is not None:
            raise body.problem
        return await receive()

    return received


def _check_key(key: str, known: bool) -> None:
    if not 0 < len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        raise WebError(f"the Idempotency-Key isn't valid: send 1 to {MAX_KEY} ASCII characters")
    if not known and len(key) < MIN_SECRET:
        raise WebError(
            f"the Idempotency-Key is too short: without a token, send at least {MIN_SECRET} random "
            "characters, since others could guess it"
        )


def _claim_of_key(scope: Scope, key: str, sender: str, body: bytes) -> RequestKey:
    what = digest_of(scope["method"], scope["path"], scope["query_string"], body)
    return RequestKey(digest_of("key", sender, key), what)


def _claim_of_mark(scope: Scope, mark: str, sender: str, body: bytes) -> RequestKey:
    """Return what a form is known by. Filled in differently, the same form is another request."""
    what = digest_of(scope["path"], scope["query_string"], body)
    earlier = digest_of("mark", "", mark, what) if sender and len(mark) >= MIN_SECRET else ""
    return RequestKey(digest_of("mark", sender, mark, what), what, earlier)


def _sent(body: bytes, kind: str) -> bytes:
    """Return what a form contains, without what differs each time it is sent."""
    if (boundary := BOUNDARY.search(kind)) is not None:
        return body.replace(boundary[1].encode("latin-1"), b"")
    return DRAWN.sub(b"", body)
