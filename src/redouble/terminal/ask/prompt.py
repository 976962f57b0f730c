"""What a person can type at a decision, and what a typed line means."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from rich.text import Text

from redouble.kernel.checks import either, typed
from redouble.match.match import Match, listed
from redouble.match.story import midsentence
from redouble.terminal.ask.screen import Screen
from redouble.terminal.draw.blocks import Block, grid, wrapped
from redouble.terminal.draw.cards import QUIET

COMMANDS = {
    "help": "show this list",
    "hint": "suggest a move, and say why",
    "undo": "go back to your previous move",
    "table": "describe everything you can see",
    "rules": "read the rules",
    "save [FILE]": "save the game to a file",
    "quit": "leave the game",
}
OR_HELP = "  (or type help)"
LIST_ROWS = 4
PLAIN_ROWS = 15
"""Rows of a list of moves where the output only grows."""
ENTRY_COLUMNS = 5
"""Columns of an entry besides its text: its label and gaps."""
WORDS_GAP = 3
MAX_IN_WORDS = 8
OR_ENTER = "  (or Enter)"
_CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбю"
LATIN = str.maketrans(_CYRILLIC, "qwertyuiop[]asdfghjkl;'zxcvbnm,.")
"""The letters on the keys of a Russian keyboard: it may be on while somebody types a label."""
WORDS = ("help", "hint", "undo", "table", "rules", "save", "quit")
OTHER_WORDS = {"?": "help", "exit": "quit", "back": "undo"}


@dataclass(frozen=True)
class Typed:
    """A parsed line: a move, a command with its argument, or neither."""

    move: str = ""
    command: str = ""
    argument: str = ""
    trouble: str = ""
    """Why the line is neither, in a sentence."""


@dataclass
class Choices:
    """The legal moves, to choose from by label or by the move's own text.

    Labels are numbers, or letters in a game whose moves are numbers, so that a typed number always
    means one thing. A list says its moves in words if they all fit its rows. One whose texts are
    too many as well is grouped by the moves' first words, then split into pages.
    """

    moves: Sequence[str]
    letters: bool
    rows: int = PLAIN_ROWS
    within: str = ""
    """The first words to which the person has narrowed the list."""
    page: int = 0
    describe: Callable[[str], str] | None = None
    """Puts a move into words; without it, the list has only the moves' texts."""
    _labels: dict[str, str] = field(default_factory=dict)
    """What each label on the screen stands for: a move, or the first words of several."""

    @classmethod
    def of(cls, match: Match, rows: int | None = None) -> Choices:
        """The choices of the seat to move, for a screen of ``rows`` rows, or for endless output."""
        listed_rows = PLAIN_ROWS if rows is None else max(LIST_ROWS, rows // 6)
        moves, letters = list(match.legal_moves), numeric_moves(match)
        return cls(moves, letters, listed_rows, describe=match.describe)

    def listing(self, columns: int) -> Block:
        """Return the list as lines of text, and remember its labels."""
        entries = [move for move in self.moves if not self.within or _begins(move, self.within)]
        if in_words := self._in_words(entries, columns):
            return in_words
        if len(entries) > self._capacity(entries, columns, self.rows):
            groups = _groups(entries)
            # Groups of one or two moves each would only add a question.
            if 1 < len(groups) <= len(entries) // 3:
                entries = [self._only(group) or group for group in groups]
        whole = self._capacity(entries, columns, self.rows)
        notes = self._notes()
        if notes or len(entries) > whole:
            whole = self._capacity(entries, columns, self.rows - 1)
        pages = -(-len(entries) // whole) or 1
        self.page %= pages
        if pages > 1:
            notes.insert(0, f"Enter: next page ({self.page + 1} of {pages})")
        shown = entries[self.page * whole :][:whole]
        self._labels = dict(zip(self._names(), shown, strict=False))
        texts = [
            Text.assemble((label, "bold cyan"), " ", entry, (self._count(entry), QUIET))
            for label, entry in self._labels.items()
        ]
        if len(self.moves) == 1:
            texts[0].append(OR_ENTER, QUIET)
        return [*grid(texts, columns), *([Text("   ".join(notes), QUIET)] if notes else [])]

    def _in_words(self, moves: Sequence[str], columns: int) -> Block:
        """The list with its moves in words, each with its text to type; empty if it doesn't fit."""
        if self.describe is None:
            return []
        notes = self._notes()
        rows = self.rows - len(notes)
        self._labels = dict(zip(self._names(), moves, strict=False))
        texts: list[Text] = []
        widest = 0
        for label, move in self._labels.items():
            text = Text.assemble((label, "bold cyan"), f"  {self.describe(move)}")
            text.append(f" ({move})", QUIET)
            if len(self.moves) == 1:
                text.append(OR_ENTER, QUIET)
            texts.append(text)
            widest = max(widest, text.cell_len)
            # Most lists that are too long are so by their first entry: the others aren't described.
            if len(moves) > rows * ((columns + WORDS_GAP) // (widest + WORDS_GAP)):
                return []
        return [*grid(texts, columns, WORDS_GAP), *(Text(note, QUIET) for note in notes)]

    def _notes(self) -> list[str]:
        return ["all: every move"] if self.within else []

    def _count(self, entry: str) -> str:
        """The number of moves in a group, in parentheses; empty for a move."""
        if entry in self.moves:
            return ""
        return f" ({sum(_begins(move, entry) for move in self.moves)} moves)"

    def _only(self, group: str) -> str | None:
        """The move of a group that has just one; else None."""
        moves = [move for move in self.moves if _begins(move, group)]
        return moves[0] if len(moves) == 1 else None

    def _capacity(self, entries: Sequence[str], columns: int, rows: int) -> int:
        widest = max((len(entry) + len(self._count(entry)) for entry in entries), default=0)
        return max(1, columns // (widest + ENTRY_COLUMNS)) * rows

    def understand(self, line: str) -> Typed:
        """Return what the line means; nothing if it narrows the list or turns its page."""
        first = line.lower().split(" ")[0]
        if first.translate(LATIN) != first:  # a file's name behind a word stays as it is
            line = line.lower().translate(LATIN)
        text = " ".join(typed(line).replace("_", " ").split())
        if text in self.moves:
            return Typed(move=text)
        word, _, rest = " ".join(line.split()).partition(" ")
        word = OTHER_WORDS.get(word.lower(), word.lower())
        if word in WORDS and (word == "save" or not rest):
            return Typed(command=word, argument=rest)
        if not text:
            if len(self.moves) == 1:
                return Typed(move=self.moves[0])
            self.page += 1
            return Typed()
        if text.lower() == "all":
            self.within = ""
            return Typed()
        text = self._labels.get(text.lower(), text)
        if text in self.moves:
            return Typed(move=text)
        return self._begun(text)

    def _begun(self, text: str) -> Typed:
        """A move in other capitals, or the first words of one or several."""
        same = [move for move in self.moves if move.lower() == text.lower()]
        begun = [move for move in self.moves if _begins(move.lower(), text.lower())]
        if len(same) == 1 or len(begun) == 1:
            return Typed(move=(same or begun)[0])
        if begun:
            self.within = begun[0][: len(text)]
            self.page = 0
            return Typed()
        return Typed(trouble=f"{text!r} is not a legal move.")

    def legal(self) -> str:
        """Return the legal moves in a sentence, in words if they are few, for plain output."""
        if self.describe is None or len(self.moves) > MAX_IN_WORDS:
            return f"Legal: {listed(self.moves)}."
        said = [f"{midsentence(self.describe(move))} ({move})" for move in self.moves]
        return f"You can {either(said)}."

    def answer(self, screen: Screen, typed: Typed, notice: str) -> None:
        """Print what follows a line that was no move, where the output only grows."""
        if typed.trouble:
            notice = f"{notice} {self.legal()}"
        if notice:
            screen.say(notice)
        else:
            screen.print(self.listing(screen.columns))

    def _names(self) -> Iterator[str]:
        if not self.letters:
            yield from (str(number) for number in range(1, 1000))
        taken = {move.lower() for move in self.moves} | {*WORDS, "all"}
        for length in (1, 2):
            for letters in product(string.ascii_lowercase, repeat=length):
                label = "".join(letters)
                if label not in taken:
                    yield label


def asking(prompt: str, choices: Choices, columns: int) -> Block:
    """The question and the possible answers, as they stand under the table."""
    question = wrapped(Text(prompt, "bold"), columns)
    if question[-1].cell_len + len(OR_HELP) <= columns:
        question[-1].append(OR_HELP, f"not bold {QUIET}")
    return [*question, *choices.listing(columns)]


def numeric_moves(match: Match) -> bool:
    """Whether numbers are moves of the game, so that they cannot be labels."""
    state, parse = match.state, match.game.text.parse
    return any(parse(state, str(number)) >= 0 for number in range(100))


def _begins(move: str, beginning: str) -> bool:
    return move == beginning or move.startswith(f"{beginning} ")


def _groups(moves: Sequence[str]) -> list[str]:
    words = [move.split() for move in moves]
    same = 0
    while all(len(w) > same + 1 for w in words) and len({w[same] for w in words}) == 1:
        same += 1
    return list(dict.fromkeys(" ".join(w[: same + 1]) for w in words))
