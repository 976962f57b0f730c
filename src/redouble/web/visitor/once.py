"""Carries out a request once that is sent several times; see :mod:`redouble.web.people.repeats`."""

import re
from collections.abc import Awaitable, Callable
from io import BytesIO
from urllib.parse import parse_qsl

from python_multipart import parse_form
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from redouble.web.errors import WebError
from redouble.web.people.repeats import MAX_ANSWER, MIN_SECRET, KeptAnswer, RequestKey, digest_of
from redouble.web.visitor import first_act, know, sender_of, shown_token, site_of, visitor, welcome

HEADER = "idempotency-key"
"""What programs send."""
MAX_KEY, MAX_FIELDS = 255, 1000
"""Characters of that, and fields of a form; one with more has no mark, and is refused later."""
FORMS = "application/x-www-form-urlencoded", "multipart/form-data"
MARK = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What the field ``once`` of a form holds."""
DRAWN = ("share", "promise")
"""What a page's script adds to a form, which may come too late for the first of two taps."""
Fields = list[tuple[str, str]]
"""Of a form, by name."""
Serve = Callable[[Scope, Receive, Send], Awaitable[None]]


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
    body, again = await _read(receive)
    request = Request(scope)
    site, sender = site_of(request), sender_of(request)
    if key is not None:
        _check_key(key, known=bool(sender))
        what = digest_of(scope["method"], scope["path"], scope["query_string"], body)
        claim = RequestKey(digest_of("key", sender, key), what)
    else:
        fields = _fields(body, kind)
        mark = next((value for name, value in fields if name == "once"), "")
        mark = mark if MARK.fullmatch(mark) else ""
        if not sender:
            if len(mark) < MIN_SECRET:
                mark = ""
            else:
                await first_act(request, mark)
        if not mark:
            await serve(scope, again, send)
            return
        claim = _claim_of_mark(scope, mark, sender, fields)
    person = await visitor(request)
    answer = await site.repeats.begin(claim, person.id if person else "")
    if answer is not None and (person or not shown_token(request) or not answer.body):
        if answer.cookie is not None:
            know(request, answer.cookie)
        await _send(answer, send)
    elif answer is not None:  # of a session that has ended since: nobody may read it any more
        await serve(scope, again, send)
    else:
        await _carry_out(scope, again, send, serve, claim)


async def _carry_out(
    scope: Scope, receive: Receive, send: Send, serve: Serve, claim: RequestKey
) -> None:
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


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """Read a body, and return it with what receives it again, and then the rest."""
    messages: list[Message] = []
    problem: HTTPException | None = None
    try:
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
    except HTTPException as error:  # it is too long, which is for whoever asks for it
        problem = error
    left = iter(messages)

    async def again() -> Message:
        if (message := next(left, None)) is not None:
            return message
        if problem is not None:
            raise problem
        return await receive()

    return b"".join(message.get("body", b"") for message in messages), again


def _check_key(key: str, known: bool) -> None:
    if not 0 < len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        raise WebError(f"the Idempotency-Key isn't valid: send 1 to {MAX_KEY} ASCII characters")
    if not known and len(key) < MIN_SECRET:
        raise WebError(
            f"the Idempotency-Key is too short: without a token, send at least {MIN_SECRET} random "
            "characters, since others could guess it"
        )


def _claim_of_mark(scope: Scope, mark: str, sender: str, fields: Fields) -> RequestKey:
    """Return what a form is known by. Filled in differently, the same form is another request."""
    filled = [part for name, value in fields if name not in DRAWN for part in (name, value)]
    what = digest_of(scope["path"], scope["query_string"], *filled)
    earlier = digest_of("mark", "", mark, what) if sender and len(mark) >= MIN_SECRET else ""
    return RequestKey(digest_of("mark", sender, mark, what), what, earlier)


def _fields(body: bytes, kind: str) -> Fields:
    """Return the fields of a form and the contents of its files; none if it can't be read."""
    found: Fields = []

    def note(one: Field | File) -> None:
        if len(found) == MAX_FIELDS:
            raise FormParserError("there are too many fields")
        if isinstance(one, File):
            one.file_object.seek(0)
        value = one.file_object.read() if isinstance(one, File) else one.value
        found.append(((one.field_name or b"").decode("latin-1"), (value or b"").decode("latin-1")))
        one.close()

    try:
        if kind.startswith(FORMS[0]):
            text = body.decode("latin-1")
            return parse_qsl(text, True, errors="surrogateescape", max_num_fields=MAX_FIELDS)
        parse_form({"Content-Type": kind.encode("latin-1")}, BytesIO(body), note, note)
    except (FormParserError, ValueError):
        return []
    return found
