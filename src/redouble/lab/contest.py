"""Whole games between policies, compiled with the rules, for tournaments and studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from redouble.bots.policy import Policy
from redouble.bots.search.beliefs import remember
from redouble.bots.search.flat import action_of
from redouble.bots.search.network import SparseNetwork, prefer, stored_network
from redouble.bots.search.playouts import (
    BELIEFS,
    ITERATIONS,
    LEARNED,
    MISTAKES,
    SearchBuffers,
    policy_row,
)
from redouble.contract.game import Game
from redouble.contract.placeholders import (
    evaluate,
    functions,
    greedy,
    legal,
    play,
    rank,
    redact,
    score,
    setup,
)
from redouble.kernel import checks
from redouble.kernel.engine import compiled, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator, below, reseed, seed_words
from redouble.match.match import REMEMBERED

__all__ = [
    "COUNTS",
    "FORCED",
    "LEADS",
    "MOVES",
    "WORDS",
    "Contest",
    "ContestResults",
    "numbered_words",
]

MAX_MOVES = 1_000_000
"""Moves after which a game is given up; no game comes near it."""
MAX_GAMES = 100_000_000
"""Games of one call."""
MAX_NUMBER = 10**15
"""The last number of a series."""

# What is counted in a game: moves; forced moves; changes of the sole leader.
MOVES, FORCED, LEADS = range(3)
COUNTS = 3

WORDS = 8
"""Words of a game's seed: four of its generator, then four of its players'."""
FROM_ONE = 16
"""Games of a numbered series whose words come from one hash."""


# Where a call of the loop stopped, so that the next one goes on from there.
GAME, MADE, LEADER, ACTION, LOGGED = range(5)
# Instead of an action: there is none to make yet, or a search is to find it.
NONE, SEARCH = -1, -2


def contest(
    states: Any,
    buffers: Any,
    header: Any,
    policies: Any,
    network: Any,
    players: Any,
    seeds: Any,
    ranks: Any,
    scores: Any,
    reasons: Any,
    counts: Any,
    log: Any,
    history: Any,
    made_moves: Any,
    games: int,
    max_moves: int,
    place: Any,
    budget: int,
) -> None:
    """Play games and write how each ended.

    ``players[game][seat]`` is a row of ``policies``; ``network`` has no rows if the game comes
    with none.
    ``seeds[game]`` holds the words of the game's generator, then those of the players'. A player
    decides from a redacted copy of the position.
    A game of more than ``max_moves`` moves has no result: its ranks stay zero.

    After about ``budget`` moves, and wherever a player searches, the loop returns. ``place`` says
    where: the game, its moves so far (-1 if it is not dealt) and its sole leader. The next call
    goes on from there. Where a player searches, ``place[ACTION]`` is SEARCH and ``states[1]`` what
    it sees; the action that the search finds takes its place before the next call.

    ``log`` gets the moves of this call, and ``place[LOGGED]`` their number. It is empty if nobody
    wants them, and otherwise has room for ``budget`` moves. ``history`` and ``made_moves`` are
    rings of the positions before the latest moves of the game and of these moves; empty if no
    policy has beliefs.
    """
    out = buffers.out
    game = place[GAME]
    logging = len(log) > 0
    remembered = len(history)
    s = states[2]
    while game < games and budget > 0:
        rng = seeds[game, 4:]
        made = place[MADE]
        leader = place[LEADER]
        if made < 0:
            states[2] = header[0]
            for i in range(4):
                s.rng[i] = seeds[game, i]
            setup(s)
            leader = -1
            made = 0
        n = legal(s, out)
        while n and made < max_moves and budget > 0 and place[ACTION] != SEARCH:
            if place[ACTION] != NONE:
                action = int(place[ACTION])
                place[ACTION] = NONE
            elif n == 1:
                action = int(out[0])
                counts[game, FORCED] += 1
            elif policies[players[game, s.turn], MISTAKES] >= 1.0:  # it looks at nothing
                action = int(out[below(rng, n)])
            else:
                states[1] = states[2]
                redact(states[1], s.turn)
                action = decide(states[1], rng, buffers, policies[players[game, s.turn]], network)
            budget -= 1
            if action == SEARCH:
                place[ACTION] = SEARCH
            else:
                if logging:
                    log[place[LOGGED]] = action
                    place[LOGGED] += 1
                if remembered:
                    history[made % remembered] = states[2]
                    made_moves[made % remembered] = action
                play(s, action)
                made += 1
                ahead = leads(s, buffers.evaluations)
                if ahead >= 0 and ahead != leader:
                    counts[game, LEADS] += leader >= 0
                    leader = ahead
                n = legal(s, out)
        place[MADE] = made
        place[LEADER] = leader
        if n == 0 or made >= max_moves:
            counts[game, MOVES] = made
            if n == 0:
                rank(s, ranks[game])
                score(s, scores[game])
                reasons[game] = s.reason
            game += 1
            place[MADE] = -1
        place[GAME] = game
        if place[ACTION] == SEARCH:
            return


def decide(s: Any, rng: Generator, buffers: Any, policy: Any, network: Any) -> int:
    """Return a policy's move in a redacted position; SEARCH if a search is to find it."""
    out = buffers.out
    n = legal(s, out)
    if n == 1:
        return int(out[0])
    if policy[MISTAKES] > 0.0 and below(rng, 1024) < int(policy[MISTAKES] * 1024):
        return int(out[below(rng, n)])
    if policy[ITERATIONS] > 0.0:
        return SEARCH
    if policy[LEARNED] > 0.0 and len(network.rows):
        return prefer(s, out, n, rng, network, buffers.work)
    return greedy(s, out, n, rng, buffers.work)


def fill_seeds(seeds: Any, sources: Any, each: int) -> None:
    """Fill in the words of the games; ``each`` of them come from one source."""
    for game in range(len(seeds)):
        source = sources[game // each]
        reseed(seeds[game, :4], source)
        reseed(seeds[game, 4:], source)


def leads(s: Any, evaluations: Any) -> int:
    """Return the seat that ``evaluate`` puts first; -1 if several share the lead."""
    evaluate(s, evaluations)
    best = 0
    shared = False
    for seat in range(1, s.seats):
        if evaluations[seat] > evaluations[best]:
            best = seat
            shared = False
        elif evaluations[seat] == evaluations[best]:
            shared = True
    return -1 if shared else best


@dataclass(frozen=True)
class ContestResults:
    """How the games of a series ended."""

    ranks: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats); zero for a game that was given up."""
    scores: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, seats); zero in a game without points."""
    reasons: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games,): indices of the game's REASONS."""
    counts: np.ndarray[Any, np.dtype[np.int64]]
    """Shape (games, COUNTS): moves, moves without a choice, changes of the sole leader."""

    def __post_init__(self) -> None:
        for name, axes in (("ranks", 2), ("scores", 2), ("reasons", 1), ("counts", 2)):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.ndim != axes or array.dtype.kind != "i":
                raise InputError(f"{name} is not an array of whole numbers with {axes} axes")

    def wins(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (games, seats): 1 for the winner, shared equally where several tie."""
        first = self.ranks == 1
        shares: np.ndarray[Any, np.dtype[np.float64]] = first / first.sum(axis=1, keepdims=True)
        return shares

    def utilities(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Shape (games, seats): the share of opponents that each seat beat, a tie counting half."""
        seats = self.ranks.shape[1]
        mine, other = self.ranks[:, :, None], self.ranks[:, None, :]
        beaten = (mine < other).sum(axis=2) + 0.5 * ((mine == other).sum(axis=2) - 1)
        shares: np.ndarray[Any, np.dtype[np.float64]] = beaten / max(seats - 1, 1)
        return shares


def numbered_words(series: str, first: int, games: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return the seeds of games ``first``, ``first + 1``, ... of a series: shape (games, WORDS).

    This is the fast way to seed millions of games. A game's words depend only on the series and on
    its number. Raises :class:`~redouble.kernel.errors.InputError` if a number is out of range.
    """
    checks.text(series, "series")
    checks.whole(first, "first", 0, MAX_NUMBER)
    checks.whole(games, "games", 0, MAX_GAMES)
    start, end = first // FROM_ONE, -(-(first + games) // FROM_ONE)
    sources = [seed_words(f"games {source} of {series}") for source in range(start, end)]
    seeds = np.zeros(((end - start) * FROM_ONE, WORDS), np.uint64)
    compiled(fill_seeds)(seeds, np.array(sources, np.uint64).reshape(-1, 4), FROM_ONE)
    return seeds[first - start * FROM_ONE :][:games]


class Thinker:
    """Searches for the moves at which a loop of games stops, in one thread.

    ``policies`` are the rows of all who play. ``history`` and ``made`` are rings for the positions
    before the latest moves of a game and for these moves; empty if no policy has beliefs.
    """

    def __init__(self, game: Game, seats: int, header: Any, policies: Any) -> None:
        self._game = game
        self.arrays = SearchBuffers(game, seats, header)
        believing = policies[:, BELIEFS].max() > 1
        self.history = np.zeros(REMEMBERED if believing else 0, self.arrays.states.dtype)
        self.made = np.zeros(len(self.history), np.int64)
        self._past = np.zeros_like(self.history), np.zeros_like(self.made)

    def action(self, policy: Any, rng: Any, made: int) -> int:
        """Return the move that a policy's search finds for what ``states[1]`` of the arrays knows.

        ``made`` is the number of moves of the game so far.
        """
        a, (past, actions) = self.arrays, self._past
        n = 0
        if policy[BELIEFS] > 1:
            loop = compiled(remember, **functions(self._game))
            n = loop(a.states, self.history, self.made, made, past, actions)
        a.past, a.actions = past[len(past) - n :], actions[len(past) - n :]
        return action_of(self._game, a, rng, policy)


class Contest:
    """A game with seats and options and the policies that meet in it, for one thread.

    Policies that are ``learned`` play by ``network``, or else by the one that comes with the game.

    Several contests run in parallel threads: compiled loops release the GIL. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used, and what
    :meth:`Game.check_seats` and :meth:`Game.check_options` raise.
    """

    def __init__(
        self,
        game: Game,
        seats: int,
        policies: Sequence[Policy],
        options: Mapping[str, Any] | None = None,
        network: SparseNetwork | None = None,
    ) -> None:
        checks.instance(game, Game, "game").check_seats(seats)
        given = checks.items(policies, "policies", "policies")
        if not given:
            raise InputError("policies is empty: give at least one policy")
        for policy in given:
            checks.instance(policy, Policy, "a policy")
        self.game = game
        self.seats = seats
        header = game.header(seats, {} if options is None else options)
        self._header = to_records(header)
        rows = [policy_row(policy, game, seats) for policy in given]
        self._policies = np.array(rows, np.float64)
        self._network = (
            stored_network(game, seats)
            if network is None
            else checks.instance(network, SparseNetwork, "network")
        )
        self._thinker = Thinker(game, seats, header, self._policies)
        self._pace = Pace(4096)

    def play(
        self,
        players: Sequence[Sequence[int]] | np.ndarray[Any, Any],
        seeds: Sequence[str] | np.ndarray[Any, np.dtype[np.uint64]],
    ) -> ContestResults:
        """Play a game for each row of ``players`` and return how the games ended.

        A row holds, for each seat, the number of the policy that plays there. ``seeds`` has a text
        for each game: games with the same text are dealt alike, and are the games of :class:`Match`
        with that seed; the players' chance comes from it too. Instead of texts, ``seeds`` can be
        their words, shape (games, WORDS): see :func:`numbered_words`.

        Ctrl-C stops between two moves.
        Raises :class:`~redouble.kernel.errors.InputError` if the arrays do not fit each other.
        """
        return self._play(players, seeds, None)

    def record(
        self,
        players: Sequence[Sequence[int]] | np.ndarray[Any, Any],
        seeds: Sequence[str] | np.ndarray[Any, np.dtype[np.uint64]],
    ) -> tuple[ContestResults, np.ndarray[Any, np.dtype[np.int16]]]:
        """Play as :meth:`play` does, and also return the moves of all games, one after the other.

        ``counts[:, MOVES]`` says how many of them belong to each game. Raises what :meth:`play`
        raises.
        """
        logs = [np.zeros(0, np.int16)]
        results = self._play(players, seeds, logs)
        return results, np.concatenate(logs)

    def _play(
        self, players: Any, seeds: Any, logs: list[np.ndarray[Any, np.dtype[np.int16]]] | None
    ) -> ContestResults:
        """Play the games; ``logs`` gets their moves, in parts."""
        thinker = self._thinker
        a = thinker.arrays
        seated = self._seated(players)
        games = len(seated)
        words = _seed_words(seeds, games)
        results = ContestResults(
            np.zeros((games, self.seats), np.int64),
            np.zeros((games, self.seats), np.int64),
            np.zeros(games, np.int64),
            np.zeros((games, COUNTS), np.int64),
        )
        loop = compiled(contest, **functions(self.game))
        place = np.array([0, -1, -1, NONE, 0], np.int64)
        while True:
            log = np.empty(0 if logs is None else self._pace.portion, np.int16)
            place[LOGGED] = 0
            begun = perf_counter()
            loop(
                a.states,
                a.buffers,
                self._header,
                self._policies,
                self._network,
                seated,
                words,
                results.ranks,
                results.scores,
                results.reasons,
                results.counts,
                log,
                thinker.history,
                thinker.made,
                games,
                MAX_MOVES,
                place,
                self._pace.portion,
            )
            if logs is not None:
                logs.append(log[: place[LOGGED]].copy())
            if place[GAME] == games:
                return results
            if place[ACTION] == SEARCH:
                policy = self._policies[seated[place[GAME], a.states[1]["turn"]]]
                rng = words[place[GAME], 4:]
                place[ACTION] = thinker.action(policy, rng, int(place[MADE]))
            else:
                self._pace.took(perf_counter() - begun)

    def _seated(self, players: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Check who sits where: shape (games, seats), each a row of the policies."""
        if isinstance(players, range) or (
            isinstance(players, Sequence) and len(players) > MAX_GAMES
        ):
            raise InputError(f"players is not a row for each of at most {MAX_GAMES:,} games")
        try:
            found = np.asarray(players)
        except (TypeError, ValueError, OverflowError):
            found = np.array(None)
        if found.size == 0 and found.shape[:1] == (0,):
            return np.zeros((0, self.seats), np.int64)
        if found.dtype.kind not in "iu" or found.ndim != 2 or found.shape[1] != self.seats:
            raise InputError(
                f"players has the wrong shape or type: give {self.seats} policy numbers for each"
                " game, one per seat"
            )
        if found.size and not 0 <= int(found.min()) <= int(found.max()) < len(self._policies):
            raise InputError(
                f"players names a policy that does not exist: give 0 to {len(self._policies) - 1}"
            )
        if len(found) > MAX_GAMES:
            raise InputError(f"players has {len(found)} games: give at most {MAX_GAMES:,}")
        return np.array(found, np.int64, order="C")


def _seed_words(seeds: Any, games: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Check the seeds of the games and return their words: a copy, since the loop changes them."""
    if not isinstance(seeds, np.ndarray):
        if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Sequence):
            raise checks.wrong("seeds", seeds, "a text for each game", InputError)
        if len(seeds) != games:
            raise InputError(f"seeds has {len(seeds)} texts: give one for each of {games} games")
        found = [
            [*seed_words(seed), *seed_words(f"players of {seed}")]
            for seed in (checks.text(text, "a seed") for text in seeds)
        ]
        return np.array(found, np.uint64).reshape(-1, WORDS)
    if seeds.dtype.kind not in "iu" or seeds.shape != (games, WORDS):
        raise InputError(
            f"seeds has the shape {seeds.shape} of {seeds.dtype}: give {WORDS} words for each of"
            f" {games} games, as numbered_words() makes them"
        )
    words = np.array(seeds, np.uint64, order="C")
    if not (words[:, :4].any(axis=1) & words[:, 4:].any(axis=1)).all():
        raise InputError("seeds has a generator of zeros, which yields no chance: use texts")
    return words
