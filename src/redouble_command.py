"""The ``redouble`` command.

It is outside the package because importing any of it takes a moment, in which Ctrl-C would print a
traceback. Here it ends the process before anything is imported, and after the command has ended.
"""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from redouble.commands.app import main as run_command

        run_command()
    finally:
        if interruptible:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
