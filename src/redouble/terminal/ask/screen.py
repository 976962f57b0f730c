"""The terminal itself: what it can show, and how lines are read from it."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from redouble.kernel.cores import INTERPRETED
from redouble.terminal.draw.blocks import Block, flow, wrapped
from redouble.terminal.draw.cards import ASCII, ROUND, Glyphs
from redouble.terminal.draw.table import TablePicture, draw

FIRST_TIME = "The first time, this can take a while."
"""Said before something that has to be compiled."""
MIN_COLUMNS = 40
CHOICE_GAP = 3
ROOM_TO_TYPE = 10
"""Columns left for the answer on the last line of a question."""
PROMPT = "> "


class InputEnded(Exception):
    """The keyboard or the pipe gives no more lines: Ctrl-D, or the end of a file."""


class Screen:
    """The terminal at which a person plays.

    On a real terminal (``live``) each screen replaces the one before. If input or output is a pipe
    or a file, everything is plain text, line after line, and nothing waits.
    """

    def __init__(self, plain: bool = False) -> None:
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.typing = sys.stdin.isatty()
        obeys = not self.console.is_dumb_terminal and not self.console.legacy_windows
        self.live = self.typing and sys.stdout.isatty() and obeys and not plain
        self.notice = ""
        """What is said below the next table, once."""

    @property
    def glyphs(self) -> Glyphs:
        """Box characters, or ASCII if the terminal's encoding lacks them."""
        return ROUND if "utf" in self.console.encoding.lower() else ASCII

    @property
    def columns(self) -> int:
        return max(MIN_COLUMNS, self.console.width)

    @property
    def rows(self) -> int:
        return self.console.height

    def show(self, block: Block) -> None:
        """Replace what the terminal shows with these lines."""
        with self.console.capture() as capture:
            for line in block:
                self.console.print(line, soft_wrap=True)
        # Each line clears the rest of the old one, so that nothing flickers.
        text = capture.get().replace("\n", "\x1b[K\n")
        sys.stdout.write(f"\x1b[H{text}\x1b[J")
        sys.stdout.flush()

    def clear(self) -> None:
        if self.live:
            sys.stdout.write("\x1b[H\x1b[2J")
            sys.stdout.flush()

    def wipe(self) -> None:
        """Clear the scrollback as well, so that no one finds another player's cards there."""
        self.clear()
        if self.live:
            sys.stdout.write("\x1b[3J")
            sys.stdout.flush()

    def say(self, text: str | Text = "", style: str = "") -> None:
        """Print one line, however long."""
        line = Text(shown(text), style) if isinstance(text, str) else text
        self.console.print(line, soft_wrap=True)

    def wrapped(self, text: str, style: str = "") -> Block:
        """Break text between words to the width of a live terminal; elsewhere keep one line."""
        line = Text(shown(text), style)
        return wrapped(line, self.columns) if self.live else [line]

    def print(self, lines: Iterable[str | Text]) -> None:
        for line in lines:
            if isinstance(line, Text):
                line = line.copy()
                line.rstrip()
            self.say(line)

    def show_table(self, picture: TablePicture) -> None:
        """Replace what the terminal shows with a table and what is below it."""
        self.show(draw(picture, self.glyphs, self.columns, self.rows - 1))

    def ask(self, words: str = PROMPT, completions: Sequence[str] = ()) -> str:
        """Return a line from the keyboard or the pipe. Raises :class:`InputEnded` at its end."""
        if self.live:
            _complete(completions)
            room = self.columns - ROOM_TO_TYPE
            choices = words.rstrip().split(" " * CHOICE_GAP)
            *above, last = flow([wrapped(Text(one), room) for one in choices], room, CHOICE_GAP)
            self.print(above)
            try:
                return input(f"{last.plain.rstrip()} ").strip()
            except EOFError:
                self.say()  # what is said next has a line of its own
                raise InputEnded from None
        sys.stdout.write(words)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            self.say()
            raise InputEnded
        line = line.strip()
        if not self.typing:
            self.say(line)  # a pipe echoes nothing, and the output should show the answers
        return line

    def pause(self, words: str) -> None:
        """Wait for Enter if a person is typing."""
        if self.typing:
            self.ask(words)
        else:
            self.say(words)

    def rest(self, seconds: float) -> None:
        """Wait on a live screen, so that people can follow."""
        if self.live and seconds > 0:
            time.sleep(seconds)

    def page(self, write: Callable[[Console], None]) -> None:
        """Show a long text, through the pager on a live terminal."""
        if self.live:
            os.environ.setdefault("LESS", "-R")
            with self.console.pager(styles=not self.console.no_color):
                write(self.console)
        else:
            write(self.console)


@contextmanager
def telling(words: str) -> Iterator[None]:
    """Say on a terminal what is going on, until it is done."""
    live = sys.stderr.isatty()
    if live:
        print(words, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def first_time() -> str:
    """Return what to say before a search: nothing if it can't be compiled, or has been."""
    compiles = not INTERPRETED and "redouble.bots.search" not in sys.modules
    return FIRST_TIME if compiles else ""


def shown(text: str) -> str:
    """Return the text without control characters, since names come from files."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", text)


def shown_names(names: Sequence[str]) -> list[str]:
    """Return the names as they can be printed, ``Player 1`` for one of which nothing is left."""
    return [shown(name) or f"Player {number}" for number, name in enumerate(names, 1)]


def _complete(words: Sequence[str]) -> None:
    try:
        import readline
    except ImportError:  # Windows
        return

    def complete(text: str, state: int) -> str | None:
        line = readline.get_line_buffer()
        start = readline.get_begidx()
        found = [w[start:] for w in words if w.startswith(line) and len(w) > start]
        return found[state] if state < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
