"""Whole games between policies, compiled with the rules, for tournaments and studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

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
from redouble.contract.driver import MAX_MOVES, STOP, deal, play_on, slips
from redouble.contract.game import Game
from redouble.contract.placeholders import evaluate, functions, greedy, rank, redact, score
from redouble.kernel import checks
from redouble.kernel.engine import compiled, np, to_records
from redouble.kernel.errors import InputError
from redouble.kernel.pace import Pace
from redouble.kernel.rng import Generator, below, reseed, seed_words
from redouble.match.match import REMEMBERED

__all__ = ["COUNTS", "Contest", "ContestResults"]

MAX_GAMES = 100_000_000
MAX_NUMBER = 10**15
"""The last number of a series."""

# What is counted in a game: moves; forced moves; changes of the sole leader.
MOVES, FORCED, LEADS = range(3)
COUNTS = 3

Players = Sequence[Sequence[int]] | np.ndarray[Any, Any]
Seeds = Sequence[str] | np.ndarray[Any, np.dtype[np.uint64]]
WORDS = 8
"""Words of a game's seed: four of its generator, then four of its players'."""
FROM_ONE = 16
"""Games of a numbered series whose words come from one hash."""


# Where a call of the loop stopped, so that the next one goes on from there.
GAME, MADE, LEADER, ACTION, LOGGED = range(5)
# Instead of an action: a search is to find it, or there is none to make yet.
SEARCH, NONE = STOP, -2


# The functions called for each move are short: the engine inlines these, and to hand over so many
# arrays would take longer than a move.
class ContestArrays(NamedTuple):
    """What the loop of a contest is given."""

    states: Any
    buffers: Any
    header: Any
    policies: Any
    network: SparseNetwork
    """Without rows if the game comes with none."""
    players: Any
    """[game, seat]: a row of ``policies``"""
    seeds: Any
    """[game]: the words of its generator, then those of its players'."""
    ranks: Any
    scores: Any
    reasons: Any
    counts: Any
    history: Any
    """A ring of the positions before the latest moves; empty if no policy has beliefs."""
    made: Any
    """These moves."""
    place: Any
    """Where the loop stopped."""


def contest(a: Any, log: Any, budget: int) -> None:
    """Play games and write how each ended; after MAX_MOVES moves its ranks stay zero.

    After about ``budget`` moves, and wherever a player searches, the loop returns. ``place`` says
    where: the game, its moves so far (-1 if it is not dealt) and its sole leader. The next call
    goes on from there. Where a player searches, ``place[ACTION]`` is SEARCH and ``states[1]`` what
    it sees; the action that the search finds takes its place before the next call.

    ``log``, empty or with room for ``budget`` moves, gets those of this call; ``place[LOGGED]`` is
    their number.
    """
    place, s = a.place, a.states[2]
    while place[GAME] < len(a.players) and budget > 0:
        game = place[GAME]
        counts = a.counts[game]
        if place[MADE] < 0:
            deal(a.states, 2, a.header[0], a.seeds[game])
            place[MADE] = 0
            place[LEADER] = -1
        most = min(budget, MAX_MOVES - place[MADE])
        players, notes = a.players[game], (log, a.history, a.made)
        how = a.states, players, a.policies, a.network, a.buffers, counts, place, notes
        left = play_on(s, a.buffers.out, most, a.seeds[game, 4:], how)
        budget -= most - left
        if place[ACTION] == SEARCH:
            return
        if s.turn < 0 or place[MADE] >= MAX_MOVES:
            note_lead(s, place, counts, a.buffers.evaluations)
            counts[MOVES] = place[MADE]
            if s.turn < 0:
                rank(s, a.ranks[game])
                score(s, a.scores[game])
                a.reasons[game] = s.reason
            place[GAME] += 1
            place[MADE] = -1


def contest_move(s: Any, out: Any, n: int, rng: Generator, how: Any) -> int:
    """Return the next move of a contest, and note it; SEARCH if a search is to find it."""
    states, players, policies, network, buffers, counts, place, notes = how
    note_lead(s, place, counts, buffers.evaluations)
    action = int(place[ACTION])
    if action == NONE:
        policy = policies[players[s.turn]]
        action = decide(states, out, n, rng, buffers.work, policy, network, counts)
    if action == SEARCH:
        place[ACTION] = SEARCH
    else:
        note_move(states[2], action, place, notes)
    return action


def note_move(s: Any, action: int, place: Any, notes: Any) -> None:
    log, history, made = notes
    if len(log):
        log[place[LOGGED]] = action
        place[LOGGED] += 1
    if len(history):
        history[place[MADE] % len(history)] = s
        made[place[MADE] % len(history)] = action
    place[MADE] += 1
    place[ACTION] = NONE


def decide(
    states: Any, out: Any, n: int, rng: Generator, work: Any, policy: Any, network: Any, counts: Any
) -> int:
    """Return what a policy decides, from the redacted copy ``states[1]`` that this makes."""
    if n == 1:
        return forced(out, counts)
    if policy[MISTAKES] >= 1.0 or slips(rng, policy[MISTAKES]):
        return int(out[below(rng, n)])
    states[1] = states[2]
    redact(states[1], states[1].turn)
    return intended(states[1], out, n, rng, work, policy, network)


def forced(out: Any, counts: Any) -> int:
    counts[FORCED] += 1
    return int(out[0])


def intended(s: Any, out: Any, n: int, rng: Generator, work: Any, policy: Any, network: Any) -> int:
    """Return what a policy decides if it doesn't slip; SEARCH if a search is to find it."""
    if policy[ITERATIONS] > 0.0:
        return SEARCH
    if policy[LEARNED] > 0.0 and len(network.rows):
        return prefer(s, out, n, rng, network, work)
    return greedy(s, out, n, rng, work)


def note_lead(s: Any, place: Any, counts: Any, evaluations: Any) -> None:
    """Count a change of the sole leader by the latest move, once however often it is called."""
    if place[MADE] == 0:
        return
    ahead = leads(s, evaluations)
    if ahead >= 0 and ahead != place[LEADER]:
        counts[LEADS] += place[LEADER] >= 0
        place[LEADER] = ahead


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


def won_alone(game: Game, reasons: Any) -> Any:
    """Return 1 where a game for one player ended for a reason by which it is won, otherwise 0."""
    return np.array([reason.won for reason in game.text.REASONS], np.float64)[reasons]


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

    def play(self, players: Players, seeds: Seeds) -> ContestResults:
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
        self, players: Players, seeds: Seeds
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
        loop = compiled(contest, choose=contest_move, **functions(self.game))
        place = np.array([0, -1, -1, NONE, 0], np.int64)
        arrays = ContestArrays(
            states=a.states,
            buffers=a.buffers,
            header=self._header,
            policies=self._policies,
            network=self._network,
            players=seated,
            seeds=words,
            ranks=results.ranks,
            scores=results.scores,
            reasons=results.reasons,
            counts=results.counts,
            history=thinker.history,
            made=thinker.made,
            place=place,
        )
        while True:
            log = np.empty(0 if logs is None else self._pace.portion, np.int16)
            place[LOGGED] = 0
            begun = perf_counter()
            loop(arrays, log, self._pace.portion)
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
