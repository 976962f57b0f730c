"""A table's fair deal: what its players give to it, and the seed that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

from redouble.match.fair import FairDeal, Share, seed_of
from redouble.web.table import events
from redouble.web.table.events import Event
from redouble.web.table.seats import Pledge


def note_share(shares: MutableMapping[int, Share], event: Event) -> None:
    """Note what an event means for the shares, by seat."""
    if isinstance(event, (events.Leave, events.Free)):
        shares.pop(event.seat, None)
    elif isinstance(event, events.PromiseShare):
        shares[event.seat] = Share(seat=event.seat, promise=event.promise)
    elif isinstance(event, events.GiveShare):
        promised = shares.get(event.seat)
        promise = promised.promise if promised else ""
        shares[event.seat] = Share(seat=event.seat, promise=promise, share=event.share)


def fair_deal(
    game: str, rules: int, seats: int, secret: str, pledge: Pledge, shares: Mapping[int, Share]
) -> tuple[str, FairDeal]:
    """Return the seed of a game, and what its record says about it."""
    fair = FairDeal(
        number=pledge.number,
        previous=pledge.previous,
        commitment=pledge.commitment,
        link=pledge.link,
        secret=secret,
        shares=tuple(shares[seat] for seat in sorted(shares)),
    )
    return seed_of(game, rules, seats, secret, fair.shares), fair
