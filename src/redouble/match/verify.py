"""Checks of a fair deal: what a record proves about its cards, in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import RecordError
from redouble.match.fair import FIRST, FairDeal, digest, link_of, seed_of
from redouble.match.record import Record
from redouble.match.replay import replay

__all__ = ["Finding", "Verdict", "verify"]

NOT_CHECKED = (
    "Whether the server showed this commitment before the deal, and left out no share: compare the "
    "commitment, and your own share, with what your page showed.",
    "Whether a share was promised before the others were known: its player can tell.",
    "Whether the server or a player looked at cards that they shouldn't have seen.",
    "Whether these are the moves that were made and the house rules that were chosen, and who made "
    "the moves: another legal game with the same cards would pass.",
    "The names and the notes.",
)
"""What a record alone can't prove. The first sentence is left out if something was noted."""


@dataclass(frozen=True)
class Finding:
    """Something that was checked: a sentence, and whether it is as it should be."""

    good: bool
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """What a record proves."""

    findings: tuple[Finding, ...]
    shares: tuple[str, ...]
    """Who had a part in the cards, in sentences."""
    not_checked: tuple[str, ...] = NOT_CHECKED

    @property
    def fair(self) -> bool:
        """Whether every check passed."""
        return all(one.good for one in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON."""
        return {"fair": self.fair, **asdict(self)}


def verify(record: Record, noted: Sequence[str] = ()) -> Verdict:
    """Check a record of a fair deal.

    ``noted`` are commitments, links and shares that you noted before the end. Raises
    :class:`RecordError` for a record without a fair deal.
    """
    fair = checks.instance(record, Record, "a record", RecordError).fair
    noted = checks.texts(noted, "noted", RecordError)
    if fair is None:
        raise RecordError(
            "nothing to check: the record has no fair deal. Games at a server's tables have one, "
            "except solitaire games and daily deals"
        )
    findings = (
        *_secret(fair),
        *(_known(text, fair) for text in noted),
        *_promises(record, fair),
        _seed(record, fair),
        _game(record),
    )
    return Verdict(findings, tuple(_shares(record, fair)), NOT_CHECKED[bool(noted) :])


def _secret(fair: FairDeal) -> Iterator[Finding]:
    good = digest(fair.secret) == fair.commitment
    yield Finding(
        good,
        "The server's secret fits its commitment."
        if good
        else "The server's secret doesn't fit its commitment: the secret was changed afterwards.",
    )
    first = (fair.number == 1) == (fair.previous == FIRST)
    good = first and link_of(fair.number, fair.previous, fair.commitment) == fair.link
    yield Finding(
        good,
        f"The commitment is linked to the server's others, as number {fair.number}."
        if good
        else "The commitment isn't linked to the server's others as the record says: its number, "
        "or the link before it, was changed.",
    )


def _known(noted: str, fair: FairDeal) -> Finding:
    kinds = {fair.commitment: "commitment", fair.link: "link"}
    kinds |= {one.promise: "promise" for one in fair.shares}
    kinds |= {one.share: "share" for one in fair.shares}
    text = noted.strip().lower()
    if text and text in kinds:
        return Finding(True, f"What you noted is this deal's {kinds[text]}: {_short(text)}")
    return Finding(False, f"What you noted has no part in this deal: {_short(text)}")


def _promises(record: Record, fair: FairDeal) -> Iterator[Finding]:
    for one in fair.shares:
        if one.seat >= len(record.seats):
            yield Finding(False, f"A share is from player {one.seat + 1}, who doesn't exist.")
        elif one.promise and one.share:
            good = digest(one.share) == one.promise
            name = _name(record, one.seat)
            words = "is the one that was promised" if good else "isn't the one that was promised"
            yield Finding(good, f"The share of {name} {words}.")


def _seed(record: Record, fair: FairDeal) -> Finding:
    if record.deck is not None:
        return Finding(False, "The cards were stacked: the record has a deck of its own.")
    seats = len(record.seats)
    seed = seed_of(record.game, record.rules, seats, fair.secret, fair.shares)
    if seed == record.seed:
        return Finding(True, "The secret and the shares give the seed that the cards come from.")
    return Finding(
        False,
        "The secret and the shares don't give the seed that the cards come from: the game, the "
        "seed or a share was changed.",
    )


def _game(record: Record) -> Finding:
    try:
        match = replay(record)
    except RecordError as error:
        said = str(error).removeprefix("line 1: ")
        return Finding(False, f"The game can't be played again from this seed: {said}.")
    if match.turn is None and record.ranks is None:
        return Finding(False, "The game is over, and the record has no result.")
    how = "to its end" if match.turn is None else "as far as the record goes"
    return Finding(True, f"Every move is legal with these cards, {how}.")


def _shares(record: Record, fair: FairDeal) -> Iterator[str]:
    gave = [one.seat for one in fair.shares if one.share and one.seat < len(record.seats)]
    broke = [one.seat for one in fair.shares if not one.share and one.seat < len(record.seats)]
    if gave:
        names = _names(record, gave)
        yield f"{names} gave a share: the server couldn't choose the cards against them."
    for seat in broke:
        yield f"{_name(record, seat)} promised a share and didn't reveal it, so it doesn't count."
    others = [seat for seat in range(len(record.seats)) if seat not in gave and seat not in broke]
    if others and gave:
        yield f"{_names(record, others)} gave no share, and had no part in the cards."
    if not gave:
        yield (
            "No player gave a share: the cards come from the server's secret alone, so a dishonest "
            "server could have chosen it before it committed to it."
        )


def _names(record: Record, seats: list[int]) -> str:
    return checks.joined([_name(record, seat) for seat in seats])


def _name(record: Record, seat: int) -> str:
    return " ".join(checks.printable(record.seats[seat]).split()) or f"Player {seat + 1}"


def _short(text: str) -> str:
    shown = checks.printable(text, 16)
    return f"{shown}." if shown == text else shown
