"""A game being played: moves go in, views come out.

A match runs on the interpreted engine. It is its header and its moves and nothing else, so undo,
saving and replay are all the same thing: play that line again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from redouble.contract.game import WORK, Game
from redouble.contract.outcome import Outcome
from redouble.contract.view import View
from redouble.kernel.errors import IllegalMove, SeatsError
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR, State
from redouble.match.record import Note, Record

SNAPSHOTS = 2
"""Positions kept for undo; further back, the line is played again from the start."""


@dataclass(frozen=True)
class Observation:
    """All that a seat may know when it decides: what a bot receives.

    The state is redacted for the seat, so nothing hidden can be read from it.
    """

    game: Game
    seat: int
    state: Any
    legal: tuple[int, ...]

    def name(self, action: int) -> str:
        """The text of an action."""
        return self.game.text.name(self.state, action)


class LegalMoves:
    """The legal moves of a position, as texts: lazy, ordered, with ``in``, ``len`` and truth."""

    def __init__(self, game: Game, state: State) -> None:
        self._game = game
        self._state = state
        self._actions: tuple[int, ...] | None = None

    @property
    def actions(self) -> tuple[int, ...]:
        """The same moves as action numbers, ascending."""
        if self._actions is None:
            out = [0] * (self._game.rules.MAX_LEGAL + 1)
            n = self._game.rules.legal(self._state, out)
            self._actions = tuple(out[:n])
        return self._actions

    def __iter__(self) -> Iterator[str]:
        for action in self.actions:
            yield self._game.text.name(self._state, action)

    def __len__(self) -> int:
        return len(self.actions)

    def __bool__(self) -> bool:
        return bool(self.actions)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, str) and self.action(move) is not None

    def __getitem__(self, index: int) -> str:
        return self._game.text.name(self._state, self.actions[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list, LegalMoves)) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, which hash by value

    def __repr__(self) -> str:
        return f"<LegalMoves {', '.join(self)}>"

    def name(self, action: int) -> str:
        """The text of a legal action."""
        return self._game.text.name(self._state, action)

    def action(self, move: str) -> int | None:
        """The action of a legal move's text; None when it is not legal."""
        action = self._game.text.parse(self._state, move)
        return action if action in self.actions else None


class Match:
    """A game being played by the rules; see :func:`new`.

    ``names`` are what records call the seats; ``options`` hold every option by its name.
    """

    def __init__(
        self,
        game: Game,
        seats: int | Sequence[str] | None = None,
        seed: str | None = None,
        options: Mapping[str, Any] | None = None,
        deck: Sequence[str] | None = None,
    ) -> None:
        if seats is None:
            seats = game.min_seats
        number = seats if isinstance(seats, int) else len(seats)
        if isinstance(seats, (str, bool)):
            raise SeatsError(f"seats cannot be {seats!r}: give a number or a list of names")
        game.check_seats(number)
        if isinstance(seats, int):
            seats = [f"seat {seat}" for seat in range(seats)]
        self.game = game
        self.names = tuple(str(name) for name in seats)
        self.options = game.check_options(number, options or {})
        self.seed = token_hex(8) if seed is None else str(seed)
        self.deck = None if deck is None else tuple(deck)
        self._actions: list[int] = []
        self._moves: list[str] = []
        self._snapshots: deque[State] = deque(maxlen=SNAPSHOTS)
        self._state = self._start()
        self._legal = LegalMoves(game, self._state)

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.names)

    @property
    def turn(self) -> int | None:
        """The seat to move; None when the game is over."""
        turn = self._state.turn
        return None if turn < 0 else turn

    @property
    def ply(self) -> int:
        """Moves made."""
        return len(self._moves)

    @property
    def moves(self) -> tuple[str, ...]:
        """The texts of all moves made. They may tell what some seats do not know."""
        return tuple(self._moves)

    @property
    def legal_moves(self) -> LegalMoves:
        """The moves open to the seat to move; empty when the game is over."""
        return self._legal

    @property
    def state(self) -> Any:
        """A copy of the full state, everything hidden included: for tools, not for players."""
        return self._state.copy()

    @property
    def outcome(self) -> Outcome | None:
        """None before the end."""
        if self._state.turn >= 0:
            return None
        return self.game.outcome(self._state)

    def push(self, move: str) -> None:
        """Make a move, given by its text.

        Raises :class:`IllegalMove`, and changes nothing, when it is not legal.
        """
        action = self._legal.action(move)
        if action is None:
            raise self._illegal(move)
        self._play(action, self.game.text.name(self._state, action))

    def push_action(self, action: int) -> None:
        """Make a move, given by its action number. Raises :class:`IllegalMove`."""
        if action not in self._legal.actions:
            raise self._illegal(str(action))
        self._play(action, self.game.text.name(self._state, action))

    def pop(self) -> str:
        """Take back the last move and return its text. Raises :class:`IndexError` at the start."""
        if not self._moves:
            raise IndexError("no move to take back")
        self._actions.pop()
        move = self._moves.pop()
        if not self._snapshots:
            state = self._start()
            for ply, action in enumerate(self._actions):
                if ply >= len(self._actions) - SNAPSHOTS:
                    self._snapshots.append(state.copy())
                self.game.rules.play(state, action)
            self._state = state
        else:
            self._state = self._snapshots.pop()
        self._legal = LegalMoves(self.game, self._state)
        return move

    def copy(self) -> Match:
        """An independent match that stands where this one stands."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._actions, twin._moves = self._actions[:], self._moves[:]
        twin._snapshots = deque((state.copy() for state in self._snapshots), maxlen=SNAPSHOTS)
        twin._state = self._state.copy()
        twin._legal = LegalMoves(self.game, twin._state)
        return twin

    def seen_by(self, seat: int | None) -> Any:
        """A copy of the state with everything erased that ``seat`` cannot know.

        ``SPECTATOR`` sees what everybody sees; None sees all.
        """
        return self._state.copy() if seat is None else self._redacted(self._state, seat)

    def observation(self) -> Observation:
        """What the seat to move may know: for bots. Raises :class:`IllegalMove` at the end."""
        if self.turn is None:
            raise IllegalMove("the game is over: nobody is to move")
        return Observation(self.game, self.turn, self.seen_by(self.turn), self._legal.actions)

    def view(self, seat: int | None = None) -> View:
        """What ``seat`` sees; without a seat, everything; ``SPECTATOR``: what everybody sees."""
        state = self.seen_by(seat)
        scene = self.game.text.show(state, seat)
        mine = seat is None or seat == self.turn
        return View(
            game=self.game.name,
            seats=self.seats,
            seat=seat,
            ply=self.ply,
            turn=self.turn,
            zones=scene.zones,
            facts=scene.facts,
            prompt=scene.prompt,
            board=scene.board,
            legal_moves=tuple(self._legal) if mine else (),
            outcome=None if self.outcome is None else self.outcome.to_dict(),
            dimmed=scene.dimmed,
        )

    def tell(self, seat: int | None = None) -> str:
        """The last move in words without a subject, as ``seat`` may hear it; empty at the start.

        ``{2}`` stands for the name of seat 2.
        """
        if not self._moves:
            return ""
        after = self.seen_by(seat)
        action = self._actions[-1]
        move = self.pop()
        mover = self.turn
        before = self.seen_by(seat)
        secret = seat is not None and seat != mover and self.game.rules.hidden(self._state, action)
        self.push(move)
        return self.game.text.tell(before, after, -1 if secret else action)

    def learned(self, seat: int, ply: int, worlds: int = 16) -> bool:
        """Whether ``seat`` has learned something hidden since the match stood at ``ply``.

        When it has not, going back to ``ply`` leaves it nothing that it did not know there.

        So many worlds are imagined that ``seat`` could not tell from the real one at ``ply``, and
        the same moves are made in each. Where one is illegal, or where ``seat`` would have seen
        anything else at any ply since, it has learned that this world is not the real one.

        The worlds are a sample, and both answers can err. False is wrong when all of them happen to
        agree with the real one: what only a share ``q`` of all worlds contradicts is missed with
        the chance ``(1 - q) ** worlds``. True is wrong, on the careful side, when another seat made
        a move that ``seat`` could not see, which is not looked into, and when all that ``seat`` saw
        is which of several equal cards chance took.

        Raises :class:`SeatsError`, and :class:`IndexError` when the match has not got to ``ply``.
        """
        if not 0 <= ply <= self.ply:
            raise IndexError(f"there is no ply {ply}; plies are 0 to {self.ply}")
        rules = self.game.rules
        state = self._start()
        for action in self._actions[:ply]:
            rules.play(state, action)
        others = self._determinized(self._redacted(state, seat), f"learned {ply} {seat}", worlds)
        for action in self._actions[ply:]:
            if state.turn != seat and rules.hidden(state, action):
                return True
            rules.play(state, action)
            seen = self._redacted(state, seat)
            for other in others:
                if action not in LegalMoves(self.game, other).actions:
                    return True
                rules.play(other, action)
                if self._redacted(other, seat) != seen:
                    return True
        return False

    def record(self, notes: Sequence[Note] = ()) -> Record:
        """The match as a record; ``str()`` of it is one JSON line.

        ``notes`` are pairs of a ply and a sentence. Raises :class:`RecordError` when they cannot
        stand in a record of this match.
        """
        defaults = {option.name: option.default for option in self.game.options}
        return Record(
            game=self.game.name,
            rules=self.game.version,
            seats=self.names,
            seed=self.seed,
            moves=self.moves,
            options={k: v for k, v in self.options.items() if v != defaults[k]},
            deck=self.deck,
            ranks=None if self.outcome is None else self.outcome.ranks,
            notes=tuple((ply, sentence) for ply, sentence in notes),
        )

    def _start(self) -> State:
        state: State = self.game.header(self.seats, self.options, self.seed, self.deck)
        self.game.rules.setup(state)
        return state

    def _redacted(self, state: State, seat: int) -> State:
        if not SPECTATOR <= seat < self.seats:
            raise SeatsError(f"there is no seat {seat!r}; seats are 0 to {self.seats - 1}")
        copy = state.copy()
        self.game.rules.redact(copy, seat)
        return copy

    def _determinized(self, seen: State, seed: str, worlds: int) -> list[State]:
        """Worlds that look like ``seen``, with chances of their own to come."""
        rng, work = seed_words(seed), [0] * WORK
        states = [seen.copy() for _ in range(worlds)]
        for state in states:
            self.game.rules.determinize(state, rng, work)
        return states

    def _play(self, action: int, name: str) -> None:
        self._snapshots.append(self._state.copy())
        self.game.rules.play(self._state, action)
        self._actions.append(action)
        self._moves.append(name)
        self._legal = LegalMoves(self.game, self._state)

    def _illegal(self, move: str) -> IllegalMove:
        if self.turn is None:
            return IllegalMove(f"the game is over: {move!r} comes too late")
        return IllegalMove(
            f"{move!r} is not legal for seat {self.turn}; legal: {listed(self._legal)}"
        )


def listed(moves: Iterable[str], most: int = 24) -> str:
    """Moves as one line of text, cut where there are very many."""
    texts = list(moves)
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
