"""Ctrl-C while ``python -m redouble`` imports the package, which is before ``__main__``."""

import signal
import sys

RUN_AS_COMMAND = sys.argv[:1] == ["-m"] and "redouble" in sys.orig_argv
"""Python puts the command's own name there after importing the package."""

if RUN_AS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as redouble_command does
