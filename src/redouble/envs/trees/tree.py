"""A game as a tree: chance has nodes of its own, and each seat remembers what it saw.

A :class:`TreePoint` is a place in the tree, where a seat or chance is to move. It never changes, so
copies share it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any

from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.envs.arrays.batch import placings
from redouble.envs.arrays.observation import observation, tensor_size
from redouble.envs.trees.chance import Answer, ChanceEvent, ChanceNeeded, Script, scripted_rules
from redouble.kernel.errors import InputError
from redouble.kernel.moments import Moments, watch
from redouble.kernel.rng import seed_words
from redouble.kernel.shares import nearness
from redouble.match import transcript
from redouble.match.match import numbered

CHANCE = -1
OVER = -4
MAX_KEPT = 20_000
"""Positions of a game of few deals that are kept, so that algorithms walk through them fast."""
MAX_TENSOR = 100_000
"""Slots of the longest tensor of an information state."""

Row = tuple[int, ...]


class Node:
    """A position after a number of moves, with the memories of the seats."""

    def __init__(
        self, parent: Node | None, action: int, answers: tuple[Answer, ...], state: Any, seen: Any
    ) -> None:
        self.parent = parent
        self.action = action
        self.answers = answers
        self.state = state
        self.moments: Moments = seen
        self.plies: int = 0 if parent is None else parent.plies + 1
        self.lines: dict[int, str] = {}
        self.rows: dict[int, tuple[Row, ...]] = {}
        self.following: dict[int, TreePoint] = {}


class TreePoint:
    """A place in a tree: a position, or chance at work on the way to the next one."""

    def __init__(
        self,
        tree: GameTree,
        node: Node | None,
        action: int = -1,
        answers: tuple[Answer, ...] = (),
        event: ChanceEvent | None = None,
        drawn: Answer = (),
    ) -> None:
        self.tree = tree
        self.node = node
        self.action = action
        self.answers = answers
        self.event = event
        self.drawn = drawn

    @property
    def turn(self) -> int:
        """The seat to move, ``CHANCE`` or ``OVER``."""
        if self.event is not None or self.node is None:
            return CHANCE
        over = self.node.state.turn < 0 or self.node.plies >= self.tree.max_moves
        return OVER if over else int(self.node.state.turn)

    def legal(self) -> list[int]:
        """Return the legal actions of the seat to move."""
        return [] if self.turn < 0 or self.node is None else self.tree.legal(self.node.state)

    def outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can do, with the probabilities."""
        return [] if self.event is None else self.event.outcomes(self.drawn)

    def name(self, action: int) -> str:
        """Return a move's text, the card that chance draws, or the number that it gives."""
        text = self.tree.game.text
        if self.event is not None or self.node is None:
            return text.CARDS[action] if self.event and self.event.cards else str(action)
        return text.name(self.node.state, action)

    def after(self, action: int) -> TreePoint:
        """Return the point after an action of the seat to move, or an outcome of chance.

        Raises :class:`InputError` if it can't be made here.
        """
        can = self.legal() if self.event is None else [one for one, _ in self.outcomes()]
        if action not in can:
            raise InputError(f"action cannot be {action}: give one of {numbered(can, self.name)}")
        return self.tree.after(self, action)

    def returns(self) -> list[float]:
        """Return what each seat made of the game: 0 before the end."""
        if self.node is None or self.turn != OVER:
            return [0.0] * self.tree.seats
        state = self.node.state
        if state.turn < 0:
            return placings(self.tree.game, state)
        values = [0.0] * self.tree.seats
        if self.tree.seats == 1:
            self.tree.game.player.evaluate(state, values)
            values[0] = nearness(values[0])
        return values

    def text(self, seat: int) -> str:
        """Return the seat's information state: all that it has seen."""
        return f"seat {seat}:" if self.node is None else self.tree.text(self.node, seat)

    def rows(self, seat: int) -> tuple[Row, ...]:
        """Return the same as numbers: a row after the deal, then one for each move."""
        return () if self.node is None else self.tree.rows(self.node, seat)

    def resampled(self, seat: int, draw: Callable[[], float]) -> TreePoint:
        """Return a point that ``seat`` can't tell from this one.

        ``draw`` gives random numbers from 0 to below 1. Raises :class:`InputError` in the middle
        of a chance event.
        """
        if self.node is None or self.event is not None:
            raise InputError("nothing can be resampled while chance is to move")
        return self.tree.resampled(self.node, seat, draw)

    def _moves(self) -> tuple[Node | None, list[tuple[int, tuple[Answer, ...]]]]:
        """Return the first position, and the actions since then with the answers of chance."""
        moves, node = [], self.node
        while node is not None and node.parent is not None:
            moves.append((node.action, node.answers))
            node = node.parent
        return node, moves[::-1]

    def way(self) -> list[int]:
        """Return all actions up to here, in a game of a number of deals that of chance first."""
        first, moves = self._moves()
        deal = [first.answers[0][0]] if first is not None and first.answers else []
        return [*deal, *(action for action, _ in moves)]

    def __deepcopy__(self, memo: Any) -> TreePoint:
        return self

    def __reduce__(self) -> Any:
        first, moves = self._moves()
        base: Any = None
        if first is not None:
            base = (first.answers, first.state, first.plies, first.lines, first.rows)
        pending = (self.action, self.answers, self.event, self.drawn)
        return _point, (self.tree, base, moves, pending)


class GameTree:
    """A game with its seats, options and deals; :func:`game_tree` makes it.

    With ``deals``, chance makes one choice among that many deals and has no other nodes.
    """

    def __init__(
        self, name: str, seats: int, options: str, deals: int, seed: str, max_moves: int
    ) -> None:
        self._arguments = (name, seats, options, deals, seed, max_moves)
        self.game = GAMES[name]
        self.seats = seats
        self.deals = deals
        self.seed = seed
        self.max_moves = max_moves
        self._options: Mapping[str, Any] = json.loads(options)
        self._header = self.game.header(seats, self._options)
        self._kept = 0
        self._deals: dict[int, TreePoint] = {}
        self.actions = self.game.actions(self._options, seats)
        self._bits = (self.actions - 1).bit_length()
        self.size = tensor_size(self.game, seats)
        self.row_size = seats + 1 + self._bits + self.size
        """Slots of a row: who moved, whether it was secret, the move in bits, and the tensor."""

    def __deepcopy__(self, memo: Any) -> GameTree:
        return self

    def __reduce__(self) -> Any:
        return game_tree, self._arguments

    @property
    def max_outcomes(self) -> int:
        """No chance event has larger outcomes than this number less 1."""
        cards = self._header.deck_n
        return self.deals or max(cards, self.seats, max(self._header.box[:cards]) + 1)

    @cached_property
    def start(self) -> TreePoint:
        if self.deals > 1:
            return TreePoint(self, None, event=ChanceEvent(tuple(range(self.deals)), 1))
        return self.play(None, -1, ())

    @cached_property
    def _scripted(self) -> Any:
        return scripted_rules(self.game)

    def legal(self, state: Any) -> list[int]:
        out = [0] * (self.game.rules.MAX_LEGAL + 1)
        return out[: self.game.rules.legal(state, out)]

    def after(self, point: TreePoint, action: int) -> TreePoint:
        """Return the point after an action or outcome that can be made."""
        if not self.deals:
            return self._next(point, action)
        following = self._deals if point.node is None else point.node.following
        if (kept := following.get(action)) is not None:
            return kept
        found = self._next(point, action)
        if self._kept < MAX_KEPT:
            self._kept += 1
            following[action] = found
        return found

    def _next(self, point: TreePoint, action: int) -> TreePoint:
        if point.event is None:
            return self.play(point.node, action, ())
        drawn = point.event.settled((*point.drawn, action))
        if len(drawn) == point.event.n:
            return self.play(point.node, point.action, (*point.answers, drawn))
        return TreePoint(self, point.node, point.action, point.answers, point.event, drawn)

    def play(self, node: Node | None, action: int, answers: tuple[Answer, ...]) -> TreePoint:
        """Return the point after a move, or after the first deal, with these answers of chance."""
        if self.deals:
            return TreePoint(self, self._dealt(node, action, answers))
        state = self._header.copy() if node is None else node.state.copy()
        state.rng = Script(state.deck, answers)
        try:
            if node is None:
                self._scripted.setup(state)
                seen: Moments = []
            else:
                seen = watch(self._scripted.play, state, action)
                for _, at in seen:
                    at.rng = [0] * 4  # in place of the script, which can't be erased
        except ChanceNeeded as needed:
            drawn = needed.event.settled(())
            return TreePoint(self, node, action, answers, needed.event, drawn)
        state.rng = [0] * 4
        return TreePoint(self, Node(node, action, answers, state, seen))

    def _dealt(self, node: Node | None, action: int, answers: tuple[Answer, ...]) -> Node:
        if node is not None:
            state = node.state.copy()
            seen = watch(self.game.rules.play, state, action)
            return Node(node, action, answers, state, seen)
        number = answers[0][0] if answers else 0
        state = self.game.header(self.seats, self._options, f"deal {number} of {self.seed}")
        self.game.rules.setup(state)
        return Node(None, -1, answers, state, [])

    def text(self, node: Node, seat: int) -> str:
        """Return all that a seat has seen until a position."""
        lines = [self.line(node, seat)]
        while node.parent is not None:
            node = node.parent
            lines.append(self.line(node, seat))
        return "".join(reversed(lines))

    def line(self, node: Node, seat: int) -> str:
        """Return what a seat saw of the last move, or of the deal."""
        if seat not in node.lines:
            if node.parent is None:
                line = transcript.opening(self.game, node.state, seat)
            else:
                before, action = node.parent.state, node.action
                line = transcript.ply(self.game, before, action, node.moments, node.state, seat)
            node.lines[seat] = line
        return node.lines[seat]

    def rows(self, node: Node, seat: int) -> tuple[Row, ...]:
        """Return what a seat has seen until a position, as rows of numbers."""
        if seat not in node.rows:
            before = () if node.parent is None else self.rows(node.parent, seat)
            node.rows[seat] = (*before, self._row(node, seat))
        return node.rows[seat]

    def _row(self, node: Node, seat: int) -> Row:
        head = [0] * (self.seats + 1 + self._bits)
        if node.parent is not None:
            before = node.parent.state
            head[(before.turn - seat) % self.seats] = 1
            if before.turn != seat and self.game.rules.hidden(before, node.action):
                head[self.seats] = 1
            else:
                for bit in range(self._bits):
                    head[self.seats + 1 + bit] = node.action >> bit & 1
        return (*head, *observation(self.game, node.state, seat))

    def resampled(self, node: Node, seat: int, draw: Callable[[], float]) -> TreePoint:
        """Return a point that a seat can't tell from a position."""
        if self.deals:
            worlds = self._worlds(node, seat)
            return TreePoint(self, worlds[int(draw() * len(worlds))])
        state = self.game.redacted(node.state, seat)
        words = seed_words(" ".join(str(draw()) for _ in range(4)))
        self.game.rules.determinize(state, words, [0] * WORK)
        state.rng = [0] * 4
        return TreePoint(self, self._restarted(node, state, seat))

    def _restarted(self, node: Node, state: Any, seat: int) -> Node:
        """Return an imagined position. ``seat`` remembers its game; the others begin to remember.

        What they saw before is not imagined, only what they know now.
        """
        world = Node(None, -1, (), state, [])
        world.plies = node.plies
        for other in range(self.seats):
            told = transcript.opening(self.game, state, other)
            world.lines[other] = f"from ply {node.plies}, {told}"
            if self.remembers:
                nothing = (0,) * self.row_size
                world.rows[other] = (nothing,) * node.plies + (self._row(world, other),)
        world.lines[seat] = self.text(node, seat)
        if self.remembers:
            world.rows[seat] = self.rows(node, seat)
        return world

    @property
    def remembers(self) -> bool:
        """Whether games are so short that all that a seat has seen fits into a tensor."""
        return self.row_size * (self.max_moves + 1) <= MAX_TENSOR

    def _worlds(self, node: Node, seat: int) -> list[Node]:
        """Return the positions of all deals and hidden moves that a seat can't tell from one."""
        way = [node]
        while way[-1].parent is not None:
            way.append(way[-1].parent)
        real = way.pop()
        deals = [self.start]
        if self.start.event is not None:
            deals = [self.after(self.start, deal) for deal in range(self.deals)]
        told = self.line(real, seat)
        worlds = [world for world in map(_position, deals) if self.line(world, seat) == told]
        while way:
            before, real = real, way.pop()
            told = self.line(real, seat)
            secret = before.state.turn != seat and self.game.rules.hidden(before.state, real.action)
            worlds = [
                world
                for old in worlds
                for action in self.legal(old.state)
                if (self.game.rules.hidden(old.state, action) if secret else action == real.action)
                for world in [_position(self.after(TreePoint(self, old), action))]
                if self.line(world, seat) == told
            ]
        return worlds


@lru_cache(maxsize=64)
def game_tree(
    name: str, seats: int, options: str, deals: int, seed: str, max_moves: int
) -> GameTree:
    """Return the tree of a game; ``options`` are all of them, as JSON."""
    return GameTree(name, seats, options, deals, seed, max_moves)


def _position(point: TreePoint) -> Node:
    assert point.node is not None
    return point.node


def _point(tree: GameTree, base: Any, moves: Any, pending: Any) -> TreePoint:
    """Return a point that was stored: its moves are made again."""
    node: Node | None = None
    if base is not None:
        answers, state, plies, lines, rows = base
        node = Node(None, -1, answers, state, [])
        node.plies, node.lines, node.rows = plies, dict(lines), dict(rows)
    for action, answers in moves:
        node = _position(tree.play(node, action, answers))
    return TreePoint(tree, node, *pending)
