"""What can go wrong: one class for each kind of bad input.

All of them are :class:`RedoubleError`, and that is a :class:`ValueError`: bad input, never a bug.
The message says what went wrong and what to do, and nothing has changed when it is raised.
"""

__all__ = [
    "DeckError",
    "IllegalMove",
    "InputError",
    "MissingExtra",
    "MissingPackage",
    "OptionError",
    "OutOfRange",
    "RecordError",
    "RedoubleError",
    "RulesError",
    "SeatsError",
    "UnknownGame",
]


class RedoubleError(ValueError):
    """Base class of everything that bad input raises."""

    def __init__(self, said: str = "", in_words: str = "") -> None:
        super().__init__(said)
        self.in_words = in_words or said
        """The same for people on a page, who know moves and options by other names."""

    @property
    def sentence(self) -> str:
        """What people read on a page: a sentence with a capital and a full stop."""
        return f"{self.in_words[:1].upper()}{self.in_words[1:]}."


class InputError(RedoubleError):
    """An argument has the wrong type or is outside of its range."""


class OutOfRange(InputError, IndexError):
    """There is no such move or ply."""


class UnknownGame(RedoubleError, KeyError):
    """No installed game has this name."""

    __str__ = Exception.__str__  # a KeyError would quote the sentence


class SeatsError(RedoubleError):
    """The game cannot be played by this number of players, or there is no such seat."""


class OptionError(RedoubleError):
    """An option is unknown, has a wrong value, or contradicts another option."""


class DeckError(RedoubleError):
    """The game cannot be played with this deck, board or stacked order."""


class IllegalMove(RedoubleError):
    """A move is not legal now. The message names the move, the player and the legal moves."""


class RecordError(RedoubleError):
    """A record cannot be read or replayed. The message names the line and the move."""


def about_file(error: OSError, name: object = None) -> str:
    """Return in a sentence why a file can't be used; its ``name`` is the error's by default."""
    name = name or error.filename
    if isinstance(error, FileNotFoundError):
        return f"there is no file {name}: check its name"
    return f"{name}: {error.strerror or error}" if name else f"{error.strerror or error}"


def pip_line(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'redouble[{extra}]'"


class MissingPackage(RedoubleError, ImportError):
    """A part of Redouble needs a package that isn't installed."""


class MissingExtra(MissingPackage):
    """A part of Redouble needs a package that only one of its extras installs."""

    def __init__(self, part: str, package: str, extra: str) -> None:
        super().__init__(
            f"{part} needs the package {package}, which is not installed: {pip_line(extra)}"
        )


class RulesError(RedoubleError):
    """A function cannot be compiled as a rule. The message names what it uses."""
