"""Observations: where each field lies in a tensor, and what the slots hold."""

from random import Random
from typing import Annotated, Any, cast

import pytest

import redouble
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import (
    layout,
    observation,
    observe_rule,
    observe_source,
    tensor_size,
)
from redouble.games.double_down.rules import FACES, LOWEST
from redouble.kernel.errors import InputError, RulesError, SeatsError
from redouble.kernel.kinds import row
from redouble.kernel.state import State, int8
from tests.helpers.known import known

DOWN = GAMES["double-down"]
QUITS = GAMES["double-or-quits"]


def slots(match: redouble.Match, seat: int, field: str) -> list[int]:
    """The part of a seat's tensor that tells a field."""
    [part] = [one for one in layout(match.game, match.seats) if one.name == field]
    return observation(match.game, match.state, seat)[part.start : part.stop]


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_slices_lie_side_by_side_and_fill_the_tensor(game: Game) -> None:
    for seats in range(game.min_seats, game.max_seats + 1):
        slices = layout(game, seats)
        bounds = [0, *(one.stop for one in slices)]
        assert [one.start for one in slices] == bounds[:-1]
        assert bounds[-1] == tensor_size(game, seats)
        assert {one.name for one in slices} < {field.name for field in game.rules.Position.FIELDS}


def test_ones_own_hand_comes_first_and_others_are_unknown() -> None:
    match = redouble.new("double-down", seats=3, seed="hands")
    for seat in range(3):
        hands = slots(match, seat, "hand")
        own = hands[: FACES + 1]
        held = [match.state.deck[place] for place in match.state.hand[seat]]
        assert own == [held.count(face) for face in range(FACES)] + [0]
        assert hands[FACES + 1 :] == ([0] * FACES + [5]) * 2


def test_a_total_is_one_slot_and_seats_are_counted_from_the_observer() -> None:
    match = redouble.new("double-down", seats=3, seed="hands")
    mover = known(match.turn)
    card = next(move for move in match.legal_moves if move.isdigit() and move != "0")
    match.push(card)
    total = slots(match, 0, "total")
    assert [LOWEST + at for at, slot in enumerate(total) if slot] == [int(card)]
    for seat in range(3):
        assert slots(match, seat, "starter") == [int(mover == (seat + i) % 3) for i in range(3)]


def test_equal_hands_look_equal_in_whatever_order_they_lie() -> None:
    state = redouble.new("double-down", seats=2, seed="order").state
    other = state.copy()
    other.hand[0].reverse()
    assert state != other
    assert observation(DOWN, state, 0) == observation(DOWN, other, 0)


def test_the_waste_of_the_solitaire_is_seen_in_its_order() -> None:
    match = redouble.new("double-or-quits", seed="waste", free_flip=True)
    for _ in range(3):
        match.push("flip")
    state = match.state
    cards = [1 + state.deck[state.line[i]] for i in range(state.waste_n)]
    line = slots(match, 0, "line")
    assert line[:52] == cards + [0] * (52 - len(cards))
    seen = state.copy()
    QUITS.rules.redact(seen, 0)
    stock = [seen.deck[seen.line[i]] for i in range(seen.stock_at, seen.stock_n)]
    assert any(card >= 0 for card in stock), "this deal puts a king under the stock"
    assert line[52:] == [card + 1 if card >= 0 else -1 for card in stock] + [0] * (52 - len(stock))


def test_a_number_over_127_takes_two_slots() -> None:
    match = redouble.new("double-dominoes", seats=2, seed="goal", victory=140)
    assert slots(match, 0, "goal") == [1, 40]


def test_the_source_is_plain_python_in_a_file() -> None:
    source = observe_source(DOWN)
    assert "# total: the total last called" in source
    file = observe_rule(DOWN).__code__.co_filename
    with open(file, encoding="utf-8") as stream:
        assert stream.read() == source


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_rule_for_one_number_of_seats_writes_the_same(game: Game) -> None:
    for seats in range(game.min_seats, game.max_seats + 1):
        options = game.needed_options(seats)
        match, dice = redouble.new(game.name, seats=seats, seed="s", **options), Random("s")
        for _ in range(30):
            if match.turn is None:
                break
            for seat in range(seats):
                seen = match.seen_by(seat)
                one, other = ([9] * tensor_size(game, seats) for _ in range(2))
                observe_rule(game)(seen, seat, one)
                observe_rule(game, seats)(seen, seat, other)
                assert one == other
            match.push(dice.choice(list(match.legal_moves)))
    with pytest.raises(SeatsError):
        observe_rule(game, game.max_seats + 1)


def test_a_wrong_state_seat_or_number_of_seats_is_refused() -> None:
    match = redouble.new("double-down", seats=2, seed="wrong")
    with pytest.raises(InputError, match="give a position of Double Down"):
        observation(DOWN, redouble.new("double-or-quits", seed="1").state, 0)
    with pytest.raises(InputError, match="seat cannot be 2"):
        observation(DOWN, match.state, 2)
    with pytest.raises(SeatsError, match="2 to 7"):
        layout(DOWN, 8)


def test_a_field_without_a_kind_or_with_one_of_another_shape_is_named() -> None:
    class Kindless(State):
        pips: Annotated[int, int8, "pips of a die"]

    class Crooked(State):
        pips: Annotated[int, int8, "pips of a die", row(stop="seats")]

    def game(position: type[State]) -> Game:
        rules = cast(Any, type("Rules", (), {"Position": position}))
        return Game(**{**vars(DOWN), "rules": rules, "title": "Dice"})

    with pytest.raises(RulesError, match="Dice gives no observations: its field pips has no kind"):
        tensor_size(game(Kindless), 2)
    with pytest.raises(RulesError, match=r"pips: .* is not for a value of the shape"):
        tensor_size(game(Crooked), 2)
