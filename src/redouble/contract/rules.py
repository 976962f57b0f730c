"""What the rules of a game and its solver define, as functions that also run compiled."""

from collections.abc import Mapping
from typing import Any, Protocol

from redouble.kernel.state import State

__all__ = ["Rules", "Solver"]


class Rules(Protocol):
    """The kernel. Its functions change ``s`` in place, allocate nothing and use no texts."""

    @property
    def Position(self) -> type[State]:
        """The state class."""

    @property
    def ACTIONS(self) -> int:
        """Actions are the ints from 0 to ACTIONS - 1."""

    @property
    def MAX_LEGAL(self) -> int:
        """No position has more legal actions than this."""

    def setup(self, s: Any) -> None:
        """Deal the game from the header, the options and the generator."""

    def legal(self, s: Any, out: Any) -> int:
        """Write the legal actions to ``out``, ascending; return their number, 0 at the end."""

    def play(self, s: Any, action: int) -> None:
        """Make a legal move of the seat to move, with everything that follows automatically."""

    def rank(self, s: Any, out: Any) -> None:
        """At the end: write each seat's rank, 1 for the first, ties sharing the better rank."""

    def score(self, s: Any, out: Any) -> int:
        """At the end: write each seat's points and return ``seats``; 0 without points."""

    def redact(self, s: Any, seat: int) -> None:
        """Erase what ``seat`` cannot know; with ``SPECTATOR``, what is not public."""

    def determinize(self, s: Any, rng: Any, work: Any) -> None:
        """Fill in what was erased, with a position that the seat cannot tell from the real one.

        Every deal that could have led to what the seat has seen is equally likely. ``work`` is
        scratch for ``WORK`` ints.
        """

    def hidden(self, s: Any, action: int) -> bool:
        """Return whether this legal action is hidden from the other seats."""


class Solver(Protocol):
    """A solver, which finds out whether a solitaire game can be won, written as rules are.

    The functions may change ``s``; ``work`` is scratch for ``WORK`` numbers, zero at first, and
    ``max_positions`` bounds how many positions are searched.
    """

    @property
    def WORK(self) -> int:
        """The length of the scratch array."""

    @property
    def MAX_MOVES(self) -> int:
        """No line has more moves."""

    @property
    def LOST(self) -> int:
        """What ``solve`` and ``winnable`` return when nothing wins."""

    @property
    def UNDECIDED(self) -> int:
        """What they return when the search reached its bound."""

    def graded(self, options: Mapping[str, Any]) -> bool:
        """Return whether decisions matter with these options, so that deals can be hard."""

    def solve(self, s: Any, out: Any, work: Any, max_positions: int) -> int:
        """Write the actions of a win to ``out``, using hidden cards; return their number.

        ``s`` is left after these actions. The number after them in ``out`` is 1 if certainly no win
        is shorter, otherwise 0.
        """

    def winnable(self, s: Any, out: Any, work: Any, max_positions: int) -> int:
        """Return 1 if ``solve`` would find a win; faster, because it writes no actions."""

    def careful(self, s: Any, rng: Any, out: Any, work: Any, max_positions: int) -> int:
        """Play to the end as well as possible with what the player sees; return 1 for a win.

        Otherwise return 0 or ``UNDECIDED``. ``s`` is a full position; a hidden card in it may not
        influence a move before it is turned up.
        """

    def human(self, s: Any, rng: Any, out: Any, work: Any) -> int:
        """Play on as a careful player with occasional mistakes; return 1 for a win."""
