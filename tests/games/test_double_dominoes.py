"""Double Double Dominoes, paragraph by paragraph: the rule text and DM1-DM13.

Decks are stacked with ``deck=``: hands are dealt one domino at a time from seat 0 on, then the
first seat draws, then the next.
"""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scipy.stats import chisquare

import redouble
from redouble import DeckError, IllegalMove, Match, OptionError
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.games.double_dominoes import rules, terminal
from redouble.games.double_dominoes.text import CARDS
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Reached
from redouble.testing.chance import play_history
from tests.helpers.known import known
from tests.helpers.tables import ended, push, texts, zone
from tests.helpers.uniform import check_uniform

NAME = "double-dominoes"
LETTERS = "abcdefghijklmno"
STEPS = {"e": (1, 0), "n": (0, 1), "w": (-1, 0), "s": (0, -1)}
Square = tuple[int, int]


def start(
    hands: str, draws: str = "", diamonds: dict[str, str] | None = None, **options: Any
) -> Match:
    """A match with these hands (``0-1 3-5 3-6 / 2-2 3-3 4-5``) and these draws."""
    held = [hand.split() for hand in hands.split("/")]
    first = [hand[i] for i in range(3) for hand in held] + draws.split()
    rest = sorted(CARDS * (2 if len(held) <= 4 else 3))
    for domino in first:
        rest.remove(domino)
    if diamonds is not None:
        options["board"] = board(diamonds)
    return redouble.new(NAME, seats=len(held), deck=first + rest, **options)


def board(marks: dict[str, str]) -> list[str]:
    """The lines of a board with the star on h8 and only these diamonds."""
    marks = {"h8": "*"} | marks
    return [
        " ".join(marks.get(f"{letter}{row}", ".") for letter in LETTERS) for row in range(15, 0, -1)
    ]


def play(match: Match, moves: str) -> Match:
    return push(match, *moves.split(", "))


def hand(match: Match, seat: int, eye: int | None = None) -> list[str]:
    return texts(match, "hand", seat, eye)


def points(match: Match) -> list[int]:
    return [int(fact.value) for fact in match.view().facts if fact.name == "points"]


def moves(match: Match, domino: str = "") -> list[str]:
    return [move for move in match.legal_moves if move.startswith(domino)]


def may(match: Match, place: int) -> set[str]:
    """The kinds that all think possible at a place."""
    return {CARDS[kind] for kind in range(28) if match.state.may[place] >> kind & 1}


def walled(match: Match, squares: str) -> Match:
    """The match on a board of which only these squares are left."""
    keep = [(int(q[1:]) - 1) * 15 + LETTERS.index(q[0]) for q in squares.split()]
    inside = [sum(1 << q % 60 for q in keep if q // 60 == word) for word in range(4)]
    state: Any = match.state
    for word in range(4):
        state.open[word] &= inside[word]
        for number in range(7):
            state.takes[number][word] &= inside[word]
    rules._survey(state)
    match._here = Reached(match.game, state)
    return match


def square(name: str) -> Square:
    return LETTERS.index(name[0]), int(name[1:]) - 1


def at(place: list[int]) -> Square:
    """A square as a view's board gives it: the column and the row, from 1."""
    return place[0] - 1, place[1] - 1


def diamonds(match: Match) -> dict[Square, int]:
    return {at(diamond["at"]): diamond["number"] for diamond in match.view().board["diamonds"]}


def squares_of(move: str) -> tuple[Square, Square]:
    _, name, way = move.split()
    x, y = square(name)
    dx, dy = STEPS[way]
    return (x, y), (x + dx, y + dy)


def around(place: Square) -> list[Square]:
    return [(place[0] + dx, place[1] + dy) for dx, dy in STEPS.values()]


def by_the_letter(match: Match, domino: str) -> set[str]:
    """Where DM4-DM6 allow a domino, found by trying everything on a plain picture of the board."""
    picture = match.view().board
    lying: dict[Square, tuple[int, int]] = {}
    last: int | None = None
    for number, laid in enumerate(picture["dominoes"]):
        lying[at(laid["low_at"])] = number, laid["low"]
        lying[at(laid["high_at"])] = number, laid["high"]
        if laid["last"]:
            last = number
    low, high = (int(end) for end in domino.split("-"))
    found = set()
    for x in range(15):
        for y in range(15):
            for way in "en" if low == high else "enws":
                move = f"{domino} {LETTERS[x]}{y + 1} {way}"
                ends = squares_of(move)
                if any(not 0 <= c < 15 for c in ends[1]) or any(end in lying for end in ends):
                    continue
                if not lying:
                    if at(picture["star"]) in ends:
                        found.add(move)
                    continue
                touches = [
                    [(lying[q][0], lying[q][1] == dots) for q in around(end) if q in lying]
                    for end, dots in zip(ends, (low, high), strict=True)
                ]
                both = touches[0] + touches[1]
                if max(map(len, touches)) > 1 or not both or not all(fits for _, fits in both):
                    continue
                if len({number for number, _ in both}) != len(both):
                    continue
                if not picture["following"] or last in {number for number, _ in both}:
                    found.add(move)
    return found


def test_text_1_56_dominoes_two_to_six_players() -> None:
    match = redouble.new(NAME, seats=4, seed="box")
    assert sum(zone.size for zone in match.view().zones) == 56
    for seats in (1, 7):
        with pytest.raises(redouble.SeatsError, match="2 to 6"):
            redouble.new(NAME, seats=seats)


def test_text_1_each_draws_three_and_the_rest_is_the_boneyard() -> None:
    match = start("0-1 3-5 3-6 / 2-2 3-3 4-5", "6-6")
    assert hand(match, 1) == ["2-2", "3-3", "4-5"]
    assert hand(match, 0) == ["0-1", "3-5", "3-6", "6-6"]  # it has drawn for its turn
    assert zone(match, "boneyard").size == 56 - 7
    assert [card.up for card in zone(match, "boneyard").cards] == [False]
    assert points(match) == [0, 0]


def test_text_1_each_shows_its_lowest_domino_and_the_lowest_begins() -> None:
    match = start("2-3 3-5 3-6 / 0-2 3-3 4-5 / 1-2 4-4 5-6")
    assert match.turn == 1
    for viewer in (SPECTATOR, 1):
        assert hand(match, 0, viewer) == ["2-3", "?", "?"]
        assert hand(match, 2, viewer) == ["1-2", "?", "?"]


def test_text_1_in_case_of_a_tie_the_oldest_begins() -> None:
    hands = "0-3 3-5 3-6 / 1-2 3-3 4-5 / 4-4 4-5 5-6"
    for ages, first in (([30, 31, 99], 1), ([31, 30, 99], 0)):
        for seed in "abcdef":
            assert start(hands, ages=ages, seed=seed).turn == first


def test_text_2_a_player_who_cannot_play_puts_one_face_down_in_the_pit() -> None:
    match = play(start("0-1 3-5 3-6 / 2-2 3-3 4-5", "6-6 2-3"), "0-1 h8 e")
    assert moves(match) == ["pit 2-2", "pit 2-3", "pit 3-3", "pit 4-5"]
    assert play(match, "pit 4-5").turn == 0
    assert zone(match, "pit", eye=1).cards[0].up
    assert [card.up for card in zone(match, "pit", eye=0).cards] == [False]
    assert "4-5" not in hand(match, 1)


def test_text_3_the_first_domino_lies_on_the_star() -> None:
    match = start("0-1 3-5 3-6 / 2-2 3-3 4-5", "6-6")
    assert set(moves(match, "0-1")) == {
        *("0-1 h8 e", "0-1 h8 n", "0-1 h8 w", "0-1 h8 s"),
        *("0-1 g8 e", "0-1 h7 n", "0-1 i8 w", "0-1 h9 s"),
    }
    assert set(moves(match, "6-6")) == {"6-6 h8 e", "6-6 h8 n", "6-6 g8 e", "6-6 h7 n"}
    assert len(match.legal_moves) == 28


def test_text_3_next_to_one_domino_with_a_matching_end() -> None:
    match = play(start("0-1 3-5 3-6 / 1-4 3-3 4-5", "6-6 0-2"), "0-1 h8 e")
    # 1 lies on i8: its free neighbours are j8, i9 and i7, with three ways on from j8, but beside
    # h8 the head would touch the same domino a second time.
    assert set(moves(match, "1-4")) == {
        *("1-4 j8 e", "1-4 j8 n", "1-4 j8 s"),
        *("1-4 i9 n", "1-4 i9 e", "1-4 i7 s", "1-4 i7 e"),
    }
    assert set(moves(match, "0-2")) == {
        *("0-2 g8 w", "0-2 g8 n", "0-2 g8 s"),
        *("0-2 h9 n", "0-2 h9 w", "0-2 h7 s", "0-2 h7 w"),
    }
    assert not moves(match, "4-5")
    assert not moves(match, "pit")


def connecting(last: str) -> Match:
    """Two lines, with 3 on h10 and 4 on j9, that a domino on i10 and j10 can connect."""
    match = start(f"0-1 1-4 5-6 / 0-3 5-5 {last}", "6-6 6-6 5-6 5-5")
    return play(match, "0-1 h8 e, 0-3 h9 n, 1-4 j8 n")


def test_text_3_the_head_may_touch_nothing_that_does_not_match() -> None:
    match = connecting("3-5")
    assert "3-5 i10 n" in match.legal_moves
    assert "3-5 i10 e" not in match.legal_moves  # its head would touch the 4


def test_text_3_a_seat_that_can_place_must() -> None:
    match = connecting("3-4")
    assert not [move for move in match.legal_moves if move == "stop" or move.startswith("pit")]
    with pytest.raises(IllegalMove):
        match.push("pit 5-5")


def test_text_3_after_a_double_another_may_be_placed_beside_it() -> None:
    match = play(start("0-0 0-4 1-1 / 2-2 3-3 4-5", "2-6"), "0-0 h8 e")
    assert match.turn == 0
    assert moves(match)[-1] == "stop"
    assert {move.split()[0] for move in match.legal_moves} == {"0-4", "stop"}
    assert play(match, "0-4 j8 e").turn == 1  # not a double: the turn ends


def test_text_3_it_must_be_next_to_that_double() -> None:
    match = play(start("0-1 1-1 1-5 / 0-2 3-3 4-5", "2-6 6-6 0-4"), "0-1 h8 e, 0-2 h9 n, 1-1 j8 e")
    assert match.turn == 0
    near = {"j9", "j7", "k9", "k7", "l8"}  # around the double on j8 and k8
    starts = {move.split()[1] for move in moves(match, "1-5")}
    assert starts <= near
    assert "0-4" in hand(match, 0)
    assert not moves(match, "0-4")


def test_text_3_diagram_3_a_double_another_double_and_a_third_domino() -> None:
    match = play(start("0-1 3-5 3-6 / 1-1 1-1 1-4", "2-6 6-6"), "0-1 h8 e, 1-1 j8 e")
    assert play(match, "1-1 l8 n").turn == 1
    assert {move.split()[1] for move in moves(match, "1-4")} <= {
        *("k9", "l10", "m8", "m9", "l7", "k7", "k10")
    }
    assert play(match, "1-4 l10 n").turn == 0


def test_text_3_after_placing_the_hand_is_filled_up_to_three() -> None:
    match = start("0-0 0-0 0-4 / 2-2 3-3 4-5", "2-6 0-6 1-6 3-6")
    play(match, "0-0 h8 e, 0-0 j8 e, 0-4 l8 e")
    assert hand(match, 0) == ["0-6", "1-6", "2-6"]
    assert hand(match, 1) == ["2-2", "3-3", "3-6", "4-5"]


def test_text_5_a_double_scores_before_the_second_domino_is_placed() -> None:
    # 2 x 2 points bring the piece to space 4: the second domino, with a 4, earns a bonus.
    match = start("0-0 0-4 1-1 / 2-2 3-3 4-5", "2-6", diamonds={"i8": "2", "k8": "1"})
    match.push("0-0 h8 e")
    assert points(match) == [4, 0]
    match.push("0-4 j8 e")
    assert points(match) == [4 + 1 + 3, 0]


def test_text_5_a_double_scores_double() -> None:
    marks = {"h8": "*", "i8": "5", "g8": "2"}
    assert points(play(start("1-1 3-5 3-6 / 2-2 3-3 4-5", "2-6", marks), "1-1 h8 e")) == [10, 0]
    assert points(play(start("0-1 3-5 3-6 / 2-2 3-3 4-5", "2-6", marks), "0-1 h8 e")) == [5, 0]


def on_four(domino: str, draws: str, **options: Any) -> Match:
    """Seat 0's piece stands on space 4; seat 1 is to move on a board where i8 is a 1."""
    return play(start(f"0-1 3-5 3-6 / {domino} 3-3 4-5", draws, {"i8": "4"}, **options), "0-1 h8 e")


def test_text_5_bonus_when_any_player_plays_the_number_of_the_space() -> None:
    match = play(on_four("1-4", "6-6 5-5"), "1-4 j8 e")
    assert points(match) == [4 + 3, 0]
    match = play(on_four("1-5", "6-6 5-5"), "1-5 j8 e")
    assert points(match) == [4, 0]


def test_text_5_bonus_once_per_domino() -> None:
    match = play(on_four("1-4", "4-4 2-2"), "1-4 j8 e")
    assert points(match)[0] == 7
    match = play(start("0-4 3-5 3-6 / 4-4 5-5 5-6", "6-6 2-2", {"i8": "4"}), "0-4 h8 e, 4-4 j8 e")
    assert points(match)[0] == 4 + 3  # both ends are a 4


def test_text_6_victory_totals() -> None:
    for seats, total in ((2, 100), (3, 75), (4, 50), (5, 75), (6, 50)):
        assert redouble.new(NAME, seats=seats).view().board["goal"] == total


def test_text_6_the_game_ends_at_once_at_the_total() -> None:
    # Two points of a double, then the total with the domino that follows: nothing is drawn after.
    match = start("0-0 0-4 1-1 / 2-2 3-3 4-5", "2-6", {"i8": "1", "k8": "5"}, victory=7)
    assert play(match, "0-0 h8 e").outcome is None
    match.push("0-4 j8 e")
    assert ended(match).reason == "victory total reached"
    assert ended(match).ranks == (1, 2)
    assert ended(match).scores == (7, 0)
    assert hand(match, 0) == ["1-1", "2-6"]
    assert not match.legal_moves


def test_text_6_the_game_ends_after_the_turn_in_which_the_last_domino_is_drawn() -> None:
    acted = refilled = 0
    for seed in range(60):
        match = redouble.new(NAME, seats=2, seed=f"boneyard {seed}", victory=999)
        dice = Random(seed)
        while match.turn is not None:
            mover, left = match.turn, zone(match, "boneyard").size
            match.push(dice.choice(list(match.legal_moves)))
            if left == 0:  # drawn at the start of the turn, which is still played
                assert match.turn in (mover, None)
                acted += match.turn is None
        if ended(match).reason == "boneyard empty":
            assert zone(match, "boneyard").size == 0
            refilled += left > 0
    assert acted
    assert refilled


def test_text_6_most_points_win_then_most_dots() -> None:
    assert ending("5-5", "2-2").ranks == (1, 2)
    assert ending("2-2", "5-5").ranks == (2, 1)
    assert ending("5-5", "5-5").ranks == (1, 1)


def dots_left(match: Match, viewer: int) -> dict[int | None, int | str]:
    facts = match.view(viewer).facts
    return {fact.seat: fact.value for fact in facts if fact.name == "dots left in hand"}


def test_dm11_the_end_names_the_dots_left_in_hand_that_decide() -> None:
    match = even("5-5", "2-2")
    assert match.tell().endswith("; 7 points each, so the dots left in hand decide: {0} 29, {1} 23")
    for viewer in (SPECTATOR, 0, 1):
        assert dots_left(match, viewer) == {0: 29, 1: 23}
        assert match.view(viewer).tie_break == "dots"
    equal = even("5-5", "5-5")
    assert equal.tell().endswith("; 7 points and 29 dots left in hand each: a tie")
    apart = even("5-5", "2-2", extra="1")
    assert apart.tell() == "places 2-4: 4 points; {1} gets 3 bonus points"
    assert not dots_left(apart, 0)
    assert not apart.view(0).tie_break


def ending(first: str, second: str, extra: str = "") -> redouble.Outcome:
    return known(even(first, second, extra).outcome)


def even(first: str, second: str, extra: str = "") -> Match:
    """Both stand on 4 when a 2-4 brings both to 7, the total; they hold equal dots but for these.

    ``extra`` is a diamond under the 2-4.
    """
    match = start(
        f"0-1 2-4 {first} / 1-2 3-6 {second}",
        "3-6 4-6 4-6",
        {"i8": "4", "j8": "4"} | ({"l8": extra} if extra else {}),
        victory=7,
    )
    return play(match, "0-1 h8 e, 1-2 j8 e, 2-4 l8 e")


def test_dm1_the_board() -> None:
    match = redouble.new(NAME)
    assert at(match.view().board["star"]) == square("h8")
    numbers = diamonds(match)
    assert len(numbers) == 72
    assert numbers[square("a1")] == 5
    assert numbers[square("b12")] == 3
    assert square("h14") not in numbers
    assert set(numbers.values()) == {1, 2, 3, 4, 5}


def test_dm1_rows_count_from_the_south_and_columns_from_the_west(tmp_path: Path) -> None:
    lines = board({"a1": "1", "o1": "2", "a15": "3"})
    file = tmp_path / "mine.txt"
    file.write_text("# my board\n" + "\n".join(lines) + "\n")
    for given in (lines, file):
        match = redouble.new(NAME, board=given, seed="mine")
        assert diamonds(match) == {square("a1"): 1, square("o1"): 2, square("a15"): 3}
        assert redouble.replay(str(match.record())).state == match.state


def test_dm1_a_star_elsewhere() -> None:
    lines = board({"h8": ".", "a1": "*"})
    match = redouble.new(NAME, board=lines)
    assert {squares_of(move)[0] for move in match.legal_moves} <= {(0, 0), (1, 0), (0, 1)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "14 rows instead of 15"),
        (lambda lines: [*lines, lines[0]], "16 rows instead of 15"),
        (lambda lines: [lines[0] + " .", *lines[1:]], "line 1: the row has 16 squares"),
        (lambda lines: [lines[0].replace(".", "6", 1), *lines[1:]], "line 1: '6' is not a diamond"),
        (lambda lines: [line.replace("*", ".") for line in lines], "0 stars"),
        (lambda lines: [lines[0].replace(".", "*", 1), *lines[1:]], "2 stars"),
        (lambda lines: [], "0 rows"),
    ],
)
def test_dm1_a_wrong_board_is_refused(change: Any, message: str) -> None:
    with pytest.raises(DeckError, match=message):
        redouble.new(NAME, board=change(board({})))


def test_dm2_space_n_carries_n_dots_and_the_start_matches_nothing() -> None:
    match = start("0-1 0-2 3-6 / 0-3 3-3 4-5", "6-6 5-5", {"i8": "5"})
    assert match.view().board["pieces"][0]["dots"] is None
    assert play(match, "0-1 h8 e").view().board["pieces"][0] == {"seat": 0, "space": 5, "dots": 5}
    match.push("0-3 g8 w")  # seat 1's piece is at the start: the blank earns nothing
    assert points(match) == [5, 0]


def test_dm2_space_7_carries_no_dots() -> None:
    # Seat 0: 4 points, then a bonus of 3: space 7, a blank. The next blank brings 3 more.
    match = play(on_four("1-4", "6-6 5-5 2-2 0-6"), "1-4 j8 e")
    assert points(match) == [7, 0]
    assert match.view().board["pieces"][0]["dots"] == 0
    match = play(on_four("1-4", "6-6 5-5 0-2 0-6"), "1-4 j8 e, 0-2 h9 n")
    assert points(match) == [10, 0]


def test_dm3_two_sets_up_to_four_seats_then_three() -> None:
    for seats in range(2, 7):
        match = redouble.new(NAME, seats=seats)
        kinds = Counter(match.state.deck[: match.state.deck_n])
        assert kinds == dict.fromkeys(range(28), 2 if seats <= 4 else 3)


def test_dm4_with_equal_sums_the_lowest_low_end_is_shown() -> None:
    match = start("2-2 1-3 0-4 / 5-5 5-6 6-6")
    assert [card for card in hand(match, 0, SPECTATOR) if card != "?"] == ["0-4"]


def test_dm4_the_shown_domino_stays_known_and_the_others_are_not_lower() -> None:
    match = start("1-3 2-2 5-5 / 5-6 4-6 6-6", "0-0")
    assert match.turn == 0
    places = match.state.hand[0]
    not_less = {"1-3", "2-2"} | {card for card in CARDS if sum(map(int, card.split("-"))) > 4}
    assert may(match, places[0]) == {"1-3"}
    assert may(match, places[1]) == may(match, places[2]) == not_less
    assert may(match, places[3]) == set(CARDS)  # drawn afterwards
    play(match, "5-5 h8 e")
    assert hand(match, 0, 1) == ["1-3", "?", "?"]


def test_dm4_the_first_of_two_equal_lowest_dominoes_is_shown() -> None:
    match = start("5-5 1-3 1-3 / 5-6 4-6 6-6")
    assert hand(match, 0, 1) == ["1-3", "?", "?", "?"]
    assert match.state.known_to.index(99) == 2
    assert ["1-3" in may(match, place) for place in (0, 4)] == [False, True]


def test_dm4_a_tie_goes_by_the_seed_to_the_seat_drawn_or_the_next_tied_one() -> None:
    hands = "0-3 3-5 3-6 / 4-4 3-3 4-5 / 1-2 4-5 5-6 / 5-6 6-6 6-6"
    firsts = Counter(start(hands, seed=str(seed)).turn for seed in range(400))
    assert set(firsts) == {0, 2}
    # Seats 3 and 0 lead to seat 0, seats 1 and 2 to seat 2.
    assert 150 < firsts[0] < 250
    hands = "0-3 3-5 3-6 / 1-2 3-3 4-5 / 4-4 4-5 5-6 / 5-6 6-6 6-6"
    firsts = Counter(start(hands, seed=str(seed)).turn for seed in range(400))
    assert 250 < firsts[0] < 350  # drawn for seats 2, 3 and 0


def test_dm4_the_seed_decides_when_ages_tie() -> None:
    hands = "0-3 3-5 3-6 / 1-2 3-3 4-5 / 4-4 4-5 5-6"
    firsts = {start(hands, ages=[40, 40, 50], seed=str(seed)).turn for seed in range(30)}
    assert firsts == {0, 1}


def test_dm5_not_twice_along_one_domino() -> None:
    match = play(start("0-1 3-5 3-6 / 0-1 3-3 4-5", "6-6 5-5"), "0-1 h8 e")
    assert "0-1 h9 e" not in match.legal_moves  # both ends match, but touch the same domino
    assert "0-1 h9 n" in match.legal_moves


def test_dm5_not_two_dominoes_at_one_end() -> None:
    match = play(start("0-0 0-2 3-6 / 0-3 3-3 4-5", "6-6 5-5 0-5"), "0-0 h8 e, stop, 0-3 h9 n")
    # i9 touches the blank on i8 and the blank on h9.
    assert not [move for move in match.legal_moves if (8, 8) in squares_of(move)]


@pytest.mark.laws
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_dm5_dm6_dm10_legal_moves_match_the_rulings(seats: int) -> None:
    most = 0
    for seed in range(4):
        match = redouble.new(NAME, seats=seats, seed=f"letter {seed}", victory=999)
        dice = Random(seed)
        while match.turn is not None:
            held = set(hand(match, match.turn))
            expected = set().union(*(by_the_letter(match, domino) for domino in held))
            if match.view().board["following"]:
                expected |= {"stop"}
            elif not expected:
                expected = {f"pit {domino}" for domino in held}
            assert set(match.legal_moves) == expected
            assert len(match.legal_moves) <= rules.MAX_LEGAL
            most = max(most, len(match.legal_moves))
            match.push(dice.choice(list(match.legal_moves)))
    assert most > 40


def test_dm6_if_nothing_fits_beside_the_double_the_turn_ends() -> None:
    match = play(start("0-0 3-5 3-6 / 2-2 3-3 4-5", "2-6 0-1"), "0-0 h8 e")
    assert match.turn == 1
    with_a_blank = {card for card in CARDS if "0" in card}
    state = match.state
    for place in state.hand[0][:3]:  # all conclude that seat 0 has no blank
        assert not may(match, place) & with_a_blank


def test_dm6_being_asked_shows_that_something_fits() -> None:
    match = play(start("0-0 0-4 3-6 / 2-2 3-3 4-5", "2-6 0-1"), "0-0 h8 e")
    for moment in range(2):
        state = match.state
        assert state.clues == 1
        assert set(state.clue_place[0]) == {2, 4, 6}
        assert {CARDS[k] for k in range(28) if state.clue_kinds[0] >> k & 1} == {
            card for card in CARDS if "0" in card
        }
        if moment == 0:
            match.push("stop")


def test_dm6_the_one_place_left_explains_the_stop() -> None:
    # Of the three held at the stop, two are played without a blank: the third has one.
    match = start("0-0 1-4 1-6 / 2-2 3-3 4-5", "0-5 0-1 5-6 4-6 6-6 2-4")
    play(match, "0-0 h8 e, stop, 0-1 j8 e, 1-4 l8 e")
    assert set(match.state.clue_place[0][: match.state.clue_n[0]]) == {4, 6}
    assert play(match, "4-5 n8 e, 1-6 k9 n").state.clues == 0
    assert may(match, 6) == {card for card in CARDS if "0" in card}


def test_dm7_the_pit_shows_that_nothing_in_hand_could_be_placed() -> None:
    match = play(start("0-1 3-5 3-6 / 2-2 3-3 4-5", "6-6 2-3 1-1"), "0-1 h8 e")
    held = match.state.hand[1][:4]
    match.push("pit 4-5")
    for place in held:
        assert not [card for card in may(match, place) if "0" in card or "1" in card]
    assert may(match, match.state.hand[0][3]) == set(CARDS)


@pytest.mark.laws
@pytest.mark.parametrize(
    ("seed", "plies", "seat", "many"), [(3901, 48, 0, 216), (3899, 52, 1, 216), (157, 52, 1, 180)]
)
def test_dm4_dm6_dm7_determinizations_are_complete_and_as_likely(
    seed: int, plies: int, seat: int, many: int
) -> None:
    """Ends of games with six dominoes unseen: pits, a double not followed and one at choice."""
    game = GAMES[NAME]
    dice = Random(seed)
    header = game.header(2, game.check_options(2, {"victory": 999}), f"few {seed}")
    history = play_history(game, header, lambda state, legal: dice.choice(legal), plies)
    worlds = check_uniform(history, seat)
    assert (len(worlds), len(worlds[0])) == (many, 6)


@pytest.mark.parametrize("case", range(4))
def test_g7_worlds_are_equally_likely_whatever_is_inferred(case: int) -> None:
    """Six dominoes unseen, and conclusions about their places made up at random."""
    dice = Random(case)
    seen: Any = rules.Position()
    seen.seats, seen.deck_n = 2, 56
    seen.box[:56] = sorted(list(range(28)) * 2)
    kinds = [*dice.sample(range(28), 5), 3]
    rest = Counter(seen.box[:56]) - Counter(kinds)
    seen.deck[:56] = [ERASED] * 6 + sorted(rest.elements())
    seen.may[:6] = [rules.ALL_KINDS] * 6
    for place in range(4):
        seen.may[place] = sum(1 << kind for kind in {kinds[place], *dice.sample(kinds, 3)})
    seen.clues = 2
    seen.clue_n[:2] = [2, 3]
    seen.clue_place[0], seen.clue_place[1] = [2, 3, 0], [3, 4, 5]
    seen.clue_kinds[:2] = [1 << kinds[2] | 1 << kinds[0], 1 << kinds[4] | 1 << kinds[1]]

    def fits(world: tuple[int, ...]) -> bool:
        return all(seen.may[place] >> kind & 1 for place, kind in enumerate(world)) and all(
            any(seen.clue_kinds[i] >> world[p] & 1 for p in seen.clue_place[i][: seen.clue_n[i]])
            for i in range(2)
        )

    worlds = {world for world in permutations(kinds) if fits(world)}
    rng, work = seed_words(f"made up {case}"), [0] * WORK
    counts = Counter[tuple[int, ...]]()
    for _ in range(6_000):
        world = seen.copy()
        rules.determinize(world, rng, work)
        counts[tuple(world.deck[:6])] += 1
    assert set(counts) == worlds
    assert len(worlds) > 10
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_dm7_the_others_do_not_see_what_goes_into_the_pit() -> None:
    match = play(start("0-1 3-5 3-6 / 2-2 3-3 4-5", "6-6 2-3"), "0-1 h8 e, pit 4-5")
    for viewer in (SPECTATOR, 0):
        assert "4-5" not in json.dumps(match.view(viewer).to_dict()["zones"])
        assert match.tell(viewer) == "can't place a domino and puts one in the pit"
    assert "4-5" in match.tell(1)


def test_dm8_the_seat_to_move_has_four_dominoes() -> None:
    match = redouble.new(NAME, seats=4, seed="four", victory=999)
    dice = Random("four")
    begins = True
    while match.turn is not None:
        mover = match.turn
        if begins:
            assert len(hand(match, mover)) == 4
        match.push(dice.choice(list(match.legal_moves)))
        begins = match.turn != mover


def test_dm9_the_bonus_depends_on_where_the_piece_stands_as_the_domino_is_played() -> None:
    # A 4 that brings the piece to space 4 earns no bonus; on a later 4 it stands there.
    match = play(start("0-4 3-5 3-6 / 4-6 5-5 5-6", "1-4 6-6 2-4", {"i8": "4"}), "0-4 h8 e")
    assert points(match) == [4, 0]
    play(match, "4-6 j8 e")
    assert points(match) == [7, 0]
    match = play(
        start("0-4 3-5 3-6 / 0-6 5-5 5-6", "1-4 6-6 2-4", {"i8": "4", "j8": "5"}),
        "0-4 h8 e, 0-6 g8 w, 2-4 k8 w",
    )
    assert points(match) == [4 + 3 + 5, 0]


def test_dm9_option_victory() -> None:
    assert redouble.new(NAME, victory=30).view().board["goal"] == 30
    assert redouble.new(NAME, victory=0).view().board["goal"] == 100
    with pytest.raises(OptionError, match="victory"):
        redouble.new(NAME, victory=-1)


def test_dm10_the_game_ends_at_once_when_nothing_could_be_placed() -> None:
    match = play(walled(start("3-3 3-3 3-4 / 4-4 5-5 5-6", "0-6"), "h8 i8 j8 k8"), "3-3 h8 e")
    assert match.turn == 0
    match.push("3-3 j8 e")
    assert ended(match).reason == "no room on the board"
    assert hand(match, 0) == ["0-6", "3-4"]  # nothing was drawn


def test_dm10_dominoes_that_are_all_used_up_count() -> None:
    # Only a third 3-3 would fit, on i9 and j9 between the two that lie there.
    match = walled(start("3-3 3-3 3-4 / 4-4 5-5 5-6", "0-6 0-1"), "h8 i8 j8 k8 i9 j9")
    assert play(match, "3-3 h8 e, 3-3 j8 e").outcome is None
    assert match.turn == 1
    assert all(move.startswith("pit") for move in match.legal_moves)


def test_dm11_the_most_points_win_when_several_reach_the_total() -> None:
    assert ending("2-2", "5-5", extra="1").scores == (8, 7)
    assert ending("2-2", "5-5", extra="1").ranks == (1, 2)


def test_dm12_at_the_end_all_hands_are_shown() -> None:
    match = play(start("0-0 0-4 1-1 / 2-2 3-3 4-5", "2-6", {"i8": "5"}, victory=10), "0-0 h8 e")
    assert hand(match, 0, SPECTATOR) == ["1-1", "0-4", "2-6"]
    assert hand(match, 1, 0) == ["2-2", "3-3", "4-5"]


def test_dm13_a_shown_domino_is_used_before_an_equal_one() -> None:
    for seed in range(10):
        match = play(start("2-2 2-2 5-6 / 0-1 0-1 0-0", "0-3 5-5 3-4", seed=str(seed)), "0-0 h8 e")
        assert play(match, "stop").turn == 0
        (shown,) = (place for place in match.state.hand[0] if match.state.known_to[place] == 99)
        assert play(match, "pit 2-2").state.where[shown] == rules.IN_PIT
        assert hand(match, 0, 1) == ["?", "?", "?"]
        assert match.tell(1) == "can't place a domino and puts 2-2 in the pit"


def test_dm13_a_domino_laid_shows_that_none_held_for_longer_equals_it() -> None:
    match = play(start("0-1 3-5 1-6 / 1-4 3-3 4-5", "6-6 0-2"), "1-6 h8 e")
    assert ["1-6" in may(match, place) for place in (2, 6)] == [False, True]


def test_dm13_a_domino_put_in_the_pit_unseen_never_equals_a_shown_one() -> None:
    match = play(start("2-2 3-3 5-6 / 0-1 0-1 0-0", "0-3 5-5 3-4"), "0-0 h8 e, stop, pit 3-3")
    assert "2-2" not in may(match, 2)
    assert "2-2" in may(match, 4)


def test_g4_dominoes_are_dealt_one_at_a_time_from_seat_0() -> None:
    deck = [*CARDS, *CARDS]
    match = redouble.new(NAME, seats=3, deck=deck)
    assert hand(match, 1) == sorted((deck[1], deck[4], deck[7]), key=deck.index)


def test_moves_of_a_double_go_east_and_north_only() -> None:
    match = start("1-1 3-5 3-6 / 2-2 3-3 4-5")
    assert match.turn == 0
    for move in ("1-1 h8 w", "1-1 h8 s", "5-3 h8 e", "0-1 o8 e", "3-5  h8 e", "3-5 h8", "PIT 3-5"):
        with pytest.raises(IllegalMove):
            match.push(move)


def test_dimmed_dominoes_whose_numbers_are_not_on_the_board() -> None:
    match = play(start("0-1 3-5 3-6 / 1-4 3-3 4-5", "6-6 0-2"), "0-1 h8 e")
    reasons = {
        "3-3": "The board has no free end with a 3.",
        "4-5": "The board has no free end with a 4 or a 5.",
    }
    assert match.view(1).dimmed == match.view().dimmed == reasons
    assert match.view(0).dimmed == match.view(SPECTATOR).dimmed == {}


def test_dimmed_dominoes_without_room_beside_their_numbers() -> None:
    match = play(start("0-1 1-4 3-6 / 0-5 1-3 1-2", "6-6 0-2"), "0-1 h8 e")
    walled(match, "j8 h9 h10")
    assert moves(match) == ["0-2 h9 n", "0-5 h9 n"]
    assert match.view(1).dimmed == {
        "1-2": "There is no room for it beside a 1 or a 2.",
        "1-3": "There is no room for it beside a 1 or a 3.",
    }


def test_dimmed_dominoes_that_do_not_follow_the_double() -> None:
    match = play(start("0-1 1-1 1-5 / 0-2 3-3 4-5", "2-6 6-6 0-4"), "0-1 h8 e, 0-2 h9 n, 1-1 j8 e")
    reason = "It must touch the double 1-1."
    assert hand(match, 0) == ["0-4", "1-5", "2-6"]
    assert match.view(0).dimmed == match.view().dimmed == {"0-4": reason, "2-6": reason}
    assert match.view(1).dimmed == {}
    assert play(match, "1-5 l8 e").view(0).dimmed == {}


def test_the_view_has_what_drawing_the_board_needs() -> None:
    match = on_four("1-4", "6-6 5-5")
    for viewer in (1, None):
        placements = match.view(viewer).board["placements"]
        assert [p["move"] for p in placements] == list(match.legal_moves)
        assert placements[0]["domino"] == "1-4"
    for viewer in (0, SPECTATOR):
        assert match.view(viewer).board["placements"] == []
    picture = match.view(0).board
    assert picture["dominoes"] == [
        {"domino": "0-1", "low": 0, "high": 1, "low_at": [8, 8], "high_at": [9, 8]}
        | {"place": "0", "seat": 0, "last": True}
    ]
    assert picture["pieces"][0] == {"seat": 0, "space": 4, "dots": 4}
    assert match.tell() == "places 0-1: 4 points"
    assert play(match, "1-4 j8 e").tell(1) == "places 1-4: 0 points; {0} gets 3 bonus points"


@pytest.mark.parametrize("seats", [2, 5])
def test_the_view_says_what_a_placement_scores(seats: int) -> None:
    dice = Random(seats)
    match = redouble.new(NAME, seats=seats, seed="points", victory=999)
    brought = Counter[int]()
    while match.turn is not None:
        seat, before = match.turn, points(match)
        said = {p["move"]: p["points"] for p in match.view(seat).board["placements"]}
        move = dice.choice(list(match.legal_moves))
        match.push(move)
        if move in said:
            assert said[move] == points(match)[seat] - before[seat]
            brought[said[move]] += 1
    assert len(brought) > 5


def test_strokes_join_the_halves_of_a_domino_on_the_drawn_board() -> None:
    domino = {"low": 3, "high": 5, "last": False}
    board = {
        "size": 3,
        "star": [2, 2],
        "diamonds": [{"at": [1, 1], "number": 4}],
        "dominoes": [
            {**domino, "low_at": [2, 3], "high_at": [1, 3]},
            {**domino, "low_at": [3, 1], "high_at": [3, 2]},
        ],
    }
    drawing = known(terminal.draw(board, unicode=False))
    assert ["".join(text for text, _ in line) for line in drawing.lines] == [
        "    a b c",
        " 3  5-3 .",
        " 2  . *,5",
        " 1  4 .'3",
    ]
