"""How a command ends: exit codes, one sentence for bad input, and output that never fails."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import typer

from redouble.kernel.errors import RedoubleError

EXIT_USAGE = 2
"""The command line, or a file that it names, can't be used."""
EXIT_INTERRUPTED = 130
"""Ctrl-C, also when results so far were printed."""
ASCII_FALLBACK = "redouble-ascii-fallback"
"""The name under which :func:`ascii_fallback` is registered as an error handler."""
INSTEAD = {
    **{"\N{PLUS-MINUS SIGN}": "+-", "\N{EN DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "..."},
    **{"\N{BULLET}": "*", "\N{MINUS SIGN}": "-", "\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-"},
    **{"\N{MULTIPLICATION SIGN}": "x", "\N{NO-BREAK SPACE}": " "},
    **{"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{RIGHTWARDS ARROW}": "->"},
    **dict(zip("♠♥♦♣", "SHDC", strict=True)),
}
"""What is printed for characters that the output's encoding lacks; others become ``?``."""


def run(command: Callable[[], Any]) -> int:
    """Run a command and return its exit code.

    Bad input, a file that can't be read or written and a wrong command line each print one
    sentence. Any other exception is a fault of the program and is raised.
    """
    open_closed_streams()
    let_output_fall_back_to_ascii()
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has closed it. Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        code = _complain(f"{name}{error.strerror or error}")
    except RedoubleError as error:
        code = _complain(str(error))
    except Exception as error:
        message = getattr(error, "format_message", None)  # Typer's own, about the command line
        if message is None:
            raise
        context = getattr(error, "ctx", None)
        help_at = "" if context is None else f"; see {context.command_path} --help"
        code = _complain(f"{message().rstrip('.')}{help_at}")
    if code == EXIT_INTERRUPTED:
        print(file=sys.stderr)
    return code if isinstance(code, int) else 0


def open_closed_streams() -> None:
    """Let standard input, output and error be the null device where the caller has closed them.

    Otherwise the next files to be opened would get their numbers, and what is printed.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, "r" if name == "stdin" else "w"))


def let_output_fall_back_to_ascii() -> None:
    """Print a substitute for each character that standard output or error can't encode."""
    codecs.register_error(ASCII_FALLBACK, ascii_fallback)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ASCII_FALLBACK)


def ascii_fallback(error: UnicodeError) -> tuple[str, int]:
    """Return the substitute for what can't be encoded, and where to go on: a codec handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(INSTEAD.get(letter, "?") for letter in text), error.end


def _complain(sentence: str) -> int:
    """Print a sentence to standard error, broken between words on a terminal."""
    text = f"redouble: {' '.join(sentence.split())}"
    if not text.endswith(("...", "?")):
        text = f"{text.rstrip('.')}."
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)
    return EXIT_USAGE
