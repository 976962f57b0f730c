"""Solving one-player games: whether and how a deal can be won, where it was lost, how hard it is.

Each game has its own ``solver``; this module compiles and drives it. A :class:`Solving` holds one
set of buffers, and a lock lets several threads share it. Compiled code does not block other
threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cache
from threading import Lock
from typing import Any

from redouble.analysis.stats import wilson
from redouble.bots.inputs import check_observation, check_state
from redouble.contract.driver import MAX_MOVES, deal_next, play_on, quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import determinize, functions, play
from redouble.contract.registry import GAMES
from redouble.kernel import checks
from redouble.kernel.backend import compiled, np, to_records
from redouble.kernel.cores import IN_BROWSER
from redouble.kernel.errors import InputError, RedoubleError
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator, seed_words
from redouble.match.match import Match, Observation
from redouble.match.story import line_in_words, midsentence

__all__ = ["DealTally", "Foresight", "Solution", "SolveError", "Solving", "grade", "solving_for"]

POSITIONS = 20_000
"""Positions searched for one answer by default."""
WORLDS = 64
"""Determinizations that are played for each legal move."""
PLAYOUTS = 200
"""Playouts by a careful player who sometimes slips, to tell how hard a deal is."""
GRADES = (("easy", 0.8), ("medium", 0.5), ("hard", 0.0))
"""The difficulties, each with the smallest share of playouts that are won."""
MAX_TRIES = 300
"""Deals that are tried to find one of a difficulty."""
CAREFUL = -1.0
"""The value of ``mistakes`` in :meth:`Solving.play_deals` that stands for the solver's ``careful``
player instead of the heuristic with a share of mistakes."""

MAX_POSITIONS = 100_000_000
"""The limit of positions searched for one answer."""
MAX_DEALS = 100_000_000
"""The limit of deals in one call."""

STRIDE = 7919
"""The step between deals in a search for a difficulty, so that its answers are spread out."""


class SolveError(RedoubleError):
    """A game or a match that cannot be solved."""


@dataclass(frozen=True)
class Solution:
    """The solution of a position whose stock is known."""

    winnable: bool | None
    """None if the search reached its limit without an answer."""
    moves: tuple[str, ...] = ()
    """A winning line with the fewest redeals."""
    shortest: bool = False
    """Whether the line is proved to be the shortest."""


@dataclass(frozen=True)
class Foresight:
    """Whether a player who knew the stock could have won a game, and until which move.

    The real player knew less, so this does not judge any move.
    """

    winnable: bool | None
    """Whether the deal could be won; None if the search reached its limit without an answer."""
    won: bool = False
    """Whether the player won."""
    lost_at: int | None = None
    """The move, counted from 1, after which the game could no longer be won; 0 for a lost deal.

    None if it could be won to the end, as far as is known.
    """
    lost_by: str = ""
    """The name of that move."""
    line: tuple[str, ...] = ()
    """A winning line from the position before that move; empty if there is no such move."""

    def said(self, match: Match) -> str:
        """Return in a sentence what this says about the match that it was made for."""
        if self.won:
            return "This deal is won."
        if self.lost_at is None:
            known = "This game could be won to the end."
            return known if self.winnable else "It is not known whether this game could be won."
        if self.lost_at == 0:
            return "This deal cannot be won."
        words = midsentence(self._before(match).describe(self.lost_by))
        if self.line:
            return f"Move {self.lost_at} ({words}) lost the game: until then it could be won."
        return (
            f"After move {self.lost_at} ({words}) the game could no longer be won; "
            "it is not known which move lost it."
        )

    def line_said(self, match: Match) -> str:
        """Return the winning line in words; empty if there is none."""
        return line_in_words(self._before(match), self.line) if self.line else ""

    def _before(self, match: Match) -> Match:
        checks.instance(match, Match, "match")
        return match if self.lost_at is None else match.back_to(self.lost_at - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain JSON."""
        return asdict(self) | {"line": list(self.line)}


@dataclass(frozen=True)
class DealTally:
    """Counts of deals that can be won, cannot be won, and are undecided."""

    won: int
    lost: int
    undecided: int

    def __add__(self, other: DealTally) -> DealTally:
        return DealTally(
            self.won + other.won, self.lost + other.lost, self.undecided + other.undecided
        )

    @property
    def deals(self) -> int:
        """How many deals were tried."""
        return self.won + self.lost + self.undecided

    @property
    def share(self) -> float:
        """The share of deals won; undecided deals count as not won."""
        return self.won / self.deals if self.deals else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval by Wilson's method; undecided deals may be either, so they widen it."""
        if not self.deals:
            return 0.0, 1.0
        max_positions = (self.won + self.undecided) / self.deals
        return wilson(self.share, self.deals)[0], wilson(max_positions, self.deals)[1]

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain JSON."""
        return {
            "deals": self.deals,
            "won": self.won,
            "lost": self.lost,
            "undecided": self.undecided,
            "share": self.share,
            "interval": list(self.interval),
        }


def grade(share: float) -> str:
    """Return the difficulty of a deal with this share of playouts won."""
    checks.number(share, "share", 0, 1)
    return next(name for name, least in GRADES if share >= least)


# The compiled loops call these placeholders, which are bound to the functions of a game's solver.


def winnable(s: Any, out: Any, work: Any, max_positions: int) -> int:
    """Stand for the solver's ``winnable``."""
    return 0


def careful(s: Any, rng: Generator, out: Any, work: Any, max_positions: int) -> int:
    """Stand for the solver's ``careful``."""
    return 0


def human(s: Any, rng: Generator, out: Any, work: Any) -> int:
    """Stand for the solver's ``human``."""
    return 0


def deal_and_solve(
    states: Any, rng: Generator, out: Any, work: Any, found: Any, games: int, max_positions: int
) -> None:
    """Deal from the header in ``states[1]`` and write for each deal whether it can be won."""
    for game in range(games):
        deal_next(states, 0, states[1], rng)
        found[game] = winnable(states[0], out, work, max_positions)


def deal_and_play(
    states: Any,
    rng: Generator,
    out: Any,
    scratch: Any,
    work: Any,
    found: Any,
    games: int,
    max_positions: int,
    mistakes: float,
    won: Any,
) -> None:
    """Deal and play, and write for each deal whether it was won: 1, or a lower number if not.

    The player decides a share of ``mistakes`` at random and the rest by the heuristic; if that is
    negative, it plays like the solver's ``careful``. ``won`` has for each reason to end whether the
    game is won.
    """
    for game in range(games):
        deal_next(states, 0, states[1], rng)
        if mistakes < 0.0:
            found[game] = careful(states[0], rng, out, work, max_positions)
        else:
            play_on(states[0], out, MAX_MOVES, rng, (states[2:], scratch, mistakes))
            found[game] = won[states[0].reason]


def heuristic_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return the move of the heuristic player, who makes mistakes."""
    scratch, work, mistakes = how
    return quick_move(s, out, n, rng, scratch, work, mistakes)


def weigh(
    states: Any,
    rng: Generator,
    out: Any,
    scratch: Any,
    work: Any,
    wins: Any,
    actions: Any,
    n: int,
    worlds: int,
    max_positions: int,
) -> None:
    """Determinize the redacted ``states[1]`` and count for each action the worlds that it wins."""
    for _ in range(worlds):
        states[2] = states[1]
        determinize(states[2], rng, scratch)
        for i in range(n):
            states[0] = states[2]
            play(states[0], actions[i])
            if careful(states[0], rng, out, work, max_positions) == 1:
                wins[i] += 1


def count_slipping_wins(states: Any, rng: Generator, out: Any, work: Any, games: int) -> int:
    """Play ``games`` playouts of ``states[1]`` as a player who slips, and return the wins."""
    won = 0
    for _ in range(games):
        states[0] = states[1]
        won += human(states[0], rng, out, work)
    return won


class Solving:
    """A game's solver at work.

    Raises :class:`SolveError` if the game has no solver. The methods raise
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """

    def __init__(self, game: Game) -> None:
        checks.instance(game, Game, "game")
        if game.solver is None:
            raise SolveError(f"{game.title} has no solver: choose a game that has one")
        self.game = game
        self.solver = game.solver
        # A tab has no threads, and a lock would stop it while a module is at work.
        self._lock = nullcontext() if IN_BROWSER else Lock()
        self._work = np.zeros(self.solver.WORK, np.int64)
        self._out = np.zeros(self.solver.MAX_MOVES + 1, np.int64)
        self._scratch = np.zeros(WORK, np.int64)

    def solve(self, state: Any, max_positions: int = POSITIONS) -> Solution:
        """Return whether a position can be won, and how; it must not be redacted."""
        self._check(state, max_positions)
        records = to_records(state)
        with self._lock:
            found = compiled(self.solver.solve)(records[0], self._out, self._work, max_positions)
            actions = self._out[: max(found, 0) + 1].tolist()
        if found < 0:
            return Solution(False if found == self.solver.LOST else None)
        replay = state.copy()
        moves = []
        for action in actions[:-1]:
            moves.append(self.game.text.name(replay, action))
            self.game.rules.play(replay, action)
        return Solution(True, tuple(moves), bool(actions[-1]))

    def winnable(self, state: Any, max_positions: int = POSITIONS) -> bool | None:
        """Return whether a position can be won; None if the search reached its limit."""
        self._check(state, max_positions)
        records = to_records(state)
        with self._lock:
            found = compiled(self.solver.winnable)(records[0], self._out, self._work, max_positions)
        return None if found == self.solver.UNDECIDED else found != self.solver.LOST

    def lost_at(self, match: Match) -> int | None:
        """Return after how many moves a game could no longer be won; 0 if its deal cannot be won.

        None if it still can be won, or if that is undecided. A lost game stays lost, so bisection
        finds the ply.
        """
        self._check_match(match)
        if self.winnable(match.state) is not False:
            return None
        low, high = -1, match.ply  # lost at high; not known to be lost at low, if low >= 0
        while high - low > 1:
            middle = (low + high) // 2
            if self.winnable(match.back_to(middle).state) is False:
                high = middle
            else:
                low = middle
        return high

    def foresight(self, match: Match) -> Foresight:
        """Return whether a player who knew the stock could have won the game, and until when."""
        self._check_match(match)
        outcome = match.outcome
        if outcome is not None and outcome.won[0]:
            return Foresight(True, won=True)
        winnable = self.winnable(match.back_to(0).state)
        if winnable is False:
            return Foresight(False, lost_at=0)
        at = self.lost_at(match)
        if at is None:
            return Foresight(winnable or self.winnable(match.state))
        solution = self.solve(match.back_to(at - 1).state)
        by = match.moves[at - 1]
        return Foresight(winnable or solution.winnable, False, at, by, solution.moves)

    def chances(
        self,
        observation: Observation,
        seed: str = "",
        worlds: int = WORLDS,
        max_positions: int = POSITIONS,
    ) -> dict[str, float]:
        """Return for each legal move the share of determinizations that a careful player wins.

        The shares depend only on what the player knows: deals that the player cannot tell apart
        get the same shares. The solver's ``careful`` player plays on, so these are lower bounds of
        the best possible shares.
        """
        if check_observation(observation).game is not self.game:
            raise checks.wrong("observation", observation, f"one of {self.game.title}", SolveError)
        _check_alone(observation.state.seats)
        checks.text(seed, "seed")
        checks.whole(worlds, "worlds", 1, MAX_DEALS)
        checks.whole(max_positions, "max_positions", 1, MAX_POSITIONS)
        records = to_records(observation.state, 3)
        rng = np.array(seed_words(f"chances {seed}"), np.uint64)
        wins = np.zeros(len(observation.legal), np.int64)
        actions = np.array(observation.legal, np.int64)
        loop = compiled(
            weigh,
            determinize=self.game.rules.determinize,
            play=self.game.rules.play,
            careful=self.solver.careful,
        )
        with self._lock:
            for first, last in Pace().portions(worlds):
                loop(
                    *(records, rng, self._out, self._scratch, self._work, wins, actions),
                    *(len(actions), last - first, max_positions),
                )
        return {
            observation.name(action): won / worlds
            for action, won in zip(observation.legal, wins.tolist(), strict=True)
        }

    def ease(self, state: Any, seed: str = "", playouts: int = PLAYOUTS) -> float:
        """Return the share of playouts from here that a player who sometimes slips wins."""
        self._check(state)
        checks.text(seed, "seed")
        checks.whole(playouts, "playouts", 1, MAX_DEALS)
        records = to_records(state, 2)
        rng = np.array(seed_words(f"ease {seed}"), np.uint64)
        loop = compiled(count_slipping_wins, human=self.solver.human)
        with self._lock:
            portions = Pace(PLAYOUTS).portions(playouts)
            won = sum(
                int(loop(records, rng, self._out, self._work, last - first))
                for first, last in portions
            )
        return won / playouts

    def verdict(self, state: Any) -> str:
        """Return how hard a deal is: a name of GRADES, ``lost`` or ``undecided``."""
        winnable = self.winnable(state)
        if winnable is None:
            return "undecided"
        return grade(self.ease(state)) if winnable else "lost"

    def find_deal(self, options: Mapping[str, Any], difficulty: str, first: int, among: int) -> str:
        """Return the number of a deal that can be won and is this hard.

        ``any`` accepts every difficulty. The search starts at ``first`` among the deals 1 to
        ``among``. The answer is empty if there is no such deal among the first MAX_TRIES.
        """
        names = [name for name, _ in GRADES]
        checks.one_of(difficulty, [*names, "any"], "difficulty")
        checks.whole(among, "among", 1)
        checks.whole(first, "first", 1, among)
        for offset in range(MAX_TRIES):
            deal = str((first - 1 + offset * STRIDE) % among + 1)
            found = self.verdict(Match(self.game, 1, deal, options).state)
            if found == difficulty or (difficulty == "any" and found in names):
                return deal
        return ""

    def solve_deals(
        self, options: Mapping[str, Any], games: int, seed: str = "", max_positions: int = POSITIONS
    ) -> DealTally:
        """Solve this number of random deals and return how many can be won."""
        setup, winnable = self.game.rules.setup, self.solver.winnable
        loop = compiled(deal_and_solve, setup=setup, winnable=winnable)
        return self._many(loop, options, games, f"solve {seed}", (max_positions,))

    def play_deals(
        self,
        options: Mapping[str, Any],
        games: int,
        mistakes: float,
        seed: str = "",
        max_positions: int = POSITIONS,
    ) -> DealTally:
        """Play this number of random deals without seeing hidden cards; return how many are won.

        ``mistakes`` is the share of decisions made at random, while the heuristic makes the others,
        or CAREFUL.
        """
        if mistakes != CAREFUL:
            checks.number(mistakes, "mistakes", 0, 1)
        won = np.array([reason.won for reason in self.game.text.REASONS], np.int64)
        loop = compiled(
            deal_and_play,
            careful=self.solver.careful,
            choose=heuristic_move,
            **functions(self.game),
        )
        return self._many(
            loop, options, games, f"play {seed}", (max_positions, float(mistakes), won)
        )

    def _many(
        self, loop: Any, options: Mapping[str, Any], games: int, seed: str, more: tuple[Any, ...]
    ) -> DealTally:
        checks.whole(games, "games", 0, MAX_DEALS)
        checks.whole(more[0], "max_positions", 1, MAX_POSITIONS)
        header = self.game.header(1, options)
        records = to_records(header, 3)
        rng = np.array(seed_words(seed), np.uint64)
        found = np.zeros(games, np.int64)
        won = undecided = 0
        before = (self._scratch,) if len(more) > 1 else ()
        with self._lock:
            for first, last in Pace().portions(games):
                mine = found[first:last]
                loop(records, rng, self._out, *before, self._work, mine, last - first, *more)
                undecided += mine.tolist().count(self.solver.UNDECIDED)
                won += mine.tolist().count(1)
            if not games:  # compiles
                loop(records, rng, self._out, *before, self._work, found, 0, *more)
        return DealTally(won, games - won - undecided, undecided)

    def _check(self, state: Any, max_positions: int = POSITIONS) -> None:
        check_state(self.game, state)
        _check_alone(state.seats)
        checks.whole(max_positions, "max_positions", 1, MAX_POSITIONS)
        out = [0] * (self.game.rules.MAX_LEGAL + 1)
        try:
            choices = self.game.rules.legal(state.copy(), out)
        except IndexError:
            choices = -1
        if not any(state.rng) or (choices > 0) != (state.turn >= 0):
            raise InputError("the position is incomplete: give the state of a match")

    def _check_match(self, match: Match) -> None:
        if checks.instance(match, Match, "match").game is not self.game:
            raise SolveError(
                f"this is a match of {match.game.title}: give one of {self.game.title}"
            )
        _check_alone(match.seats)


def _check_alone(seats: int) -> None:
    if seats > 1:
        raise SolveError(f"{seats} players are too many for a solver: give a solitaire game")


def solving_for(game: Game) -> Solving:
    """Return the solver that a process shares. Raises :class:`SolveError`."""
    return _solving(checks.instance(game, Game, "game").name)


@cache
def _solving(name: str) -> Solving:
    return Solving(GAMES[name])


def prepare(name: str) -> None:
    """Compile the solver functions that pages use, or load them from the cache."""
    game = GAMES[name]
    solving = solving_for(game)
    state = Match(game, 1, "prepare").state
    solving.winnable(state)
    solving.solve(state)
    solving.ease(state, playouts=1)
