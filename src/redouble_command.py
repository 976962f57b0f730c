"""The ``redouble`` command.

It is outside the package because importing any of it takes a moment, in which Ctrl-C would print a
traceback. Here it ends the process before anything is imported, and after the command has ended.
Only Python's own start comes before, a few hundredths of a second.
"""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    interruptible = signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL)
    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from redouble.commands.app import main as run_command

        run_command()
    except KeyboardInterrupt:  # another one, while the first ends the command
        raise SystemExit(130) from None
    finally:
        if interruptible:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
