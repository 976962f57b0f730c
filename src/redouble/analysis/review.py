"""Reviews of games: what each decision cost, and how much was luck.

Every decision is judged only by what its seat knew at the time, its
:class:`~redouble.match.match.Observation`. docs/review.md explains the figures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from redouble.analysis.shares import of_ranks
from redouble.bots.inputs import MAX_THREADS, check_observation
from redouble.bots.policy import BEST, MAX_ITERATIONS, Policy
from redouble.kernel import checks
from redouble.kernel.border import JsonShape, check_json, to_json
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import seed_words
from redouble.kernel.shares import share_leading
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match, Observation
from redouble.match.record import Record
from redouble.match.replay import replay

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight
    from redouble.contract.game import Game

__all__ = ["Account", "Decision", "Point", "Review", "ReviewError", "ReviewStopped", "review"]

VERSION = 11
"""The version of the method: raised whenever a game may get a different review."""
ITERATIONS = 1000
"""Iterations of the search for a better move, unless the game is very long."""
MIN_ITERATIONS = 100
"""Iterations of that search in the longest games."""
TOTAL = 150_000
"""Iterations of these searches in a whole game: in a long game each decision gets fewer."""
MAX_DECISIONS = 3000
MAX_PLIES = 10**9
MAX_SEATS = 1000
SIFTED = 1.0
"""Standard errors by which another move must seem better to get a close look."""
CLOSELY = 2
"""The factor of iterations in a close look."""
CLEAR = 2.0
"""The smallest number of standard errors for a loss to count."""
POINTS = 64
"""The maximum number of points in the graph, not counting the end."""
POINT_ITERATIONS = 250
START_ITERATIONS = 2000
MOMENTS = 3
THREADS = 2
"""The default number of threads, which does not change the result."""

BELIEFS = 8
"""The most exchanges by which worlds are brought in line with what the others played: a few take
longer than a playout, and a review tries many worlds."""

Count = Annotated[int, Ge(0)]

Watch = Callable[[int, int], bool]
"""A function of the steps done and the total number of steps; returning False ends the review."""


class ReviewError(RedoubleError):
    """A game that cannot be reviewed, or data that is not a review."""


class ReviewStopped(RedoubleError):
    """The ``watch`` function ended the review."""


@dataclass(frozen=True)
class Decision:
    """A decision between several moves, judged by what the seat knew."""

    ply: int
    """The number of moves before it."""
    seat: int
    move: str
    better: str
    """A move that would have been clearly better; empty if none was found."""
    loss: float
    """What the move cost, in expected share of opponents beaten; 0 if no loss is clear."""
    error: float
    """An upper bound on the loss's standard error; 0 if no other move was considered."""
    share: float
    """The share that the seat could expect after its move, by a search from what it knew."""
    moved: tuple[float, ...]
    """How the loss changed each seat's share, including the mover's; zeros without a loss."""


@dataclass(frozen=True)
class Point(JsonShape):
    """The share that each seat could expect after ``ply`` moves, by what it knew itself."""

    ply: Count
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Account:
    """How a seat's result came about, from its expected share at the start.

    ``result == start + deal + gifts + chance - lost``.
    """

    seat: int
    name: str
    rank: int | None
    """None while the game is not over."""
    decisions: int
    """Moves with more than one legal choice."""
    mistakes: int
    result: float
    """The share of opponents it beat, or can expect to beat if the game is not over."""
    start: float
    """The expected share of its seat before any card was seen."""
    deal: float
    """How the cards it was dealt changed that share."""
    gifts: float
    """What it gained from the mistakes of others."""
    lost: float
    """What its own mistakes cost."""

    @property
    def chance(self) -> float:
        """The remainder: cards that came later, and how the others happened to play."""
        return self.result - self.start - self.deal - self.gifts + self.lost

    @property
    def luck(self) -> float:
        """The parts that it did not control: deal, gifts and chance."""
        return self.deal + self.gifts + self.chance


@dataclass(frozen=True)
class Review:
    """The review of a game."""

    seats: int
    plies: int
    over: bool
    iterations: int
    """Iterations of the search for a better move at each decision."""
    decisions: tuple[Decision, ...]
    points: tuple[Point, ...]
    """The graph, from ply 0 to the end."""
    accounts: tuple[Account, ...]
    """One for each seat."""
    foresight: Foresight | None = None
    """What knowing the stock would have been worth, for a one-player game with a solver."""

    def __post_init__(self) -> None:
        checks.whole(self.seats, "seats", 1, MAX_SEATS, ReviewError)
        checks.whole(self.plies, "plies", 0, MAX_PLIES, ReviewError)
        checks.whole(self.iterations, "iterations", 1, MAX_ITERATIONS, ReviewError)
        for what, kind in (("decisions", Decision), ("points", Point), ("accounts", Account)):
            for one in checks.items(getattr(self, what), what, what, ReviewError):
                checks.instance(one, kind, f"one of {what}", ReviewError)
        if len(self.accounts) != self.seats:
            raise ReviewError(
                f"accounts has {len(self.accounts)} accounts: give one for each of {self.seats}"
                " seats"
            )

    @property
    def mistakes(self) -> tuple[Decision, ...]:
        """The decisions that clearly cost something, in order of play."""
        return tuple(decision for decision in self.decisions if decision.loss)

    def moments(self, seats: Collection[int] | None = None, limit: int = MOMENTS) -> list[Decision]:
        """Return the costliest mistakes of these seats, or of all seats, the costliest first."""
        if seats is not None and (isinstance(seats, str) or not isinstance(seats, Collection)):
            raise checks.wrong("seats", seats, "a collection of seat numbers", ReviewError)
        checks.whole(limit, "limit", 0, error=ReviewError)
        found = [one for one in self.mistakes if seats is None or one.seat in seats]
        return sorted(found, key=lambda one: (-one.loss, one.ply))[:limit]

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain JSON, as :meth:`from_dict` reads it."""
        data: dict[str, Any] = to_json(_StoredReview.of(self))
        return data

    @classmethod
    def from_dict(cls, data: object) -> Review:
        """Return exactly the review that :meth:`to_dict` wrote.

        Raises :class:`ReviewError` for anything else.
        """
        try:
            return check_json(_StoredReview, data, ReviewError).review()
        except ReviewError as error:
            raise ReviewError(f"this isn't a review: {error}") from None

    def named(self, names: Sequence[str]) -> Review:
        """Return the same review with other names of the seats."""
        given = checks.texts(names, "names", ReviewError)
        if len(given) != self.seats:
            raise ReviewError(f"{len(given)} names for {self.seats} seats: give one for each")
        accounts = zip(self.accounts, given, strict=True)
        return replace(self, accounts=tuple(replace(one, name=name) for one, name in accounts))


# The JSON of a review, with its keys in order.


@dataclass(frozen=True)
class _StoredDecision(JsonShape):
    ply: Count
    seat: Count
    move: str
    better: str | None
    loss: float
    error: float
    share: float
    moved: tuple[float, ...] | None

    @classmethod
    def of(cls, one: Decision) -> _StoredDecision:
        moved = one.moved if one.loss else None
        return cls(**{**vars(one), "better": one.better or None, "moved": moved})

    def decision(self, seats: int) -> Decision:
        moved = (0.0,) * seats if self.moved is None else self.moved
        return Decision(**{**vars(self), "better": self.better or "", "moved": moved})


@dataclass(frozen=True)
class _StoredAccount(JsonShape):
    seat: Count
    name: str
    rank: Count | None
    decisions: Count
    mistakes: Count
    result: float
    start: float
    deal: float
    gifts: float
    chance: float
    luck: float
    lost: float

    @classmethod
    def of(cls, one: Account) -> _StoredAccount:
        """Return it with the figures that follow from the others, for convenience."""
        return cls(**vars(one), chance=one.chance, luck=one.luck)

    def account(self) -> Account:
        figures = vars(self).items()
        return Account(**{name: it for name, it in figures if name not in ("chance", "luck")})


@dataclass(frozen=True)
class _StoredForesight(JsonShape):
    winnable: bool | None
    won: bool
    lost_at: Count | None
    lost_by: str
    line: tuple[str, ...]

    def foresight(self) -> Foresight:
        from redouble.analysis.solve import Foresight

        return Foresight(**vars(self))


@dataclass(frozen=True)
class _StoredReview(JsonShape):
    seats: Count
    plies: Count
    over: bool
    iterations: Count
    accounts: tuple[_StoredAccount, ...]
    moments: tuple[_StoredDecision, ...]
    decisions: tuple[_StoredDecision, ...]
    graph: tuple[Point, ...]
    foresight: _StoredForesight | None

    @classmethod
    def of(cls, found: Review) -> _StoredReview:
        foresight = found.foresight
        return cls(
            seats=found.seats,
            plies=found.plies,
            over=found.over,
            iterations=found.iterations,
            accounts=tuple(map(_StoredAccount.of, found.accounts)),
            moments=tuple(map(_StoredDecision.of, found.moments())),
            decisions=tuple(map(_StoredDecision.of, found.decisions)),
            graph=found.points,
            foresight=None if foresight is None else _StoredForesight(**vars(foresight)),
        )

    def review(self) -> Review:
        """Return the review. Raises :class:`ReviewError` if its parts do not fit together."""
        self._check()
        return Review(
            seats=self.seats,
            plies=self.plies,
            over=self.over,
            iterations=self.iterations,
            decisions=tuple(one.decision(self.seats) for one in self.decisions),
            points=self.graph,
            accounts=tuple(one.account() for one in self.accounts),
            foresight=None if self.foresight is None else self.foresight.foresight(),
        )

    def _check(self) -> None:
        if [one.seat for one in self.accounts] != list(range(self.seats)):
            raise ReviewError(f"it needs an account for each of the {self.seats} seats, in order")
        if not self.graph:
            raise ReviewError("its graph is empty: it needs a point for the end")
        figures = [one.shares for one in self.graph]
        figures += [one.moved for one in self.decisions if one.moved is not None]
        if any(len(each) != self.seats for each in figures):
            raise ReviewError(f"it needs a figure for each of the {self.seats} seats")
        if any(one.ply >= self.plies or one.seat >= self.seats for one in self.decisions):
            raise ReviewError("a decision is after the last move, or of a seat that doesn't exist")


def review(
    game: Match | Record,
    iterations: int = ITERATIONS,
    watch: Watch | None = None,
    threads: int = THREADS,
) -> Review:
    """Review every decision of a game.

    The same game and iterations give the same review, whatever the number of threads. ``watch`` is
    called with the steps done and the total number of steps; it ends the review by returning False.

    Raises :class:`ReviewError` for a game without a move or with too many decisions,
    :class:`~redouble.kernel.errors.RecordError` for a record that cannot be played,
    :class:`ReviewStopped` if ``watch`` ended it, and :class:`~redouble.kernel.errors.InputError`
    for any other argument that cannot be used.
    """
    if not isinstance(game, (Match, Record)):
        raise checks.wrong("game", game, "a Match or a Record", ReviewError)
    checks.whole(iterations, "iterations", 1, MAX_ITERATIONS)
    checks.whole(threads, "threads", 1, MAX_THREADS)
    if watch is not None and not callable(watch):
        wanted = "a function of the steps done and the total"
        raise checks.wrong("watch", watch, wanted, ReviewError)
    match = replay(game) if isinstance(game, Record) else game
    decisions = _decisions(match)
    each = min(iterations, max(MIN_ITERATIONS, TOTAL // max(decisions, 1)))
    points_shown = min(match.ply, POINTS)
    shown = {match.ply * i // points_shown for i in range(points_shown)}
    solved = match.solver is not None
    total = decisions + len(shown) + 1 + (match.outcome is None) + solved
    done = _run(_jobs(match, each, shown), threads, total, watch)
    judged = tuple(one for one in done if isinstance(one, Decision))
    points = [one for one in done if isinstance(one, Point)]
    start = next(one for one in done if isinstance(one, tuple))
    foresight = done[-1] if solved else None
    if match.outcome is not None:
        points.append(Point(match.ply, results(match)))
    return Review(
        seats=match.seats,
        plies=match.ply,
        over=match.outcome is not None,
        iterations=each,
        decisions=judged,
        points=tuple(points),
        accounts=tuple(_account(match, seat, judged, points, start) for seat in range(match.seats)),
        foresight=foresight,
    )


def results(match: Match) -> tuple[float, ...]:
    """Return the share of opponents that each seat beat, a tie counting half.

    In a one-player game it is how near the player came to a win. Raises :class:`ReviewError` if the
    game is not over.
    """
    checks.instance(match, Match, "match")
    if match.outcome is None:
        raise ReviewError("the game is not over: play it to its end")
    if match.seats > 1:
        return of_ranks(match.outcome.ranks)
    evaluations = [0]
    match.game.player.evaluate(match.state, evaluations)
    return (share_leading(evaluations, 1, 0),)


Job = Callable[[], Any]


def _decisions(whole: Match) -> int:
    """Return the number of decisions. Raises :class:`ReviewError` if there are too many."""
    if not whole.ply:
        raise ReviewError("no move was made in this game: play before you review it")
    number = sum(len(match.legal_moves) > 1 for match, _ in _positions(whole))
    if number > MAX_DECISIONS:
        raise ReviewError(
            f"{number} decisions are too many to review: give a game with at most {MAX_DECISIONS}"
        )
    return number


def _positions(whole: Match) -> Iterator[tuple[Match, str]]:
    """Yield the match before each of its moves, with the move; it is always the same object."""
    match = whole.restarted()
    for move in whole.moves:
        yield match, move
        match.push(move)


def _jobs(whole: Match, iterations: int, shown: set[int]) -> Iterator[Job]:
    """Yield the jobs of a review: functions of what was known at each ply."""
    for match, move in _positions(whole):
        ply = match.ply
        if ply == 0:
            public = Observation(match.game, SPECTATOR, match.seen_by(SPECTATOR), ())
            yield partial(_expect, public, "start", START_ITERATIONS)
        if ply in shown:
            yield partial(_point, ply, _eyes(match))
        if len(match.legal_moves) > 1:
            action = match.legal_moves.action(move)
            assert action is not None
            yield partial(judge, match.observation(), action, ply, iterations)
    if whole.outcome is None:
        yield partial(_point, whole.ply, _eyes(whole))
    if whole.solver is not None:
        yield partial(_foreseen, whole.copy())


def _foreseen(whole: Match) -> Foresight:
    from redouble.analysis.solve import solving_for

    return solving_for(whole.game).foresight(whole)


def _eyes(match: Match) -> list[Observation]:
    """Return the observation of every seat, without legal actions."""
    return [Observation(match.game, seat, match.seen_by(seat), ()) for seat in range(match.seats)]


def _run(jobs: Iterator[Job], threads: int, total: int, watch: Watch | None) -> list[Any]:
    """Run the jobs in several threads and return their results in order.

    Jobs are created while others run, so that few positions are in memory at a time.
    """
    given: list[Any] = []

    def take(found: Any) -> None:
        given.append(found)
        if watch is not None and not watch(len(given), total):
            raise ReviewStopped("the review was stopped")

    if threads == 1:
        for job in jobs:
            take(job())
        return given
    running: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                running.append(pool.submit(job))
                if len(running) > 4 * threads:
                    take(running.popleft().result())
            while running:
                take(running.popleft().result())
        finally:
            for one in running:
                one.cancel()
    return given


def judge(observation: Observation, action: int, ply: int, iterations: int) -> Decision:
    """Return what it cost a seat to choose this legal action, by what it knew.

    A search looks for the best move. If that is another one, each of the two gets a search of its
    own with the same number of iterations and the same chance; if the difference is larger than
    chance often makes it, a second, longer one. Only the last measurement counts: selecting the
    moves that seem best exaggerates the earlier ones.
    """
    from redouble.bots.search import Search, compare

    def chance(what: str) -> Any:
        return seed_words(f"review: {what} at ply {ply}")

    observation = check_observation(observation)
    thorough = thorough_policy(observation.game, observation.state.seats)
    look = Search(observation, chance("look"), replace(thorough, iterations=iterations))
    look.run(iterations)
    found = look.candidates()
    best = found[0].action
    move = observation.name(action)
    nothing = (0.0,) * observation.state.seats
    if best == action:
        return Decision(ply, observation.seat, move, "", 0.0, 0.0, found[0].share, nothing)
    for stage, times, clear in (("sift", 1, SIFTED), ("close", CLOSELY, CLEAR)):
        two = action, best
        made, missed = compare(observation, chance(stage), thorough, two, iterations * times)
        mine, other = made[observation.seat], missed[observation.seat]
        error = sqrt((_spread(mine) + _spread(other)) / (iterations * times))
        if other - mine <= clear * error:
            return Decision(ply, observation.seat, move, "", 0.0, error, mine, nothing)
    moved = tuple(a - b for a, b in zip(made, missed, strict=True))
    return Decision(
        ply, observation.seat, move, observation.name(best), other - mine, error, mine, moved
    )


def thorough_policy(game: Game, seats: int) -> Policy:
    """Return how a review searches at a table with this number of seats."""
    usual = 0 if game.beliefs is None else game.beliefs.exchanges.get(seats, 0)
    return Policy(method=BEST, beliefs=min(usual, BELIEFS))


def _spread(mean: float) -> float:
    """Return the largest possible variance of numbers from 0 to 1 with this mean."""
    return max(mean * (1.0 - mean), 0.0)


def _expect(observation: Observation, what: str, iterations: int) -> tuple[float, ...]:
    """Return each seat's expected share, by what one seat knows, if all use the heuristic."""
    from redouble.bots.search import forecast

    return forecast(observation, seed_words(f"review: {what}"), iterations).shares


def _point(ply: int, eyes: Sequence[Observation]) -> Point:
    shares = [
        _expect(observation, f"point {ply} of seat {observation.seat}", POINT_ITERATIONS)[
            observation.seat
        ]
        for observation in eyes
    ]
    return Point(ply, tuple(shares))


def _account(
    whole: Match,
    seat: int,
    decisions: Sequence[Decision],
    points: Sequence[Point],
    start: Sequence[float],
) -> Account:
    mine = [one for one in decisions if one.seat == seat]
    return Account(
        seat=seat,
        name=whole.names[seat],
        rank=None if whole.outcome is None else whole.outcome.ranks[seat],
        decisions=len(mine),
        mistakes=sum(one.loss > 0 for one in mine),
        result=points[-1].shares[seat],
        start=start[seat],
        deal=points[0].shares[seat] - start[seat],
        gifts=sum(one.moved[seat] for one in decisions if one.seat != seat),
        lost=sum(one.loss for one in mine),
    )
