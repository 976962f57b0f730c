"""The contract of a game: everything that a game's folder must define.

A game is a folder with three modules. ``rules`` has functions over a state that run interpreted and
compiled (:mod:`redouble.contract.rules`). ``text`` is what people read and type
(:mod:`redouble.contract.text`). ``greedy`` has a heuristic player and an evaluation of positions.
``Game`` combines them with the parts that a game may leave out (:mod:`redouble.contract.parts`);
the folder's ``GAME`` is registered under the ``redouble.games`` entry points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redouble.contract.drawing import BOARDS, TerminalBoard
from redouble.contract.options import Option, check_options, read_options
from redouble.contract.outcome import Outcome
from redouble.contract.page.game_page import GamePage
from redouble.contract.parts import Beliefs, Network, Player, Setups, Words
from redouble.contract.rules import Rules, Solver
from redouble.contract.text import Text
from redouble.kernel import checks
from redouble.kernel.errors import DeckError, InputError, OptionError, SeatsError
from redouble.kernel.rng import WORDS, seed_words
from redouble.kernel.state import SPECTATOR, State

__all__ = ["WORK", "Game"]

USUAL_SEATS = 4
WORK = 2048
"""The length of the scratch array that ``determinize`` and ``greedy`` get."""


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
    folder: Path
    """The folder of ``rulebook.md`` and the data files."""
    rules: Rules
    text: Text
    player: Player
    words: Words = field(default_factory=Words)
    setups: Setups = field(default_factory=Setups)
    beliefs: Beliefs | None = None
    network: Network | None = None
    solver: Solver | None = None
    """Solves the game when one plays it, if it can be solved."""
    draw: TerminalBoard | None = None
    """Draws the ``board`` of the game's views in a terminal; without it, zones and facts are."""
    page: type[GamePage] = GamePage
    """Draws the game's views on pages; without it, zones, facts and moves are drawn as they are."""
    earlier: tuple[Game, ...] = ()
    """The game by earlier versions of its rules, for records and tables that began with them."""

    def of_version(self, version: int) -> Game | None:
        """Return the game by this version of its rules; None if the package doesn't have it."""
        return next((one for one in (self, *self.earlier) if one.version == version), None)

    def __post_init__(self) -> None:
        if self.draw is not None:
            BOARDS[checks.text(self.name, "the name of a game")] = self.draw

    @property
    def options(self) -> Sequence[Option]:
        """The rule options, in the order in which people see them."""
        return self.text.OPTIONS

    def actions(self, options: Mapping[str, Any] | None = None, seats: int | None = None) -> int:
        """Return how many actions there can be with these options: 0 to one less are in use.

        Raises :class:`SeatsError`, :class:`OptionError` or :class:`DeckError`.
        """
        values = self.check_options(seats or self.usual_seats, {} if options is None else options)
        actions = self.setups.actions
        return self.rules.ACTIONS if actions is None else actions(values)

    @property
    def usual_seats(self) -> int:
        """Four, or the nearest number of seats that the game allows."""
        return max(self.min_seats, min(self.max_seats, USUAL_SEATS))

    def needed_options(self, seats: int) -> dict[str, Any]:
        """Return the options that this number of seats can't do without, such as a second deck.

        Raises :class:`SeatsError` if the game does not allow this number of seats.
        """
        self.check_seats(seats)
        needed = self.setups.needed
        return {} if needed is None else dict(needed(seats))

    def ending_options(self, seats: int) -> dict[str, Any]:
        """Return options with which the last moves of a game can be judged exactly.

        Raises :class:`SeatsError` if the game does not allow this number of seats.
        """
        needed = self.needed_options(seats)
        fit = [least for least in self.setups.endings if least <= seats]
        own = self.setups.endings[max(fit)] if fit else {}
        return {**self.setups.usual, **needed, **own}

    def rulebook(self) -> str:
        """Return the rulebook page, as Markdown."""
        return (self.folder / "rulebook.md").read_text(encoding="utf-8")

    def in_words(self, s: Any, action: int) -> str:
        """Return a legal action as a short instruction, such as ``Play the red 7``.

        ``s`` is redacted for the seat to move. A game without ``describe`` gets ``Play`` before
        texts that are cards or numbers; other texts get a capital. Raises :class:`InputError`
        if the state is of another game or the game has no such action.
        """
        self.check_state(s)
        checks.whole(action, "an action", 0, self.rules.ACTIONS - 1)
        if self.words.describe is not None:
            return self.words.describe(s, action)
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
        """Return the values of texts ``name=value`` of a command line, unchecked.

        A flag's name alone turns it on, and a deck or board is the path of a file. Raises
        :class:`OptionError`.
        """
        return read_options(self.options, texts)

    def as_played(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options by which people usually play, changed by those given, unchecked.

        Raises :class:`OptionError` if they are no mapping.
        """
        if not isinstance(given, Mapping):
            raise checks.wrong("options", given, "a mapping of names to values", OptionError)
        return {**self.setups.usual, **given}

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

        ``deck`` is the order of the first shuffle (G3), by the texts of its cards. Raises
        :class:`SeatsError`, :class:`OptionError`, :class:`DeckError` or :class:`InputError`.
        """
        options = self.check_options(seats, options)
        stacked = None if deck is None else checks.texts(deck, "deck", DeckError)
        return make_header(self, int(seats), options, seed, stacked)

    def outcome(self, state: Any) -> Outcome:
        """Return how a game that is over has ended, by its final state.

        Raises :class:`InputError` if the state is of another game or the game goes on.
        """
        self.check_state(state)
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
    game: Game, seats: int, options: Mapping[str, Any], seed: str, deck: Sequence[str] | None
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
    if isinstance(value, list):
        getattr(s, name)[: len(value)] = value
    else:
        setattr(s, name, value)


def _difference(cards: Sequence[int], others: Sequence[int]) -> list[int]:
    return list((Counter(cards) - Counter(others)).elements())
