"""Match, View and Record: the public face."""

from __future__ import annotations

import json
from typing import Any

import pytest

import redouble
from redouble import SPECTATOR


def test_legal_moves_are_lazy_ordered_and_behave_like_a_sequence() -> None:
    match = redouble.new("double-down", seats=2, seed="lazy")
    moves = match.legal_moves
    assert len(moves) == len(list(moves)) > 0
    assert moves[0] in moves
    assert "nonsense" not in moves
    assert 7 not in moves
    assert bool(moves)
    assert moves == tuple(moves)
    assert list(moves)[-1] == moves[-1]
    assert repr(moves).startswith("<LegalMoves ")


def test_an_illegal_move_names_the_move_the_seat_and_what_is_legal() -> None:
    match = redouble.new("double-down", seats=2, seed="illegal", ages=[11, 30])
    with pytest.raises(redouble.IllegalMove) as caught:
        match.push("99")
    message = str(caught.value)
    assert "'99'" in message
    assert "seat 0" in message
    assert all(move in message for move in match.legal_moves)
    assert isinstance(caught.value, ValueError)


def test_a_finished_match_has_an_outcome_and_refuses_moves() -> None:
    match = redouble.new("double-down", seats=2, seed="whole")
    assert match.outcome is None
    while match.turn is not None:
        assert not match.view().outcome
        match.push(match.legal_moves[-1])
    assert match.outcome is not None
    assert sorted(match.outcome.ranks) == [1, 2]
    assert match.outcome.reason == "last seat in"
    assert not match.legal_moves
    assert match.view(0).outcome == {
        "ranks": list(match.outcome.ranks),
        "scores": None,
        "reason": "last seat in",
    }
    with pytest.raises(redouble.IllegalMove, match="the game is over"):
        match.push("2")
    with pytest.raises(redouble.IllegalMove, match="the game is over"):
        match.sight()


def test_taking_back_beyond_the_snapshots_plays_the_line_again() -> None:
    match = redouble.new("double-down", seats=4, seed="deep")
    states = []
    for _ in range(70):
        states.append(match.state)
        match.push(match.legal_moves[0])
    moves = list(match.moves)
    while states:
        assert match.pop() == moves.pop()
        assert match.state == states.pop()


def test_the_same_seed_gives_the_same_game_and_another_another() -> None:
    one = redouble.new("double-down", seats=3, seed="same").state
    assert redouble.new("double-down", seats=3, seed="same").state == one
    assert redouble.new("double-down", seats=3, seed="other").state != one


def test_without_a_seed_games_differ_and_still_replay() -> None:
    seeds = {redouble.new("double-down").seed for _ in range(20)}
    assert len(seeds) == 20
    match = redouble.new("double-down")
    assert redouble.replay(match.record()).state == match.state


def test_seats_can_have_names() -> None:
    match = redouble.new("double-down", seats=["Ada", "Ben"])
    assert match.names == ("Ada", "Ben")
    assert match.record().seats == ("Ada", "Ben")


@pytest.mark.parametrize("seats", [1, 8, 0, -1, ["only one"], "two", True])
def test_wrong_seats_are_refused(seats: Any) -> None:
    with pytest.raises(redouble.SeatsError):
        redouble.new("double-down", seats=seats)


def test_an_unknown_game_is_refused_naming_those_there_are() -> None:
    with pytest.raises(redouble.UnknownGame, match="double-down"):
        redouble.new("chess")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetfull": True}, "no option 'forgetfull'"),
        ({"forgetful": "maybe"}, "forgetful cannot be 'maybe': give yes or no"),
        ({"forgetful": 1}, "forgetful cannot be 1"),
        ({"ages": [1, 2, 3]}, "2 whole numbers"),
        ({"ages": "11,x"}, "ages cannot be '11,x'"),
        ({"ages": [0, 11]}, "from 1 to 150"),
        ({"ages": [True, 11]}, "ages cannot be"),
        ({"cards": 3}, "cards cannot be 3"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(redouble.OptionError, match=message):
        redouble.new("double-down", seats=2, **options)


def test_options_are_read_from_text_too() -> None:
    match = redouble.new("double-down", seats=2, forgetful="yes", ages="11, 30")
    assert match.options["forgetful"] is True
    assert match.options["ages"] == [11, 30]


def test_a_view_is_plain_json_and_shows_legal_moves_to_the_mover_only() -> None:
    match = redouble.new("double-down", seats=3, seed="view", ages=[11, 20, 30])
    view = json.loads(json.dumps(match.view(0).to_dict()))
    assert view["legal_moves"] == list(match.legal_moves)
    assert view["turn"] == 0
    assert match.view(1).legal_moves == ()
    assert match.view(SPECTATOR).legal_moves == ()
    assert match.view().legal_moves == tuple(match.legal_moves)
    assert None not in match.view().zones_of(1)[0].cards


@pytest.mark.parametrize("seat", [3, -2, 99])
def test_a_view_of_a_seat_that_is_not_there_is_refused(seat: int) -> None:
    with pytest.raises(redouble.SeatsError, match="seats are 0 to 2"):
        redouble.new("double-down", seats=3).view(seat)


def test_views_and_states_handed_out_are_copies() -> None:
    match = redouble.new("double-down", seats=2, seed="copy")
    before = match.state
    match.state.deck[0] = 99
    match.seen_by(0).hand[0][0] = 99
    match.sight().state.total = 99
    assert match.state == before


def test_a_sight_is_redacted() -> None:
    match = redouble.new("double-down", seats=4, seed="sight")
    sight = match.sight()
    assert sight.seat == match.turn
    assert sight.state.rng == [0, 0, 0, 0]
    assert sight.state == match.seen_by(match.turn)
    assert [sight.name(action) for action in sight.legal] == list(match.legal_moves)


def test_nothing_is_told_before_the_first_move() -> None:
    assert redouble.new("double-down").tell(0) == ""


# Records


def finished() -> redouble.Match:
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="röd", ages=[33, 12])
    while match.turn is not None:
        match.push(match.legal_moves[0])
    return match


def test_a_record_is_one_json_line_in_the_documented_order() -> None:
    match = finished()
    line = str(match.record())
    data = json.loads(line)
    assert list(data) == ["game", "rules", "seats", "options", "seed", "moves", "ranks"]
    assert data["options"] == {"ages": [33, 12]}
    assert data["moves"] == " ".join(match.moves)
    assert redouble.replay(line).outcome == match.outcome


def test_a_record_keeps_a_stacked_deck() -> None:
    deck = ["2"] * 3 + ["3"] * 9
    cards = ["2 x3", "3 x9"]
    match = redouble.new("double-down", seats=2, deck=deck, cards=cards, ages=[11, 30])
    match.push("2")
    assert redouble.replay(str(match.record())).state == match.state


BASE = {
    "game": "double-down",
    "rules": 1,
    "seats": ["a", "b"],
    "options": {"ages": [11, 30]},
    "seed": "s",
    "moves": "",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"game": 5}, "game cannot be 5"),
        ({"rules": 2}, "rules version 2 of double-down is not the one played here, 1"),
        ({"rules": "1"}, "rules cannot be '1'"),
        ({"rules": True}, "rules cannot be True"),
        ({"seats": ["a"]}, "not by 1"),
        ({"seats": "ab"}, "seats cannot be 'ab'"),
        ({"seats": ["a", 2]}, "seats must hold strings only"),
        ({"options": {"speed": 1}}, "no option 'speed'"),
        ({"options": {"cards": "README.md"}}, "no text is"),
        ({"options": []}, "options cannot be"),
        ({"seed": 5}, "seed cannot be 5"),
        ({"deck": ["0"]}, "not a permutation"),
        ({"moves": ["2"]}, "moves cannot be"),
        ({"moves": "0 flip"}, "move 1: '0' is not legal for seat 0|move 2: 'flip' is not legal"),
        ({"ranks": [1, 2]}, "the game is not over"),
        ({"ranks": [True, 2]}, "ranks must hold whole numbers only"),
        ({"extra": 1}, "unknown key 'extra'"),
    ],
)
def test_a_record_that_is_wrong_is_refused_with_its_line(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(redouble.RecordError, match=f"line 7: .*({message})"):
        redouble.replay(json.dumps({**BASE, **change}), number=7)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"game": "a", "game": "b"}', "'game' stands twice"),
        ("x" * 1_000_001, "longer than"),
        ("{}", "the key 'game' is missing"),
    ],
)
def test_a_line_that_is_no_record_is_refused(line: str, message: str) -> None:
    with pytest.raises(redouble.RecordError, match=f"line 1: .*{message}"):
        redouble.replay(line)


def test_wrong_ranks_are_refused() -> None:
    data = finished().record().to_dict()
    data["ranks"] = data["ranks"][::-1]
    with pytest.raises(redouble.RecordError, match=r"ranks \[.*\] are wrong: the moves give"):
        redouble.replay(json.dumps(data))


def test_records_of_a_file_are_numbered_by_its_lines() -> None:
    line = str(finished().record())
    records = list(redouble.read_records([line, "", "  ", line]))
    assert len(records) == 2
    with pytest.raises(redouble.RecordError, match="line 3"):
        list(redouble.read_records([line, "", "nonsense"]))
