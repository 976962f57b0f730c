"""Which legal move an answer in words means.

A move is what stands in square brackets, as prompts ask for it, or is marked as the move in another
common way: by a label, a tag, or JSON. Otherwise the whole answer has to be a move, in its text or
in words, as a person would type it. A sentence that only mentions a move is none, and neither is
an answer that could mean two. Case, spaces, quotes, Markdown and forms of characters don't matter.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from redouble.kernel import checks
from redouble.kernel.errors import IllegalMove
from redouble.match.match import Match, listed

__all__ = ["Answer", "AnswerReader"]

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
_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.I | re.S)
_TOKEN = re.compile(r"[^\s,;:!?\"“”`(){}\[\]<>*#=|…—]+")
_PARENTHESES = re.compile(r"\([^()]*\)")
_OF_SUIT = re.compile(r"\b(\w+)\s+of\s+(spades|hearts|diamonds|clubs)\b")
_FIGURES = {"ace": "a", "jack": "j", "queen": "q", "king": "k"}
_SAME = str.maketrans(
    {"_": " ", "\ufe0f": None, "’": "'"}
    | {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
)
_FILLERS = frozenset({"the", "a", "an", "my", "one", "card"})
"""Words without a meaning of their own in a move."""
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
        text = checks.typed(checks.text(text, "answer"))
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
        bracketed = [found.strip() for found in _BRACKETED.findall(text)]
        for marked in (_from_json(text), tagged, labeled, bracketed):
            if marked:
                return self._decide(marked)
        return self._decide([] if "?" in text else [text])

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
            bare = _PARENTHESES.sub(" ", text)  # as in the words of moves
            meant |= (
                {exact}
                if exact is not None
                else self._whole(_phrase(text)) or self._whole(_phrase(bare))
            )
        if len(meant) == 1:
            return Answer(meant.pop())
        return self._ambiguous(meant) if meant else self._not_legal(texts)

    def _whole(self, words: Phrase) -> set[int]:
        """Return the actions that a whole text may mean, by all their words or the first ones."""
        for phrases in (self._named, self._worded):
            if words in phrases:
                return phrases[words]
        return {
            action
            for phrases in (self._named, self._worded)
            for phrase, actions in phrases.items()
            if words and phrase[: len(words)] == words
            for action in actions
        }

    def _ambiguous(self, actions: set[int]) -> Answer:
        moves = listed(map(self._match.legal_moves.name, sorted(actions)), MAX_LISTED)
        return Answer(None, "ambiguous", f"the answer could mean several legal moves: {moves}")

    def _not_legal(self, texts: Iterable[str]) -> Answer:
        """Return whether texts name a move that is illegal now, or none at all."""
        parse, state = self._match.game.text.parse, self._match.seen_by(self._match.turn)
        for text in texts:
            words = _phrase(text)
            said = " ".join(words[1:] if words[:1] == ("play",) else words)
            for move in (text.strip(), said, said.upper()):
                if move and parse(state, move) >= 0:
                    return Answer(None, "illegal", f"{checks.quoted(move)} is not legal now")
        return Answer(None, "unreadable", "no legal move was found in the answer")


def _phrase(text: str) -> Phrase:
    """Return a text's words in the form in which they are compared.

    Words without a meaning are left out, unless there are no others.
    """
    same = checks.typed(text).translate(_SAME).casefold()
    same = _OF_SUIT.sub(lambda found: _FIGURES.get(found[1], found[1]) + found[2][0], same)
    words = (word.strip(".'~/\\") for word in _TOKEN.findall(same))
    found = tuple(word for word in words if word and word != "-")
    return tuple(word for word in found if word not in _FILLERS) or found


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
