"""Language models beside bots: the same deals from every seat, and what mistakes cost.

Each player, a model or a bot, plays each deal once from every seat against bots of one level, so
that luck mostly cancels out. Games are written to a file as they end: an evaluation that was
stopped, or whose budget is spent, goes on from there.
"""

import importlib.util
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic import TypeAdapter, ValidationError

from redouble.analysis.review import review
from redouble.bots import BOTS
from redouble.bots.levels import EXPERT
from redouble.contract.registry import GAMES
from redouble.envs.text import GameEnding, TextGame, find_ending
from redouble.envs.trees.regret import move_regrets
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError
from redouble.lab.arena.intervals import Estimate, estimate_of
from redouble.lab.shards import Shard, Stopped, Threads, carry_out, check_callable, cut
from redouble.match.record import Record
from redouble.match.replay import replay

__all__ = [
    "EvaluatedGame",
    "Evaluation",
    "EvaluationError",
    "EvaluationPlan",
    "Model",
    "PlayerSummary",
    "Reply",
    "ending_plans",
    "evaluate",
    "model_in_file",
    "summaries",
]

MAX_DEALS, MAX_PARALLEL = 100_000, 256
MAX_NAME = 40


class EvaluationError(RedoubleError):
    """A model that can't be used or has failed, or a file of another evaluation."""


@dataclass(frozen=True)
class Reply:
    """What a model answers, and what that took."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In any currency, the same for all models."""


Model = Callable[[str], Reply | str]
"""A model: gets a prompt and returns its answer."""
GameKey = tuple[str, int, int]
"""A game of an evaluation: the player, the deal and the player's seat."""


@dataclass(frozen=True)
class EvaluationPlan:
    """What every player plays. The arguments are those of :class:`~redouble.envs.text.TextGame`."""

    game: str
    seats: int
    deals: int = 10
    seed: str = "models"
    opponents: str = EXPERT
    """The level of the bots at the other seats."""
    options: dict[str, Any] = field(default_factory=dict)
    rules: str = "brief"
    retries: int = 2
    then: str = "forfeit"
    max_moves: int = 10_000
    endings: bool = False
    """Whether experts play each game until near its end, where every move can be judged exactly. A
    player then plays each ending once, from the seat that is to move."""

    def played_from(self, deal: int) -> Sequence[int]:
        """Return the seats from which each player plays a deal.

        Raises what :func:`~redouble.envs.text.find_ending` raises.
        """
        checks.whole(deal, "deal", 1, MAX_DEALS)
        return (self._ending(deal).seat,) if self.endings else range(self.seats)

    def begun(self, deal: int, bots: Mapping[int, str]) -> TextGame:
        """Return a deal with these bots, played until somebody else has to answer.

        Raises what :class:`~redouble.envs.text.TextGame` raises.
        """
        checks.whole(deal, "deal", 1, MAX_DEALS)
        ending = self._ending(deal) if self.endings else None
        return TextGame(
            self.game,
            self.seats,
            f"{self.seed} deal {deal}" if ending is None else ending.seed,
            self.options,
            moves=() if ending is None else ending.moves,
            bots=bots,
            rules=self.rules,
            retries=self.retries,
            then=self.then,
            max_moves=self.max_moves,
        )

    def decided(self, deal: int) -> int:
        """Return how many moves have been made when the players of a deal begin."""
        checks.whole(deal, "deal", 1, MAX_DEALS)
        return len(self._ending(deal).moves) if self.endings else 0

    def _ending(self, deal: int) -> GameEnding:
        options = json.dumps(self.options, sort_keys=True)
        return _found_ending(self.game, self.seats, f"{self.seed} deal {deal}", options)


@lru_cache(maxsize=10_000)
def _found_ending(game: str, seats: int, seed: str, options: str) -> GameEnding:
    return find_ending(game, seats, seed, json.loads(options))


def ending_plans(deals: int = 10, seed: str = "models") -> list[EvaluationPlan]:
    """Return plans of endings for every game that names options and numbers of seats for them.

    Bots of the level ``expert`` take the other seats.
    """
    checks.whole(deals, "deals", 1, MAX_DEALS)
    checks.text(seed, "seed")
    return [
        EvaluationPlan(
            game.name, seats, deals, seed, options=game.ending_options(seats), endings=True
        )
        for game in GAMES.values()
        for seats in sorted(game.setups.endings)
    ]


@dataclass(frozen=True)
class EvaluatedGame:
    """A game of one player."""

    player: str
    deal: int
    seat: int
    reward: float
    """From -1 for the last place to 1 for the first; in a solitaire game from 0 to 1 for a win."""
    answers: dict[str, int]
    """What became of the answers, by kind; see :class:`~redouble.envs.text.game.AnswerCounts`."""
    input_tokens: int
    output_tokens: int
    cost: float
    seconds: float
    record: str
    lost: float | None = None
    """What its mistakes cost by a review, in the share of opponents beaten; None without one."""
    luck: float | None = None
    """What it didn't control by a review, in the same share."""
    regret: float | None = None
    """What its moves gave away where that is known exactly; None if it wasn't asked for."""
    judged: dict[str, int] | None = None
    """How many of its decisions were judged exactly, by method, and how many not: ``unjudged``."""

    @property
    def key(self) -> GameKey:
        """What no other game of an evaluation has."""
        return self.player, self.deal, self.seat


@dataclass(frozen=True)
class PlayerSummary:
    """What the games of a player show. Intervals are over deals, each of which is one sample."""

    player: str
    games: int
    reward: Estimate | None
    lost: Estimate | None
    """What mistakes cost a game: lower is better, and luck has little part in it."""
    without_luck: Estimate | None
    """The reward that is left when luck, by the reviews, is taken out."""
    regret: Estimate | None
    """What the moves of a game gave away, over those that could be judged exactly; None if none."""
    judged: dict[str, int]
    """The decisions that were judged exactly, by method, and those that were not."""
    legal: float | None
    """The share of answers that were legal moves; None for a bot."""
    input_tokens: int
    output_tokens: int
    cost: float


@dataclass(frozen=True)
class Evaluation:
    """The games of an evaluation so far."""

    plan: EvaluationPlan
    games: tuple[EvaluatedGame, ...]
    stopped: str = ""
    """Why it isn't complete; empty if it is."""

    def __post_init__(self) -> None:
        checks.instance(self.plan, EvaluationPlan, "plan", EvaluationError)
        for one in checks.items(self.games, "games", "games", EvaluationError):
            checks.instance(one, EvaluatedGame, "one of games", EvaluationError)


class Spending:
    """Counts what models take, and ends the evaluation when the budget is spent."""

    def __init__(
        self, games: Iterable[EvaluatedGame], max_cost: float | None, max_tokens: int | None
    ) -> None:
        done = list(games)
        self._cost = sum(one.cost for one in done)
        self._tokens = sum(one.input_tokens + one.output_tokens for one in done)
        self._max_cost, self._max_tokens = max_cost, max_tokens
        self._lock = threading.Lock()
        self.over = ""
        """Why nothing more may be asked; empty while it may."""

    def note(self, reply: Reply) -> None:
        with self._lock:
            self._cost += reply.cost
            self._tokens += reply.input_tokens + reply.output_tokens
            if self._max_cost is not None and self._cost >= self._max_cost:
                self.over = f"the budget of {self._max_cost:g} is spent"
            if self._max_tokens is not None and self._tokens >= self._max_tokens:
                self.over = f"the budget of {self._max_tokens:,} tokens is spent"


@dataclass(frozen=True)
class EvaluationJob:
    """The games of an evaluation that are still to be played, as shards."""

    plan: EvaluationPlan
    players: Mapping[str, Model | str]
    games: Sequence[GameKey]
    spending: Spending

    def shards(self) -> Iterator[Shard]:
        return cut("games", len(self.games), 1)

    def warm(self) -> None:
        """Do nothing: only bots that search need a compiler."""

    def player(self, stopped: Callable[[], bool]) -> Callable[[Shard], EvaluatedGame]:
        """Return what plays a game, unless the evaluation is stopped or its budget spent."""

        def check() -> None:
            if self.spending.over or stopped():
                raise Stopped

        return lambda shard: self._played(*self.games[shard.first], check)

    def _played(self, name: str, deal: int, seat: int, check: Callable[[], None]) -> EvaluatedGame:
        begun = time.monotonic()
        plan, player = self.plan, self.players[name]
        taken: list[Reply] = []

        def ask(prompt: str) -> str:
            check()
            assert not isinstance(player, str)
            try:
                reply = player(prompt)
            except Exception as error:
                raise EvaluationError(f"{name} has failed: {_said(error)}") from error
            reply = Reply(reply) if isinstance(reply, str) else reply
            if not isinstance(reply, Reply):
                what = f"what {name} returns"
                raise checks.wrong(what, reply, "a text or a Reply", EvaluationError)
            self.spending.note(reply)
            taken.append(reply)
            return reply.text

        check()
        bots = {other: plan.opponents for other in range(plan.seats) if other != seat}
        if isinstance(player, str):
            game = plan.begun(deal, bots | {seat: player})
        else:
            game = plan.begun(deal, bots)
            game.play([ask])
        return EvaluatedGame(
            player=name,
            deal=deal,
            seat=seat,
            reward=game.rewards[seat],
            answers={} if isinstance(player, str) else asdict(game.counts[seat]),
            input_tokens=sum(one.input_tokens for one in taken),
            output_tokens=sum(one.output_tokens for one in taken),
            cost=sum(one.cost for one in taken),
            seconds=round(time.monotonic() - begun, 3),
            record=str(game.record()),
        )


def evaluate(
    plan: EvaluationPlan,
    players: Mapping[str, Model | str],
    path: Path | None = None,
    *,
    parallel: int = 1,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    reviews: bool = False,
    regrets: bool = False,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Evaluation:
    """Let players, models or the names of bots, play a plan; return all their games.

    ``path`` is a file to which games are added as they end, and from which an earlier evaluation
    with the same plan goes on. ``parallel`` games are played at the same time. A budget, in cost or
    tokens of all games in the file, ends the evaluation before the next request. With ``reviews``
    each game is reviewed, which takes a compiler and some seconds. With ``regrets`` each decision
    of the players is judged exactly where that can be done, see
    :func:`redouble.envs.trees.regret.exact_values`. ``watch`` is called again and again with the
    games played and their total number.

    Raises :class:`EvaluationError` if the file is of another evaluation, or a model raises an
    exception: the games before are in the file. Raises what :class:`~redouble.envs.text.TextGame`
    raises for a plan that can't be played.
    """
    checks.instance(plan, EvaluationPlan, "plan", EvaluationError)
    checks.whole(plan.deals, "deals", 1, MAX_DEALS)
    checks.whole(parallel, "parallel", 1, MAX_PARALLEL)
    if path is not None:
        checks.instance(path, Path, "path", EvaluationError)
    if max_cost is not None:
        checks.number(max_cost, "max_cost", error=EvaluationError)
    if max_tokens is not None:
        checks.whole(max_tokens, "max_tokens", error=EvaluationError)
    check_callable(watch, "watch", "a function of two numbers", EvaluationError)
    _check(plan, players)
    known = _read(plan, path)
    wanted = [
        (name, deal, seat)
        for deal in range(1, plan.deals + 1)
        for seat in plan.played_from(deal)
        for name in players
    ]

    def judged(game: EvaluatedGame) -> EvaluatedGame:
        game = _reviewed(game) if reviews and game.lost is None else game
        return _judged(plan, game) if regrets and game.judged is None else game

    def take(shard: Shard, game: EvaluatedGame) -> None:
        known[game.key] = game = judged(game)
        _add(path, plan, game)

    def follow(stopping: bool) -> None:
        watch(sum(one in known for one in wanted), len(wanted))

    spending = Spending(known.values(), max_cost, max_tokens)
    missing = [one for one in wanted if one not in known]
    job = EvaluationJob(plan, players, missing, spending)
    ran = carry_out(job, Threads(parallel), take, follow)
    found = tuple(judged(known[one]) for one in wanted if one in known)
    stopped = spending.over or ("" if ran.complete else "interrupted")
    return Evaluation(plan, found, stopped if len(found) < len(wanted) else "")


def summaries(evaluation: Evaluation) -> list[PlayerSummary]:
    """Return what the games show, by player, the best first. Only complete deals count."""
    checks.instance(evaluation, Evaluation, "evaluation", EvaluationError)
    names = dict.fromkeys(one.player for one in evaluation.games)
    found = [_summary(evaluation, name) for name in names]
    return sorted(found, key=lambda one: -(one.reward.mean if one.reward else -2.0))


def model_in_file(text: str) -> tuple[str, Model]:
    """Return a model of a text ``FILE.py:FUNCTION``, with its name.

    Without a function's name it is ``model``. Raises :class:`EvaluationError`.
    """
    file, _, name = checks.text(text, "a model", EvaluationError).partition(".py:")
    path = Path(f"{file}.py" if name else file)
    name = name or "model"
    if not path.is_file():
        raise EvaluationError(f"there is no file {path}: check its name")
    spec = importlib.util.spec_from_file_location(f"redouble_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise EvaluationError(f"{path} is no Python file: give one that ends with .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise EvaluationError(f"{path} can't be loaded: {_said(error)}") from error
    found = getattr(module, name, None)
    if not callable(found):
        raise EvaluationError(f"{path} has no function {name}: name the one that takes a prompt")
    return path.stem if name == "model" else name, found


def _check(plan: EvaluationPlan, players: Mapping[str, Model | str]) -> None:
    if not isinstance(players, Mapping):
        raise checks.wrong("players", players, "a mapping of names to models", EvaluationError)
    if not players:
        raise EvaluationError("nobody plays: give at least one model or bot")
    GAMES[plan.game].check_seats(plan.seats)
    for name, player in players.items():
        if not 0 < len(checks.text(name, "a player's name")) <= MAX_NAME:
            raise EvaluationError(f"{name!r} is no name: give 1 to {MAX_NAME} letters")
        if isinstance(player, str):
            checks.one_of(player, BOTS, f"the bot {name}", EvaluationError)
        elif not callable(player):
            raise checks.wrong(f"the model {name}", player, "a function", EvaluationError)
    others = range(1, plan.seats)
    plan.begun(1, dict.fromkeys(others, plan.opponents))


def _reviewed(game: EvaluatedGame) -> EvaluatedGame:
    """Return a game with what its review says; one that was forfeited or cut off has none."""
    record = Record.parse(game.record)
    if game.answers.get("forfeits"):
        return game
    judged = review(record)
    if not judged.over:
        return game
    account = judged.accounts[game.seat]
    return replace(game, lost=account.lost, luck=account.luck)


def _judged(plan: EvaluationPlan, game: EvaluatedGame) -> EvaluatedGame:
    record = Record.parse(game.record)
    begun = plan.decided(game.deal)
    until = record.notes[0][0] if game.answers.get("forfeits") else len(record.moves)
    found = [one for one in move_regrets(replay(record), (game.seat,), begun) if one.ply < until]
    judged = Counter("unjudged" if one.exact is None else one.exact.method for one in found)
    return replace(game, regret=sum(one.regret or 0.0 for one in found), judged=dict(judged))


def _summary(evaluation: Evaluation, name: str) -> PlayerSummary:
    mine = [one for one in evaluation.games if one.player == name]
    by_deal: dict[int, list[EvaluatedGame]] = {}
    for one in mine:
        by_deal.setdefault(one.deal, []).append(one)
    seats = 1 if evaluation.plan.endings else evaluation.plan.seats
    whole = [games for games in by_deal.values() if len(games) == seats]
    reviewed = [games for games in whole if all(one.lost is not None for one in games)]
    judged = [games for games in whole if all(one.judged is not None for one in games)]
    # A reward goes from -1 to 1 among several, a share from 0 to 1.
    scale = 1.0 if evaluation.plan.seats == 1 else 2.0
    answers = sum(sum(one.answers.get(kind, 0) for kind in KINDS) for one in mine)
    legal = sum(one.answers.get("legal", 0) for one in mine)
    counts = sum((Counter(one.judged) for games in judged for one in games), Counter[str]())
    known = judged if any(kind != "unjudged" for kind in counts) else []
    return PlayerSummary(
        player=name,
        games=len(mine),
        reward=estimate_of([mean(one.reward for one in games) for games in whole]),
        lost=estimate_of([mean(one.lost or 0.0 for one in games) for games in reviewed]),
        without_luck=estimate_of(
            [mean(one.reward - scale * (one.luck or 0.0) for one in games) for games in reviewed]
        ),
        regret=estimate_of([mean(one.regret or 0.0 for one in games) for games in known]),
        judged=dict(counts),
        legal=legal / answers if answers else None,
        input_tokens=sum(one.input_tokens for one in mine),
        output_tokens=sum(one.output_tokens for one in mine),
        cost=sum(one.cost for one in mine),
    )


KINDS = ("legal", "illegal", "ambiguous", "unreadable")


# The file: a line about the plan, then one for each game.

_GAME = TypeAdapter(EvaluatedGame)


def _read(plan: EvaluationPlan, path: Path | None) -> dict[tuple[str, int, int], EvaluatedGame]:
    if path is None or not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").removesuffix("\n").split("\n")
    if lines == [""]:
        return {}
    try:
        about = json.loads(lines[0])["evaluation"]
    except (ValueError, KeyError, TypeError):
        raise EvaluationError(f"{path} isn't the file of an evaluation: name another one") from None
    given = json.loads(json.dumps(asdict(plan)))
    given.pop("deals"), about.pop("deals", None)  # there may be more now
    about.setdefault("endings", False)
    if about != given:
        differs = ", ".join(sorted(key for key in given if about.get(key) != given[key]))
        raise EvaluationError(f"{path} is of another evaluation ({differs}): name another file")
    return {one.key: one for one in _games(path, lines)}


def _games(path: Path, lines: Sequence[str]) -> Iterator[EvaluatedGame]:
    for number, line in enumerate(lines[1:], 2):
        try:
            yield _GAME.validate_json(line)
        except ValidationError:
            if number == len(lines):  # the program was killed while it wrote
                whole = len("\n".join(lines[:-1]).encode()) + 1
                os.truncate(path, whole)
                return
            raise EvaluationError(f"line {number} of {path} can't be read: delete it") from None


def _add(path: Path | None, plan: EvaluationPlan, game: EvaluatedGame) -> None:
    if path is None:
        return
    with open(path, "a+b") as file:
        if file.tell() == 0:
            file.write(f"{json.dumps({'evaluation': asdict(plan)})}\n".encode())
        else:
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(f"{json.dumps(asdict(game), ensure_ascii=False)}\n".encode())


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
