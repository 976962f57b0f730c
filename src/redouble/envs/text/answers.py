"""Which legal move an answer in words means.

A reader forgives what people forgive: case, spaces, quotes, Markdown, a sentence around the move,
JSON, brackets, and the move in words. It never guesses: an answer that could mean two legal moves
means none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import IllegalMove
from redouble.match.match import Match, listed

__all__ = ["MAX_ANSWER", "Answer", "AnswerReader"]

MAX_ANSWER = 20_000
"""Characters of an answer after its thoughts; a longer one is unreadable."""
MAX_LISTED = 12
"""Moves that a reason lists."""

_KEYS = ("move", "action", "final_answer", "answer", "choice", "play")
_TAGGED = re.compile(r"<(move|action|answer)>(.{0,200}?)</\1>|\\boxed\{([^{}]*)\}", re.I | re.S)
_LABELED = re.compile(
    r"^[ \t*_#>`-]*(?:(?:my|the|final|best|chosen)\s+)*"
    r"(?:move|action|answer|choice)[\s*_`]*[:=](.+)$",
    re.I | re.M,
)
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_MARKED = re.compile(r"\*\*([^*\n]+)\*\*|`([^`\n]+)`|[\"“]([^\"“”\n]+)[\"”]")
_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.I | re.S)
_TOKEN = re.compile(r"[^\s,;:!?\"“”`(){}\[\]<>*#=|…—]+")
_PARENTHESES = re.compile(r"\([^()]*\)")
_OF_SUIT = re.compile(r"\b(\w+)\s+of\s+(spades|hearts|diamonds|clubs)\b")
_FIGURES = {"ace": "a", "jack": "j", "queen": "q", "king": "k"}
_SAME = str.maketrans(
    {"−": "-", "–": "-", "\u2010": "-", "\u2011": "-", "_": " ", "\ufe0f": None, "’": "'"}
    | {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
)
_FILLERS = frozenset({"the", "a", "an", "my", "one", "card"})
"""Words without a meaning of their own in a move."""
_LEADS = frozenset(
    (
        *("i", "i'll", "i'd", "i'm", "we", "we'll", "let", "let's", "me", "will", "would"),
        *("like", "want", "going", "to", "choose", "choosing", "pick", "select", "play"),
        *("playing", "move", "action", "answer", "choice", "final", "best", "is", "so", "then"),
        *("therefore", "thus", "now", "ok", "okay", "sure", "please", "thanks", "thank", "you"),
    )
)
"""Words around a move that say no more than that it is one."""
_VERBS = frozenset(
    (
        *("play", "playing", "choose", "choosing", "pick", "picking", "select", "selecting"),
        *("place", "placing", "put"),
    )
)
"""Words after which a card or a number is a move."""
_NEGATIONS = frozenset(
    (
        *("not", "never", "no", "don't", "won't", "can't", "cannot", "shouldn't", "avoid"),
        *("without",),
    )
)
"""Words after which a move may be one that is not made."""

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What an answer means: a legal action, or why it means none."""

    action: int | None
    fault: str = ""
    """``illegal``, ``ambiguous`` or ``unreadable``; empty if the action is legal."""
    reason: str = ""
    """The fault in a sentence for the player."""


class AnswerReader:
    """Reads answers of the seat to move in a match, as the match stands now.

    Raises :class:`~redouble.kernel.errors.IllegalMove` if the game is over.
    """

    def __init__(self, match: Match) -> None:
        self._match = checks.instance(match, Match, "match")
        if match.turn is None:
            raise IllegalMove("there is no answer to read: the game is over")
        self._named: dict[Phrase, set[int]] = {}
        self._worded: dict[Phrase, set[int]] = {}
        self._moves = list(zip(match.legal_moves.actions, match.legal_moves, strict=True))
        for action, move in self._moves:
            self._named.setdefault(_phrase(move), set()).add(action)

    def read(self, text: str) -> Answer:
        """Return what an answer means. Raises :class:`~redouble.kernel.errors.InputError`."""
        text = checks.text(text, "answer")
        exact = self._match.legal_moves.action(text.strip())
        if exact is not None:
            return Answer(exact)
        text = _THOUGHT.sub("", text, 1)
        if len(text) > MAX_ANSWER:
            reason = f"the answer is longer than {MAX_ANSWER} characters"
            return Answer(None, "unreadable", reason)
        self._learn_words()
        tagged = [(inner or boxed).strip() for _, inner, boxed in _TAGGED.findall(text)]
        labeled = [found.strip() for found in _LABELED.findall(text)]
        for marked in (_from_json(text), tagged, labeled):
            if marked:
                return self._decide(marked)
        if brackets := [found.strip() for found in _BRACKETED.findall(text)]:
            decided = self._decide(brackets)
            if decided.fault != "unreadable":
                return decided
        lines = [line for line in text.splitlines() if line.strip()]
        one_line = len(lines) == 1
        meant = {action for line in lines for action in self._whole(_phrase(line), one_line)}
        mentioned = self._mentioned(text)
        if len(meant) == 1 and (one_line or mentioned <= meant):
            return Answer(meant.pop())
        if len(meant | mentioned) > 1:
            return self._ambiguous(meant | mentioned)
        if mentioned and self._surely_mentioned(text):
            return Answer(mentioned.pop())
        return self._not_legal([text])

    def _learn_words(self) -> None:
        """Put the moves into words, the first time that an answer isn't the text of a move."""
        moves, self._moves = self._moves, []
        for action, move in moves:
            words = _phrase(_PARENTHESES.sub(" ", self._match.describe(move)))
            bare = words[1:]
            for phrase in (words, bare, bare[1:] if bare[:1] == ("with",) else ()):
                if phrase and phrase not in self._named:
                    self._worded.setdefault(phrase, set()).add(action)

    def _decide(self, candidates: Iterable[str]) -> Answer:
        """Return the one move that texts marked as the move mean."""
        texts = list(candidates)
        meant: set[int] = set()
        for text in texts:
            exact = self._match.legal_moves.action(text.strip())
            one = {exact} if exact is not None else self._whole(_phrase(text))
            if not one and self._surely_mentioned(text):
                one = self._mentioned(text)
            meant |= one
        if len(meant) == 1:
            return Answer(meant.pop())
        return self._ambiguous(meant) if meant else self._not_legal(texts)

    def _whole(self, words: Phrase, beginnings: bool = True) -> set[int]:
        """Return the actions that a whole text may mean, by all their words or the first ones."""
        while words and words[-1] in ("please", "thanks"):
            words = words[:-1]
        while words:
            for phrases in (self._named, self._worded):
                if words in phrases:
                    return phrases[words]
            begun = {
                action
                for phrases in (self._named, self._worded)
                for phrase, actions in phrases.items()
                if phrase[: len(words)] == words
                for action in actions
            }
            if begun and beginnings:
                return begun
            if words[0] not in _LEADS:
                break
            words = words[1:]
        return set()

    def _mentions(self, text: str) -> Iterator[tuple[int, Phrase, Phrase]]:
        """Yield each mention of a legal move: its place, its phrase, and all words of the text.

        A phrase within a longer one is no mention.
        """
        words = _phrase(text, keep_fillers=False)
        longest = max(map(len, (*self._named, *self._worded)), default=0)
        at = 0
        while at < len(words):
            for n in range(min(longest, len(words) - at), 0, -1):
                phrase = words[at : at + n]
                if phrase in self._named or phrase in self._worded:
                    yield at, phrase, words
                    at += n - 1
                    break
            at += 1

    def _mentioned(self, text: str) -> set[int]:
        return {
            action
            for _, phrase, _ in self._mentions(text)
            for action in self._named.get(phrase) or self._worded[phrase]
        }

    def _surely_mentioned(self, text: str) -> bool:
        """Return whether a text says that a move is made, and not only a number or a name.

        A mention is sure if it has several words, follows a verb or is marked by quotes or
        Markdown. A text with a negation is never sure.
        """
        if _NEGATIONS & set(_phrase(text)):
            return False
        marked = {_phrase("".join(groups)) for groups in _MARKED.findall(text)}
        return any(
            len(phrase) > 1 or (at and words[at - 1] in _VERBS) or phrase in marked
            for at, phrase, words in self._mentions(text)
        )

    def _ambiguous(self, actions: set[int]) -> Answer:
        moves = listed(map(self._match.legal_moves.name, sorted(actions)), MAX_LISTED)
        return Answer(None, "ambiguous", f"the answer could mean several legal moves: {moves}")

    def _not_legal(self, texts: Iterable[str]) -> Answer:
        """Return whether texts name a move that is illegal now, or none at all."""
        parse, state = self._match.game.text.parse, self._match.seen_by(self._match.turn)
        for text in texts:
            words = _phrase(text)
            while words and words[0] in _LEADS:
                words = words[1:]
            for move in (text.strip(), " ".join(words), " ".join(words).upper()):
                if move and parse(state, move) >= 0:
                    return Answer(None, "illegal", f"{checks.quoted(move)} is not legal now")
        return Answer(None, "unreadable", "no legal move was found in the answer")


def _phrase(text: str, keep_fillers: bool = True) -> Phrase:
    """Return a text's words in the form in which they are compared.

    Words without a meaning are left out, unless there are no others and ``keep_fillers``.
    """
    same = unicodedata.normalize("NFC", text).translate(_SAME).casefold()
    same = _OF_SUIT.sub(lambda found: _FIGURES.get(found[1], found[1]) + found[2][0], same)
    words = (word.strip(".'~/\\") for word in _TOKEN.findall(same))
    found = tuple(word for word in words if word and word != "-")
    return tuple(word for word in found if word not in _FILLERS) or (found if keep_fillers else ())


def _from_json(text: str) -> list[str]:
    """Return the moves in the JSON of a text: of objects, or of a text that is nothing else."""
    found: list[str] = []
    try:
        found += _moves_of(json.loads(text))
    except (ValueError, RecursionError):
        decoder, at = json.JSONDecoder(), text.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                end = at + 1
            else:
                found += _moves_of(value)
            at = text.find("{", end)
    return found


def _moves_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        lower = {str(key).casefold(): held for key, held in value.items()}
        return next((_moves_of(lower[key]) for key in _KEYS if key in lower), [])
    if isinstance(value, list):
        return [move for one in value for move in _moves_of(one)]
    return [str(value)] if isinstance(value, (str, int)) and not isinstance(value, bool) else []
