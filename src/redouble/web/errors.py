"""Errors of the web server, each with the HTTP status of the answer."""

from typing import ClassVar

from redouble.kernel.errors import RedoubleError


class WebError(RedoubleError):
    """Base class: the request is invalid. A subclass names its status and title with its bases."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "That isn't possible"
    retry_after: int = 0
    """Seconds after which it makes sense to try again; 0 if time alone doesn't help."""

    def __init_subclass__(cls, status: int = 0, title: str = "", retry_after: int = 0) -> None:
        super().__init_subclass__()
        cls.status, cls.title = status or cls.status, title or cls.title
        cls.retry_after = retry_after or cls.retry_after


class Misdirected(WebError, status=421, title="Another server"):
    """The request is for another server."""


class NotFound(WebError, status=404, title="Not found"):
    """There is no such table, page or person."""


class Outdated(NotFound, title="This table was closed"):
    """A table began with rules that this server doesn't have; its record can still be read."""

    def __init__(self, said: str, token: str) -> None:
        super().__init__(said)
        self.token = token


class NotYours(WebError, status=403, title="Not allowed"):
    """A request acts for a seat, or asks for knowledge, that isn't the sender's."""


class Sealed(NotYours, title="Play it first"):
    """The cards of a deal, for someone who can still play it."""


class NotYourSeat(NotYours):
    """A page is for a seat that isn't, or is no longer, its visitor's."""


class Overtaken(WebError, status=409):
    """Another process has written to the table since this one loaded it."""


class Unknown(WebError, status=401, title="Who are you?"):
    """The request needs a known sender and carries no valid token."""


class Stale(WebError, status=409, title="The table has changed"):
    """The table has changed since the sender looked at it."""

    def __init__(self, said: str, for_programs: str = "") -> None:
        super().__init__(said)
        self.for_programs = for_programs or said
        """The same in the words of a request."""


class KeyReused(WebError, status=422, title="Another request"):
    """A key that marks repeats came with another request before."""


class TooLarge(WebError, status=413, title="Too long"):
    """A request or a text is too long."""


class TooMuch(WebError, status=429, title="Too much"):
    """The sender does something too often."""

    def __init__(self, said: str, retry_after: int = 60) -> None:
        super().__init__(said)
        self.retry_after = retry_after


class Busy(WebError, status=503, title="Busy", retry_after=10):
    """The server has more to do than it can."""


class Full(WebError, status=503, title="Full", retry_after=600):
    """There is no room for anything new."""


class StoreError(WebError, status=503, title="Not saved", retry_after=5):
    """The change could not be saved; nothing has changed."""


class Banned(WebError, status=403, title="Banned"):
    """The operator lets this person only look."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the operator of this server has banned you from playing: {reason}")


class OutcomeUnknown(StoreError, title="Perhaps saved"):
    """The database was lost while the change was being committed, so it may have been saved."""
