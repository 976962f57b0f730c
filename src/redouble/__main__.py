"""``python -m redouble`` is the ``redouble`` command."""

from redouble_command import main

if __name__ == "__main__":  # processes of a server import this module as well
    main()
