"""How a command ends: exit codes, one sentence for bad input, and output that never fails."""

import codecs
import contextlib
import io
import marshal
import os
import select
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from redouble.kernel.errors import RedoubleError, about_file

EXIT_USAGE = 2
"""The command line, or a file that it names, can't be used."""
EXIT_FAULT = 70
"""The program itself has failed: ``EX_SOFTWARE`` of ``sysexits.h``."""
EXIT_INTERRUPTED = 130
"""Ctrl-C, also when results so far were printed."""
HEADER_BYTES = 16
"""What comes before the code in a file of bytecode."""
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
    sentence. Any other exception is a fault of the program, and is printed above the sentence.
    """
    open_closed_streams()
    let_output_fall_back_to_ascii()
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError as error:
        code = 0 if _let_unread_output_go() else _report(error)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except OSError as error:
        code = _complain(about_file(error))
    except RedoubleError as error:
        code = _complain(str(error))
    except Exception as error:
        message = getattr(error, "format_message", None)  # Typer's own, about the command line
        context = getattr(error, "ctx", None)
        help_at = "" if context is None else f"; see {context.command_path} --help"
        code = _complain(f"{message().rstrip('.')}{help_at}") if message else _report(error)
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


def _let_unread_output_go() -> bool:
    """Return whether the reader of standard output or error is gone; print to nothing from then on.

    Otherwise Python would complain when it flushes them at exit.
    """
    gone = [1, 2]
    if sys.platform != "win32":
        closed = select.poll()
        for number in gone:
            closed.register(number, 0)
        ended = select.POLLERR | select.POLLHUP
        gone = [number for number, event in closed.poll(0) if event & ended]
    for number in gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    return bool(gone)


def _report(fault: Exception) -> int:
    """Print what failed inside the program, and what to do about it."""
    if damaged := delete_damaged(fault):
        if left := [file for file in damaged if file.exists()]:
            return _complain(f"{left[0]} is damaged: delete it", EXIT_FAULT)
        such = f"damaged compiled files were deleted ({len(damaged)}, such as {damaged[0]})"
        return _complain(f"{such}: run the command again", EXIT_FAULT)
    traceback.print_exception(fault)
    return _complain(
        "the program itself has failed: please report it, with the lines above", EXIT_FAULT
    )


def _complain(sentence: str, code: int = EXIT_USAGE) -> int:
    """Print a sentence to standard error, broken between words on a terminal; return the code."""
    text = f"redouble: {' '.join(sentence.split())}"
    if not text.endswith(("...", "?")):
        text = f"{text.rstrip('.')}."
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)
    return code


def delete_damaged(error: BaseException) -> list[Path]:
    """If an error comes from damaged bytecode, return such files of the package.

    A full disk cuts bytecode off: up to Python 3.13, such a file replaces a whole one, and no
    module is loaded from it again. Those that can be deleted have been.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        path = frame.f_locals.get("bytecode_path")  # of the import system
        if path and damaged([Path(path)]):
            package = Path(path).parents[1]
            while (package.parent / "__init__.py").exists():
                package = package.parent
            found = damaged(package.rglob(f"*.{sys.implementation.cache_tag}*.pyc"))
            for file in found:
                with contextlib.suppress(OSError):
                    file.unlink()
            return found
    return []


def damaged(paths: Iterable[Path]) -> list[Path]:
    """Return those of these files of bytecode that can't be loaded."""
    found = []
    for path in paths:
        try:
            code = path.read_bytes()[HEADER_BYTES:]
            if code:
                marshal.loads(code)
        except OSError:  # it can't be read by the import system either
            continue
        except (EOFError, ValueError, TypeError):
            found.append(path)
    return found
