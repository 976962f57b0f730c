"""``python -m redouble`` is the ``redouble`` command."""

from redouble.commands.app import main

main()
