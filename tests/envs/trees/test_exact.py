"""Exact values: against brute force, by hand, over random games, and blind to what is hidden."""

import json
from collections import Counter, defaultdict
from random import Random
from typing import Any

import pytest

from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.envs.text import TextGame, endings, find_ending
from redouble.envs.trees.exact import ExactSolver
from redouble.envs.trees.regret import exact_values, move_regrets
from redouble.envs.trees.worlds import Worlds
from redouble.kernel.errors import IllegalMove, InputError
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words
from redouble.kernel.state import NOBODY
from redouble.match.match import Match, Observation
from tests.helpers import brute
from tests.helpers.brute import Brute
from tests.helpers.corpus import SmallPosition, read
from tests.helpers.tables import play_on

SMALL = read()
OF_SEVERAL = [position for position in SMALL if position.seats > 1]
ALONE = [position for position in SMALL if position.seats == 1]
A_KIND = list({position.kind: position for position in SMALL}.values())
WORK_OF_BRUTE = 40_000


def open_end(name: str, seats: int, number: int) -> Match:
    """A game from one of its ends on, played on at random."""
    ending = find_ending(name, seats, f"law {number}")
    match = Match(GAMES[name], seats, ending.seed, ending.options)
    for move in ending.moves:
        match.push(move)
    return play_on(match, Random(number))


@pytest.mark.parametrize("small", OF_SEVERAL[::7], ids=str)
def test_the_best_moves_are_those_of_brute_force(small: SmallPosition) -> None:
    found = exact_values(small.observation, WORK_OF_BRUTE)
    if found is not None:
        assert set(found.best) == set(small.best)


def test_most_small_positions_are_judged() -> None:
    some = OF_SEVERAL[::20]
    judged = sum(exact_values(small.observation, WORK_OF_BRUTE) is not None for small in some)
    assert judged >= 0.9 * len(some)


@pytest.mark.parametrize("small", [one for one in A_KIND if one.seats > 1], ids=str)
def test_each_value_is_one_that_brute_force_allows(small: SmallPosition) -> None:
    """Brute force leaves open which of equally good moves a player makes."""
    found = exact_values(small.observation, WORK_OF_BRUTE)
    if found is None:
        pytest.skip("too large")
    for action, (low, high) in Brute(small.match()).values().items():
        assert low - 1e-9 <= found.values[small.observation.name(action)] <= high + 1e-9


@pytest.mark.parametrize("small", ALONE[::9], ids=str)
def test_chances_to_win_are_those_of_brute_force(
    small: SmallPosition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solver and the rules, tried out without it, agree."""

    def won(game: Any, state: Any) -> tuple[float, ...]:
        return (float(game.outcome(state).won[0]),)

    monkeypatch.setattr(brute, "shares", won)
    found = exact_values(small.observation)
    try:
        each = Brute(small.match()).values()
    except brute.TooLarge:
        return
    if found is not None:
        for action, (low, high) in each.items():
            assert low - 1e-9 <= found.values[small.observation.name(action)] <= high + 1e-9


def told(game: Any, state: Any, deck: list[int], places: list[int]) -> str:
    """A world as its seats see it: which of a hand's places has which card makes no difference."""
    fields = {name: value for name, value in vars(state).items() if name not in ("rng", "deck")}
    full = state.copy()
    full.deck, full.rng = deck, [1, 1, 1, 1]
    seen = [game.redacted(full, seat).deck for seat in range(state.seats)]
    cards = [([sight[place] != ERASED for sight in seen], deck[place]) for place in places]
    return f"{fields} {sorted(cards)}"


@pytest.mark.parametrize("small", A_KIND, ids=str)
def test_worlds_are_those_of_determinize_and_as_likely(small: SmallPosition) -> None:
    game, seen = small.match().game, small.observation.state
    worlds = Worlds(game).of(seen, 5_000)
    assert sum(chance for _, chance in worlds) == pytest.approx(1)
    undecided = set(worlds[0][0].deck.pool_of)
    places = [
        place for place, card in enumerate(seen.deck) if card == ERASED and place not in undecided
    ]
    expected: defaultdict[str, float] = defaultdict(float)
    for world, chance in worlds:
        expected[told(game, world, world.deck.plain(), places)] += chance
    rng, dealt, times = seed_words("worlds"), Counter[str](), 60 * len(worlds)
    for _ in range(times):
        world = seen.copy()
        game.rules.determinize(world, rng, [0] * WORK)
        deck = [ERASED if place in undecided else card for place, card in enumerate(world.deck)]
        dealt[told(game, world, deck, places)] += 1
    assert set(dealt) <= set(expected)
    distance = sum(abs(dealt[one] / times - chance) for one, chance in expected.items()) / 2
    assert distance < 0.08


def test_a_decision_worked_out_by_hand() -> None:
    """Double Down, both on their free ride, total 94. The 5 makes 99 and loses. After the 0 Ben
    loses if he holds a 10. If he holds the other 0, he plays it, and you lose with the 5 or the 10.
    You have seen neither a 10 nor the other 0: one is Ben's, the other comes next.
    """
    game = GAMES["double-down"]
    state = game.header(2, {"cards": ["10 x20", "5 x1", "0 x2"]})
    game.rules.setup(state)
    ten, five, zero = (game.text.CARDS.index(face) for face in ("10", "5", "0"))
    state.deck_n = 4
    state.deck[:4] = state.box[:4] = [five, zero, ERASED, ERASED]
    state.box[:4] = sorted([five, zero, ten, zero])
    state.order[:4], state.pools = [0, 1, 2, 3], 1
    state.known_to[:4] = [0, 0, 1, NOBODY]
    state.hand[0][:2], state.hand[1][:1], state.hand_n[:2] = [0, 1], [2], [2, 1]
    state.pile[:1], state.pile_at, state.pile_n = [3], 0, 1
    state.discard_n = 0
    state.total, state.turn, state.lives[:2] = 94, 0, [1, 1]
    state.rng = [0] * 4
    found = ExactSolver(game).values(state)
    assert found == {five: (0.0, 0.0), zero: (0.5, 0.5)}


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("double-down", 2),
        ("double-down", 4),
        ("double-or-quits", 1),
        ("three-up", 2),
        ("three-up", 12),
        ("double-dominoes", 2),
        ("double-decker", 4),
    ],
)
def test_nothing_is_below_zero_and_the_best_move_is_worth_the_most(name: str, seats: int) -> None:
    match = open_end(name, seats, 1)
    found = [one for one in move_regrets(match, max_work=1_000) if one.exact is not None]
    assert found
    for one in found:
        assert one.exact is not None
        assert one.regret is not None
        assert one.regret >= 0
        assert (one.regret == 0) == (one.move in one.exact.best)
        assert one.regret == pytest.approx(
            max(one.exact.values.values()) - one.exact.values[one.move], abs=1e-8
        )
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in one.exact.values.values())


@pytest.mark.parametrize(("name", "seats"), [("double-down", 2), ("double-decker", 4)])
def test_nothing_that_the_seat_does_not_know_changes_a_value(name: str, seats: int) -> None:
    """Every world of the seat, made the real one, gets the same values."""
    ending = find_ending(name, seats, "secret")
    match = Match(GAMES[name], seats, ending.seed, ending.options)
    for move in ending.moves:
        match.push(move)
    game, observation = match.game, match.observation()
    real = exact_values(observation)
    others = 0
    rng = seed_words("other worlds")
    for _ in range(5):
        world = observation.state.copy()
        game.rules.determinize(world, rng, [0] * WORK)
        others += world.deck != match.state.deck
        seen = game.redacted(world, observation.seat)
        assert exact_values(Observation(game, observation.seat, seen, observation.legal)) == real
    assert others


def test_a_text_game_judges_its_players_from_where_they_began() -> None:
    ending = find_ending("double-down", 2, "text")
    bots = {1 - ending.seat: "expert"}
    game = TextGame(
        "double-down", 2, ending.seed, ending.options, bots=bots, moves=ending.moves, then="first"
    )
    begun = game.match.ply
    assert (game.turn, begun) == (ending.seat, len(ending.moves))
    assert json.loads(str(game.record()))["moves"].split() == [
        move.replace(" ", "_") for move in ending.moves
    ]
    game.play([lambda prompt: prompt.split("Legal moves:\n")[1].splitlines()[-1]])
    found = game.regrets()
    assert found
    assert {one.seat for one in found} == {ending.seat}
    assert min(one.ply for one in found) == begun
    assert found == game.regrets(ending.seat)
    mute = TextGame("double-down", 2, ending.seed, ending.options, bots=bots, moves=ending.moves)
    mute.play([lambda prompt: "hm"])
    assert mute.forfeited == (ending.seat,)
    assert mute.regrets() == ()
    with pytest.raises(IllegalMove, match="isn't legal there"):
        TextGame("double-down", 2, ending.seed, ending.options, moves=["99"])


def test_early_decisions_are_not_judged_and_wrong_arguments_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endings, "MAX_GAMES", 3)
    match = Match(GAMES["double-down"], 2, "early")
    assert exact_values(match.observation(), 500) is None
    match.push(match.legal_moves[0])
    [one] = move_regrets(match, max_work=500)
    assert (one.regret, one.exact, one.move) == (None, None, match.moves[0])
    known = match.game.redacted(match.state, 0)
    with pytest.raises(InputError, match="no decision to judge"):
        exact_values(Observation(match.game, 0, known, ()))
    with pytest.raises(InputError, match="can be judged exactly: use other options"):
        find_ending("double-or-quits", 1, "none", {})  # as published there is nothing to decide
