"""``python -m redouble`` is the ``redouble`` command."""

from redouble.cli import main

main()
