"""Double Down, paragraph by paragraph: the rule text, its worked examples, DD1-DD15.

Hands are stacked with ``deck=``: cards are dealt one at a time, clockwise from the first seat.
"""

from collections import Counter
from typing import Any

import pytest
from scipy.stats import chisquare

import redouble
from redouble import DeckError, Match, RecordError
from redouble.contract.registry import GAMES
from redouble.games.double_down import rules
from redouble.kernel.state import SPECTATOR
from redouble.testing.chance import History, play_history
from tests.helpers.known import known
from tests.helpers.tables import ended, fact, push, texts
from tests.helpers.uniform import check_uniform

FULL = (
    ["0"] * 4
    + [str(n) for n in range(2, 10) for _ in range(3)]
    + ["10"] * 8
    + ["11", "22", "33", "44", "55", "66"]
    + ["-10"] * 4
    + ["x2"] * 4
    + ["turn"] * 5
)


def stacked(*hands: str, draw: str = "", seed: str = "stacked", **options: Any) -> Match:
    """A match in which seat 0 begins and holds the first hand, seat 1 the second, and so on.

    ``draw`` is what is drawn first; the other cards of the deck follow in any order.
    """
    seats = len(hands)
    options.setdefault("ages", [11] + [12 + seat for seat in range(seats - 1)])
    held = [hand.split() for hand in hands]
    order = [held[seat][i] for i in range(5) for seat in range(seats)] + draw.split()
    rest = Counter(FULL)
    rest.subtract(order)
    assert min(rest.values()) >= 0, "the deck has not that many"
    return redouble.new(
        "double-down", seats=seats, seed=seed, deck=order + sorted(rest.elements()), **options
    )


def play(match: Match, moves: str) -> Match:
    return push(match, *moves.split())


def hand(match: Match, seat: int, eye: int | None = None) -> list[str]:
    return texts(match, match.view(eye).zones_of(seat)[0].name, seat, eye)


def chips(match: Match) -> list[int]:
    return [fact(match, "chips", seat) for seat in range(match.seats)]


def test_text_contents_are_55_cards() -> None:
    assert len(FULL) == 55
    match = redouble.new("double-down", seats=2)
    assert sorted(match.game.text.CARDS[c] for c in match.state.box[: match.state.deck_n]) == (
        sorted(FULL)
    )


def test_text_setup_deals_five_cards_and_three_chips() -> None:
    for seats in range(2, 8):
        view = redouble.new("double-down", seats=seats).view()
        for seat in range(seats):
            assert view.zone("hand", seat).size == 5
            assert view.fact("chips", seat).value == 3
        assert view.zone("draw").size == 55 - 5 * seats


def test_text_1_play_add_draw() -> None:
    match = play(stacked("5 2 3 4 6", "7 8 9 10 2", draw="44"), "5")
    assert fact(match, "total") == 5
    assert hand(match, 0) == ["2", "3", "4", "6", "44"]
    assert match.turn == 1


def test_text_example_5_then_22_then_6_makes_33_and_costs_a_chip() -> None:
    match = play(stacked("5 2 3 4 7", "22 8 9 10 2", "6 3 4 7 8"), "5 22")
    assert fact(match, "total") == 27
    assert chips(match) == [3, 3, 3]
    play(match, "6")
    assert fact(match, "total") == 33
    assert chips(match) == [3, 3, 2]
    assert match.tell(0) == "plays 6: 33, loses a chip"


def test_text_example_x2_repeats_the_total_and_the_next_player_must_play_two() -> None:
    match = stacked("5 3 2 4 7", "22 x2 9 10 2", "6 turn x2 7 8", draw="9 8 8")
    play(match, "5 22 6 3 x2")  # seat 0 plays 3: 36; seat 1 repeats it
    assert fact(match, "total") == 36
    assert match.turn == 2
    assert "two cards" in match.view(2).prompt


def test_text_example_change_direction_and_x2_among_two_cards() -> None:
    match = stacked("5 3 2 4 7", "22 x2 9 10 2", "6 turn x2 7 8", draw="9 8 8")
    play(match, "5 22 6 3 x2 turn x2")
    assert fact(match, "total") == 36
    assert match.turn == 1  # back to the seat that played the first x2
    assert "two cards" in match.view(1).prompt
    assert play(match, "9 10").turn == 0


@pytest.mark.parametrize("total", [11, 22, 33, 44, 55, 66])
def test_text_a_new_total_that_is_a_double_costs_a_chip(total: int) -> None:
    assert chips(play(stacked(f"{total} 2 3 4 6", "5 7 8 9 10"), str(total))) == [2, 3]


def test_text_losing_the_last_chip_leaves_a_free_ride_and_then_out() -> None:
    match = stacked("11 22 33 44 55", "0 0 0 0 x2", draw="66 2 3 4 5")
    # 11; 33 (11+22); 33+33=66; then 66+44=110: the round ends and costs a fourth chip.
    play(match, "11 0 22 0 33 0")
    assert chips(match) == [0, 3]
    assert fact(match, "state", 0) == "ride"
    assert match.outcome is None
    play(match, "44")
    assert ended(match).ranks == (2, 1)
    assert ended(match).reason == "last player standing"


def test_text_two_owed_cards_are_played_before_either_is_replaced() -> None:
    match = play(stacked("x2 2 3 4 6", "5 7 8 9 10", draw="44 55 66"), "x2 5")
    assert match.turn == 1
    assert hand(match, 1) == ["7", "8", "9", "10"]
    play(match, "7")
    assert hand(match, 1) == ["8", "9", "10", "55", "66"]


def test_dd1_the_deck_is_data_and_can_be_replaced(tmp_path: Any) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("# mine\n2 x6\n3 6\n\n")
    match = redouble.new("double-down", seats=2, cards=file)
    assert set(match.legal_moves) <= {"2", "3"}
    assert match.record().options["cards"] == ["# mine", "2 x6", "3 6", ""]
    assert redouble.replay(str(match.record())).state == match.state


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["12 x3"], "line 1: '12' is not a card"),
        (["2 x3", "3"], "line 2: '3' is not a card and a count"),
        (["2 x-1"], "line 1"),
        (["2 x81"], "at most 80"),
        (["2 x10"], "10 cards, but 2 players need at least 11"),
    ],
)
def test_dd1_a_deck_that_cannot_be_played_is_refused(lines: list[str], wrong: str) -> None:
    with pytest.raises(redouble.DeckError, match=wrong):
        redouble.new("double-down", seats=2, cards=lines)


@pytest.mark.parametrize(
    ("ages", "first"),
    [
        ([30, 34], 1),  # 34 is one from 33, 30 three
        ([32, 34], 0),  # both one away: the younger
        ([34, 32], 1),
        ([33, 22, 33], 1),
        ([33, 33], 0),  # the lower seat
        ([3, 16], 1),  # from 11 up: 3 is eight away, not three
        ([12, 10], 1),  # the text's 12 is a misprint for 11: both one away, the younger
    ],
)
def test_dd2_the_age_nearest_a_multiple_of_11_goes_first(ages: list[int], first: int) -> None:
    assert redouble.new("double-down", seats=len(ages), ages=ages).turn == first


def test_dd2_without_ages_the_seed_picks() -> None:
    firsts = Counter(redouble.new("double-down", seats=4, seed=str(n)).turn for n in range(400))
    assert chisquare(list(firsts.values())).pvalue > 0.001
    assert len(firsts) == 4


@pytest.mark.parametrize("repeat", ["0", "x2", "turn"])
def test_dd3_repeating_a_double_costs_nothing(repeat: str) -> None:
    match = play(stacked("33 2 3 4 6", f"{repeat} 7 8 9 10", "2 3 4 5 6"), f"33 {repeat}")
    assert fact(match, "total") == 33
    assert chips(match) == [2, 3, 3]


@pytest.mark.parametrize("repeat", ["0", "x2", "turn"])
def test_dd3_with_repeats_cost_it_costs_a_chip(repeat: str) -> None:
    match = stacked("33 2 3 4 6", f"{repeat} 7 8 9 10", "2 3 4 5 6", repeats_cost=True)
    play(match, f"33 {repeat}")
    assert chips(match) == [2, 2, 3]


def test_dd4_zero_and_negative_totals_are_not_doubles() -> None:
    match = play(stacked("10 2 3 4 6", "-10 7 8 9 10", "-10 3 4 5 6", draw="22"), "10 -10")
    assert fact(match, "total") == 0
    assert chips(match) == [3, 3, 3]
    deep = play(stacked("-10 -10 3 4 6", "-10 8 9 2 10", "8 3 4 5 6"), "-10 -10 8")
    assert fact(deep, "total") == -12
    again = play(stacked("-10 -10 3 4 6", "-10 8 9 2 10", "9 3 4 5 6", draw="2 2"), "-10 8 9")
    assert fact(again, "total") == 7
    minus = play(stacked("-10 2 3 4 6", "-10 8 9 2 10", "9 3 4 5 6"), "-10 -10 9")
    assert fact(minus, "total") == -11
    assert chips(minus) == [3, 3, 3]


def test_dd4_a_minus_10_can_make_a_double() -> None:
    match = play(stacked("10 2 3 4 6", "5 11 8 9 10", "6 3 4 5 6", "-10 7 7 7 8"), "10 5 6")
    assert fact(match, "total") == 21
    play(match, "-10")
    assert fact(match, "total") == 11
    assert chips(match) == [3, 3, 3, 2]


def test_dd5_99_ends_the_round_and_costs_one_chip_not_two() -> None:
    match = play(stacked("55 2 3 4 6", "44 7 8 9 10"), "55 44")
    assert (fact(match, "round"), fact(match, "total")) == (2, 0)
    assert chips(match) == [2, 2]


def test_dd5_a_second_card_still_to_play_is_canceled_by_the_end() -> None:
    match = play(stacked("55 x2 3 4 6", "10 7 8 9 66", "2 3 4 5 6"), "55 10 2 x2")
    assert match.turn == 1
    play(match, "66")  # 67 + 66: the first of its two ends the round
    assert fact(match, "round") == 2
    assert chips(match) == [2, 2, 3]
    assert match.turn == 1  # the left of the starter, seat 0, and not because it owed


def test_dd6_a_player_who_goes_out_sets_the_hand_aside_and_the_last_card_still_works() -> None:
    found = 0
    for game in range(300):
        match = redouble.new("double-down", seats=3, seed=f"effect {game}", repeats_cost=True)
        while match.turn is not None and found < 5:
            seat = match.turn
            if "x2" not in match.legal_moves:
                match.push(match.legal_moves[0])
                continue
            held, before = hand(match, seat), match.view()
            match.push("x2")
            gone = fact(match, "state", seat) == "out" and match.turn is not None
            if not gone or "set aside" in {zone.name for zone in before.zones_of(seat)}:
                continue
            aside = match.view().zones_of(seat)[0]
            held.remove("x2")
            assert aside.name == "set aside"
            assert [card.text for card in aside.cards if card.up] == held  # and nothing drawn
            assert match.turn != seat  # a card still owed is not played
            assert match.turn is not None
            assert "two cards" in match.view(match.turn).prompt
            assert hand(match, seat, match.turn) == ["?"] * aside.size
            found += 1
    assert found == 5


def test_dd7_the_prompt_allows_an_x2_to_a_hand_of_nothing_else() -> None:
    cards, order = ["x2 x11", "2 x1"], [*["x2"] * 11, "2"]
    match = play(redouble.new("double-down", seats=2, cards=cards, deck=order), "x2")
    mover = known(match.turn)
    assert match.legal_moves == ("x2",)
    assert "so play one first" in match.view(mover).prompt
    assert "can't be an x2" in match.view(1 - mover).prompt  # for all the other one knows


def test_dd7_the_first_of_two_may_not_be_x2_but_the_second_may() -> None:
    match = play(stacked("x2 2 3 4 6", "x2 7 8 9 10"), "x2")
    assert match.legal_moves == ("7", "8", "9", "10")
    play(match, "7")
    assert "x2" in match.legal_moves


def test_dd7_unless_every_card_is_x2() -> None:
    # That takes five x2, so use a custom deck.
    cards = ["2 x6", "x2 x6"]
    order = ["x2", "x2", "2", "x2", "2", "x2", "2", "x2", "2", "x2", "2", "2"]
    match = play(redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order), "x2")
    assert match.legal_moves == ("x2",)
    match.push("x2")
    # What the rule made it show is known to all (G7): the rest of that hand is x2.
    assert hand(match, 1, 0) == ["x2"] * 4


def test_dd7_the_end_of_the_round_cancels_a_second_card() -> None:
    match = play(stacked("66 2 x2 4 6", "10 33 8 9 10", "3 2 3 4 5"), "66 10 3 x2")
    play(match, "33")
    assert fact(match, "round") == 2
    assert "two" not in match.view(match.turn).prompt


def test_dd8_turn_takes_effect_when_the_next_seat_is_chosen() -> None:
    match = play(stacked("turn 2 3 4 6", "5 7 8 9 10", "2 3 4 5 6"), "turn")
    assert match.turn == 2
    assert fact(match, "direction") == "right"
    assert play(match, "2").turn == 1


def test_dd8_a_second_turn_restores_the_direction() -> None:
    match = play(stacked("turn 2 3 4 6", "5 7 8 9 10", "turn 3 4 5 6"), "turn turn")
    assert match.turn == 0
    assert fact(match, "direction") == "left"


def test_dd8_also_as_the_first_of_two_cards() -> None:
    match = play(stacked("x2 2 3 4 6", "turn 7 8 9 10", "2 3 4 5 6"), "x2 turn")
    assert match.turn == 1  # the second card first
    assert play(match, "7").turn == 0


def test_dd9_the_discards_but_the_top_are_shuffled_when_a_card_has_to_be_drawn() -> None:
    cards = ["0 x6", "2 x6", "turn x2"]
    order = ["0", "0"] * 3 + ["2", "2"] * 2 + ["2", "2", "turn", "turn"]
    match = redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order)
    play(match, "0 0 0 0")
    view = match.view()
    assert (view.zones[0].size, view.zones[1].size) == (0, 4)  # empty, and not shuffled yet
    play(match, "2")
    view = match.view()
    assert (view.zones[0].size, view.zones[1].size) == (3, 1)
    assert view.zones[1].cards[0].text == "2"
    play(match, "0 0 0")  # the three cards drawn by now are the zeros that lay under it
    assert match.view().zones[0].size == 0
    held = [hand(match, seat).count("0") for seat in (0, 1)]
    assert sum(held) + 3 == 6


def test_dd9_if_nothing_is_left_to_shuffle_no_player_draws() -> None:
    cards = ["0 x6", "2 x5"]
    order = ["0", "0"] * 3 + ["2", "2"] * 2 + ["2"]
    match = play(redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order), "0")
    assert [zone.size for zone in match.view().zones] == [0, 1, 5, 5]
    play(match, "0")  # one card lies under the top one by now
    assert [zone.size for zone in match.view().zones] == [0, 1, 5, 5]
    bare = play(redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order), "0")
    assert bare.view().zone("hand", seat=0).size == 5


def test_dd10_the_next_round_starts_left_of_the_last_starter_and_to_the_left() -> None:
    match = play(stacked("turn 55 3 4 6", "44 7 8 9 10", "3 2 4 5 6"), "turn 3 44 55")
    assert fact(match, "round") == 2
    assert match.turn == 1
    assert fact(match, "direction") == "left"
    assert fact(match, "total") == 0
    assert chips(match) == [2, 3, 3]  # chips carry over


def test_dd10_a_seat_that_is_out_does_not_start() -> None:
    checked = 0
    for game in range(60):
        match = redouble.new("double-down", seats=4, seed=f"starters {game}")
        starter = match.turn
        round_before = 1
        while match.turn is not None:
            match.push(match.legal_moves[-1])
            if match.turn is not None and fact(match, "round") > round_before:
                round_before = fact(match, "round")
                assert starter is not None
                due = [(starter + step) % 4 for step in range(1, 5)]
                alive = [seat for seat in due if fact(match, "state", seat) != "out"]
                checked += alive[0] != due[0]
                assert match.turn == alive[0]
                starter = match.turn
    assert checked > 10


def test_dd11_with_forgetful_a_player_who_forgets_to_draw_has_a_smaller_hand() -> None:
    match = play(stacked("2 2 3 4 6", "5 7 8 9 10", draw="44 55 66", forgetful=True), "2")
    assert match.turn == 0
    assert match.legal_moves == ("draw", "forget")
    play(match, "forget")
    assert len(hand(match, 0)) == 4
    play(match, "5 draw")
    assert hand(match, 1) == ["7", "8", "9", "10", "44"]
    play(match, "2 draw")
    assert len(hand(match, 0)) == 4  # the hand stays at four in this round


def test_dd11_after_two_cards_it_is_asked_twice() -> None:
    match = stacked("x2 2 3 4 6", "5 7 8 9 10", draw="44 55 66", forgetful=True)
    assert play(match, "x2 draw 5 7").legal_moves == ("draw", "forget")
    assert play(match, "forget").legal_moves == ("draw", "forget")
    play(match, "draw")
    assert len(hand(match, 1)) == 4
    assert match.turn == 0


def test_dd11_a_seat_with_an_empty_hand_draws_automatically() -> None:
    match = stacked("0 0 0 2 2", "turn turn 3 x2 0", draw="4 44 55", forgetful=True)
    for move in ["0", "0", "0", "2"]:
        play(match, f"{move} forget")
        other = "turn" if "turn" in match.legal_moves else match.legal_moves[0]
        play(match, f"{other} draw")
    assert len(hand(match, 0)) == 1
    play(match, "2")  # the last one: the next card comes without a question
    assert len(hand(match, 0)) == 1
    assert match.turn == 1


def test_dd12_the_last_seat_in_is_first_and_the_others_rank_in_reverse_order_of_going_out() -> None:
    for game in range(20):
        match = redouble.new("double-down", seats=5, seed=f"ranks {game}")
        gone: list[int] = []
        while match.turn is not None:
            match.push(match.legal_moves[-1])
            gone += [
                seat
                for seat in range(5)
                if fact(match, "state", seat) == "out" and seat not in gone
            ]
        assert ended(match).scores is None
        assert [ended(match).ranks[seat] for seat in gone] == [5, 4, 3, 2]
        assert sorted(ended(match).ranks) == [1, 2, 3, 4, 5]


def test_dd13_a_known_copy_goes_first() -> None:
    cards = ["2 x6", "x2 x6"]
    order = ["x2", "x2", "2", "x2", "2", "x2", "2", "x2", "2", "x2", "2", "2"]
    match = redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order)
    play(match, "x2 x2 x2")
    # Three x2 of the five are left, and all know them; the two drawn since are unseen.
    assert Counter(hand(match, 1, 0)) == {"x2": 3, "?": 2}


def test_dd13_a_play_shows_that_no_unseen_card_held_for_longer_equals_it() -> None:
    state = play(stacked("2 4 3 3 6", "5 7 8 9 10"), "3").state
    assert state.discard[0] == 4, "the one held longest"
    face = rules.VALUES.index(3)
    may = [rules.faces_possible(state, 0, place) >> face & 1 for place in (0, 2, 6, 8)]
    assert may == [0, 0, 1, 1]


def test_dd13_games_of_version_1_go_on_with_cards_picked_by_chance() -> None:
    options = '{"ages": [11, 20], "cards": ["66 x2", "9 x6", "5 x4"]}'
    moves = "5 66 66 9 66 9 9 5 9 66 9 66"
    record = (
        '{"game": "double-down", "rules": %d, "seats": ["a", "b"], '
        f'"options": {options}, "seed": "275", "moves": "{moves}", "ranks": [2, 1]}}'
    )
    match = redouble.replay(record % 1)
    assert match.game.version == 1
    assert ended(match).ranks == (2, 1)
    with pytest.raises(RecordError):  # cards were shuffled back, and a round followed
        redouble.replay(record % 2)


@pytest.mark.parametrize("cards", [["0 x11"], ["-10 x12"], ["x2 x6", "turn x6"]])
def test_dd14_a_deck_in_which_nothing_adds_to_the_total_is_refused(cards: list[str]) -> None:
    with pytest.raises(DeckError, match="nobody could ever lose a chip"):
        redouble.new("double-down", seats=2, cards=cards)


def test_dd15_a_round_without_an_end_is_a_stalemate_and_the_most_chips_win() -> None:
    # Seat 0 makes 11 and loses a chip; from then on both keep their 11 and play what adds nothing.
    cards = ["11 x2", "0 x9"]
    order = ["11", "11", *["0"] * 9]
    match = redouble.new("double-down", seats=2, ages=[11, 20], cards=cards, deck=order)
    match.push("11")
    while match.turn is not None:
        assert match.state.recycled < rules.STALE
        match.push("0")
    assert match.state.recycled == rules.STALE
    assert ended(match).reason == "stalemate"
    assert ended(match).ranks == (2, 1)
    assert match.tell().endswith("; stalemate")
    ending = known(match.ending())
    assert ending.decided.startswith("Stalemate, by our own rule: 1,000 cards")


def test_dd15_each_round_counts_anew() -> None:
    state = stacked("10 2 3 4 6", "2 3 4 5 6").state
    state.total, state.recycled = 90, rules.STALE - 1
    rules.play(state, rules.VALUES.index(10))
    assert (state.round, state.recycled) == (2, 0)


def test_dd15_who_is_out_ranks_behind_all_who_are_in() -> None:
    state = redouble.new("double-down", seats=4).state
    state.reason, state.lives[:4], state.place_out[:4] = rules.STALEMATE, [2, 0, 4, 2], [0, 1, 0, 0]
    ranks = [0] * 4
    rules.rank(state, ranks)
    assert ranks == [2, 4, 1, 2]


def test_g3_a_deck_that_is_not_a_permutation_is_refused() -> None:
    with pytest.raises(redouble.DeckError, match="missing: 66; too many: 0"):
        redouble.new("double-down", seats=2, deck=["0"] + [c for c in FULL if c != "66"])
    with pytest.raises(redouble.DeckError, match="'67' is not a card"):
        redouble.new("double-down", seats=2, deck=["67", *FULL[1:]])


def test_g4_cards_are_dealt_one_at_a_time_from_the_rounds_starter() -> None:
    order = sorted(FULL)
    match = redouble.new("double-down", seats=3, ages=[40, 33, 70], deck=order)
    assert match.turn == 1
    for place, seat in enumerate([1, 2, 0]):
        assert sorted(hand(match, seat)) == sorted(order[place : place + 15 : 3])


def test_g7_what_a_seat_sees() -> None:
    match = play(stacked("5 2 3 4 6", "7 8 9 10 2", draw="44"), "5")
    view = match.view(1)
    assert hand(match, 0, 1) == ["?"] * 5
    assert hand(match, 1, 1) == ["2", "7", "8", "9", "10"]
    assert view.legal_moves == ("2", "7", "8", "9", "10")
    assert match.view(0).legal_moves == ()
    assert hand(match, 1, SPECTATOR) == ["?"] * 5


def test_dimmed_the_first_of_two_cards_may_not_be_an_x2() -> None:
    match = play(stacked("x2 2 3 4 6", "x2 x2 8 9 10", draw="44"), "x2")
    reasons = {"x2": "The first of your two cards can't be an x2."}
    assert match.view(1).dimmed == match.view().dimmed == reasons
    assert match.view(0).dimmed == match.view(SPECTATOR).dimmed == {}
    assert play(match, "8").view(1).dimmed == {}  # the second may be one


def test_dimmed_all_cards_while_the_seat_decides_whether_to_draw() -> None:
    match = play(stacked("2 2 3 4 6", "5 7 8 9 10", draw="44", forgetful=True), "2")
    reason = "First decide whether to draw."
    assert match.view(0).dimmed == dict.fromkeys(("2", "3", "4", "6"), reason)
    assert match.view(1).dimmed == {}
    assert play(match, "draw").view(1).dimmed == {}


# determinize: as likely as it should be, over exactly the worlds that a seat cannot tell apart


def small_history(cards: list[str], seed: str, moves: str) -> History:
    game = GAMES["double-down"]
    options = game.check_options(2, {"cards": cards, "ages": [11, 20]})
    line = iter(moves.split())
    return play_history(
        game,
        game.header(2, options, seed),
        lambda state, legal: game.text.parse(state, next(line)),
        plies=len(moves.split()),
    )


def test_determinize_is_uniform_at_the_start() -> None:
    assert len(check_uniform(small_history(["0 x5", "2 x5", "3 x1"], "a", ""), 0)) > 10


@pytest.mark.laws
def test_determinize_deals_as_likely_after_a_reshuffle() -> None:
    """Cards held since before the shuffle cannot be those that were shuffled."""
    game = GAMES["double-down"]
    options = game.check_options(2, {"cards": ["0 x3", "2 x2", "3 x2", "-10 x3", "turn x2"]})
    checked = 0
    for seed in range(6):
        history = play_history(
            game,
            game.header(2, options, f"pools {seed}"),
            lambda state, legal: legal[len(legal) // 2],
            plies=5,
        )
        if history.states[-1].pools > 1:
            checked += 1
            for seat in (0, 1):
                assert check_uniform(history, seat, samples=4000)
    assert checked >= 3


def test_determinize_keeps_what_dd7_forced_a_seat_to_reveal() -> None:
    game = GAMES["double-down"]
    options = game.check_options(2, {"cards": ["2 x6", "3 x1", "x2 x7", "4 x1"], "ages": [11, 20]})
    found = 0
    for seed in range(3000):
        header = game.header(2, options, f"forced {seed}")
        state = header.copy()
        game.rules.setup(state)
        if any(state.deck[place] != 17 for place in state.hand[1]) or 17 not in [
            state.deck[place] for place in state.hand[0]
        ]:
            continue
        history = play_history(game, header, lambda s, legal: game.text.parse(s, "x2"), plies=2)
        check_uniform(history, 0, samples=3000)
        found += 1
    assert found
