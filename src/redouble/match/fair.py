"""Fair deals: how the seed of a game is made so that nobody can choose the cards.

The server draws a secret and shows its *commitment*, the SHA-256 of it, before anyone plays. Then
players give *shares*, random texts of their own. The seed is the SHA-256 of what is played, the
secret and the shares. So the server can't choose the cards, because it was bound to its secret
before it saw a share, and players can't, because they don't know the secret.

Where several people give shares, each first gives a *promise*, the SHA-256 of the share, and
reveals the share when all have promised. So the last one can't choose with the others' in view.

Each commitment is *linked* to the one before it, so a server can't take one back unnoticed.

Every hash here is over ASCII text, so that anyone can compute it with any tool. ``docs/fair.md``
says what this protects against and what it doesn't; :mod:`redouble.match.verify` checks it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from redouble.kernel import checks
from redouble.kernel.border import JsonShape
from redouble.kernel.errors import RecordError

__all__ = ["FIRST", "FairDeal", "Share"]
# The functions are what tables and checks are made with, so they check nothing.

FIRST = "0" * 64
"""What stands for the link before the first commitment of a server."""
MAX_SHARES = 64
"""Shares of a deal."""
SCHEME = "redouble fair deal 1"
"""Stands in every seed, so that another scheme would give other seeds."""
_HEX = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Share(JsonShape):
    """What a player gave to the deal.

    ``promise`` is empty when the share was given at once: the only player's, or the last one's.
    ``share`` is empty when a player promised one and didn't reveal it in time.
    Raises :class:`RecordError` unless each is empty or 64 hexadecimal digits, and one is given.
    """

    seat: int
    promise: str = ""
    share: str = ""

    def __post_init__(self) -> None:
        checks.whole(self.seat, "a share's seat", 0, error=RecordError)
        for what in ("promise", "share"):
            value = getattr(self, what)
            if not isinstance(value, str) or value:
                check_digits(value, f"a {what}")
        if not self.promise and not self.share:
            raise RecordError("a share is empty: leave it out")


@dataclass(frozen=True, kw_only=True)
class FairDeal(JsonShape):
    """How the seed of a game came about.

    Raises :class:`RecordError` if a field doesn't have its form; whether the fields fit together is
    checked by :func:`redouble.match.verify.verify`.
    """

    number: int
    """Counts the commitments of a server, from 1."""
    previous: str
    """The link of the commitment before it; ``FIRST`` for the first one."""
    commitment: str
    """The SHA-256 of the secret, shown before the deal."""
    link: str
    """What the server's next commitment names as the previous one."""
    secret: str
    """What the server drew: 64 hexadecimal digits."""
    shares: tuple[Share, ...] = ()
    """By ascending seat."""

    def __post_init__(self) -> None:
        checks.whole(self.number, "the number", 1, error=RecordError)
        for what in ("previous", "commitment", "link", "secret"):
            check_digits(getattr(self, what), what)
        shares = checks.items(self.shares, "shares", "shares", RecordError)
        if len(shares) > MAX_SHARES:
            raise RecordError(f"{len(shares)} shares are too many: give at most {MAX_SHARES}")
        for one in shares:
            checks.instance(one, Share, "a share", RecordError)
        seats = [one.seat for one in shares]
        if seats != sorted(set(seats)):
            raise RecordError("shares are not in the order of their seats, one for each")
        object.__setattr__(self, "shares", shares)


def digest(text: str) -> str:
    """Return the SHA-256 of a text as 64 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def link_of(number: int, previous: str, commitment: str) -> str:
    """Return the link of a commitment: the SHA-256 of its number, the link before it and itself."""
    return digest(f"{number} {previous} {commitment}")


def seed_of(game: str, rules: int, seats: int, secret: str, shares: Iterable[Share]) -> str:
    """Return the seed of a game: the SHA-256 of all these, as JSON without spaces.

    Promises count, too, also those that weren't kept: so none can be added to a record later, or
    left out.
    """
    given = [[one.seat, one.share, *filter(None, [one.promise])] for one in shares]
    parts = [SCHEME, game, rules, seats, secret, given]
    return digest(json.dumps(parts, separators=(",", ":")))


def check_digits(value: object, what: str) -> str:
    """Return a text of 64 hexadecimal digits. Raises :class:`RecordError` for anything else."""
    text = checks.text(value, what, RecordError)
    if not _HEX.fullmatch(text):
        raise RecordError(f"{what} isn't 64 hexadecimal digits: {checks.quoted(text)}")
    return text
