"""Learn a network that plays a game by policy gradient, in games against experts or other bots.

The policy draws its moves with chances by softmax of their scores. It begins as the heuristic with
a slip now and then: no other weight counts much yet. A second network of the same kind judges
positions: what share of the others will this seat beat? A move is good if the judgment at the
seat's next decisions is better than at this one, with less weight the later they come (generalized
advantage estimation: Schulman and others, "High-Dimensional Continuous Control Using Generalized
Advantage Estimation", 2016). Good moves become more likely, but no move by much in one update
(Schulman and others, "Proximal Policy Optimization Algorithms", 2017). Steps are Adam's (Kingma
and Ba, 2015), and the result is the average over the latest of them.

Compiled loops play and learn from thousands of games a second. The seed decides everything, since
four pupils share the games whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from redouble.analysis.stats import Z95
from redouble.bots.learned import LearnedWeights, check_traits
from redouble.bots.levels import EXPERT, LEVELS
from redouble.bots.neural import (
    STORED,
    SparseNetwork,
    as_network,
    list_traits,
    output,
    start_sums,
    worth,
)
from redouble.bots.playouts import policy_row, share_ranks
from redouble.bots.policy import Policy
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import (
    features,
    functions,
    greedy,
    legal,
    play,
    redact,
    setup,
)
from redouble.kernel import checks
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import below, seed_words
from redouble.lab.contest import (
    ACTION,
    GAME,
    LOGGED,
    MADE,
    NONE,
    SEARCH,
    Contest,
    Thinker,
    decide,
    numbered_words,
)
from redouble.lab.training.network import TINY, Array, averaged

GAMES = 4000
"""Games of an update."""
PUPILS = 4
"""Pupils, each of which plays an equal part of the games of an update in one thread."""
ROOM, NUMBERS = 150, 130
"""Decisions of a game, and numbers of a decision, that there is room for on average."""
START = 5.0
"""The weight of the heuristic's move at the beginning."""
SPREAD, LAST_SPREAD = 0.08, 0.05
"""The standard deviations of the other weights at the beginning: of rows, and last ones."""
RATE = 0.01
LAST_RATE = 0.0005
"""Adam's step at the beginning and at the end."""
SMOOTH = 0.02
"""The share of the newest weights in the average."""
EPOCHS, AT_ONCE = 2, 16384
"""How often an update looks at each decision, and at how many before a step."""
JUDGING = 10
"""Updates at the beginning in which only the judgment learns."""
MOST = 0.2
"""How far the chance of a move may change in an update, as a share of what it was."""
CURIOUS = 0.003
"""The weight of entropy, which keeps the policy trying other moves."""
E = 2.718281828459045
FINE = 1 << 30
F32 = np.float32
LEAST = 1e-9
"""A chance that counts as none."""
FLOATS = dict.fromkeys(SparseNetwork._fields, F32)
"""The number types of a network that learns."""
# What a place of lessons has beyond that of a contest.
DECISIONS, BEFORE = LOGGED + 1, LOGGED + 2
BYTE = 127
"""The largest stored weight of a row, or of a neuron."""


class Decisions(NamedTuple):
    """The decisions of a learner's games."""

    numbers: Array
    """What each decision is about: the number of its features, the features, the number of its
    legal actions, and for each action the number of its traits and the traits."""
    starts: Array
    """Where that begins in ``numbers``."""
    chosen: Array
    """The index of the action drawn."""
    chances: Array
    """The chance it had."""
    judged: Array
    """How the position was judged."""
    gains: Array
    """How much better the game went on than the position was judged."""

    @classmethod
    def empty(cls, size: int) -> Decisions:
        """Return room for this many decisions."""
        whole = [np.zeros(size, np.int64) for _ in range(2)]
        return cls(np.zeros(size * NUMBERS, np.int16), *whole, *np.zeros((3, size)))


def lessons(
    states: Any,
    headers: Any,
    buffers: Any,
    seeds: Any,
    first: int,
    opponent: Any,
    network: Any,
    judge: Any,
    later: float,
    decisions: Any,
    scores: Any,
    shares: Any,
    history: Any,
    made_moves: Any,
    place: Any,
) -> None:
    """Play games of one learner among others, and write its ``shares`` of others beaten.

    ``headers`` are those of the numbers of seats; ``first`` is the number of the first game. The
    others' policy is ``opponent``. Write ``decisions`` until they are full. In their gains, each
    judgment counts ``later`` times as much as the one before. ``scores`` is scratch.

    Where one of the others searches, the loop returns, and goes on when it is called again: see
    :func:`~redouble.lab.contest.contest`, also for ``history`` and ``made_moves``. ``place`` has
    two more numbers: the decisions so far, and those before this game.
    """
    out, work = buffers.out, buffers.work
    numbers, starts, chosen, chances, judged, gains = decisions
    s = states[2]
    remembered = len(history)
    while place[GAME] < len(seeds):
        game = place[GAME]
        number = first + game
        rng = seeds[game, 4:]
        if place[MADE] < 0:
            states[2] = headers[number % len(headers)]
            for i in range(4):
                s.rng[i] = seeds[game, i]
            setup(s)
            place[MADE] = 0
            place[BEFORE] = place[DECISIONS]
        me = number // len(headers) % s.seats
        made = place[DECISIONS]
        n = legal(s, out)
        while n:
            if place[ACTION] != NONE:
                action = place[ACTION]
                place[ACTION] = NONE
            elif n == 1:
                action = out[0]
            elif s.turn != me:
                states[1] = states[2]
                redact(states[1], s.turn)
                action = decide(states[1], rng, buffers, opponent, network)
                if action == SEARCH:
                    place[ACTION] = SEARCH
                    place[DECISIONS] = made
                    return
            else:
                right = greedy(s, out, n, rng, work)
                n = legal(s, out)  # the heuristic may leave them in another order
                at = starts[made]
                # No features and no traits of an action take more room.
                fits = made + 1 < len(starts) and at + (n + 1) * (WORK + 1) < len(numbers)
                m = features(s, work)
                start_sums(network, work, m)
                if fits:
                    at = note(numbers, at, work, m)
                start_sums(judge, work, m)
                judgment = judge.traits[0] + output(judge.begun, judge.last)
                if fits:
                    numbers[at] = n
                    at += 1
                for i in range(n):
                    m = list_traits(s, out[i], right, network, work)
                    scores[i] = worth(network, work, m)
                    if fits:
                        at = note(numbers, at, work, m)
                soften(scores, n)
                draw = pick_by(scores, n, below(rng, FINE) / FINE)
                action = out[draw]
                if fits:
                    chosen[made] = draw
                    chances[made] = scores[draw]
                    judged[made] = judgment
                    made += 1
                    starts[made] = at
            if remembered:
                history[place[MADE] % remembered] = states[2]
                made_moves[place[MADE] % remembered] = action
            play(s, action)
            place[MADE] += 1
            n = legal(s, out)
        share_ranks(s, buffers.evaluations, buffers.rewards)
        shares[game] = buffers.rewards[me]
        following = shares[game]
        gain = 0.0
        for i in range(made - 1, place[BEFORE] - 1, -1):
            gain = following - judged[i] + later * gain
            following = judged[i]
            gains[i] = gain
        place[DECISIONS] = made
        place[GAME] += 1
        place[MADE] = -1


def note(numbers: Any, at: int, work: Any, n: int) -> int:
    """Write some numbers after how many they are; return where the next ones begin."""
    numbers[at] = n
    for k in range(n):
        numbers[at + 1 + k] = work[k]
    return at + 1 + n


def soften(scores: Any, n: int) -> None:
    """Turn the first ``n`` scores into chances."""
    highest = scores[0]
    for i in range(1, n):
        highest = max(highest, scores[i])
    total = 0.0
    for i in range(n):
        scores[i] = E ** (scores[i] - highest)
        total += scores[i]
    for i in range(n):
        scores[i] /= total


def pick_by(chances: Any, n: int, left: float) -> int:
    """Return the index that a number from 0 to 1 picks."""
    for i in range(n):
        left -= chances[i]
        if left < 0.0:
            return i
    return n - 1


def slopes(
    order: Any,
    decisions: Any,
    mean: Any,
    spread: Any,
    network: Any,
    judge: Any,
    slope: Any,
    judge_slope: Any,
    scores: Any,
    sums: Any,
) -> None:
    """Add up how the loss of some decisions changes with each weight.

    ``order`` lists them. ``mean`` and ``spread`` are those of all gains. ``scores`` and
    ``sums``, a row for each legal action, are scratch.
    """
    numbers, starts, chosen, chances, judged, gains = decisions
    last, last_slope = network.last, slope.last
    before, after = slope.begun, slope.sums
    features = len(network.rows) - len(network.traits)
    for decision in order:
        start = starts[decision]
        known = numbers[start + 1 : start + 1 + numbers[start]]
        start_sums(network, known, len(known))
        start_sums(judge, known, len(known))
        for j in range(len(before)):
            before[j] = F32(0.0)
        actions = start + 1 + len(known)
        n = numbers[actions]
        at = actions + 1
        for i in range(n):
            scores[i] = worth(network, numbers[at + 1 :], numbers[at])
            for j in range(len(last)):
                sums[i, j] = network.sums[j]
            at += 1 + numbers[at]
        soften(scores, n)
        entropy = 0.0
        for i in range(n):
            entropy -= scores[i] * log(scores[i] + LEAST)
        gain = (gains[decision] - mean) / spread
        change = scores[chosen[decision]] / chances[decision]
        too_far = change > 1.0 + MOST if gain > 0.0 else change < 1.0 - MOST
        at = actions + 1
        for i in range(n):
            # How the loss changes with the score of this action.
            by = CURIOUS * scores[i] * (log(scores[i] + LEAST) + entropy)
            if not too_far:
                by -= gain * change * ((1.0 if i == chosen[decision] else 0.0) - scores[i])
            scale = F32(by)
            for j in range(len(last)):
                active = sums[i, j] > 0
                after[j] = scale * last[j] if active else F32(0.0)
                before[j] += after[j]
                last_slope[j] += scale * sums[i, j] if active else F32(0.0)
            for k in range(at + 1, at + 1 + numbers[at]):
                slope.traits[numbers[k]] += scale
                row = slope.rows[features + numbers[k]]
                for j in range(len(last)):
                    row[j] += after[j]
            at += 1 + numbers[at]
        for number in known:
            row = slope.rows[number]
            for j in range(len(last)):
                row[j] += before[j]
        learn_judgment(judge, judge_slope, known, judged[decision] + gains[decision])


def learn_judgment(judge: Any, slope: Any, known: Any, goal: float) -> None:
    """Add up how the square of a judgment's error changes with each weight."""
    sums, last, after = judge.begun, judge.last, slope.sums
    scale = F32(judge.traits[0] + output(sums, last) - goal)
    slope.traits[0] += scale
    for j in range(len(last)):
        active = sums[j] > 0
        after[j] = scale * last[j] if active else F32(0.0)
        slope.last[j] += scale * sums[j] if active else F32(0.0)
    for number in known:
        row = slope.rows[number]
        for j in range(len(last)):
            row[j] += after[j]


@dataclass(frozen=True)
class Measured:
    """What weights reach: the mean share of others beaten, and half its 95 % interval."""

    share: float
    error: float
    games: int


def measure(
    game: Game,
    seats: int,
    network: SparseNetwork,
    games: int,
    seed: str,
    opponent: Policy = LEVELS[EXPERT],
) -> Measured:
    """Let a network that plays meet others, in each seat equally often."""
    checks.whole(games, "games", 1)
    policies = [opponent, Policy(learned=True)]
    contest = Contest(game, seats, policies, game.needed_options(seats), network)
    learner = np.arange(games) % seats
    players = (np.arange(seats) == learner[:, None]).astype(np.int64)
    results = contest.play(players, numbered_words(f"measure {seed}", 0, games))
    shares = results.utilities()[players == 1]
    return Measured(float(shares.mean()), float(Z95 * shares.std() / games**0.5), games)


class Pupil:
    """The games of an update that one thread plays, and what it learns from them."""

    def __init__(
        self,
        game: Game,
        headers: Sequence[Any],
        networks: Sequence[SparseNetwork],
        later: float,
        opponent: Policy,
    ) -> None:
        self._later = later
        self._loops = functions(game)
        self._opponent = np.array([policy_row(opponent, game, headers[0].seats)], np.float64)
        self._thinker = Thinker(game, headers[0].seats, headers[0], self._opponent)
        self._headers = np.concatenate([to_records(header) for header in headers])
        self._networks = [each.twin() for each in networks]
        self._slopes = [SparseNetwork(*map(np.zeros_like, each)) for each in networks]
        actions = len(self._thinker.arrays.buffers["out"])
        self._scores = np.zeros(actions)
        self._sums = np.zeros((actions, len(networks[0].last)), F32)
        self._decisions = Decisions.empty(GAMES // PUPILS * ROOM)
        self._made = 0

    @property
    def gains(self) -> Array:
        """How much better each decision turned out than its position was judged."""
        return self._decisions.gains[: self._made]

    def play(self, seeds: Array, first: int) -> Array:
        """Play games from number ``first`` on; return the learner's share in each."""
        thinker, opponent = self._thinker, self._opponent[0]
        a, shares = thinker.arrays, np.zeros(len(seeds))
        place = np.array([0, -1, -1, NONE, 0, 0, 0], np.int64)
        while place[GAME] < len(seeds):
            compiled(lessons, **self._loops)(
                a.states,
                self._headers,
                a.buffers,
                seeds,
                first,
                opponent,
                *self._networks,
                self._later,
                self._decisions,
                self._scores,
                shares,
                thinker.history,
                thinker.made,
                place,
            )
            if place[ACTION] == SEARCH:
                rng = seeds[place[GAME], 4:]
                place[ACTION] = thinker.action(opponent, rng, int(place[MADE]))
        self._made = int(place[DECISIONS])
        return shares

    def learn(self, order: Array, mean: float, spread: float) -> list[Array]:
        """Return what the decisions numbered in ``order`` say of each weight, added up."""
        found = [array for each in self._slopes for array in each.weights]
        for array in found:
            array[:] = 0.0
        compiled(slopes)(
            order,
            self._decisions,
            mean,
            spread,
            *self._networks,
            *self._slopes,
            self._scores,
            self._sums,
        )
        return found


class Gradient:
    """A network that learns to play a game with some numbers of seats.

    A judgment has ``later`` times the weight of the one at the seat's decision before. The others
    play by the policy ``opponent``; one that searches needs a single number of seats. With
    ``start``, the network begins as this one, and has as many neurons, whatever ``neurons`` says.

    Raises :class:`~redouble.kernel.errors.InputError` if the game has no features and traits, and
    what :meth:`Game.check_seats` raises.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[int],
        seed: str,
        neurons: int,
        later: float,
        threads: int = 1,
        opponent: Policy = LEVELS[EXPERT],
        start: LearnedWeights | None = None,
    ) -> None:
        checks.instance(game, Game, "game")
        check_traits(game)
        headers = [game.header(each, game.needed_options(each)) for each in seats]
        self._game, self._seed, self._opponent = game, checks.text(seed, "seed"), opponent
        if start is not None:
            neurons = len(start.layers[1])
        network, judge = (
            SparseNetwork.empty(game.feature_count, traits, neurons, FLOATS)
            for traits in (game.trait_count, 0)
        )
        dice = np.random.default_rng(seed_words(f"network of {seed}"))
        for each in network, judge:
            each.rows[:] = dice.normal(0.0, SPREAD, each.rows.shape)
            each.last[:] = dice.normal(0.0, LAST_SPREAD, each.last.shape)
        network.traits[-1] = START
        if start is not None:
            known, unit = as_network(start, game), F32(start.unit)
            network.traits[:] = known.traits * unit
            network.rows[:] = known.rows * unit**0.5
            network.last[:] = known.last * unit**0.5
        judge.traits[:] = 0.5  # before any lesson
        self._weights: list[Array] = [*network.weights, *judge.weights]
        self._means = [np.zeros_like(array) for array in self._weights]
        self._squares = [np.zeros_like(array) for array in self._weights]
        self.network = SparseNetwork(*map(np.copy, network))
        """The average over the latest updates."""
        self.updates = self._steps = 0
        self._pupils = [
            Pupil(game, headers, [network, judge], later, opponent) for _ in range(PUPILS)
        ]
        self._pool = ThreadPoolExecutor(threads)

    def improve(self, progress: float) -> float:
        """Play games, learn from how they ended, and return the mean share of others beaten.

        ``progress`` goes from 0 to 1: the steps get shorter.
        """
        rate = RATE + (LAST_RATE - RATE) * checks.number(progress, "progress", 0, 1)
        shares = self._play()
        gains = np.concatenate([pupil.gains for pupil in self._pupils])
        mean, spread = float(gains.mean()), float(gains.std()) + TINY
        dice = np.random.default_rng(seed_words(f"update {self.updates} of {self._seed}"))
        for _ in range(EPOCHS):
            orders = [dice.permutation(len(pupil.gains)) for pupil in self._pupils]
            steps = max(len(gains) // AT_ONCE, 1)
            for step in range(steps):
                self._step([order[step::steps] for order in orders], mean, spread, rate)
        for average, newest in zip(self.network.weights, self._weights, strict=False):
            average += SMOOTH * (newest - average)
        self.updates += 1
        return float(shares.mean())

    def _step(self, orders: Sequence[Array], mean: float, spread: float, rate: float) -> None:
        """Change the weights by what some decisions of each pupil say."""
        self._steps += 1
        jobs = [
            self._pool.submit(pupil.learn, order, mean, spread)
            for pupil, order in zip(self._pupils, orders, strict=True)
        ]
        found = [job.result() for job in jobs]
        decisions = F32(sum(map(len, orders)))
        for i, weights in enumerate(self._weights):
            if self.updates < JUDGING and i < len(self.network.weights):
                continue
            slope = np.sum([each[i] for each in found], axis=0) / decisions
            first, second = averaged(self._means[i], self._squares[i], slope, self._steps)
            weights -= F32(rate) * first / (np.sqrt(second) + F32(TINY))

    def _play(self) -> Array:
        """Play the games of an update; return the learner's share in each."""
        each = GAMES // PUPILS
        numbers = range(self.updates * GAMES, (self.updates + 1) * GAMES, each)
        jobs = [
            self._pool.submit(pupil.play, numbered_words(f"learn {self._seed}", first, each), first)
            for pupil, first in zip(self._pupils, numbers, strict=True)
        ]
        return np.concatenate([job.result() for job in jobs])

    def rounded(self) -> tuple[SparseNetwork, float]:
        """Return the average as a network of whole numbers, and the unit of its scores."""
        game, average = self._game, self.network
        found = SparseNetwork.empty(game.feature_count, game.trait_count, len(average.last), STORED)
        steps = [float(np.abs(array).max()) / BYTE for array in (average.rows, average.last)]
        unit = steps[0] * steps[1]
        found.rows[:] = (average.rows / steps[0]).round()
        found.last[:] = (average.last / steps[1]).round()
        found.traits[:] = (average.traits / unit).round()
        return found, unit

    def measure(self, seats: int, games: int) -> Measured:
        """Let the rounded average play games of another series with a number of seats."""
        network = self.rounded()[0]
        return measure(self._game, seats, network, games, self._seed, self._opponent)

    def kept(self) -> dict[str, Array]:
        """Return all that is needed to go on, by names, for :meth:`restore`."""
        return {"updates": np.array([self.updates, self._steps]), **self._arrays()}

    def restore(self, kept: Mapping[str, Array]) -> None:
        """Go on from what :meth:`kept` returned."""
        self.updates, self._steps = map(int, kept["updates"])
        for name, array in self._arrays().items():
            array[:] = kept[name]

    def _arrays(self) -> dict[str, Array]:
        kinds = {
            "average": self.network.weights,
            "newest": self._weights,
            "mean": self._means,
            "square": self._squares,
        }
        return {
            f"{kind} {i}": array for kind, each in kinds.items() for i, array in enumerate(each)
        }
