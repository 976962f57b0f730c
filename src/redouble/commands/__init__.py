"""The ``redouble`` command."""
