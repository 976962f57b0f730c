"""Errors of the web server, each with the HTTP status of the answer."""

from __future__ import annotations

from typing import ClassVar

from redouble.kernel.errors import RedoubleError


class WebError(RedoubleError):
    """Base class: the request is invalid."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "That isn't possible"
    retry_after: int = 0
    """Seconds after which it makes sense to try again; 0 if time alone doesn't help."""


class Misdirected(WebError):
    """The request is for another server."""

    status = 421
    title = "Another server"


class NotFound(WebError):
    """There is no such table, page or person."""

    status = 404
    title = "Not found"


class Outdated(NotFound):
    """A table began with rules that this server doesn't have; its record can still be read."""

    title = "This table was closed"

    def __init__(self, said: str, token: str) -> None:
        super().__init__(said)
        self.token = token


class NotYours(WebError):
    """A request acts for a seat, or asks for knowledge, that isn't the sender's."""

    status = 403
    title = "Not allowed"


class Sealed(NotYours):
    """The cards of a deal, for someone who can still play it."""

    title = "Play it first"


class NotYourSeat(NotYours):
    """A page is for a seat that isn't, or is no longer, its visitor's."""


class Overtaken(WebError):
    """Another process has written to the table since this one loaded it."""

    status = 409


class Unknown(WebError):
    """The request needs a known sender and carries no valid token."""

    status = 401
    title = "Who are you?"


class Stale(WebError):
    """The table has changed since the sender looked at it."""

    status = 409
    title = "The table has changed"

    def __init__(self, said: str, for_programs: str = "") -> None:
        super().__init__(said)
        self.for_programs = for_programs or said
        """The same in the words of a request."""


class KeyReused(WebError):
    """A key that marks repeats came with another request before."""

    status = 422
    title = "Another request"


class TooLarge(WebError):
    """A request or a text is too long."""

    status = 413
    title = "Too long"


class TooMuch(WebError):
    """The sender does something too often."""

    status = 429
    title = "Too much"

    def __init__(self, said: str, retry_after: int = 60) -> None:
        super().__init__(said)
        self.retry_after = retry_after


class Busy(WebError):
    """The server has more to do than it can."""

    status = 503
    title = "Busy"
    retry_after = 10


class Full(WebError):
    """There is no room for anything new."""

    status = 503
    title = "Full"
    retry_after = 600


class StoreError(WebError):
    """The change could not be saved; nothing has changed."""

    status = 503
    title = "Not saved"
    retry_after = 5


class Banned(WebError):
    """The operator lets this person only look."""

    status = 403
    title = "Banned"

    def __init__(self, reason: str) -> None:
        super().__init__(f"the operator of this server has banned you from playing here: {reason}")


class OutcomeUnknown(StoreError):
    """The database was lost while the change was being committed, so it may have been saved."""

    title = "Perhaps saved"
