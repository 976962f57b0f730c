"""The contract of a game: everything that a game's folder must define.

A game is a folder with three modules. ``rules`` is the kernel: functions over a state that run
interpreted and compiled. ``text`` is what people read and type. ``greedy`` has a heuristic player
and an evaluation of positions. ``Game`` combines them; the folder's ``GAME`` is registered under
the ``redouble.games`` entry points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from redouble.contract.drawing import TerminalBoard
from redouble.contract.moments import MomentKind
from redouble.contract.options import Option, check_options, read_options
from redouble.contract.outcome import Ending, EndReason, Outcome
from redouble.contract.outlook import Outlook
from redouble.contract.page.game_page import GamePage
from redouble.contract.view import Scene
from redouble.kernel import checks
from redouble.kernel.errors import DeckError, InputError, SeatsError
from redouble.kernel.rng import WORDS, seed_words
from redouble.kernel.state import SPECTATOR, State

__all__ = [
    *("USUAL_SEATS", "WORK", "Describe", "Evaluate", "Game", "Greedy", "Rules", "Solver"),
    *("TellEnd", "Text"),
]

USUAL_SEATS = 4
WORK = 2048
"""The length of the scratch array that ``determinize`` and ``greedy`` get."""


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

        Every such position is equally likely. ``work`` is scratch for ``WORK`` ints.
        """

    def hidden(self, s: Any, action: int) -> bool:
        """Return whether this legal action is hidden from the other seats."""


class Text(Protocol):
    """What people read and type."""

    @property
    def CARDS(self) -> Sequence[str]:
        """The text of each card number, for stacked decks."""

    @property
    def OPTIONS(self) -> Sequence[Option]:
        """The options; the state has a field for each."""

    @property
    def REASONS(self) -> Sequence[EndReason]:
        """How the game can end, by the state's ``reason``; the first is ``NOT_OVER``."""

    def box(self, seats: int, options: Mapping[str, Any]) -> list[int]:
        """Return the card numbers of the deck in use, sorted. Raises DeckError."""

    def check(self, seats: int, options: Mapping[str, Any]) -> None:
        """Raise OptionError if options contradict each other or the number of seats."""

    def name(self, s: Any, action: int) -> str:
        """Return the move's text."""

    def parse(self, s: Any, text: str) -> int:
        """Return the action that a text names, the inverse of ``name``; -1 if it names none."""

    def tell(self, before: Any, after: Any, action: int) -> str:
        """Return what the seat to move in ``before`` did, in words without a subject.

        Both states are redacted for the reader; ``action`` is -1 when it is hidden from the reader.
        ``{2}`` stands for the name of seat 2.
        """

    def show(self, s: Any, seat: int | None) -> Scene:
        """Return the scene, from a state redacted for ``seat`` (None: nothing is erased)."""


class Describe(Protocol):
    """Puts a move that could be made into words."""

    def __call__(self, s: Any, action: int) -> str:
        """Return a legal action as a short instruction: ``Play the red 7``, ``Take the pile``.

        ``s`` is redacted for the seat to move. The words have no full stop and nothing that only
        records write, such as squares by letter and number. They begin with a verb that also reads
        well after *could*, and differ from those of every other legal move.
        """


class TellEnd(Protocol):
    """Puts the end of a game into words."""

    def __call__(self, before: Any, after: Any, action: int, viewer: int | None) -> Ending:
        """Return what decided a game that ended with ``action``, and what each seat ended with.

        Nothing is redacted: at the end all cards lie open. The viewer, a seat, is "you"; with
        ``SPECTATOR`` or None every player is named.
        """


class Greedy(Protocol):
    """The heuristic player's one function, a rule like those of the kernel."""

    def __call__(self, s: Any, out: Any, n: int, rng: Any, work: Any) -> int:
        """Return one of the legal actions ``out[:n]``; ``s`` is redacted for the seat to move."""


class Recall(Protocol):
    """Fills in an earlier position, a rule like those of the kernel."""

    def __call__(self, s: Any, world: Any) -> bool:
        """Fill in what the seat to move in ``s`` knew there, from a full position later on.

        ``s`` is an earlier position of the game, redacted for another seat, and ``world`` one that
        this seat can't tell from the real one. Return False if it doesn't tell, because the cards
        have been shuffled since.
        """


class Holders(Protocol):
    """Says which hands unseen cards are in, a rule like those of the kernel."""

    def __call__(self, s: Any, out: Any) -> int:
        """Write who holds the card at each place of the deck; return the number of places.

        ``s`` is a redacted position. Write a seat that holds the card, or that held it when it
        moved and put it away unseen; ``NOBODY`` if it is unseen in a pile; and ``IN_SIGHT`` for a
        card that isn't erased.
        """


class ExchangeUnseen(Protocol):
    """Exchanges two unseen cards, a rule like those of the kernel."""

    def __call__(self, s: Any, first: int, second: int) -> bool:
        """Exchange the cards at two places that a seat hasn't seen, if it can't tell the result.

        ``s`` is a full position that this seat can't tell from the real one. Return False, and
        change nothing, if it could tell or if it makes no difference.
        """


class Evaluate(Protocol):
    """A quick evaluation of a position, a rule like those of the kernel."""

    def __call__(self, s: Any, out: Any) -> None:
        """Write a value for each seat, in any position: higher is better.

        A lead of 1000 counts as a certain win over the other seat. A solitaire game writes 1000 for
        a win, and less before. ``s`` may be a redacted state.
        """


class Features(Protocol):
    """What a network sees of a position, a rule like those of the kernel."""

    def __call__(self, s: Any, out: Any) -> int:
        """Write the numbers of the features that the position has; return how many.

        It looks at nothing that the seat to move doesn't know.
        """


class Traits(Protocol):
    """What a network sees of a move, a rule like those of the kernel."""

    def __call__(self, s: Any, action: int, out: Any) -> int:
        """Write the numbers of the traits that a legal action has; return how many.

        It looks at nothing that the seat to move doesn't know.
        """


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


@dataclass(frozen=True)
class Game:
    """A game of the registry."""

    name: str
    title: str
    version: int
    """The version of the rules: raised whenever a record may replay differently."""
    min_seats: int
    max_seats: int
    summary: str
    rules: Rules
    text: Text
    greedy: Greedy
    evaluate: Evaluate
    horizon: int
    """Moves per seat after which a playout stops and is evaluated; 0: it never stops early."""
    folder: Path
    """The folder of ``rulebook.md`` and the data files."""
    beliefs: Mapping[int, int] = field(default_factory=dict, hash=False)
    """By number of seats: exchanges by which that search brings a world in line with what the
    others played, if that makes it stronger. It needs the three rules from ``recall`` on."""
    solver: Solver | None = None
    """Solves the game when one plays it, if it can be solved."""
    draw: TerminalBoard | None = None
    """Draws the ``board`` of the game's views in a terminal; without it, zones and facts are."""
    page: type[GamePage] = GamePage
    """Draws the game's views on pages; without it, zones, facts and moves are drawn as they are."""
    describe: Describe | None = None
    """Puts a legal move into words; without it, they are made of the move's text."""
    moments: Sequence[MomentKind] = ()
    """What people see in the middle of moves, by the numbers that rules give to ``moment``."""
    ending: TellEnd | None = None
    """Puts the end into words; without it, the last move is told."""
    usual_options: tuple[tuple[str, Any], ...] = ()
    """The options by which people play unless they choose others, where the published rules leave
    nothing to decide. The library and studies keep to the published ones."""

    out: Callable[[Any, int], bool] | None = None
    """Returns whether a seat makes no more moves in a game that goes on; without it, none is."""
    outlook: Callable[[Any, Any, int], Outlook] | None = None
    """Returns what has come of a move for a seat, from the states before it and some time after;
    without it, the evaluation tells."""
    needed: Callable[[int], Mapping[str, Any]] | None = None
    """Returns the options that a number of seats can't do without; without it, there are none."""
    recall: Recall | None = None
    """Fills in earlier positions, so that searches can believe what moves tell about hands; without
    it, moves tell only what the rules force a player to reveal."""
    holders: Holders | None = None
    """Says which hands unseen cards are in; a game has this and the next if it has ``recall``."""
    exchange_unseen: ExchangeUnseen | None = None
    """Exchanges two unseen cards, if they can lie at each other's places."""

    features: Features | None = None
    """What a network sees of a position; without it, none learns the game."""
    feature_count: int = 0
    """How many features there are."""
    traits: Traits | None = None
    """What a network sees of a move; without it, none learns the game."""
    trait_count: int = 0
    """How many traits there are."""
    trust: float = 0.0
    """What the game's search gives for the scores of its network: ``trust`` of a policy."""
    learned_playouts: Sequence[int] = ()
    """Numbers of seats with which the network chooses the seat's own moves in the playouts of the
    game's search: ``learned`` of a policy."""

    earlier: tuple[Game, ...] = ()
    """The game by earlier versions of its rules, for records and tables that began with them."""

    actions_in_use: Callable[[Mapping[str, Any]], int] | None = None
    """Returns how many actions a game with these options has; without it, all ``ACTIONS``."""

    def of_version(self, version: int) -> Game | None:
        """Return the game by this version of its rules; None if the package doesn't have it."""
        return next((one for one in (self, *self.earlier) if one.version == version), None)

    @property
    def options(self) -> Sequence[Option]:
        return self.text.OPTIONS

    def actions(self, options: Mapping[str, Any] | None = None, seats: int | None = None) -> int:
        """Return how many actions there can be with these options: 0 to one less are in use.

        Raises :class:`SeatsError`, :class:`OptionError` or :class:`DeckError`.
        """
        values = self.check_options(seats or self.usual_seats, {} if options is None else options)
        return self.actions_in_use(values) if self.actions_in_use else self.rules.ACTIONS

    @property
    def usual_seats(self) -> int:
        """Four, or the nearest number of seats that the game allows."""
        return max(self.min_seats, min(self.max_seats, USUAL_SEATS))

    def needed_options(self, seats: int) -> dict[str, Any]:
        """Return the options that this number of seats can't do without, such as a second deck.

        Raises :class:`SeatsError` if the game does not allow this number of seats.
        """
        self.check_seats(seats)
        return {} if self.needed is None else dict(self.needed(seats))

    def rulebook(self) -> str:
        """Return the rulebook page, as Markdown."""
        return (self.folder / "rulebook.md").read_text(encoding="utf-8")

    def in_words(self, s: Any, action: int) -> str:
        """Return a legal action as a short instruction, such as ``Play the red 7``.

        ``s`` is redacted for the seat to move. A game without ``describe`` gets ``Play`` before
        texts that are cards or numbers; other texts get a capital. Raises :class:`InputError`
        if the state is of another game or the game has no such action.
        """
        if not isinstance(s, self.rules.Position):
            raise checks.wrong("s", s, f"a position of {self.title}", InputError)
        checks.whole(action, "an action", 0, self.rules.ACTIONS - 1)
        if self.describe is not None:
            return self.describe(s, action)
        move = self.text.name(s, action)
        if move in self.text.CARDS or not move[:1].isalpha():
            return f"Play {move}"
        return move[:1].upper() + move[1:]

    def check_seats(self, seats: int) -> None:
        """Raise :class:`SeatsError` if the game does not allow this number of seats."""
        number = checks.whole(seats, "seats", error=SeatsError)
        if not self.min_seats <= number <= self.max_seats:
            span = f"{self.min_seats} to {self.max_seats}"
            right = str(self.min_seats) if self.min_seats == self.max_seats else span
            players = "player" if right == "1" else "players"
            raise SeatsError(f"{self.title} is for {right} {players}, not {checks.quoted(number)}")

    def check_options(self, seats: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option by name, checked.

        Raises :class:`SeatsError`, :class:`OptionError` or :class:`DeckError`.
        """
        self.check_seats(seats)
        values = check_options(self.options, given, seats)
        self.text.check(seats, values)
        return values

    def read_options(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the values of texts ``name=value``, as commands take them, unchecked.

        A flag's name alone turns it on. Raises :class:`OptionError`.
        """
        return read_options(self.options, texts)

    def as_played(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options by which people usually play, changed by those given, unchecked."""
        return {**dict(self.usual_options), **given}

    def check_state(self, state: object) -> None:
        """Refuse what is no position of this game. Raises :class:`InputError`."""
        if not isinstance(state, self.rules.Position):
            raise checks.wrong("state", state, f"a position of {self.title}", InputError)

    def redacted(self, state: Any, seat: int) -> Any:
        """Return a copy of a state without what ``seat`` can't know.

        Nothing tells which generator it had, so that compiled rules can go on from it. Raises
        :class:`InputError` and :class:`SeatsError`.
        """
        self.check_state(state)
        checks.whole(seat, "seat", SPECTATOR, state.seats - 1, SeatsError)
        known = state.copy()
        self.rules.redact(known, seat)
        del known.rng[WORDS:]
        return known

    def header(
        self,
        seats: int,
        options: Mapping[str, Any],
        seed: str = "",
        deck: Sequence[str] | None = None,
    ) -> Any:
        """Return a state that ``rules.setup`` can deal from.

        ``deck`` is the order of the first shuffle (G3), by the texts of its cards.
        Raises :class:`SeatsError`, :class:`OptionError`, :class:`DeckError` or
        :class:`InputError`.
        """
        options = self.check_options(seats, options)
        stacked = None if deck is None else checks.texts(deck, "deck", DeckError)
        return make_header(self, int(seats), options, seed, stacked)

    def outcome(self, state: Any) -> Outcome:
        """Return how a game that is over has ended, by its final state.

        Raises :class:`InputError` if the state is of another game or the game goes on.
        """
        if not isinstance(state, self.rules.Position):
            raise checks.wrong("state", state, f"a position of {self.title}", InputError)
        if state.turn >= 0:
            raise InputError("the game is not over: play it to its end first")
        self.check_seats(state.seats)
        ranks, scores = [0] * state.seats, [0] * state.seats
        self.rules.rank(state, ranks)
        scored = self.rules.score(state, scores)
        reason = self.text.REASONS[state.reason]
        won = [reason.won] if state.seats == 1 else [rank == 1 for rank in ranks]
        return Outcome(tuple(ranks), tuple(scores) if scored else None, tuple(won), reason.text)


def make_header(
    game: Game,
    seats: int,
    options: Mapping[str, Any],
    seed: str,
    deck: Sequence[str] | None,
) -> Any:
    """Return what :meth:`Game.header` does, from every option by name, checked already.

    Raises :class:`DeckError` if the deck doesn't have the cards in use.
    """
    s = game.rules.Position()
    s.seats = seats
    s.rng = seed_words(seed)
    for option in game.options:
        if option.in_state:
            _put(s, option.field, option.encode(options[option.name], seats))
    box = game.text.box(seats, options)
    _put(s, "deck_n", len(box))
    _put(s, "box", box)
    _put(s, "deck", box if deck is None else _stack(game.text.CARDS, box, deck))
    s.stacked = int(deck is not None)
    return s


def _stack(cards: Sequence[str], box: list[int], deck: Sequence[str]) -> list[int]:
    """Return the card numbers of a stacked deck. Raises :class:`DeckError`."""
    names = list(cards)
    for card in deck:
        if card not in names:
            known = ", ".join(dict.fromkeys(names[number] for number in box))
            raise DeckError(f"deck: {checks.quoted(card)} is not a card: cards are {known}")
    order = [names.index(card) for card in deck]
    if sorted(order) != sorted(box):
        missing, extra = _difference(box, order), _difference(order, box)
        parts = [
            f"{word}: {', '.join(names[card] for card in cards[:5])}"
            for word, cards in (("missing", missing), ("too many", extra))
            if cards
        ]
        wrong = f"{checks.counted(len(order), 'card')}, expected {len(box)}"
        if len(order) == len(box):
            wrong = "not the cards in use"
        raise DeckError(f"deck: {wrong} ({'; '.join(parts)})")
    return order


def _put(s: State, name: str, value: Any) -> None:
    """Write an int, or a list into the first elements of a longer one."""
    if isinstance(value, list):
        getattr(s, name)[: len(value)] = value
    else:
        setattr(s, name, value)


def _difference(cards: Sequence[int], others: Sequence[int]) -> list[int]:
    return list((Counter(cards) - Counter(others)).elements())
