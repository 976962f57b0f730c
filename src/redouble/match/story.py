"""The moves of a match in words, as each reader may hear them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from redouble.contract.moments import Headline
from redouble.contract.outcome import Ending
from redouble.contract.view import View
from redouble.kernel import checks
from redouble.kernel.errors import InputError, OutOfRange, SeatsError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match, Moment

__all__ = ["Story", "StoryLine"]

YOU = "You"
"""What a page or a terminal calls its reader."""
KEPT_WORDS = 8192
"""Moves in words that are kept, since every page repeats them."""
_SUBJECT = re.compile(r"\{(\d+)\}('s)?([^;{.]*)")
"""A seat, and the words about it up to the next subject."""
_VERB = re.compile(r"(^ ?(?:no longer |still )?|, (?:and )?| and )([a-z]+(?:s|n't))(?=[ ,:]|$)")
_IRREGULAR = {
    **{"is": "are", "isn't": "aren't", "was": "were", "wasn't": "weren't", "has": "have"},
    **{"hasn't": "haven't", "doesn't": "don't"},
}
_ENDINGS = {"ies": "y", **{f"{sound}es": sound for sound in ("ss", "sh", "ch", "x", "o")}, "s": ""}
"""How a verb's third person ends, and what it ends in without; the longest first."""


@dataclass(frozen=True)
class StoryLine:
    """A move in words: who made it and what was done."""

    seat: int
    text: str
    fresh: bool = True
    """Whether the reader has made no decision since."""
    own: bool = False
    """Whether it is the reader's own move, whose words follow ``YOU``."""


def last_move(match: Match, names: Sequence[str], reader: int | None) -> str:
    """Return the last move in words without a subject, as ``reader`` may hear it.

    ``names`` are the players' names, by seat. ``SPECTATOR`` hears what everybody hears, None
    everything. Empty at the start. Raises :class:`SeatsError` or :class:`InputError`.
    """
    names = _names_of(checks.instance(match, Match, "match"), names)
    return _with_names(match.tell(reader), names)


def last_moments(match: Match, names: Sequence[str], reader: int | None) -> tuple[Moment, ...]:
    """Return what there was to see in the middle of the last move, with the players' names.

    ``names`` and ``reader`` are those of :func:`last_move`, and so are the errors.
    """
    names = _names_of(checks.instance(match, Match, "match"), names)
    return tuple(
        replace(one, title=_with_names(one.title, names), detail=_with_names(one.detail, names))
        for one in match.moments(reader)
    )


def headlines_since(
    match: Match, names: Sequence[str], reader: int | None, since: int
) -> tuple[tuple[Headline, ...], ...]:
    """Return the headlines of the moments of each move from ply ``since`` on.

    ``names`` and ``reader`` are those of :func:`last_move`, and so are the errors. Raises
    :class:`OutOfRange` too, if the match has not reached that ply.
    """
    names = _names_of(checks.instance(match, Match, "match"), names)
    return tuple(
        tuple(Headline(_with_names(h.title, names), _with_names(h.detail, names)) for h in move)
        for move in match.headlines(since, reader)
    )


def ending_in_words(match: Match, names: Sequence[str], reader: int | None) -> Ending | None:
    """Return what decided the match, with the players' names; None while it isn't over.

    ``names`` and ``reader`` are those of :func:`last_move`, and so are the errors.
    """
    names = _names_of(checks.instance(match, Match, "match"), names)
    ending = match.ending(reader)
    if ending is None:
        return None
    notes = tuple(_with_names(note, names) for note in ending.notes)
    return Ending(_with_names(ending.decided, names), notes)


@lru_cache(maxsize=KEPT_WORDS)
def move_in_words(told: str, names: tuple[str, ...], mover: int, reader: int | None = None) -> str:
    """Return what follows the mover's name, or ``YOU`` if the reader has moved.

    ``told`` has seats for names, as :meth:`Match.tell` returns them. With ``plays the red 7; {1}
    takes red and leads`` the mover reads ``play the red 7; Ben takes red and leads``, and seat 1
    ``plays the red 7; you take red and lead``. Without a ``reader`` everyone is named.
    """
    if mover == reader:
        own, rest = told[: (end := _end_of_clause(told))], told[end:]
        told = _to_you(own).replace(" their ", " your ") + rest.replace(" they ", " you ")
    return _with_names(told, names, reader)


def called(names: Sequence[str], reader: int) -> tuple[str, ...]:
    """Return the players' names, with ``YOU`` for the reader; a spectator has none."""
    return tuple(YOU if seat == reader else name for seat, name in enumerate(names))


def midsentence(words: str) -> str:
    """Return a move in words as it reads within a sentence: ``play the red 7``."""
    return checks.text(words, "words")[:1].lower() + words[1:]


def line_in_words(match: Match, moves: Sequence[str]) -> str:
    """Return moves that could be made one after the other, in words, equal ones counted.

    For instance ``flip a card (3 times), play 8♥ from cell 3``. Raises :class:`IllegalMove`.
    """
    at, words = checks.instance(match, Match, "match").copy(), []
    for move in checks.texts(moves, "moves"):
        words.append(midsentence(at.describe(move)))
        at.push(move)
    runs = [(one, len(list(run))) for one, run in groupby(words)]
    return ", ".join(one if times == 1 else f"{one} ({times} times)" for one, times in runs)


def ties_broken(view: View, names: Sequence[str]) -> list[str]:
    """Return a sentence for each tie in points that another number broke, best ranks first.

    For instance ``Tie broken by dots left in hand: Ada 29, Ben 23.`` ``names`` are the players'
    names, by seat. Empty before the end, and in games without such a rule. Raises
    :class:`InputError`.
    """
    names = _names_of(checks.instance(view, View, "view"), names)
    if not view.outcome or not view.tie_break:
        return []
    ranks, scores = view.outcome["ranks"], view.outcome["scores"]
    broken_by = ""
    tied: dict[int | None, list[tuple[int, str]]] = {}
    for seat in sorted(range(view.seats), key=lambda seat: ranks[seat]):
        for fact in view.facts_of(seat):
            if fact.kind == view.tie_break:
                broken_by = fact.name
                score = scores[seat] if scores else None
                tied.setdefault(score, []).append((ranks[seat], f"{names[seat]} {fact.text}"))
    return [
        f"Tie broken by {broken_by}: {', '.join(text for _, text in seats)}."
        for seats in tied.values()
        if seats[0][0] != seats[-1][0]
    ]


class Story:
    """The moves made since a match was handed over, in words for several readers and a spectator.

    ``names`` are the players' names, by seat; without them, those of the match. With ``you``, a
    reader's own are ``YOU``. Raises :class:`SeatsError` or :class:`InputError`.
    """

    def __init__(
        self,
        match: Match,
        readers: Iterable[int],
        names: Sequence[str] | None = None,
        *,
        you: bool = False,
    ) -> None:
        self._match = checks.instance(match, Match, "match")
        self.names = match.names if names is None else _names_of(match, names)
        self._first_ply = match.ply
        self._you = you is True
        if isinstance(readers, (str, bytes)) or not isinstance(readers, Iterable):
            raise checks.wrong("readers", readers, "a list of seats", SeatsError)
        self._readers = [*dict.fromkeys([*map(self._checked_seat, readers), SPECTATOR])]
        self._moves: list[dict[int, StoryLine]] = []

    def hear(self, mover: int) -> None:
        """Take in the match's last move, which ``mover`` made.

        Raises :class:`SeatsError`, or :class:`OutOfRange` if all moves have been heard.
        """
        match = self._match
        if self._checked_seat(mover) == SPECTATOR:
            raise SeatsError("a spectator makes no move: give the seat that did")
        if match.ply - self._first_ply != len(self._moves) + 1:
            raise OutOfRange("there is no new move to hear: call hear() once after each move")
        self._moves.append({reader: self._line(mover, reader) for reader in self._readers})

    def _line(self, mover: int, reader: int) -> StoryLine:
        told = self._match.tell(reader)
        own = self._you and mover == reader
        words = move_in_words(told, self.names, mover, reader if self._you else None)
        return StoryLine(mover, words, own=own)

    def forget(self) -> None:
        """Drop the moves that the match has undone."""
        self._first_ply = min(self._first_ply, self._match.ply)
        del self._moves[self._match.ply - self._first_ply :]

    def lines(self, reader: int, since: int) -> list[StoryLine]:
        """Return the moves as this reader heard them; those from ply ``since`` on are fresh.

        Raises :class:`SeatsError` or :class:`InputError`.
        """
        since = checks.whole(since, "since")
        heard = [move[self._checked_reader(reader)] for move in self._moves]
        return [replace(one, fresh=ply >= since) for ply, one in enumerate(heard, self._first_ply)]

    def last(self, reader: int) -> str:
        """Return the last move as a sentence.

        Raises :class:`SeatsError`, or :class:`OutOfRange` if no move has been heard.
        """
        reader = self._checked_reader(reader)
        if not self._moves:
            raise OutOfRange("no move has been heard: call hear() after each move")
        one = self._moves[-1][reader]
        return f"{YOU if one.own else self.names[one.seat]} {one.text}."

    def _checked_seat(self, seat: object) -> int:
        return checks.whole(seat, "seat", SPECTATOR, self._match.seats - 1, SeatsError)

    def _checked_reader(self, reader: object) -> int:
        return checks.one_of(reader, self._readers, "reader", SeatsError)


def _with_names(text: str, names: Sequence[str], reader: int | None = None) -> str:
    """Return a text with names for seats, and with "you" for the reader's own."""

    def named(found: re.Match[str]) -> str:
        seat, owns, about = int(found[1]), found[2] or "", found[3]
        if seat != reader:
            return f"{names[seat]}{owns}{about}"
        you = "your" if owns else "you"
        first = not found.start() or text[: found.start()].endswith(". ")
        does = not owns and _VERB.match(about)
        return (you.capitalize() if first else you) + (_to_you(about) if does else about)

    return _SUBJECT.sub(named, text)


def _end_of_clause(told: str) -> int:
    return min((at for mark in ";{" if (at := told.find(mark)) >= 0), default=len(told))


def _to_you(clause: str) -> str:
    """Return a clause with its verbs as they follow "you"."""
    return _VERB.sub(lambda verb: verb[1] + _second_person(verb[2]), clause)


def _second_person(verb: str) -> str:
    if verb in _IRREGULAR or not verb.endswith("s"):
        return _IRREGULAR.get(verb, verb)
    end = next((end for end in _ENDINGS if verb.endswith(end)), "")
    return verb if verb.endswith("ss") else verb.removesuffix(end) + _ENDINGS[end]


def _names_of(match: Match | View, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(match, Match) and names is match.names:
        return match.names
    checked = checks.texts(names, "names")
    if len(checked) != match.seats:
        raise InputError(f"names: {len(checked)} names, expected {match.seats}: one per seat")
    return checked
