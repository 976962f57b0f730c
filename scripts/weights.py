"""Learn the network that comes with a game: when its bot ``learned`` overrules the heuristic.

    .venv/bin/python scripts/weights.py GAME --out FILE [--seats 3-7] [--updates 1000]
        [--neurons 48] [--later 0.5] [--seed 1] [--threads N]

The game needs features and traits; it reads its networks from weights.json in its folder. FILE
keeps the networks for other numbers of players. Learning takes a second or two of one core for each
update of 4,000 games. The seed decides everything, whatever the number of threads. Ctrl-C stops,
and the same command goes on from the last line printed.

The network learns by policy gradient, in games of one learner among experts. It draws its moves
with chances by softmax of their scores. It begins as the heuristic with a slip now and then: no
other weight counts much yet. A second network of the same kind judges positions: what share of the
others will this seat beat? A move is good if the judgment at the seat's next decisions is better
than at this one, with less weight the later they come (generalized advantage estimation: Schulman
and others, "High-Dimensional Continuous Control Using Generalized Advantage Estimation", 2016).
Good moves become more likely, but no move by much in one update (Schulman and others, "Proximal
Policy Optimization Algorithms", 2017). Steps are Adam's (Kingma and Ba, 2015), and the result is
the average over the latest of them. Four pupils share the games, each in a thread at most.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from redouble.analysis.stats import Z95
from redouble.bots.learned import LearnedWeights, network_of, read_weights
from redouble.bots.levels import EXPERT, LEVELS
from redouble.bots.policy import Policy
from redouble.bots.search.network import (
    STORED,
    SparseNetwork,
    empty_network,
    list_traits,
    output,
    start_sums,
    worth,
)
from redouble.bots.search.playouts import SearchBuffers, share_ranks
from redouble.contract.driver import MAX_MOVES, deal, play_on, quick_move
from redouble.contract.game import WORK, Game
from redouble.contract.placeholders import features, functions, greedy, legal
from redouble.contract.registry import GAMES
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.rng import Generator, below, seed_words
from redouble.lab.contest import Contest, numbered_words

Array = np.ndarray[Any, np.dtype[Any]]

GAMES_PLAYED = 4000
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
DECAYS = 0.9, 0.999
"""Adam's averages of slopes and of their squares."""
TINY = 1e-8
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
BYTE = 127
"""The largest stored weight of a row, or of a neuron."""
EVERY = 20
"""Updates between two checkpoints, which are also printed."""
GAMES_MEASURED = 40_000
"""Games that measure what a network reaches."""


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
    def empty(cls, size: int, actions: int) -> Decisions:
        """Return room for this many decisions between up to so many actions."""
        whole = [np.zeros(size, np.int64) for _ in range(2)]
        numbers = np.zeros(size * NUMBERS + most_numbers(actions), np.int16)
        return cls(numbers, *whole, *np.zeros((3, size)))


class Classroom(NamedTuple):
    """What one thread's lessons are given with."""

    states: Any
    headers: Array
    """Those of the numbers of seats, which take turns."""
    buffers: Any
    network: SparseNetwork
    judge: SparseNetwork
    scores: Array
    """Scratch: a number for each legal action."""
    decisions: Decisions
    made: Array
    """How many of them there are."""


def lessons(room: Any, seeds: Any, first: int, later: float, shares: Any) -> int:
    """Play games of one learner among experts; return the number of decisions that it made.

    ``first`` is the number of the first game; the learner's seat and the number of seats take
    turns. ``shares`` gets the learner's share of others beaten in each game. The decisions are
    written until their arrays are full. In their gains, each judgment counts ``later`` times as
    much as the one before.
    """
    headers, buffers, s, made = room.headers, room.buffers, room.states[2], room.made
    made[0] = 0
    for game in range(len(seeds)):
        deal(room.states, 2, headers[(first + game) % len(headers)], seeds[game])
        me = (first + game) // len(headers) % s.seats
        begun = made[0]
        play_on(s, buffers.out, MAX_MOVES, seeds[game, 4:], (room, me))
        share_ranks(s, buffers.evaluations, buffers.rewards)
        shares[game] = buffers.rewards[me]
        credit(room.decisions, begun, made[0], shares[game], later)
    return int(made[0])


def lesson_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return the move of the learner or of an expert."""
    room, me = how
    if s.turn != me or n == 1:
        return quick_move(s, out, n, rng, room.states[1:], room.buffers.work, 0.0)
    action = decide(room, n, rng, room.made[0])
    room.made[0] += fits(room, room.made[0])
    return action


def decide(room: Any, n: int, rng: Generator, made: int) -> int:
    """Draw one of the learner's legal actions, and write the decision; return the action."""
    out, work, scores = room.buffers.out, room.buffers.work, room.scores
    network, judge, s = room.network, room.judge, room.states[2]
    numbers, starts, chosen, chances, judged, _ = room.decisions
    right = greedy(s, out, n, rng, work)
    n = legal(s, out)  # the heuristic may leave them in another order
    m = features(s, work)
    start_sums(network, work, m)
    start_sums(judge, work, m)
    judged[made] = judge.traits[0] + output(judge.begun, judge.last)
    at = note(numbers, starts[made], work, m)
    numbers[at] = n
    at += 1
    for i in range(n):
        m = list_traits(s, out[i], right, network, work)
        scores[i] = worth(network, work, m)
        at = note(numbers, at, work, m)
    soften(scores, n)
    draw = pick_by(scores, n, below(rng, FINE) / FINE)
    chosen[made] = draw
    chances[made] = scores[draw]
    starts[made + 1] = at
    return int(out[draw])


def fits(room: Any, made: int) -> bool:
    """Return whether another decision fits behind the one just written, which otherwise goes."""
    decisions = room.decisions
    left = len(decisions.numbers) - decisions.starts[made + 1]
    return bool(made + 2 < len(decisions.starts) and left > most_numbers(len(room.scores)))


def most_numbers(actions: int) -> int:
    """Return how many numbers no decision exceeds: no features and no traits take more room."""
    return (actions + 1) * (WORK + 1)


def credit(decisions: Any, begun: int, made: int, share: float, later: float) -> None:
    """Write what the decisions of a game gained, the last one first."""
    _, _, _, _, judged, gains = decisions
    following = share
    gain = 0.0
    for i in range(made - 1, begun - 1, -1):
        gain = following - judged[i] + later * gain
        following = judged[i]
        gains[i] = gain


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
    room: Any, order: Any, mean: float, spread: float, slope: Any, judge_slope: Any, sums: Any
) -> None:
    """Add up how the loss of some decisions changes with each weight.

    ``order`` lists them. ``mean`` and ``spread`` are those of all gains. ``sums``, a row for each
    legal action, is scratch.
    """
    numbers, starts, chosen, chances, judged, gains = room.decisions
    network, judge, scores = room.network, room.judge, room.scores
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


def measure(
    game: Game, seats: int, network: SparseNetwork, games: int, seed: str
) -> tuple[float, float]:
    """Let a network play among experts, in each seat equally often.

    Returns the mean share of others beaten, and half the width of its 95 % interval.
    """
    policies = [LEVELS[EXPERT], Policy(learned=True)]
    contest = Contest(game, seats, policies, game.needed_options(seats), network)
    learner = np.arange(games) % seats
    players = (np.arange(seats) == learner[:, None]).astype(np.int64)
    results = contest.play(players, numbered_words(f"measure {seed}", 0, games))
    shares = results.utilities()[players == 1]
    return float(shares.mean()), float(Z95 * shares.std() / games**0.5)


class Pupil:
    """The games of an update that one thread plays, and what it learns from them."""

    def __init__(
        self, game: Game, headers: Sequence[Any], networks: Sequence[SparseNetwork], later: float
    ) -> None:
        self._later = later
        self._loops = functions(game)
        arrays = SearchBuffers(game, headers[0].seats, headers[0])
        actions = len(arrays.buffers["out"])
        self._room = Classroom(
            arrays.states,
            np.concatenate([to_records(header) for header in headers]),
            arrays.buffers,
            networks[0].twin(),
            networks[1].twin(),
            np.zeros(actions),
            Decisions.empty(GAMES_PLAYED // PUPILS * ROOM, actions),
            np.zeros(1, np.int64),
        )
        self._slopes = [SparseNetwork(*map(np.zeros_like, each)) for each in networks]
        self._sums = np.zeros((actions, len(networks[0].last)), F32)
        self._made = 0

    @property
    def gains(self) -> Array:
        """How much better each decision turned out than its position was judged."""
        return self._room.decisions.gains[: self._made]

    def play(self, seeds: Array, first: int) -> Array:
        """Play games from number ``first`` on; return the learner's share in each."""
        shares = np.zeros(len(seeds))
        loop = compiled(lessons, choose=lesson_move, **self._loops)
        self._made = loop(self._room, seeds, first, self._later, shares)
        return shares

    def learn(self, order: Array, mean: float, spread: float) -> list[Array]:
        """Return what the decisions numbered in ``order`` say of each weight, added up."""
        found = [array for each in self._slopes for array in each.weights]
        for array in found:
            array[:] = 0.0
        compiled(slopes)(self._room, order, mean, spread, *self._slopes, self._sums)
        return found


class Gradient:
    """A network that learns to play a game with some numbers of seats.

    A judgment has ``later`` times the weight of the one at the seat's decision before.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[int],
        seed: str,
        neurons: int,
        later: float,
        threads: int = 1,
    ) -> None:
        sees = network_of(game)
        headers = [game.header(each, game.needed_options(each)) for each in seats]
        self._game, self._seed = game, seed
        network, judge = (
            empty_network(sees.feature_count, traits, neurons, FLOATS)
            for traits in (sees.trait_count, 0)
        )
        dice = np.random.default_rng(seed_words(f"network of {seed}"))
        for each in network, judge:
            each.rows[:] = dice.normal(0.0, SPREAD, each.rows.shape)
            each.last[:] = dice.normal(0.0, LAST_SPREAD, each.last.shape)
        network.traits[-1] = START
        judge.traits[:] = 0.5  # before any lesson
        self._weights: list[Array] = [*network.weights, *judge.weights]
        self._means = [np.zeros_like(array) for array in self._weights]
        self._squares = [np.zeros_like(array) for array in self._weights]
        self.network = SparseNetwork(*map(np.copy, network))
        """The average over the latest updates."""
        self.updates = self._steps = 0
        self._pupils = [Pupil(game, headers, [network, judge], later) for _ in range(PUPILS)]
        self._pool = ThreadPoolExecutor(threads)

    def improve(self, progress: float) -> float:
        """Play games, learn from how they ended, and return the mean share of others beaten.

        ``progress`` goes from 0 to 1: the steps get shorter.
        """
        rate = RATE + (LAST_RATE - RATE) * progress
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
        each = GAMES_PLAYED // PUPILS
        numbers = range(self.updates * GAMES_PLAYED, (self.updates + 1) * GAMES_PLAYED, each)
        jobs = [
            self._pool.submit(pupil.play, numbered_words(f"learn {self._seed}", first, each), first)
            for pupil, first in zip(self._pupils, numbers, strict=True)
        ]
        return np.concatenate([job.result() for job in jobs])

    def rounded(self) -> tuple[SparseNetwork, float]:
        """Return the average as a network of whole numbers, and the unit of its scores."""
        sees, average = network_of(self._game), self.network
        found = empty_network(sees.feature_count, sees.trait_count, len(average.last), STORED)
        steps = [float(np.abs(array).max()) / BYTE for array in (average.rows, average.last)]
        unit = steps[0] * steps[1]
        found.rows[:] = (average.rows / steps[0]).round()
        found.last[:] = (average.last / steps[1]).round()
        found.traits[:] = (average.traits / unit).round()
        return found, unit

    def kept(self) -> dict[str, Any]:
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


def averaged(mean: Array, square: Array, gradient: Array, steps: int) -> tuple[Array, Array]:
    """Update Adam's averages in place and return them corrected for having begun at 0.

    ``steps`` includes this one.
    """
    first, second = (1.0 - decay**steps for decay in DECAYS)
    mean += (1.0 - DECAYS[0]) * (gradient - mean)
    square += (1.0 - DECAYS[1]) * (gradient * gradient - square)
    return mean / first, square / second


def learn(plan: argparse.Namespace, checkpoint: Path) -> LearnedWeights:
    """Learn a network by the plan of a command, and measure what it reaches.

    All that is needed to go on is written to ``checkpoint`` now and then; if it exists at the
    beginning, learning goes on from there.
    """
    game: Game = plan.game
    learner = Gradient(game, plan.seats, plan.seed, plan.neurons, plan.later, plan.threads)
    command = command_of(plan)
    sees = network_of(game)
    about = f"{command}: rules {game.version}, {sees.feature_count}, {sees.trait_count}"
    if checkpoint.exists():
        with np.load(checkpoint) as kept:
            if str(kept["about"]) != about:
                sys.exit(f"{checkpoint} is of another command: give the same, or delete it")
            learner.restore(kept)
    shares: list[float] = []
    while learner.updates < plan.updates:
        shares.append(learner.improve(learner.updates / plan.updates))
        if learner.updates % EVERY == 0 or learner.updates == plan.updates:
            new = checkpoint.with_name(f"{checkpoint.name}.new")
            with new.open("wb") as file:
                np.savez(file, about=np.array(about), **learner.kept())
            new.replace(checkpoint)
            beaten = f"{100 * fmean(shares):.1f}% of experts beaten"
            print(f"{learner.updates} of {plan.updates} updates, {beaten}", flush=True)
            shares.clear()
    network, unit = learner.rounded()
    beats = {}
    for seats in plan.seats:
        share, error = measure(game, seats, network, GAMES_MEASURED, plan.seed)
        beats[seats] = f"{100 * share:.1f} ± {100 * error:.1f}%"
    return LearnedWeights(
        command=command,
        beats=beats,
        games=GAMES_MEASURED,
        unit=unit,
        traits=network.traits.tolist(),
        rows=b64encode(network.rows.tobytes()).decode(),
        last=b64encode(network.last.tobytes()).decode(),
    )


def command_of(plan: argparse.Namespace) -> str:
    """Return the command that learns by this plan, without the name of a file."""
    words = ["scripts/weights.py", plan.game.name, "--seats", in_words(plan.seats)]
    words += ["--updates", str(plan.updates), "--neurons", str(plan.neurons)]
    return shlex.join([*words, "--later", f"{plan.later:g}", "--seed", plan.seed])


def add_to_file(file: Path, game: Game, found: LearnedWeights) -> None:
    """Write a network into a file, in place of those for one of its numbers of seats."""
    known = read_weights(file, game).values() if file.exists() else ()
    others = [one for one in known if not one.beats.keys() & found.beats.keys()]
    kept = sorted([*others, found], key=lambda one: min(one.beats))
    lines = [f'"{in_words([*one.beats])}": {json.dumps(asdict(one))}' for one in kept]
    new = file.with_name(f"{file.name}.new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    new.replace(file)


def in_words(seats: Sequence[int]) -> str:
    """Return numbers of seats as a text, such as ``2`` or ``3-7``."""
    first, last = seats[0], seats[-1]
    return f"{first}" if first == last else f"{first}-{last}"


def numbers(text: str) -> range:
    """Return the numbers of seats that a text such as ``3-7`` names."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", type=GAMES.__getitem__)
    parser.add_argument("--out", type=Path, required=True, help="the file of the game's networks")
    parser.add_argument("--seats", type=numbers, help="such as 2 or 3-7: all that the game allows")
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--neurons", type=int, default=48)
    parser.add_argument(
        "--later",
        type=float,
        default=0.5,
        help="the weight of each later judgment of the game when a move is credited, relative to"
        " the judgment before it, 0 to 1: more in games where a good move pays off late",
    )
    parser.add_argument("--seed", default="1", help="a text that decides all chance")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    plan = parser.parse_args(words)
    game: Game = plan.game
    plan.seats = plan.seats or range(max(2, game.min_seats), game.max_seats + 1)
    if plan.seats[0] < 2:
        parser.error("one player alone has no experts to beat: give at least 2 seats")
    checkpoint = plan.out.with_name(f"{plan.out.name}.{in_words(plan.seats)}.training")
    try:
        found = learn(plan, checkpoint)
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on from the last line printed.")
    add_to_file(plan.out, game, found)
    checkpoint.unlink(missing_ok=True)
    for seats, share in found.beats.items():
        print(f"{seats} players: beats {share} of experts")


if __name__ == "__main__":
    main()
