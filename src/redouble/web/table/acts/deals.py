"""Fair deals: what players give to the seed, and when the cards are dealt."""

from collections.abc import MutableMapping
from typing import Annotated

from pydantic import Field

from redouble.kernel.errors import RecordError
from redouble.match.fair import Share, check_digits, digest
from redouble.web.errors import Stale, WebError
from redouble.web.table.acts.base import Act, Digits, Event, Sender
from redouble.web.table.parts import TABLE
from redouble.web.table.state import Table

_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class PromiseShare(Event):
    """A person promises a share of a fair deal, by its SHA-256."""

    kind = "promise"
    allowed_when_full = True

    promise: _Digest

    def change(self, table: Table) -> None:
        note_share(table.shares, self)


class GiveShare(Event):
    """A person gives a share of a fair deal: the one that they promised, or one at once."""

    kind = "share"
    allowed_when_full = True

    share: _Digest

    def change(self, table: Table) -> None:
        note_share(table.shares, self)


class Revealing(Act):
    """The share that you have promised."""

    name, summary = "reveal", "Reveal your share of the deal"
    about = """Do it within ten seconds of `fair.owed`: then the cards are dealt without it.
    Doing it twice changes nothing.
    """

    share: Digits

    def events(self, table: Table, sender: Sender) -> list[Event]:
        """Raises :class:`Stale` before all seats are taken: later players mustn't know it."""
        share = _checked(self.share, "share")
        promise = digest(share)
        for seat in sender.seats(table):
            promised = table.shares.get(seat)
            if promised is not None and promised.promise == promise:
                if table.owes_share(seat):
                    return [GiveShare(seat=seat, share=share)]
                if table.gathering:
                    raise Stale("keep your share until every seat is taken")
                return []
        raise WebError("this isn't the share that you promised")


class Deal(Event):
    """The cards of a fair deal are dealt, from the server's secret and the shares so far."""

    kind = "deal"
    changes_position = allowed_when_full = True

    def change(self, table: Table) -> None:
        table.deal()


def note_share(shares: MutableMapping[int, Share], event: Event) -> None:
    """Note what an event means for the shares, by seat."""
    if event.opens_seat:
        shares.pop(event.seat, None)
    elif isinstance(event, PromiseShare):
        shares[event.seat] = Share(seat=event.seat, promise=event.promise)
    elif isinstance(event, GiveShare):
        promised = shares.get(event.seat)
        promise = promised.promise if promised else ""
        shares[event.seat] = Share(seat=event.seat, promise=promise, share=event.share)


def part_in_deal(seat: int, share: str, promise: str = "") -> GiveShare | PromiseShare | None:
    """Give a share of a fair deal at once, or promise one. Raises :class:`WebError`."""
    if promise:
        return PromiseShare(seat=seat, promise=_checked(promise, "promise"))
    return GiveShare(seat=seat, share=_checked(share, "share")) if share else None


def deal(table: Table) -> list[Event]:
    """Deal the cards now, without the shares that haven't been revealed in time."""
    return [Deal(seat=TABLE)] if table.dealing else []


def _checked(text: str, what: str) -> str:
    try:
        return check_digits(text, f"the {what}")
    except RecordError as error:
        raise WebError(str(error)) from None
