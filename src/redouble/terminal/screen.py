"""The terminal itself: what it can show, and reading lines from it."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from redouble.terminal.blocks import Block, wrapped
from redouble.terminal.cards import ASCII, ROUND, Glyphs

MIN_COLUMNS = 40
PROMPT = "> "


class Screen:
    """Where a person plays.

    On a real terminal (``live``) each screen replaces the one before. When input or output is a
    pipe or a file everything is plain text, one line after the other, and nobody is waited for.
    """

    def __init__(self, plain: bool = False) -> None:
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.typing = sys.stdin.isatty()
        self.live = (
            self.typing and sys.stdout.isatty() and not self.console.is_dumb_terminal and not plain
        )

    @property
    def glyphs(self) -> Glyphs:
        """Box characters where the terminal's encoding has them."""
        return ROUND if "utf" in self.console.encoding.lower() else ASCII

    @property
    def columns(self) -> int:
        return max(MIN_COLUMNS, self.console.width)

    @property
    def rows(self) -> int:
        return self.console.height

    def show(self, block: Block) -> None:
        """Replace what the terminal shows."""
        with self.console.capture() as capture:
            for line in block:
                self.console.print(line, soft_wrap=True)
        # Each line clears what is left of the old one: no flicker.
        text = capture.get().replace("\n", "\x1b[K\n")
        sys.stdout.write(f"\x1b[H{text}\x1b[J")
        sys.stdout.flush()

    def clear(self) -> None:
        """An empty terminal, where it is a real one."""
        if self.live:
            sys.stdout.write("\x1b[H\x1b[2J")
            sys.stdout.flush()

    def wipe(self) -> None:
        """Clear what has scrolled off the screen as well: nobody finds another's cards there."""
        self.clear()
        if self.live:
            sys.stdout.write("\x1b[3J")
            sys.stdout.flush()

    def say(self, text: str | Text = "", style: str = "") -> None:
        """One line, however long."""
        line = Text(shown(text), style) if isinstance(text, str) else text
        self.console.print(line, soft_wrap=True)

    def wrapped(self, text: str, style: str = "") -> Block:
        """Text on lines broken between words: as wide as the terminal, else one line."""
        line = Text(shown(text), style)
        return wrapped(line, self.columns) if self.live else [line]

    def print(self, block: Block) -> None:
        """A block below what was printed before."""
        for line in block:
            bare = line.copy()
            bare.rstrip()
            self.say(bare)

    def ask(self, words: str = PROMPT, completions: Sequence[str] = ()) -> str:
        """A line from the keyboard or the pipe. Raises :class:`EOFError` at its end."""
        if self.live:
            _complete(completions)
            return input(words).strip()
        sys.stdout.write(words)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            self.say()
            raise EOFError
        line = line.strip()
        if not self.typing:
            self.say(line)  # a pipe echoes nothing, and what is printed should read by itself
        return line

    def pause(self, words: str) -> None:
        """Wait for Enter, where somebody is there to press it."""
        if self.typing:
            self.ask(words)
        else:
            self.say(words)

    def rest(self, seconds: float) -> None:
        """Let people follow what just happened."""
        if self.live and seconds > 0:
            time.sleep(seconds)

    def page(self, write: Callable[[Console], None]) -> None:
        """A longer text: through the pager on a real terminal, else as it is."""
        if self.live:
            os.environ.setdefault("LESS", "-R")
            with self.console.pager(styles=not self.console.no_color):
                write(self.console)
        else:
            write(self.console)


@contextmanager
def telling(words: str) -> Iterator[None]:
    """Say on a terminal what one waits for, as long as it takes."""
    live = sys.stderr.isatty()
    if live:
        print(words, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def shown(text: str) -> str:
    """The text without control characters: names come out of files."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "", text)


def shown_names(names: Sequence[str]) -> list[str]:
    """The seats' names as they can be printed; a name of which nothing is left is a number."""
    return [shown(name) or f"seat {seat}" for seat, name in enumerate(names)]


def _complete(words: Sequence[str]) -> None:
    """Let the Tab key complete these words, where Python has readline."""
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
