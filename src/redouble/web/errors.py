"""What can go wrong at a table on the network, each with the status that a request gets."""

from __future__ import annotations

from typing import ClassVar

from redouble.kernel.errors import RedoubleError


class WebError(RedoubleError):
    """Base: the request makes no sense as it stands."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "That cannot be done"


class NotFound(WebError):
    """There is no such table, page or person."""

    status = 404
    title = "Nothing is here"


class NotYours(WebError):
    """Somebody acts for a seat, or asks for knowledge, that is not theirs."""

    status = 403
    title = "That is not yours to do"


class Unknown(WebError):
    """The request needs to come from somebody, and carries no valid identity."""

    status = 401
    title = "Who are you?"


class Stale(WebError):
    """The table has moved on since the page that this came from was made."""

    status = 409
    title = "The table has moved on"


class TooLarge(WebError):
    """A body or a text is longer than is taken."""

    status = 413
    title = "Too large"


class TooMuch(WebError):
    """Somebody does something too often."""

    status = 429
    title = "Slower, please"


class StoreError(WebError):
    """What should have been kept could not be written; nothing has changed."""

    status = 503
    title = "It could not be saved"
