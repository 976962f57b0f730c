"""A finished game looked at again: what each decision cost, and how far luck went.

Every decision is judged by what its seat knew then, its :class:`~redouble.match.match.Observation`,
and by nothing else. docs/review.md says what each figure means.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from redouble.analysis.shares import of_ranks
from redouble.bots.inputs import MAX_THREADS
from redouble.bots.policy import MAX_ITERATIONS, Policy
from redouble.kernel import checks
from redouble.kernel.border import STRICT, check_json, to_json
from redouble.kernel.errors import RedoubleError
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match, Observation
from redouble.match.record import Record
from redouble.match.replay import replay

if TYPE_CHECKING:
    from redouble.analysis.solve import Foresight

__all__ = [
    *("ITERATIONS", "MAX_DECISIONS", "THREADS", "VERSION"),
    *("Account", "Decision", "Point", "Review", "ReviewError", "ReviewStopped"),
    *("results", "review"),
]

VERSION = 2
"""Of how reviews are made: raised whenever a game may no longer get the same one."""
ITERATIONS = 1000
"""Of the search that looks for a better move, where a game is not very long."""
MIN_ITERATIONS = 100
TOTAL = 150_000
"""Iterations of these searches in a whole game: in a long one each decision gets less."""
MAX_DECISIONS = 3000
SIFTED = 1.0
"""Standard errors by which another move has to seem better to be looked at closely."""
CLOSELY = 2
"""How many times as many iterations a close look takes."""
CLEAR = 2.0
"""Standard errors from which on a loss counts."""
POINTS = 64
"""Points of the graph, at most and besides the end."""
POINT_ITERATIONS = 250
START_ITERATIONS = 2000
MOMENTS = 3
THREADS = 2
"""The result does not depend on it."""

PLAIN = Policy(explore=0.0, patience=-1.0)
"""A search that tries nothing: everybody plays on as the game's heuristic player would."""
THOROUGH = Policy()

Count = Annotated[int, Ge(0)]

Watch = Callable[[int, int], bool]
"""Told how many steps are done, and of how many; False ends the work."""


class ReviewError(RedoubleError):
    """This game cannot be reviewed."""


class ReviewStopped(RedoubleError):
    """The ``watch`` function ended the review."""


@dataclass(frozen=True)
class Decision:
    """A decision between several moves, judged by what the seat knew."""

    ply: int
    """Moves made before it."""
    seat: int
    move: str
    better: str
    """The move that would have been clearly better; empty when none was found."""
    loss: float
    """What the move cost in expected share of opponents beaten; 0 when nothing is clear."""
    error: float
    """The standard error of the loss, at most; 0 when no other move came into question."""
    share: float
    """What the seat could expect after its move: of what it knew, by a search."""
    moved: tuple[float, ...]
    """What the loss gave to each seat, the one that moved included; zeros without a loss."""


@dataclass(frozen=True)
class Point:
    """What each seat could expect, by what it knew itself, after so many moves."""

    ply: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Account:
    """How a seat came from what it could expect to what it got.

    ``result == start + deal + gifts + chance - lost``.
    """

    seat: int
    name: str
    rank: int | None
    """None while the game runs."""
    decisions: int
    """Moves it chose among several."""
    mistakes: int
    result: float
    """The share of opponents it beat; while the game runs, what it can expect now."""
    start: float
    """What its place at the table was worth before anybody had seen a card."""
    deal: float
    """What its first look at its cards changed."""
    gifts: float
    """What the others' mistakes gave to it."""
    lost: float
    """What its own mistakes cost."""

    @property
    def chance(self) -> float:
        """All that is left: cards that came, and how the others happened to play."""
        return self.result - self.start - self.deal - self.gifts + self.lost

    @property
    def luck(self) -> float:
        """All that was not its own doing."""
        return self.deal + self.gifts + self.chance


@dataclass(frozen=True)
class Review:
    """All that was found out about a game."""

    seats: int
    plies: int
    over: bool
    iterations: int
    """Of the search for a better move, at each decision."""
    decisions: tuple[Decision, ...]
    points: tuple[Point, ...]
    """The graph, from ply 0 to the end."""
    accounts: tuple[Account, ...]
    """One a seat."""
    foresight: Foresight | None = None
    """Of a game for one that has a solver: what knowing the stock would have been worth."""

    @property
    def mistakes(self) -> tuple[Decision, ...]:
        """The decisions that clearly cost something, in the order of the game."""
        return tuple(decision for decision in self.decisions if decision.loss)

    def moments(self, seats: Collection[int] | None = None, most: int = MOMENTS) -> list[Decision]:
        """The costliest mistakes of some seats, or of the game: the costliest first."""
        found = [one for one in self.mistakes if seats is None or one.seat in seats]
        return sorted(found, key=lambda one: (-one.loss, one.ply))[:most]

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain JSON, as :meth:`from_dict` reads it."""
        data: dict[str, Any] = to_json(_StoredReview.of(self))
        return data

    @classmethod
    def from_dict(cls, data: object) -> Review:
        """Return the very review that :meth:`to_dict` wrote, to the last digit.

        Raises :class:`ReviewError` for anything else.
        """
        try:
            return check_json(_StoredReview, data, ReviewError).review()
        except ReviewError as error:
            raise ReviewError(f"this isn't a review: {error}") from None

    def named(self, names: Sequence[str]) -> Review:
        """Return the same review with these names of the seats."""
        given = checks.texts(names, "names", ReviewError)
        if len(given) != self.seats:
            raise ReviewError(f"{len(given)} names for {self.seats} seats: give one for each")
        accounts = zip(self.accounts, given, strict=True)
        return replace(self, accounts=tuple(replace(one, name=name) for one, name in accounts))


# The JSON of a review: its keys in their order.


@dataclass(frozen=True)
class _StoredDecision:
    __pydantic_config__ = STRICT

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
        return cls(
            one.ply, one.seat, one.move, one.better or None, one.loss, one.error, one.share, moved
        )

    def decision(self, seats: int) -> Decision:
        moved = (0.0,) * seats if self.moved is None else self.moved
        return Decision(**{**vars(self), "better": self.better or "", "moved": moved})


@dataclass(frozen=True)
class _StoredPoint:
    __pydantic_config__ = STRICT

    ply: Count
    shares: tuple[float, ...]


@dataclass(frozen=True)
class _StoredAccount:
    __pydantic_config__ = STRICT

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
        return cls(**vars(one), chance=one.chance, luck=one.luck)

    def account(self) -> Account:
        figures = {key: value for key, value in vars(self).items() if key not in _FOLLOWING}
        return Account(**figures)


_FOLLOWING = ("chance", "luck")
"""Figures of an account that follow from the others: they are written for readers."""


@dataclass(frozen=True)
class _StoredForesight:
    __pydantic_config__ = STRICT

    winnable: bool | None
    won: bool
    lost_at: Count | None
    lost_by: str
    line: tuple[str, ...]

    def foresight(self) -> Foresight:
        from redouble.analysis.solve import Foresight

        return Foresight(**vars(self))


@dataclass(frozen=True)
class _StoredReview:
    __pydantic_config__ = STRICT

    seats: Count
    plies: Count
    over: bool
    iterations: Count
    accounts: tuple[_StoredAccount, ...]
    moments: tuple[_StoredDecision, ...]
    decisions: tuple[_StoredDecision, ...]
    graph: tuple[_StoredPoint, ...]
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
            graph=tuple(_StoredPoint(point.ply, point.shares) for point in found.points),
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
            points=tuple(Point(one.ply, one.shares) for one in self.graph),
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
            raise ReviewError("a decision is after the last move, or of a seat that isn't there")


def review(
    game: Match | Record,
    iterations: int = ITERATIONS,
    watch: Watch | None = None,
    threads: int = THREADS,
) -> Review:
    """Look at every decision of a game and return what each of them cost.

    The same game and iterations give the same review, whatever the number of threads. ``watch`` is
    called with the steps done and the steps in all; it ends the review by returning False.

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
        raise checks.wrong("watch", watch, "a function of steps done and steps in all", ReviewError)
    whole = replay(game) if isinstance(game, Record) else game
    decisions = _decisions(whole)
    each = min(iterations, max(MIN_ITERATIONS, TOTAL // max(decisions, 1)))
    shown = _shown(whole.ply)
    solved = whole.game.solver is not None
    total = decisions + len(shown) + 1 + (whole.outcome is None) + solved
    done = _run(_jobs(whole, each, set(shown)), threads, total, watch)
    judged = tuple(one for one in done if isinstance(one, Decision))
    points = [one for one in done if isinstance(one, Point)]
    start = next(one for one in done if isinstance(one, tuple))
    foresight = done[-1] if solved else None
    if whole.outcome is not None:
        points.append(Point(whole.ply, results(whole)))
    return Review(
        seats=whole.seats,
        plies=whole.ply,
        over=whole.outcome is not None,
        iterations=each,
        decisions=judged,
        points=tuple(points),
        accounts=tuple(_account(whole, seat, judged, points, start) for seat in range(whole.seats)),
        foresight=foresight,
    )


def results(match: Match) -> tuple[float, ...]:
    """Return the share of opponents that each seat beat, a tie counting half.

    In a game for one it is how near the player came to a win. Raises :class:`ReviewError` if the
    game is not over.
    """
    checks.instance(match, Match, "match")
    if match.outcome is None:
        raise ReviewError("the game is not over: play it to its end")
    if match.seats > 1:
        return of_ranks(match.outcome.ranks)
    from redouble.bots.search import SURE_LEAD

    evaluations = [0]
    match.game.evaluate(match.state, evaluations)
    return (evaluations[0] / SURE_LEAD,)


Job = Callable[[], Any]


def _decisions(whole: Match) -> int:
    """How many decisions a game has. Raises :class:`ReviewError` where there are too many."""
    if not whole.ply:
        raise ReviewError("no move was made in this game: there is nothing to review")
    number = sum(len(match.legal_moves) > 1 for match, _ in _positions(whole))
    if number > MAX_DECISIONS:
        raise ReviewError(f"{number} decisions are too many to review: {MAX_DECISIONS} at most")
    return number


def _positions(whole: Match) -> Iterator[tuple[Match, str]]:
    """The match before each of its moves, and the move; it is the same match all the time."""
    match = Match(whole.game, whole.names, whole.seed, whole.options, whole.deck)
    for move in whole.moves:
        yield match, move
        match.push(move)


def _shown(plies: int) -> list[int]:
    """The plies of the graph's points, without the last."""
    number = min(plies, POINTS)
    return sorted({plies * i // number for i in range(number)})


def _jobs(whole: Match, iterations: int, shown: set[int]) -> Iterator[Job]:
    """All there is to find out, as functions of what was known at each ply."""
    for match, move in _positions(whole):
        ply = match.ply
        if ply == 0:
            public = Observation(match.game, SPECTATOR, match.seen_by(SPECTATOR), ())
            yield _job(_expect, public, "start", START_ITERATIONS)
        if ply in shown:
            yield _job(_point, ply, _eyes(match))
        if len(match.legal_moves) > 1:
            action = match.legal_moves.action(move)
            assert action is not None
            yield _job(judge, match.observation(), action, ply, iterations)
    if whole.outcome is None:
        yield _job(_point, whole.ply, _eyes(whole))
    if whole.game.solver is not None:
        yield _job(_foreseen, whole.copy())


def _job(function: Callable[..., Any], *arguments: Any) -> Job:
    return lambda: function(*arguments)


def _foreseen(whole: Match) -> Foresight:
    from redouble.analysis.solve import solving_for

    return solving_for(whole.game).foresight(whole)


def _eyes(match: Match) -> list[Observation]:
    """What each seat knows, whoever is to move."""
    return [Observation(match.game, seat, match.seen_by(seat), ()) for seat in range(match.seats)]


def _run(jobs: Iterator[Job], threads: int, total: int, watch: Watch | None) -> list[Any]:
    """Do jobs, several at a time; what they gave, in their order.

    They are made while others are done, so that few positions are kept at the same time.
    """
    given: list[Any] = []
    running: deque[Future[Any]] = deque()

    def take() -> None:
        given.append(running.popleft().result())
        if watch is not None and not watch(len(given), total):
            raise ReviewStopped("the review was stopped")

    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                running.append(pool.submit(job))
                if len(running) > 4 * threads:
                    take()
            while running:
                take()
        finally:
            for one in running:
                one.cancel()
    return given


def judge(observation: Observation, action: int, ply: int, iterations: int) -> Decision:
    """What it cost a seat to choose this of its legal actions, by what it knew.

    A search looks for the best move. If that is another one, what follows each of the two is
    searched by itself, as long for one as for the other; where the difference is more than chance
    would often make, once more and longer. Only this last measurement counts, since what was found
    by looking for it seems larger than it is.
    """
    from redouble.bots.search import Search

    def chance(what: str) -> Any:
        return seed_words(f"review: {what} at ply {ply}")

    look = Search(observation, chance("look"), THOROUGH)
    look.run(iterations)
    found = look.candidates()
    best = found[0].action
    move = observation.name(action)
    nothing = (0.0,) * observation.state.seats
    if best == action:
        return Decision(ply, observation.seat, move, "", 0.0, 0.0, found[0].share, nothing)
    for stage, times, clear in (("sift", 1, SIFTED), ("close", CLOSELY, CLEAR)):
        pair = []
        for one in (action, best):
            after = Search(observation, chance(f"{stage} {one}"), THOROUGH, first=one)
            after.run(iterations * times)
            pair.append(after.shares())
        made, missed = pair
        mine, other = made[observation.seat], missed[observation.seat]
        error = sqrt((_spread(mine) + _spread(other)) / (iterations * times))
        if other - mine <= clear * error:
            return Decision(ply, observation.seat, move, "", 0.0, error, mine, nothing)
    moved = tuple(a - b for a, b in zip(made, missed, strict=True))
    return Decision(
        ply, observation.seat, move, observation.name(best), other - mine, error, mine, moved
    )


def _spread(mean: float) -> float:
    """The variance of numbers from 0 to 1 with this mean, at most."""
    return max(mean * (1.0 - mean), 0.0)


def _expect(observation: Observation, what: str, iterations: int) -> tuple[float, ...]:
    """What each seat can expect, of what one of them knows, if all play on by their heuristic."""
    from redouble.bots.search import Search

    search = Search(observation, seed_words(f"review: {what}"), PLAIN)
    search.run(iterations)
    return search.shares()


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
