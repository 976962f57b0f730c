"""A game being played: moves go in, views come out.

A match runs on the interpreted engine. It is its header and its moves and nothing else, so undo,
saving and replay are all the same thing: play that line again.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from secrets import token_hex
from typing import Any, overload

from redouble.contract.game import WORK, Game, make_header
from redouble.contract.moments import Headline, MomentKind
from redouble.contract.outcome import Ending, Outcome
from redouble.contract.parts import Recall
from redouble.contract.rules import Solver
from redouble.contract.view import Scene, View
from redouble.kernel import checks
from redouble.kernel.errors import DeckError, IllegalMove, InputError, OutOfRange, SeatsError
from redouble.kernel.moments import watch
from redouble.kernel.rng import seed_words, unpredictable
from redouble.kernel.state import SPECTATOR, State
from redouble.match import transcript
from redouble.match.fair import FairDeal
from redouble.match.record import Note, Record

__all__ = ["LegalMoves", "Match", "Moment", "Observation", "SeenMove"]

SNAPSHOTS = 2
"""Positions kept for undo; further back, the moves are played again from the start."""
MAX_WORLDS = 1000
"""Worlds that :meth:`Match.learned` compares with the real one."""
REMEMBERED = 512
"""The latest moves among which :meth:`Match.seen_moves` looks."""


@dataclass(frozen=True)
class SeenMove:
    """A move of another seat, and the position before it as far as the observer knew it then."""

    state: State
    action: int

    def __post_init__(self) -> None:
        checks.instance(self.state, State, "state")
        checks.whole(self.action, "action", 0)


class SeenMoves(Sequence[SeenMove]):
    """The moves of the others that a seat has seen, the latest one last: a read-only sequence.

    They are computed when they are first read, because that plays the whole match again. Pickles
    and copies hold the moves alone, as a tuple.
    """

    __slots__ = ("_found", "_look_back", "game")

    def __init__(self, game: Game, look_back: Callable[[], tuple[SeenMove, ...]]) -> None:
        self.game = game
        self._look_back: Callable[[], tuple[SeenMove, ...]] | None = look_back
        self._found: tuple[SeenMove, ...] = ()

    def _moves(self) -> tuple[SeenMove, ...]:
        look_back = self._look_back
        if look_back is not None:
            self._found = look_back()
            self._look_back = None  # last, since other threads may read at the same time
        return self._found

    def __len__(self) -> int:
        return len(self._moves())

    def __iter__(self) -> Iterator[SeenMove]:
        return iter(self._moves())

    @overload
    def __getitem__(self, index: int) -> SeenMove: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[SeenMove, ...]: ...

    def __getitem__(self, index: int | slice) -> SeenMove | tuple[SeenMove, ...]:
        return self._moves()[index]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, (tuple, list, SeenMoves)) and self._moves() == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, which hash by value

    def __repr__(self) -> str:
        return repr(self._moves())

    def __reduce__(self) -> tuple[type[tuple[SeenMove, ...]], tuple[tuple[SeenMove, ...]]]:
        return tuple, (self._moves(),)


@dataclass(frozen=True)
class Observation:
    """What one seat may know when it decides; a bot receives nothing else.

    The states are redacted for the seat, so nothing hidden can be read from them. Raises
    :class:`InputError` if a field has the wrong type.
    """

    game: Game
    seat: int
    state: Any
    legal: tuple[int, ...]
    """The legal actions, ascending."""
    past: Sequence[SeenMove] = ()
    """What the seat has seen the others do, the latest move last, where bots make use of it. A
    match computes it when it is first read."""

    def __post_init__(self) -> None:
        checks.instance(self.game, Game, "game")
        self.game.check_state(self.state)
        checks.whole(self.seat, "seat", SPECTATOR, self.state.seats - 1, SeatsError)
        legal, last = checks.items(self.legal, "legal", "actions"), self.game.rules.ACTIONS - 1
        for action in legal:
            checks.whole(action, "an action", 0, last)
        object.__setattr__(self, "legal", legal)
        if isinstance(self.past, SeenMoves) and self.past.game is self.game:
            return
        past = checks.items(self.past, "past", "moves")
        for move in past:
            self.game.check_state(checks.instance(move, SeenMove, "a move of the past").state)
            checks.whole(move.action, "an action of the past", 0, last)
        object.__setattr__(self, "past", past)

    @classmethod
    def _of(
        cls, game: Game, seat: int, state: Any, legal: tuple[int, ...], past: Sequence[SeenMove]
    ) -> Observation:
        """Return an observation of parts that a match made and that need no checks."""
        made = object.__new__(cls)
        vars(made).update(game=game, seat=seat, state=state, legal=legal, past=past)
        return made

    def name(self, action: int) -> str:
        """Return the text of an action, legal here or later in a line that starts here.

        Raises :class:`IllegalMove` if the game has no such action.
        """
        last = self.game.rules.ACTIONS - 1
        number = checks.whole(action, "action", 0, last, IllegalMove)
        return self.game.text.name(self.state, number)

    def describe(self, action: int) -> str:
        """Return a legal action as a short instruction in words, such as ``Play the red 7``.

        Raises :class:`IllegalMove` if the action is not legal here.
        """
        return self.game.in_words(self.state, _checked_action(action, self.legal, self.name))


@dataclass(frozen=True)
class Moment:
    """A point in the middle of a move, as one viewer sees it."""

    kind: MomentKind
    title: str
    """What happens, in a short sentence. ``{2}`` stands for the name of seat 2."""
    detail: str
    """What it means for the game; may be empty."""
    view: View
    """The table at this point. Nobody is asked for a move: there is no prompt."""


class LegalMoves(Sequence[str]):
    """The legal moves of a position as texts: a read-only sequence, computed when it is needed."""

    def __init__(self, game: Game, state: State) -> None:
        checks.instance(game, Game, "game")
        self._game = game
        self._state = state
        game.check_state(state)
        self._actions: tuple[int, ...] | None = None
        self._texts: tuple[str, ...] | None = None

    @property
    def actions(self) -> tuple[int, ...]:
        """The same moves as action numbers, ascending."""
        if self._actions is None:
            out = [0] * (self._game.rules.MAX_LEGAL + 1)
            n = self._game.rules.legal(self._state, out)
            self._actions = tuple(out[:n])
        return self._actions

    def __iter__(self) -> Iterator[str]:
        if self._texts is None:
            name = self._game.text.name
            self._texts = tuple(name(self._state, action) for action in self.actions)
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self.actions)

    def __bool__(self) -> bool:
        return bool(self.actions)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, str) and self.action(move) is not None

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        """Return one move, or with a slice a tuple of moves. Raises :class:`OutOfRange`."""
        if isinstance(index, slice):
            return tuple(self)[index]
        index = checks.whole(index, "an index", -len(self), len(self) - 1, OutOfRange)
        return self._game.text.name(self._state, self.actions[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list, LegalMoves)) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, which hash by value

    def __repr__(self) -> str:
        return f"<LegalMoves {', '.join(self)}>"

    def name(self, action: int) -> str:
        """Return the text of a legal action. Raises :class:`IllegalMove`."""
        return self._name(_checked_action(action, self.actions, self._name))

    def _name(self, action: int) -> str:
        return self._game.text.name(self._state, action)

    def action(self, move: str) -> int | None:
        """Return the action that a legal move's text names, or None if it is not legal."""
        if not isinstance(move, str):
            return None
        action = self._game.text.parse(self._state, move)
        return action if action in self.actions else None


class Reached:
    """A position that a match has reached: its moves, and what each seat knows of it.

    Its state never changes, so all of this is worked out once, and copies of a match share it.
    """

    def __init__(self, game: Game, state: State) -> None:
        self.game = game
        self.state = state
        self.legal = LegalMoves(game, state)
        self._known: dict[int, State] = {}

    def known_to(self, seat: int | None) -> State:
        """Return the state without what ``seat`` can't know; None knows everything."""
        if seat is None:
            return self.state
        known = self._known.get(seat)
        if known is None:
            known = self._known[seat] = self.game.redacted(self.state, seat)
        return known

    def last_known_to(self, seat: int | None) -> State:
        """Return the same for the last time: it isn't kept any longer, since it can take 20 KB."""
        known = self.known_to(seat)
        if seat is not None:
            self._known.pop(seat, None)
        return known


class Match:
    """A game being played by the rules; :func:`redouble.new` starts one, and it prints as a table.

    ``names`` are the players' names, by seat; ``options`` holds every option by its name. ``fair``
    says how the seed of a fair deal came about: with it, chance can't be predicted.
    """

    def __init__(
        self,
        game: Game,
        seats: int | Sequence[str] | None = None,
        seed: str | None = None,
        options: Mapping[str, Any] | None = None,
        deck: Sequence[str] | None = None,
        fair: FairDeal | None = None,
    ) -> None:
        self.game = checks.instance(game, Game, "game")
        self.names = _names(game, seats)
        self.options = game.check_options(self.seats, {} if options is None else options)
        self.seed = token_hex(8) if seed is None else checks.text(seed, "seed")
        self.deck = None if deck is None else checks.texts(deck, "deck", DeckError)
        self.fair = None if fair is None else checks.instance(fair, FairDeal, "fair")
        if self.fair is not None and self.seats == 1:
            raise SeatsError("a fair deal is for several players: a solitaire game has none")
        self._actions: list[int] = []
        self._moves: list[str] = []
        self._snapshots: deque[Reached] = deque(maxlen=SNAPSHOTS)
        self._seen: list[tuple[int, State]] | None = None  # the last move's moments, once asked for
        self._forgotten = [0]  # moves before this one that no later position recalls
        self._header = make_header(game, self.seats, self.options, self.seed, self.deck)
        self._here = Reached(game, self._start())

    def __str__(self) -> str:
        return self.view().table(self.game.title, self.names)

    def __repr__(self) -> str:
        turn = "over" if self.turn is None else f"{self.names[self.turn]} is to move"
        return f"<Match of {self.game.title}: {self.seats} seats, ply {self.ply}, {turn}>"

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.names)

    @property
    def solver(self) -> Solver | None:
        """The game's solver in a solitaire game; None if it has none or several play."""
        return self.game.solver if self.seats == 1 else None

    @property
    def turn(self) -> int | None:
        """The seat to move; None when the game is over."""
        turn = self._here.state.turn
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
        return self._here.legal

    @property
    def state(self) -> Any:
        """A copy of the full state, everything hidden included: for tools, not for players."""
        return self._here.state.copy()

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before."""
        if self._here.state.turn >= 0:
            return None
        return self.game.outcome(self._here.state)

    def push(self, move: str) -> None:
        """Make a move, given by its text.

        Raises :class:`IllegalMove`, and changes nothing, if the move is not legal.
        """
        action = self._here.legal.action(move)
        if action is None:
            raise self._illegal(move)
        self._play(action, self.game.text.name(self._here.state, action))

    def push_action(self, action: int) -> None:
        """Make a move, given by its action number. Raises :class:`IllegalMove`."""
        legal = self._here.legal
        number = _checked_action(action, legal.actions, legal._name)
        self._play(number, legal._name(number))

    def pop(self) -> str:
        """Undo the last move and return its text. Raises :class:`OutOfRange` at the start."""
        if not self._moves:
            raise OutOfRange("there is no move to undo: the match is at its start")
        self._actions.pop()
        self._seen, self._forgotten = None, [0]
        move = self._moves.pop()
        if not self._snapshots:
            state = self._start()
            for ply, action in enumerate(self._actions):
                if ply >= len(self._actions) - SNAPSHOTS:
                    self._snapshots.append(Reached(self.game, state.copy()))
                self.game.rules.play(state, action)
            self._here = Reached(self.game, state)
        else:
            self._here = self._snapshots.pop()
        return move

    def copy(self) -> Match:
        """Return an independent match in the same position."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._actions, twin._moves = self._actions[:], self._moves[:]
        twin._snapshots, twin._forgotten = self._snapshots.copy(), self._forgotten[:]
        return twin

    def positions(self) -> Iterator[Any]:
        """Yield the full state from the deal on, after each move: for tools, not for players.

        It yields the same object each time.
        """
        state = self._start()
        yield state
        for action in self._actions:
            self.game.rules.play(state, action)
            yield state

    def back_to(self, ply: int) -> Match:
        """Return an independent match as it was after ``ply`` moves. Raises :class:`OutOfRange`."""
        state = self._at(ply)
        twin = self.copy()
        del twin._actions[ply:], twin._moves[ply:]
        twin._snapshots, twin._seen = deque(maxlen=SNAPSHOTS), None
        twin._forgotten = [0]
        twin._here = Reached(self.game, state)
        return twin

    def seen_by(self, seat: int | None) -> Any:
        """Return a copy of the state with everything erased that ``seat`` cannot know.

        ``SPECTATOR`` sees what everybody sees, and None sees all. Raises :class:`SeatsError`.
        """
        return self._known_to(seat).copy()

    def observation(self) -> Observation:
        """Return what the seat to move may know: what a bot is given.

        It has a past where the usual search has beliefs. Raises :class:`IllegalMove`
        when the game is over.
        """
        seat = self._on_turn()
        usual = {} if self.game.beliefs is None else self.game.beliefs.exchanges
        past = self.seen_moves() if usual.get(self.seats) else ()
        state = self._here.known_to(seat).copy()
        return Observation._of(self.game, seat, state, self._here.legal.actions, past)

    def seen_moves(self) -> Sequence[SeenMove]:
        """Return the moves that the seat to move has seen the others make, the latest one last.

        They go back as far as a later position tells what was known at an earlier one, such as to
        the last shuffle. In games without ``beliefs``, there are none.
        They are computed when they are first read, and later moves don't change them.
        Raises :class:`IllegalMove` when the game is over.
        """
        seat, beliefs = self._on_turn(), self.game.beliefs
        if beliefs is None:
            return ()
        twin = self.copy()
        twin._forgotten = self._forgotten  # what it finds out is true of every later position
        return SeenMoves(self.game, partial(twin._look_back, seat, beliefs.recall))

    def _look_back(self, seat: int, recall: Recall) -> tuple[SeenMove, ...]:
        found, here = [], self._here.state
        first = max(self._forgotten[0], self.ply - REMEMBERED)
        befores = [state.copy() for state in islice(self.positions(), first, self.ply)]
        for ply in reversed(range(first, self.ply)):
            before, action = befores[ply - first], self._actions[ply]
            if before.turn == seat or self.game.rules.hidden(before, action):
                continue
            known = self.game.redacted(before, seat)
            if not recall(known.copy(), here):
                self._forgotten[0] = ply + 1
                break
            found.append(SeenMove(known, action))
        return tuple(reversed(found))

    def describe(self, move: str) -> str:
        """Return a legal move as a short instruction in words, such as ``Play the red 7``.

        It is made from what the seat to move knows. Raises :class:`IllegalMove`.
        """
        action = self._here.legal.action(move)
        if action is None:
            raise self._illegal(move)
        return self.game.in_words(self._known_to(self.turn).copy(), action)

    def view(self, seat: int | None = None) -> View:
        """Return what a seat sees.

        ``SPECTATOR`` sees what everybody sees, and None sees all. Raises :class:`SeatsError`.
        """
        scene = self.game.text.show(self._known_to(seat), seat)
        mine = seat is None or seat == self.turn
        moves = tuple(self._here.legal) if mine else ()
        return self._view_of(scene, self.turn, seat, moves, self.outcome)

    def _view_of(
        self,
        scene: Scene,
        turn: int | None,
        seat: int | None,
        moves: tuple[str, ...] = (),
        outcome: Outcome | None = None,
    ) -> View:
        return View(
            game=self.game.name,
            seats=self.seats,
            seat=seat,
            ply=self.ply,
            turn=turn,
            legal_moves=moves,
            outcome=None if outcome is None else outcome.to_dict(),
            **vars(scene),
        )

    def tell(self, seat: int | None = None) -> str:
        """Return the last move in words without a subject, as ``seat`` may hear it.

        ``{2}`` stands for the name of seat 2. Empty at the start. Raises :class:`SeatsError`.
        """
        after = self._known_to(seat)
        if not self._moves:
            return ""
        action, before = self._actions[-1], self._before()
        others = seat is not None and seat != before.state.turn
        secret = others and self.game.rules.hidden(before.state, action)
        return self.game.text.tell(before.last_known_to(seat), after, -1 if secret else action)

    def is_out(self, seat: int) -> bool:
        """Return whether a seat makes no more moves, although others do.

        False after the end, and in games that don't say so. Raises :class:`SeatsError`.
        """
        seat, out = self._checked_seat(seat), self.game.words.out
        return out is not None and self.turn is not None and out(self._here.state, seat)

    def moments(self, seat: int | None = None) -> tuple[Moment, ...]:
        """Return what there was to see in the middle of the last move, as ``seat`` sees it.

        Empty at the start, and in games without moments. Raises :class:`SeatsError`.
        """
        if seat is not None:
            seat = self._checked_seat(seat)
        kinds = self.game.words.moments
        moments = (self._moment(kinds[kind], state, seat) for kind, state in self._watched())
        return tuple(moment for moment in moments if moment is not None)

    def moment_kinds(self) -> tuple[MomentKind, ...]:
        """Return the kinds of :meth:`moments`, which everybody may know."""
        watched = ((self.game.words.moments[kind], state) for kind, state in self._watched())
        return tuple(
            kind for kind, state in watched if self._headline(kind, state, None) is not None
        )

    def _watched(self) -> list[tuple[int, State]]:
        if not self._moves or not self.game.words.moments:
            return []
        if self._seen is None:
            before = self._before().state.copy()
            self._seen = watch(self.game.rules.play, before, self._actions[-1])
        return self._seen

    def headlines(self, since: int, seat: int | None = None) -> tuple[tuple[Headline, ...], ...]:
        """Return the words of :meth:`moments` for each move from ply ``since`` on.

        Raises :class:`SeatsError`, and :class:`OutOfRange` if the match has not reached that ply.
        """
        if seat is not None:
            seat = self._checked_seat(seat)
        state, kinds = self._at(since), self.game.words.moments
        heard = []
        for action in self._actions[since:]:
            seen = watch(self.game.rules.play, state, action) if kinds else []
            words = [self._headline(kinds[kind], at, seat) for kind, at in seen]
            heard.append(tuple(one for one in words if one is not None))
        return tuple(heard)

    def ending(self, seat: int | None = None) -> Ending | None:
        """Return what decided the match, in words for ``seat``; None while it isn't over.

        A game that has no words for it gets those of the last move, or those of the reason if one
        plays it alone. Raises :class:`SeatsError`.
        """
        if seat is not None:
            seat = self._checked_seat(seat)
        if self.outcome is None or not self._moves:
            return None
        before, action = self._before().state.copy(), self._actions[-1]
        if self.game.words.ending is not None:
            return self.game.words.ending(before, self.state, action, seat)
        if self.seats == 1:
            reason = self.outcome.reason
            return Ending(f"{reason[:1].upper()}{reason[1:]}.")
        told = self.game.text.tell(before, self.state, action)
        return Ending(f"{{{before.turn}}} {told}.")

    def _headline(self, kind: MomentKind, state: State, seat: int | None) -> Headline | None:
        return kind.headline(state if seat is None else self.game.redacted(state, seat), seat)

    def _moment(self, kind: MomentKind, state: State, seat: int | None) -> Moment | None:
        state = state.copy() if seat is None else self.game.redacted(state, seat)
        words = kind.headline(state, seat)
        if words is None:
            return None
        scene = replace(self.game.text.show(state, seat), prompt="", dimmed={}, moves={})
        if kind.board is not None:
            scene = replace(scene, board=scene.board | dict(kind.board(state)))
        return Moment(kind, words.title, words.detail, self._view_of(scene, state.turn, seat))

    def information_state_string(self, seat: int) -> str:
        """Return all that ``seat`` has seen since the start: its memory, if it forgets nothing.

        The first line is what it saw after the deal. Each move adds a line: who made it, the move
        or ``?`` if it was secret, and what changed before the eyes of ``seat``. In two matches that
        ``seat`` can't tell apart the text is the same. Raises :class:`SeatsError`.
        """
        seat = self._checked_seat(seat)
        state = self._start()
        lines = [transcript.opening(self.game, state, seat)]
        for action in self._actions:
            before = state.copy()
            seen = watch(self.game.rules.play, state, action)
            lines.append(transcript.ply(self.game, before, action, seen, state, seat))
        return "".join(lines)

    def learned(self, seat: int, ply: int, worlds: int = 16) -> bool:
        """Return whether ``seat`` has learned something hidden since the match was at ``ply``.

        If it has not, going back to ``ply`` leaves it with nothing that it did not know there.

        The test compares ``worlds`` determinizations: positions that ``seat`` could not tell from
        the real one at ``ply``. The same moves are made in each. If a move is illegal in one of
        them, or if ``seat`` would have seen anything else at a later ply, it has learned that this
        world is not the real one.

        The worlds are a sample, so both answers can be wrong. False is wrong when every world of
        the sample happens to agree with the real one: a difference in a share ``q`` of all worlds
        is missed with probability ``(1 - q) ** worlds``. True is wrong, on the careful side, after
        another seat's secret move, which always counts as learned, and when all that ``seat`` saw
        is which of several equal cards was drawn.

        Raises :class:`SeatsError`, :class:`OutOfRange` if the match has not reached ``ply``, and
        :class:`InputError` if ``worlds`` is not a number from 0 to ``MAX_WORLDS``.
        """
        seat = self._checked_seat(seat)
        state = self._at(ply)
        worlds = checks.whole(worlds, "worlds", 0, MAX_WORLDS)
        rules = self.game.rules
        rng, work = seed_words(f"learned {ply} {seat}"), [0] * WORK
        others = [self.game.redacted(state, seat) for _ in range(worlds)]
        for other in others:
            rules.determinize(other, rng, work)
        for action in self._actions[ply:]:
            if state.turn != seat and rules.hidden(state, action):
                return True
            rules.play(state, action)
            seen = self.game.redacted(state, seat)
            for other in others:
                if action not in LegalMoves(self.game, other).actions:
                    return True
                rules.play(other, action)
                if self.game.redacted(other, seat) != seen:
                    return True
        return False

    def restarted(self) -> Match:
        """Return a match with the same deal, players and options, before its first move."""
        return Match(self.game, self.names, self.seed, self.options, self.deck, self.fair)

    def record(self, notes: Sequence[Note] = ()) -> Record:
        """Return the match as a record; ``str()`` of it is one JSON line.

        ``notes`` are pairs of a ply and a sentence. Raises :class:`RecordError` if they do not fit
        this match.
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
            fair=self.fair,
            notes=notes,  # type: ignore[arg-type]  # the record makes it a tuple
        )

    def _before(self) -> Reached:
        if self._snapshots:
            return self._snapshots[-1]
        return Reached(self.game, self._at(self.ply - 1))

    def _at(self, ply: object) -> State:
        """Return the position after ``ply`` moves. Raises :class:`OutOfRange`."""
        number = checks.whole(ply, "ply")
        if number not in range(self.ply + 1):
            raise OutOfRange(f"there is no ply {checks.quoted(ply)}: plies are 0 to {self.ply}")
        state = self._start()
        for action in self._actions[:number]:
            self.game.rules.play(state, action)
        return state

    def _start(self) -> State:
        state: State = self._header.copy()
        if self.fair is not None:
            state.rng = unpredictable(self.seed)
        self.game.rules.setup(state)
        return state

    def _on_turn(self) -> int:
        if self.turn is None:
            raise IllegalMove("the game is over: no player is to move")
        return self.turn

    def _checked_seat(self, seat: object) -> int:
        try:
            return checks.whole(seat, "seat", SPECTATOR, self.seats - 1)
        except InputError:
            raise SeatsError(
                f"there is no seat {checks.quoted(seat)}: seats are 0 to {self.seats - 1}"
            ) from None

    def _known_to(self, seat: int | None) -> State:
        """Return the state as ``seat`` knows it, which the caller must not change."""
        return self._here.known_to(None if seat is None else self._checked_seat(seat))

    def _play(self, action: int, name: str) -> None:
        state = self._here.state.copy()
        self.game.rules.play(state, action)
        self._snapshots.append(self._here)
        self._here = Reached(self.game, state)
        self._actions.append(action)
        self._seen = None
        self._moves.append(name)

    def _illegal(self, move: object) -> IllegalMove:
        shown = checks.quoted(move)
        if self.turn is None:
            return IllegalMove(f"{shown} is not legal: the game is over")
        legal = self._here.legal
        if not isinstance(move, str):
            text = legal[0] if type(move) is not int or f"{move}" not in legal else f"{move}"
            wrong = f"{shown} is not the text of a move: give a text such as {text!r}"
        else:
            wrong = f"{shown} is not legal for {self.names[self.turn]}"
        return IllegalMove(f"{wrong}; legal moves: {listed(legal)}")


def _names(game: Game, seats: object) -> tuple[str, ...]:
    """Return the players' names: those given, or "Player 1" and so on."""
    if isinstance(seats, (list, tuple)):
        names = checks.texts(seats, "seats", SeatsError)
        game.check_seats(len(names))
        return names
    if seats is None:
        seats = game.min_seats
    try:
        number = checks.whole(seats, "seats")
    except InputError:
        right = "a number or a list of names"
        raise checks.wrong("seats", seats, right, SeatsError) from None
    game.check_seats(number)
    return tuple(f"Player {seat + 1}" for seat in range(number))


def _checked_action(action: object, legal: Sequence[int], name: Callable[[int], str]) -> int:
    """Return a legal action. Raises :class:`IllegalMove`, which lists the legal ones."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # anything may be given
    except TypeError:
        number = -1
    if number not in legal or isinstance(action, bool):
        raise IllegalMove(
            f"{checks.quoted(action)} is not the number of a legal action; legal actions: "
            f"{numbered(legal, name)}"
            if legal
            else f"{checks.quoted(action)} is not legal: the game is over"
        )
    return number


def listed(moves: Iterable[str], max_shown: int = 24) -> str:
    """Return moves on one line of text, cut if there are many."""
    texts = list(moves)
    more = f" and {len(texts) - max_shown} more" if len(texts) > max_shown else ""
    return ", ".join(texts[:max_shown]) + more


def numbered(actions: Iterable[int], name: Callable[[int], str]) -> str:
    """Return actions with the texts of their moves on one line, cut if there are many."""
    return listed((f"{action} ({name(action)!r})" for action in actions), max_shown=12)
