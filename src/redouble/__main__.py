"""``python -m redouble`` is the ``redouble`` command."""

from redouble.commands.cli import main

main()
