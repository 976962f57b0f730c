"""The ``redouble`` command."""

import signal
import sys
from typing import Any, NoReturn

from redouble.commands import errors


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    raise SystemExit(errors.run(_command_line))


def _command_line() -> Any:
    # Imported here, so that a module that can't be loaded is reported like any other fault.
    from redouble.commands.command_line import invoke

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as long as modules were imported
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return invoke(sys.argv[1:])
