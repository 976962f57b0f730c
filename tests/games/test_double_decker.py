"""Double Decker, paragraph by paragraph: the rule text, its worked examples, DK1-DK7.

Hands are stacked with ``deck=``: cards are dealt one at a time, clockwise from the dealer, and the
seed is one that makes seat 0 the dealer.
"""

from collections import Counter
from dataclasses import asdict
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import pytest
from scipy.stats import chisquare

import redouble
from redouble import Card, Match
from redouble.contract.registry import GAMES
from redouble.games.double_decker import rules
from redouble.kernel.state import SPECTATOR
from tests.helpers.tables import ended, fact, push, texts, zone
from tests.helpers.uniform import check_uniform, history_of

GAME = GAMES["double-decker"]
COLORS = ("red", "blue", "green")


def full(seats: int) -> list[str]:
    return [f"{color}{n}" for color in "RBG" for n in range(0 if seats == 7 else 1, 21)]


@cache
def seed_of_dealer(dealer: int, seats: int) -> str:
    return next(
        seed
        for seed in map(str, range(1000))
        if redouble.new("double-decker", seats=seats, seed=seed).turn == dealer
    )


def stacked(*hands: str) -> Match:
    """A match that seat 0 leads, in which each seat holds these cards among others."""
    seats = len(hands)
    held = [hand.split() for hand in hands]
    rest = [card for card in full(seats) if not any(card in hand for hand in held)]
    size = len(full(seats)) // seats
    for hand in held:
        while len(hand) < size:
            hand.append(rest.pop())
    order = [held[seat][i] for i in range(size) for seat in range(seats)]
    return redouble.new("double-decker", seats=seats, seed=seed_of_dealer(0, seats), deck=order)


def play(match: Match, moves: str) -> Match:
    return push(match, *moves.split())


def random_match(seed: str, seats: int, rounds: int = 5) -> Match:
    dice = Random(seed)
    match = redouble.new("double-decker", seats=seats, seed=seed)
    while match.turn is not None and match.state.round < rounds:
        match.push(dice.choice(list(match.legal_moves)))
    return match


def cards(match: Match, name: str, seat: int, eye: int | None = None) -> str:
    return " ".join(texts(match, name, seat, eye))


def plain(words: str) -> list[dict[str, Any]]:
    """The cards as a view's board lists them: in these tests the first cards that are dealt."""
    colors = {name[0].upper(): name for name in COLORS}
    cards = ((text, colors[text[0]], text[1:]) for text in words.split())
    return [
        asdict(Card(text, color, number, spoken=f"{color} {number}", place=f"1-{place}"))
        for place, (text, color, number) in enumerate(cards)
    ]


def mask(words: str) -> int:
    return sum(1 << GAME.text.CARDS.index(text) for text in words.split())


def last_trick(won: list[str], passed: list[str], hands: list[str]) -> Any:
    """A state before the last trick of a round, led by seat 0, with these captures and hands."""
    s = redouble.new("double-decker", seats=len(hands), seed=seed_of_dealer(0, len(hands))).state
    for seat in range(len(hands)):
        s.won[seat], s.passed[seat] = mask(won[seat]), mask(passed[seat])
        s.hand[seat] = mask(hands[seat])
    s.trick = s.tricks - 1
    return s


def run(s: Any, moves: str) -> Any:
    for move in moves.split():
        rules.play(s, GAME.text.parse(s, move))
    return s


@pytest.mark.parametrize(("seats", "each"), [(4, 15), (5, 12), (6, 10), (7, 9)])
def test_text_components_setup_and_dk1_the_cards_and_the_hands(seats: int, each: int) -> None:
    match = redouble.new("double-decker", seats=seats, seed="setup")
    hands = " ".join(cards(match, "hand", seat) for seat in range(seats)).split()
    assert sorted(hands) == sorted(full(seats))
    assert [zone(match, "hand", seat).size for seat in range(seats)] == [each] * seats


def test_text_setup_g4_cards_are_dealt_one_at_a_time_from_the_dealer() -> None:
    for dealer in range(4):
        seed = seed_of_dealer(dealer, 4)
        match = redouble.new("double-decker", seats=4, seed=seed, deck=full(4))
        assert fact(match, "dealer", dealer) == "yes"
        assert cards(match, "hand", dealer).startswith("R1 R5 R9")
        assert cards(match, "hand", (dealer + 1) % 4).startswith("R2 R6 R10")


@pytest.mark.parametrize("seats", [3, 8])
def test_text_players_four_to_seven(seats: int) -> None:
    with pytest.raises(redouble.SeatsError, match="4 to 7"):
        redouble.new("double-decker", seats=seats)


def test_text_double_trick_no_third_color_joins_it() -> None:
    match = play(stacked("R1", "B2", "G20", "B4"), "R1 B2 G20 B4")
    assert cards(match, "passed", 2) == "G20"
    assert [zone(match, "green", seat).size for seat in range(4)] == [0, 0, 0, 0]
    assert cards(match, "red", 0) == "R1"
    assert cards(match, "blue", 3) == "B2 B4"


def test_text_passing_shows_the_card_and_lays_it_down_for_everyone_to_remember() -> None:
    match = play(stacked("R1", "B2", "G20", "B4"), "R1 B2 G20")
    assert match.tell(1) == "passes the green 20"
    for eye in (SPECTATOR, 0, 1, 2, 3):
        assert cards(match, "passed", 2, eye) == "G20"
    assert cards(match, "trick", 2) == ""
    assert fact(match, "in the trick", 2) == "passed green 20"


def test_text_winning_the_highest_card_of_a_single_color_takes_all() -> None:
    match = play(stacked("R7", "R12", "R3", "R1"), "R7 R12 R3 R1")
    assert cards(match, "red", 1) == "R1 R3 R7 R12"
    assert match.turn == 1


def test_text_example_red_7_and_12_blue_4_and_10() -> None:
    match = play(stacked("R7", "R12", "B4", "B10"), "R7 R12 B4 B10")
    assert cards(match, "red", 1) == "R7 R12"
    assert cards(match, "blue", 3) == "B4 B10"
    assert match.turn == 1  # the 12 is the higher of the two
    assert match.tell() == "plays the blue 10; {1} takes red and leads, {3} takes blue"


def test_text_example_the_same_trick_in_any_order_of_play() -> None:
    for order in permutations(["R7", "R12", "B4", "B10"]):
        match = play(stacked(*order), " ".join(order))
        assert cards(match, "red", order.index("R12")) == "R7 R12"
        assert cards(match, "blue", order.index("B10")) == "B4 B10"
        assert match.turn == order.index("R12")


def test_text_leader_a_tie_goes_to_the_next_highest_card_and_dk4() -> None:
    # Both colors are won by a 12; of the others the blue 10 beats the red 7.
    match = play(stacked("R12", "R7", "B12", "B10"), "R12 R7 B12 B10")
    assert match.turn == 2
    match = play(stacked("R12", "R11", "B12", "B10"), "R12 R11 B12 B10")
    assert match.turn == 0


def test_text_leader_still_tied_red_before_blue_before_green() -> None:
    assert play(stacked("B12", "R12", "B7", "R7"), "B12 R12 B7 R7").turn == 1
    assert play(stacked("G12", "B12", "G7", "B7"), "G12 B12 G7 B7").turn == 1
    assert play(stacked("G12", "R12", "G7", "R7"), "G12 R12 G7 R7").turn == 1


def test_text_end_of_round_the_last_card_is_not_played_and_scores_nothing() -> None:
    s = last_trick(["R1", "", "", ""], ["", "", "", ""], ["B20 R20", "B2 R2", "B3 R3", "B4 R4"])
    before = s.copy()
    run(s, "B20 B2 B3 B4")
    assert s.round == before.round + 1
    # One red card, then four blue ones; the red 20 left over counts for nothing.
    assert s.points[0][:4] == [3, 0, 0, 0]


def test_text_scoring_example_9_red_2_blue_4_green_and_a_pass_make_1() -> None:
    red = " ".join(f"R{n}" for n in range(1, 10))
    s = last_trick(
        [red + " B1 B2 G1 G2 G3 G4", "", "", ""],
        ["G20", "", "", ""],
        ["G5 B5", "G6 B6", "G7 B7", "G8 B8"],
    )
    run(s, "G5 G6 G7 G8")
    assert s.points[0][:4] == [9 - 2 - 4 - 2, 0, 0, 4]
    assert s.total[0] == 1


@pytest.mark.parametrize(
    ("captured", "points"),
    [
        ("", 0),
        ("B1", 1),
        ("B1 B2 B3", 3),
        ("R1 B2 B3", 1),
        ("R1 B2 G3", -1),
        ("R1 R2 B1 B2", 0),
        ("R1 R2 B1 B2 G1 G2", -2),
        ("G1 G2 G3 R1 R2 B5", 0),
    ],
)
def test_dk6_a_tie_for_the_largest_pile_makes_no_difference(captured: str, points: int) -> None:
    assert rules.worth(mask(captured)) == points
    sizes = [captured.count(color) for color in "RBG"]
    for size in sizes:
        if size == max(sizes):
            assert 2 * size - sum(sizes) == points


def test_text_next_round_all_cards_are_shuffled_and_dealt_anew() -> None:
    match = random_match("anew", 4, rounds=1)
    assert fact(match, "round") == 2
    hands = " ".join(cards(match, "hand", seat) for seat in range(4)).split()
    assert sorted(hands) == sorted(full(4))
    assert fact(match, "round 1", 0) == fact(match, "points", 0)
    assert fact(match, "trick") == 1
    for seat in range(4):
        assert [zone(match, name, seat).size for name in (*COLORS, "passed")] == [0, 0, 0, 0]


def test_text_next_dealer_has_the_lowest_total_and_leads() -> None:
    for seed in map(str, range(10)):
        match = random_match(seed, 5, rounds=1)
        points = [fact(match, "points", seat) for seat in range(5)]
        assert match.turn is not None
        assert points[match.turn] == min(points)
        assert fact(match, "dealer", match.turn) == "yes"


@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_text_game_end_after_five_rounds_the_most_points_win(seats: int) -> None:
    match = random_match("end", seats)
    assert ended(match).reason == "five rounds played"
    scores = ended(match).scores
    assert scores
    for seat in range(seats):
        rounds = [fact(match, f"round {number}", seat) for number in range(1, 6)]
        assert scores[seat] == sum(rounds)
    assert ended(match).ranks[scores.index(max(scores))] == 1
    assert match.ply == 5 * (len(full(seats)) // seats - 1) * seats


def test_text_game_end_if_all_are_negative_the_one_closest_to_zero_wins() -> None:
    s = redouble.new("double-decker", seats=4, seed="negative").state
    s.total[:4] = [-9, -2, -30, -5]
    out = [0] * 4
    rules.rank(s, out)
    assert out == [3, 1, 4, 2]


def test_dk1_every_trick_takes_a_card_from_every_hand() -> None:
    match = random_match("every", 6, rounds=1)
    assert match.ply == 9 * 6
    assert [zone(match, "hand", seat).size for seat in range(6)] == [10] * 6


def test_dk1_only_its_owner_has_seen_the_card_set_aside() -> None:
    match = random_match("aside", 4)
    asides = [cards(match, "set aside", seat) for seat in range(4)]
    for eye in range(4):
        for seat in range(4):
            assert cards(match, "set aside", seat, eye) == (asides[seat] if eye == seat else "?")
    assert [cards(match, "set aside", seat, SPECTATOR) for seat in range(4)] == ["?"] * 4


def test_dk1_seven_seats_play_with_zeros_which_lose_to_everything() -> None:
    match = play(stacked("R0", "R1", "B0", "B2", "G0", "B3", "R2"), "R0 R1 B0 B2 G0 B3 R2")
    assert cards(match, "red", 6) == "R0 R1 R2"
    assert cards(match, "blue", 5) == "B0 B2 B3"
    assert cards(match, "passed", 4) == "G0"


def test_dk2_every_card_of_the_hand_is_always_legal() -> None:
    dice = Random("any")
    match = redouble.new("double-decker", seats=5, seed="any")
    while match.turn is not None:
        assert list(match.legal_moves) == cards(match, "hand", match.turn).split()
        match.push(dice.choice(list(match.legal_moves)))


def test_dk3_a_pass_costs_two_points_even_in_the_color_collected() -> None:
    s = last_trick(["G1 G2 G3", "", "", ""], ["", "", "", ""], ["G9 B7", "R1 B6", "R5 B5", "B8 R8"])
    s.turn = 1
    run(s, "R1 R5 B8 G9")
    assert s.points[0][:4] == [3 - 2, 0, 2, 1]


def test_dk4_a_missing_card_is_lower_than_any_other_even_a_0() -> None:
    # Red and blue are both won by a 12; blue has a 0 as well.
    hands = ["R12", "B12", "B0", "G1", "G2", "G3", "G4"]
    assert play(stacked(*hands), " ".join(hands)).turn == 1


def test_dk4_passed_cards_do_not_count_for_the_leader() -> None:
    hands = ["R12", "B12", "G20", "B11", "R11"]
    match = play(stacked(*hands), " ".join(hands))
    assert match.turn == 0  # level to the end: red comes first


def test_dk4_the_second_highest_cards_decide_not_the_number_of_cards() -> None:
    hands = ["R12", "R10", "R9", "R8", "B12", "B11"]
    assert play(stacked(*hands), " ".join(hands)).turn == 4


def test_dk5_the_seed_draws_the_first_dealer_who_leads() -> None:
    for seats in (4, 7):
        dealers = Counter(
            redouble.new("double-decker", seats=seats, seed=str(seed)).turn for seed in range(300)
        )
        assert set(dealers) == set(range(seats))
        assert chisquare(list(dealers.values())).pvalue > 0.001


@pytest.mark.parametrize(
    ("totals", "last", "dealer", "following"),
    [
        ((4, 3, 9, 8), (4, 3, 9, 8), 1, 1),  # the lowest total, though it dealt
        ((4, 3, 3, 8), (4, 1, 0, 8), 0, 2),  # tied: the lowest last round
        ((3, 3, 3, 8), (1, 0, 0, 8), 0, 1),  # tied again: clockwise from the dealer
        ((3, 3, 3, 8), (0, 0, 0, 8), 0, 1),  # the dealer comes last
        ((3, 9, 9, 3), (0, 1, 1, 0), 0, 3),
        ((3, 9, 9, 3), (0, 1, 1, 0), 3, 0),
        ((0, 0, 0, 0), (0, 0, 0, 0), 2, 3),
        ((-5, 0, 0, 0), (0, -9, 0, 0), 2, 0),
    ],
)
def test_dk5_the_next_dealer(
    totals: tuple[int, ...], last: tuple[int, ...], dealer: int, following: int
) -> None:
    seats = len(totals)
    s = last_trick([""] * 4, [""] * 4, ["R1 G1", "R2 G2", "R3 G3", "R4 G4"])
    run(s, "R1 R2 R3 R4")  # round 1 is over
    s.round, s.dealer = 2, dealer
    s.total[:seats] = totals
    s.points[1][:seats] = last
    assert rules._next_dealer(s) == following


def test_dk7_equal_totals_share_the_rank() -> None:
    s = redouble.new("double-decker", seats=4, seed="equal").state
    s.total[:4] = [5, 7, 7, -1]
    out = [0] * 4
    rules.rank(s, out)
    assert out == [3, 1, 1, 4]
    assert rules.score(s, out) == 4
    assert out == [5, 7, 7, -1]


@pytest.mark.parametrize("eye", [SPECTATOR, 0, 2])
def test_g7_determinize_deals_the_unseen_cards_in_every_way_equally_often(eye: int) -> None:
    dice = Random("uniform")
    order = full(4)
    dice.shuffle(order)
    match = redouble.new("double-decker", seats=4, seed=seed_of_dealer(0, 4), deck=order)
    while match.ply < 13 * 4 + 3:
        match.push(dice.choice(list(match.legal_moves)))
    hidden = 5 if eye < 0 else 5 - zone(match, "hand", eye).size
    assert len(check_uniform(history_of(match), eye)[0]) == hidden


def test_g7_hands_are_hidden_and_their_sizes_known() -> None:
    match = play(stacked("R7", "R12", "B4", "B10"), "R7 R12")
    assert cards(match, "hand", 0, eye=1) == " ".join("?" * 14)
    assert zone(match, "hand", 2, eye=1).size == 15
    assert "?" not in cards(match, "hand", 1, eye=1)
    assert match.seen_by(1).hand[:4] == [0, match.state.hand[1], 0, 0]


def test_board_the_score_sheet_between_rounds() -> None:
    match = redouble.new("double-decker", seats=4, seed="sheet")
    while not match.state.round:
        match.push(match.legal_moves[0])
    (trick, over) = match.moments(SPECTATOR)
    assert trick.view.board["sheet"] is None
    assert match.view(SPECTATOR).board["sheet"] is None  # the next round is dealt
    sheet = over.view.board["sheet"]
    facts = {fact.key: fact for fact in over.view.facts if fact.seat is None}
    assert facts["round"].text == "1 of 5"
    assert [row["rank"] for row in sheet] == sorted(row["rank"] for row in sheet)
    for row in sheet:
        given = [pile["points"] for pile in row["colors"]] + [row["passed"]["points"]]
        assert sum(given) == row["made"] == row["total"] == match.state.points[0][row["seat"]]
        assert max(row["colors"], key=lambda pile: pile["cards"])["points"] >= 0
        assert row["before"] == 0
        assert row["rank_before"] == 1


def test_board_the_trick_by_colors_and_who_takes_each_now() -> None:
    match = stacked("B4", "R7", "B10 B9", "G3 G2")
    nothing = {"cards": [None] * 4, "passed": [], "colors": [], "winners": []}
    empty = {"trick": nothing, "last": None, "pass": None, "sheet": None}
    assert match.view(1).board == empty
    assert play(match, "B4 R7").view(2).board["pass"] == "green"
    board = play(match, "B10").view(SPECTATOR).board
    assert board["trick"] == {
        "cards": [*plain("B4 R7 B10"), None],
        "passed": [],
        "colors": ["blue", "red"],
        "winners": [2, 1],
    }
    board = play(match, "G3").view(1).board
    assert board["trick"] == nothing
    assert board["pass"] is None
    last = {
        "cards": plain("B4 R7 B10 G3"),
        "passed": [3],
        "colors": ["red", "blue"],
        "winners": [1, 2],
    }
    assert board["last"] == last
    board = play(match, "B9 G2").view(SPECTATOR).board
    assert board["trick"]["colors"] == ["blue", "green"]
    assert board["last"] == last


def test_board_a_new_round_shows_no_previous_trick_but_the_end_does() -> None:
    match = random_match("board", 5, rounds=1)
    assert match.view(0).board["last"] is None
    match = random_match("board", 5)
    board = match.view(0).board
    assert board["trick"]["cards"] == [None] * 5
    assert sorted(card["text"] for card in board["last"]["cards"]) == sorted(match.moves[-5:])
