"""The parts of a game beside its rules and its text.

Each part is a group of what belongs together. A game has a :class:`Player`; it leaves out the other
parts, or fills them. The functions are given with the names of their arguments. A *rule* is written
like those of the kernel, so that it also runs compiled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from redouble.contract.moments import MomentKind
from redouble.contract.outcome import Ending

__all__ = ["Beliefs", "Network", "Outlook", "Player", "Recall", "Setups", "Words"]

Recall: TypeAlias = Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Player:
    """A heuristic player, which bots, searches and hints are made of."""

    greedy: Callable[[Any, Any, int, Any, Any], int]
    """The rule ``greedy(s, out, n, rng, work)`` returns one of the legal actions ``out[:n]``;
    ``s`` is redacted for the seat to move."""
    evaluate: Callable[[Any, Any], None]
    """The rule ``evaluate(s, out)`` writes a value for each seat, in any position: higher is
    better. A lead of 1000 counts as a certain win over the other seat. A solitaire game writes 1000
    for a win, and less before. ``s`` may be a redacted state."""
    horizon: int
    """Moves per seat after which a playout stops and is evaluated; 0: it never stops early."""


@dataclass(frozen=True)
class Outlook:
    """What has come of a move for a seat, some time after it.

    ``{}`` in a text stands for the number, and ``{s}`` for an s unless it is 1.
    """

    value: int
    you: str
    """What it means to the seat: ``you make {} point{s}``."""
    others: str = ""
    """The same of all other seats together: ``the others make {} point{s} in all``. Empty if the
    numbers of several seats don't add up to anything."""
    once: str = ""
    """What 1 means where nothing but 0 and 1 occurs: ``you lose a chip``."""
    fewer: bool = False
    """Whether a smaller number is better for the seat."""


@dataclass(frozen=True)
class Words:
    """What people read about a game beyond its text. All of it may be left out."""

    describe: Callable[[Any, int], str] | None = None
    """``describe(s, action)`` returns a legal action as a short instruction: ``Play the red 7``,
    ``Take the pile``. ``s`` is redacted for the seat to move. The words have no full stop and
    nothing that only records write, such as squares by letter and number. They begin with a verb
    that also reads well after *could*, and differ from those of every other legal move. Without it,
    they are made of the move's text."""
    moments: Sequence[MomentKind] = ()
    """What people see in the middle of moves, by the numbers that rules give to ``moment``."""
    ending: Callable[[Any, Any, int, int | None], Ending] | None = None
    """``ending(before, after, action, viewer)`` returns what decided a game that ended with
    ``action``, and what each seat ended with. Nothing is redacted: at the end all cards lie open.
    The viewer, a seat, is "you"; with ``SPECTATOR`` or None every player is named. Without it, the
    last move is shown."""
    outlook: Callable[[Any, Any, int], Outlook] | None = None
    """Returns a move's effect for a seat, from the states before it and some time after; without
    it, the evaluation tells."""
    out: Callable[[Any, int], bool] | None = None
    """Returns whether a seat makes no more moves in a game that goes on; without it, none is."""
    numbers: Callable[[Any], Mapping[str, int]] | None = None
    """Returns the numbers on the table by which players choose a move, by their names in a
    sentence, such as ``the total``. Moves in advance can ask for them."""


@dataclass(frozen=True)
class Setups:
    """Options of a number of seats, and those by which people usually play; all may be left out."""

    needed: Callable[[int], Mapping[str, Any]] | None = None
    """Returns the options that a number of seats can't do without, such as a second deck."""
    actions: Callable[[Mapping[str, Any]], int] | None = None
    """Returns how many actions a game with these options has; without it, all ``ACTIONS``."""
    usual: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The options by which people play unless they choose others, where the published rules leave
    nothing to decide. The library and studies keep to the published ones."""
    endings: Mapping[int, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """By number of seats: options with which the last moves of many games can be judged exactly,
    such as a small deck. They are for more seats as well, up to the next number."""
    thinking: int = 120
    """The seconds for a move that people have who don't know each other."""


@dataclass(frozen=True)
class Beliefs:
    """How a search believes what moves tell about hands.

    Without it, moves tell only what the rules force a player to reveal.
    """

    recall: Recall
    """The rule ``recall(s, world)`` fills in what the seat to move in ``s`` knew there. ``s`` is an
    earlier position of the game, redacted for another seat, and ``world`` a later full one that
    this seat can't tell from the real one. It returns False if ``world`` doesn't tell, because the
    cards have been shuffled since."""
    holders: Callable[[Any, Any], int]
    """The rule ``holders(s, out)`` writes who holds the card at each place of the deck, and returns
    the number of places. ``s`` is a redacted position. A holder is a seat that holds the card, or
    that held it when it moved and put it away unseen; ``NOBODY`` if it is unseen in a pile; and
    ``IN_SIGHT`` for a card that isn't erased."""
    exchange_unseen: Callable[[Any, int, int], bool]
    """The rule ``exchange_unseen(s, first, second)`` exchanges the cards at two places that a seat
    hasn't seen, if it can't tell the result. ``s`` is a full position that this seat can't tell
    from the real one. It returns False, and changes nothing, if the seat could tell or if it makes
    no difference."""
    exchanges: Mapping[int, int] = field(hash=False)
    """By number of seats: exchanges by which the usual search brings a world in line with what the
    others played, where that makes it stronger."""


@dataclass(frozen=True)
class Network:
    """What a small network sees, and how the usual search uses it.

    Its weights are in the game's ``weights.json``.
    """

    features: Callable[[Any, Any], int]
    """The rule ``features(s, out)`` writes the numbers of the features that the position has, and
    returns how many. It looks at nothing that the seat to move doesn't know."""
    feature_count: int
    """How many features there are."""
    traits: Callable[[Any, int, Any], int]
    """The rule ``traits(s, action, out)`` writes the numbers of the traits that a legal action has,
    and returns how many. It looks at nothing that the seat to move doesn't know."""
    trait_count: int
    """How many traits there are."""
    trust: float = 0.0
    """What the search gives for the scores of the network: ``trust`` of a policy."""
    playouts: Sequence[int] = ()
    """Numbers of seats with which the network chooses the seat's own moves in the playouts of the
    search: ``learned`` of a policy."""
