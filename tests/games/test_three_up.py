"""3UP 3DOWN, paragraph by paragraph: the rule text and TU1-TU21.

Decks are stacked with ``deck=`` and consist of the cards a test names and no others: three down to
each seat, one at a time, then six, then the draw pile. The seed is one that makes seat 0 begin.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import redouble
from redouble import DeckError, IllegalMove, Match, OptionError, SeatsError
from redouble.contract.game import WORK
from redouble.contract.registry import GAMES
from redouble.games.three_up import actions, rules, text
from redouble.kernel.piles import ERASED
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR
from redouble.testing.chance import play_history
from tests.helpers.known import known
from tests.helpers.tables import ended, fact, play_on, push, texts, zone
from tests.helpers.uniform import check_uniform, cut, history_of, number_of_arrangements

GAME = GAMES["three-up"]


@cache
def seed_of_first(seats: int, first: int = 0) -> str:
    decks = 2 if seats > 6 else 1
    return next(
        seed
        for seed in map(str, range(1000))
        if redouble.new("three-up", seats=seats, seed=seed, decks=decks).turn == first
    )


def cards(line: str) -> list[str]:
    """Card texts; a rank alone is the red card."""
    suffixes = {name: "-r" if name.startswith("clear") else "r" for name in text.RANK_NAMES}
    return [word + suffixes.get(word, "") for word in line.split()]


def table(*seats: str, draw: str = "", choose: bool = True, **options: Any) -> Match:
    """A match after the choice of the 3UP: for each seat "3DOWN | 3UP | hand"."""
    parts = [[cards(part) for part in seat.split("|")] for seat in seats]
    assert all([len(part) for part in seat] == [3, 3, 3] for seat in parts)
    deck = [seat[0][i] for i in range(3) for seat in parts]
    deck += [(seat[1] + seat[2])[i] for i in range(6) for seat in parts]
    deck += cards(draw)
    options.setdefault("cards", [f"{card} x{n}" for card, n in Counter(deck).items()])
    match = redouble.new(
        "three-up", seats=len(seats), seed=seed_of_first(len(seats)), deck=deck, **options
    )
    if choose:
        for seat in parts:
            names = sorted(text.CARDS.index(card) for card in seat[1])
            ranks = [text.CARDS[k] if match.state.color_four else name_of(k) for k in names]
            match.push("up " + " ".join(ranks))
    return match


def name_of(kind: int) -> str:
    return text.RANK_NAMES[kind // 3]


def size(match: Match, name: str, seat: int | None = None) -> int:
    return zone(match, name, seat).size


LOW = "9 9 9 | 8 8 8 | 1 1 1"
OTHER = "9b 9b 9b | 8b 8b 8b | 2 3 4"
THIRD = "9g 9g 9g | 8g 8g 8g | 2 3 4"
SLOW = "2 2 2 | 9 9 9 | 5 5b 6", "1 1b 1b | 9b 9b 9b | 1 2 7"
LOW_CLEARS = "1b 1b 1b | 9b 9b 9b | 3 4 5"


def test_text_setup_1_three_cards_face_down_that_no_player_sees() -> None:
    match = table("9 10 clear | 2 3 4 | 5 6 7", OTHER, choose=False)
    for seat in (0, 1):
        for reader in (SPECTATOR, 0, 1):
            assert texts(match, "3DOWN", seat, reader) == ["?", "?", "?"]
    assert texts(match, "3DOWN", 0) == ["9", "10", "clear"]


def test_text_setup_2_six_more_of_which_three_are_put_up() -> None:
    match = table("9 10 clear | 2 3 4 | 5 6 7", OTHER, choose=False)
    assert texts(match, "hand", 0, 0) == ["2", "3", "4", "5", "6", "7"]
    assert len(match.legal_moves) == 20
    assert match.legal_moves[0] == "up 2 3 4"
    assert "up 7 6 5" not in match.legal_moves  # rising


def test_text_setup_4_the_rest_is_the_draw_pile() -> None:
    assert size(table(LOW, OTHER, draw="1 2 3 4"), "draw pile") == 4
    assert redouble.new("three-up", seats=4).view().zones[0].size == 84 - 36


def test_text_cards_1_numbers_from_1_to_10() -> None:
    match = table("9 9 9 | 8 8 8 | 1 5 10", "9b 9b 9b | 8b 8b 8b | 9 10b clear")
    assert match.legal_moves == ["1", "5", "10"]
    assert push(match, "10").legal_moves == ["10", "clear"]


def test_text_cards_2_a_clear_beats_every_number_and_takes_the_pile_out_of_play() -> None:
    match = push(table("9 9 9 | 8 8 8 | 10 1 1", "9b 9b 9b | 8b 8b 8b | clear 2 3"), "10", "clear")
    assert size(match, "cleared") == 2
    assert size(match, "discard pile") == 0
    assert fact(match, "play") == ""


def test_text_cards_2a_clear_plus_1_gives_one_extra_turn() -> None:
    match = push(table("9 9 9 | 8 8 8 | clear+1 5 1", OTHER), "clear+1")
    assert match.turn == 0
    assert push(match, "5").turn == 1


def test_text_cards_4_colors_do_not_matter_and_can_be_left_out() -> None:
    assert table("9 9 9 | 8 8 8 | 4b 4g 1", OTHER).legal_moves == ["1", "4", "4x2"]
    two = redouble.new("three-up", seats=2, colors=2)
    assert two.state.deck_n == 56
    assert {kind % 3 for kind in two.state.box[:56]} == {0, 1}


def test_text_turns_1_the_seat_left_of_the_dealer_begins_and_play_goes_around() -> None:
    match = table(LOW, OTHER, THIRD)
    turns = [match.turn]
    for move in ("1", "2", "2", "take"):
        turns.append(push(match, move).turn)
    assert turns == [0, 1, 2, 0, 1]


def test_text_turns_2_a_card_must_be_at_least_as_high_as_the_one_on_the_pile() -> None:
    assert push(table("9 9 9 | 8 8 8 | 3 1 1", OTHER), "3").legal_moves == ["3", "4"]


def test_text_turns_3a_on_a_two_one_or_more_fives_but_not_a_five_and_a_six() -> None:
    match = push(table("9 9 9 | 8 8 8 | 2 1 1", "9b 9b 9b | 8b 8b 8b | 5 5b 6"), "2")
    assert match.legal_moves == ["5", "5x2", "6"]
    with pytest.raises(IllegalMove, match="legal moves: 5, 5x2, 6"):
        match.push("5 6")
    assert texts(push(match, "5x2"), "hand", 1) == ["6"]


def test_text_turns_5_a_player_who_cannot_play_picks_up_the_pile_and_the_turn_ends() -> None:
    match = push(table("9 9 9 | 8 8 8 | 5 6 7", OTHER, draw="1 1"), "5")
    assert match.legal_moves == ["take"]
    push(match, "take")
    assert texts(match, "hand", 1) == ["2", "3", "4", "5"]
    assert match.turn == 0


def test_a_card_picked_up_with_the_pile_is_counted_and_no_longer_followed() -> None:
    match = push(table("9 9 9 | 8 8 8 | 5 6 7", OTHER, draw="1 1"), "5")
    pile = next(one for one in match.view().zones if one.kind == "discard")
    played = pile.cards[-1].place
    assert pile.cards[-1].text == "5"
    push(match, "take")
    for eyes in (None, SPECTATOR, 0, 1):
        shown = {card.place: card for one in match.view(eyes).zones for card in one.cards}
        assert played not in shown
        assert shown[f"1-hand-1-{text.CARDS.index('5r')}-0"].text == "5"


def test_text_turns_6_a_turn_ends_with_drawing_up_to_three() -> None:
    match = push(table("9 9 9 | 8 8 8 | 5 5b 7", OTHER, draw="1 2 3"), "5x2")
    assert texts(match, "hand", 0) == ["1", "2", "7"]
    assert size(match, "draw pile") == 1


def test_text_turns_7_from_the_3up_when_draw_pile_and_hand_are_gone() -> None:
    match = push(table("9 9 9 | 8 8b 6 | 5 5 1", OTHER), "1", "2", "5x2", "take")
    assert match.legal_moves == ["6", "8", "8x2"]


def test_text_turns_7b_after_picking_up_the_hand_is_played_before_the_3up() -> None:
    match = table("9 9 9 | 2 2b 6 | 5 5 1", "9b 9b 9b | 8b 8b 8b | 2 7 8")
    assert push(match, "1", "2", "5x2", "7").legal_moves == ["take"]
    push(match, "take", "8")
    assert texts(match, "hand", 0) == ["1", "2", "5", "5", "7"]
    assert texts(match, "3UP", 0) == ["2", "2", "6"]
    assert match.legal_moves == ["take"]


def endgame(*downs: str, other: str = "1 1 1") -> Match:
    """Seat 0 is left with its 3DOWN and moves; seat 1 holds three low cards and 4 to 9."""
    match = table(f"{' '.join(downs)} | 7 8 9 | 4 5 6", f"10b 10b 10b | 9b 9b 9b | {other}")
    push(match, "4", "take", "5", "take", "6", "take")
    return push(match, "7", "take", "8", "take", "9", "take")


def test_text_turns_8_then_one_3down_card_is_turned_up() -> None:
    match = endgame("10", "2", "3")
    assert match.legal_moves == ["down 1", "down 2", "down 3"]
    push(match, "down 1")
    assert texts(match, "discard pile") == ["10"]
    assert push(match, "take").legal_moves == ["down 2", "down 3"]  # the places keep their numbers


def test_text_turns_8a_a_3down_card_that_fails_is_not_shown() -> None:
    match = push(endgame("2", "3", "10"), "down 3", "take", "down 1", "5")
    push(match, "down 2")
    assert texts(match, "hand", 0, 0) == ["2", "3", "5"]
    assert texts(match, "hand", 0, 1) == ["2", "5", "?"]
    assert texts(match, "hand", 0, SPECTATOR) == ["2", "5", "?"]
    pile = "can't be played, and picks up the pile (2 cards)"
    assert match.tell(0) == f"turns up the second 3DOWN, a 3, which {pile}"
    assert match.tell(1) == match.tell(SPECTATOR) == f"turns up the second 3DOWN, which {pile}"


def test_tu1_the_deck_of_84_cards() -> None:
    match = redouble.new("three-up", seats=2)
    box = Counter(text.CARDS[kind] for kind in match.state.box[: match.state.deck_n])
    assert sum(box.values()) == 84
    assert all(box[f"{n}{c}"] == 2 for n in range(1, 11) for c in "rbg")
    assert [box[f"clear-{c}"] for c in "rbg"] == [6, 6, 4]
    assert [box[f"clear+1-{c}"] for c in "rbg"] == [2, 2, 2]
    assert [box[f"clear+2-{c}"] for c in "rbg"] == [0, 0, 2]
    assert all(sum(n for name, n in box.items() if name.endswith(c)) == 28 for c in "rbg")


def test_tu1_a_custom_deck(tmp_path: Path) -> None:
    path = tmp_path / "deck.txt"
    path.write_text("3r x4\n5b x4  # a comment\nclear-g x6\n7r x4\n")
    assert redouble.new("three-up", seats=2, cards=path).state.deck_n == 18
    with pytest.raises(DeckError, match="'12r' is not a card"):
        redouble.new("three-up", seats=2, cards=["12r x2"])


def test_tu2_decks_and_colors() -> None:
    assert redouble.new("three-up", seats=12, decks=2).state.deck_n == 168
    one = redouble.new("three-up", seats=3, colors=1)
    assert one.state.deck_n == 28
    assert not any(kind // 3 == 12 for kind in one.state.box[:28])


@pytest.mark.parametrize(
    ("given", "value", "left"),
    [
        (2, 2, "rb"),
        ("red and blue", 2, "rb"),
        ("Red, Green", 4, "rg"),
        ("5", 5, "bg"),
        ("blue", 6, "b"),
        ("green", 7, "g"),
    ],
)
def test_tu2_players_choose_the_colors_that_stay(given: Any, value: int, left: str) -> None:
    match = redouble.new("three-up", seats=2, colors=given)
    assert match.options["colors"] == value
    assert {text.CARDS[kind][-1] for kind in match.state.box[: match.state.deck_n]} == set(left)
    assert redouble.replay(match.record()).state == match.state


def test_tu2_colors_that_are_none_are_refused_with_the_choices() -> None:
    with pytest.raises(OptionError, match=r"colors cannot be 'pink'.*; 5 blue and green; 6 blue;"):
        redouble.new("three-up", seats=2, colors="pink")


def test_tu2_one_deck_seats_six() -> None:
    redouble.new("three-up", seats=6)
    with pytest.raises(OptionError, match="up to 6 players: for 7 add --option decks=2"):
        redouble.new("three-up", seats=7)
    with pytest.raises(SeatsError):
        redouble.new("three-up", seats=13, decks=2)
    with pytest.raises(SeatsError):
        redouble.new("three-up", seats=1)


def test_tu2_nine_cards_for_every_seat() -> None:
    redouble.new("three-up", seats=3, colors=1)
    with pytest.raises(DeckError, match="28 cards, but 4 players need 36"):
        redouble.new("three-up", seats=4, colors=1)
    with pytest.raises(DeckError, match="take more decks or colors"):
        redouble.new("three-up", seats=12, decks=2, colors=1)


def test_tu3_the_dealer_is_drawn_and_three_are_dealt_before_six() -> None:
    firsts = Counter(redouble.new("three-up", seats=3, seed=str(i)).turn for i in range(300))
    assert set(firsts) == {0, 1, 2}
    assert min(firsts.values()) > 60
    order = sorted(redouble.new("three-up", seats=2).state.box[:84])
    deck = [text.CARDS[kind] for kind in order]
    match = redouble.new("three-up", seats=2, seed=seed_of_first(2, first=1), deck=deck)
    assert texts(match, "3DOWN", 1) == [name_of(order[i]) for i in (0, 2, 4)]
    assert texts(match, "hand", 0) == [name_of(order[i]) for i in (7, 9, 11, 13, 15, 17)]
    assert texts(match, "hand", 1) == [name_of(order[i]) for i in (6, 8, 10, 12, 14, 16)]


def test_tu3_choices_are_secret_until_all_have_chosen() -> None:
    match = push(table(LOW, OTHER, choose=False), "up 1 8 8")
    for reader in (1, SPECTATOR):
        view = match.view(reader)
        assert [(f.value, f.text) for f in view.facts_of(0)] == [("", "made")]
        assert match.tell(reader) == "chooses the 3UP"
        assert match.seen_by(reader).choice[0] == ERASED
    assert "1, 8 and 8" in match.tell(0)
    assert texts(match, "3UP", 0) == []
    push(match, "up 2 3 4")
    assert texts(match, "3UP", 0, 1) == ["1", "8", "8"]
    assert "2, 3 and 4" in match.tell(0)
    assert match.turn == 0


def test_tu4_a_clear_alone_gives_no_extra_turn() -> None:
    match = push(table("9 9 9 | 8 8 8 | clear 1 1", OTHER), "clear")
    assert match.turn == 1
    assert match.legal_moves == ["2", "3", "4"]


def test_tu4_extra_turns_add_up() -> None:
    match = table("9 9 9 | 8 10 clear+1 | clear+1 clear+1b 1".replace("1b", "1-b"), OTHER)
    push(match, "clear+1x2")
    assert fact(match, "extra turns") == 2
    assert push(match, "1").turn == 0
    assert push(match, "clear+1").turn == 0  # the second, from the 3UP, and one more
    assert push(match, "8").turn == 1


def test_tu5_three_in_a_row_by_several_seats_clear_without_an_extra_turn() -> None:
    match = table(
        "9 9 9 | 8 8 8 | 4 1 1", "9b 9b 9b | 8b 8b 8b | 4b 3 2", "9g 9g 9g | 8g 8g 8g | 4g 3 2"
    )
    push(match, "4", "4", "4")
    assert size(match, "cleared") == 3
    assert match.turn == 0
    assert fact(match, "extra turns") == 0


def test_tu5_a_third_in_a_row_from_the_3down_clears() -> None:
    match = push(endgame("10", "10", "10"), "down 1", "take", "down 2", "10")
    assert size(match, "cleared") == 0
    assert size(push(match, "down 3"), "cleared") == 3


def test_tu6_an_extra_turn_starts_without_drawing() -> None:
    match = push(table("9 9 9 | 8 8 8 | clear+1 1 5", OTHER, draw="6 7 1"), "clear+1")
    assert texts(match, "hand", 0) == ["1", "5"]
    assert texts(push(match, "1"), "hand", 0) == ["5", "6", "7"]


def test_tu6_with_an_empty_hand_the_seat_draws_automatically() -> None:
    triple = "clear+1-r clear+1-b clear+1-g"
    match = push(table(f"9 9 9 | 8 8 8 | {triple}", OTHER, draw="6 7 1 2"), "clear+1x3")
    assert match.turn == 0
    assert match.legal_moves == ["1", "6", "7"]
    assert "draw" not in match.legal_moves


def test_tu6_a_player_may_also_draw_before_taking() -> None:
    match = table("9 9 9 | 8 8 8 | clear+2 5 1", OTHER, draw="1b 6 10 1g 2b 2g")
    assert push(match, "clear+2", "5").legal_moves == ["take", "draw"]
    push(match, "draw")  # 1 1 6
    assert match.legal_moves == ["6"]
    assert match.turn == 0


def test_tu6_an_extra_turn_may_be_played_from_the_3up_or_the_3down() -> None:
    match = push(table("9 9 9 | 8 8 8 | clear+1 1 5", OTHER), "1", "2", "5", "take", "clear+1")
    assert match.turn == 0
    assert match.legal_moves == ["8", "8x2", "8x3"]
    match = table("9 10 10 | clear 8 clear+1 | 5 6 7", "9b 9b 9b | 8b 8b 8b | 1 1 1")
    push(match, "5", "take", "6", "take", "7", "take", "8", "take", "clear", "1", "clear+1")
    assert match.turn == 0
    assert match.legal_moves == ["down 1", "down 2", "down 3"]


def test_tu7_take_is_known_and_ends_only_the_extra_turn() -> None:
    triple = "clear+1-r clear+1-b clear+1-g"
    match = push(table(f"9 9 9 | 8 8 8 | {triple}", OTHER, draw="5 1 1b"), "clear+1x3", "5")
    assert match.legal_moves == ["take"]
    push(match, "take")
    assert texts(match, "hand", 0, 1) == ["5", "?", "?"]
    assert match.turn == 0
    assert match.legal_moves == ["1", "1x2", "5"]
    assert push(match, "1").turn == 1


def test_tu7_a_player_still_below_three_draws_up_to_three() -> None:
    match = table("9 9 9 | 8 8 8 | clear+2 5 1", OTHER, draw="2b 2g 3b")
    push(match, "clear+2", "5", "take")  # that was the second extra turn: 1 and 5 are held
    assert texts(match, "hand", 0) == ["1", "2", "5"]
    assert match.turn == 1


def test_tu7_take_shows_that_no_unseen_card_could_be_played() -> None:
    match = push(table("9 9 9 | 8 8 8 | 5 6 7", OTHER, draw="1 10 10 clear"), "5", "take")
    for world in determinizations(match, 0, 300):
        ranks = [world.deck[place] // 3 for place in unseen(world, 1)]
        assert max(ranks) < 4


def test_tu8_a_turn_is_played_from_one_place_only() -> None:
    match = push(table("9 9 9 | 5b 8 8 | 5 1 1", OTHER), "1x2", "2")
    assert match.legal_moves == ["5"]
    assert push(match, "5", "take").legal_moves == ["5", "8", "8x2"]


def test_tu9_a_3down_card_that_fails_joins_the_hand_with_the_pile() -> None:
    match = push(endgame("2", "3", "10"), "down 3", "take", "down 1", "5", "down 2")
    assert texts(match, "hand", 0) == ["2", "3", "5"]
    assert size(match, "discard pile") == 0
    for world in determinizations(match, 1, 100):
        [place] = unseen(world, 0)
        assert world.deck[place] // 3 < 4


def test_tu10_without_a_card_anywhere_a_seat_wins_even_with_a_clear() -> None:
    match = push(endgame("10", "clear", "clear+2-g"), "down 1", "take", "down 2", "1", "down 3")
    assert ended(match).ranks == (1, 2)


def test_tu10_a_failed_last_3down_card_is_played_from_the_hand() -> None:
    match = endgame("10", "clear", "2", other="1 1 3b")
    push(match, "down 1", "take", "down 2", "4", "down 3")
    assert size(match, "3DOWN", 0) == 0
    assert texts(match, "hand", 0) == ["2", "4"]
    assert push(match, "1", "2", "3").outcome is None
    push(match, "4")
    assert ended(match).ranks == (1, 2)


def test_tu11_all_options_are_off_by_default() -> None:
    options = redouble.new("three-up", seats=2).options
    assert options == {
        "decks": 1,
        "colors": 3,
        "play-on": False,
        "draw-instead": False,
        "reverse-ones": False,
        "games": 0,
        "swap-piles": False,
        "pick-for-others": False,
        "color-four": False,
        "stall": 50,
        "cards": None,
    }


def three(**options: Any) -> Match:
    """Three seats: seat 0 has only a Clear+1 left, as 3DOWN, and moves; a 9 lies on the pile."""
    match = table(
        "8 10 clear+1 | clear clear clear | clear clear clear",
        "10b 10b 10b | 9b 9b 9b | 1 1 1",
        "10g 10g 10g | 9g 9g 9g | 1b 1b 1b",
        **options,
    )
    push(match, "clearx3", "1", "1", "clearx3", "1", "1")
    return push(match, "down 1", "take", "1", "down 2", "take", "9")


def test_tu11_play_on_goes_on_for_the_places() -> None:
    match = push(three(play_on=True), "down 3")
    assert match.outcome is None
    assert fact(match, "out", 0) == 1
    assert match.turn == 1  # its extra turn lapses
    assert size(match, "discard pile") == 0  # its Clear+1 keeps its effect
    match.push(match.legal_moves[0])
    assert match.turn == 2
    match.push(match.legal_moves[0])
    assert match.turn == 1  # who is out is passed over
    play_on(match, Random(4))
    assert sorted(ended(match).ranks) == [1, 2, 3]
    assert ended(match).ranks[0] == 1
    assert ended(match).reason == "all places decided"


def test_tu11_draw_instead_takes_one_card_and_ends_the_turn() -> None:
    match = table(LOW, OTHER, draw="5 6 7 8", draw_instead=True)
    assert match.legal_moves == ["1", "1x2", "1x3", "draw"]
    push(match, "draw")
    assert texts(match, "hand", 0) == ["1", "1", "1", "5"]
    assert match.turn == 1
    assert "draw" not in table(LOW, OTHER, draw="5 6").legal_moves


def test_tu11_draw_instead_only_when_something_could_be_played() -> None:
    match = table("9 9 9 | 8 8 8 | 5 6 7", OTHER, draw="1 2", draw_instead=True)
    assert push(match, "5").legal_moves == ["take"]


def test_tu11_draw_instead_in_an_extra_turn_fills_the_hand_below_three() -> None:
    match = table("9 9 9 | 8 8 8 | clear+1 1 5", OTHER, draw="6 7 1 2", draw_instead=True)
    assert push(match, "clear+1", "draw").turn == 0
    assert texts(match, "hand", 0) == ["1", "5", "6"]
    push(match, "draw")  # now instead of playing
    assert match.turn == 1
    assert texts(match, "hand", 0) == ["1", "5", "6", "7"]


def test_tu11_draw_instead_shows_that_a_card_could_be_played() -> None:
    match = table(
        "9 9 9 | 8 8 8 | 5 6 7",
        "9b 9b 9b | 8b 8b 8b | 2 3 10",
        draw="1 1 1 2 2 2 3 3",
        draw_instead=True,
    )
    push(match, "5", "draw")
    for world in determinizations(match, 0, 300):
        ranks = [world.deck[place] // 3 for place in unseen(world, 1)[:3]]
        assert max(ranks) >= 4


def test_tu11_reverse_ones_two_of_them_cancel() -> None:
    def play(move: str) -> int | None:
        return push(table(LOW, OTHER, THIRD, reverse_ones=True), move).turn

    assert play("1") == 2
    assert play("1x2") == 1
    assert play("1x3") == 2
    match = table(LOW, OTHER, THIRD)
    assert push(match, "1").turn == 1


def test_tu11_reverse_ones_a_3down_one_that_fails_does_not_reverse() -> None:
    match = table(
        "10 1 1 | 7 8 9 | 4 5 6",
        "10b 10b 10b | 9b 9b 9b | 2 2 2",
        "10g 10g 10g | 2g 2g 2g | 2b 2b 2b",
        reverse_ones=True,
    )
    for move in "456789":
        push(match, move, "take", "2")
    push(match, "down 2")
    assert "1" in texts(match, "hand", 0)
    assert fact(match, "direction") == "left"
    assert match.turn == 1


def won(**options: Any) -> Match:
    """Seat 0 has got rid of all; seat 1 holds 2, 3 and 10."""
    match = table(
        "10 clear+1 clear-b | clear clear clear | clear clear clear",
        "9b 9b 9b | 8b 8b 8b | 2 3 7",
        **options,
    )
    return push(match, "clearx3", "7", "clearx3", "3", "down 1", "take", "down 2", "down 3")


def test_tu11_games_points_for_cards_in_hand_only() -> None:
    match = won(games=1)
    assert ended(match).scores == (0, 2 + 3 + 10)
    assert ended(match).ranks == (1, 2)
    assert ended(match).reason == "points counted"
    assert match.game.rules.score(redouble.new("three-up", seats=2).state, []) == 0


def test_tu11_games_clears_count_15_20_and_25() -> None:
    match = push(table("1 1 1 | 9 9 9 | 10 1b 2", LOW_CLEARS, games=1, stall=1), "10", "take")
    assert ended(match).scores == (1 + 2, 0 + 10 + 3 + 4 + 5)
    match = table(LOW_CLEARS, "1 1 1 | 9 9 9 | clear clear+1 clear+2-g", games=1, stall=1)
    state = match.state
    rules._end_game(state)
    assert state.points[:2] == [3 + 4 + 5, 15 + 20 + 25]


def test_tu11_games_the_next_game_starts_one_seat_to_the_left() -> None:
    match = won(games=2)
    assert match.outcome is None
    assert "game 2 begins" in match.tell(1)
    assert match.turn == 1
    assert fact(match, "game") == 2
    assert [fact(match, "points", seat) for seat in (0, 1)] == [0, 15]
    assert size(match, "hand", 0) == size(match, "hand", 1) == 6
    assert size(match, "discard pile") == size(match, "cleared") == 0
    assert known(ended(play_on(match, Random(1))).scores)[1] >= 15


def test_tu11_swap_piles_at_random_a_player_may_get_their_own_back() -> None:
    seen: Counter[tuple[int, ...]] = Counter()
    for i in range(60):
        match = redouble.new("three-up", seats=3, seed=str(i), swap_piles=True)
        dealt = [texts(match, "3DOWN", seat) for seat in range(3)]
        chosen: dict[int | None, int] = {}
        while match.state.choosing:
            chosen[match.turn] = match.legal_moves.actions[0]
            match.push(match.legal_moves[0])
        state = match.state
        owners = tuple(state.pile_of[:3])
        seen[owners] += 1
        for seat in range(3):
            assert texts(match, "3DOWN", seat) == dealt[owners[seat]]
            action = chosen[owners[seat]]
            ups = [text.RANK_NAMES[actions.up_card(action, i)] for i in range(3)]
            assert texts(match, "3UP", seat) == ups
    assert len(seen) == 6


def test_tu11_pick_for_others_for_the_seat_to_the_left() -> None:
    match = table(
        "9 9 9 | 5 6 7 | 1 1 1",
        "9b 9b 9b | 5b 6b 8b | 2 3 4",
        "9g 9g 9g | 5g 6g 10g | 2 3 4",
        pick_for_others=True,
    )
    assert texts(match, "3UP", 1) == ["5", "6", "7"]
    assert texts(match, "3UP", 2) == ["5", "6", "8"]
    assert texts(match, "3UP", 0) == ["5", "6", "10"]
    assert texts(match, "hand", 0) == ["1", "1", "1"]


def colored(first: str, second: str, draw: str = "") -> Match:
    """Two hands with the option: seat 0 has blue 3UP, seat 1 green ones."""
    seats = f"9 9 9 | 8b 9b 10b | {first}", f"9g 9g 9g | 8g 9g 10g | {second}"
    return table(*seats, draw=draw, color_four=True)


def test_tu11_color_four_the_fourth_in_a_row_may_swap() -> None:
    match = push(colored("1r 4r 6r", "2r 5r 1b"), "1r", "2r", "4r")
    assert match.turn == 1
    push(match, "5r")  # the fourth red card
    assert match.turn == 1
    assert match.legal_moves == ["keep", "swap 1b 8g", "swap 1b 9g", "swap 1b 10g"]
    push(match, "swap 1b 9g")
    assert texts(match, "3UP", 1) == ["1b", "8g", "10g"]
    assert texts(match, "hand", 1) == ["9g"]
    assert texts(match, "hand", 1, 0) == ["9g"]
    assert match.turn == 0


def test_tu11_color_four_keep_and_before_drawing() -> None:
    match = push(colored("1r 1b 4r", "2r 5r 1b", draw="7g 7b 7g 7b 8r"), "1r", "2r", "4r", "5r")
    assert texts(match, "hand", 1) == ["1b", "7b"]
    push(match, "keep")
    assert texts(match, "hand", 1) == ["1b", "7b", "7b"]
    assert match.turn == 0


def test_tu11_color_four_is_not_asked_at_the_fifth_in_a_row() -> None:
    match = colored("1r 4r 6r", "2r 5r 1b", draw="7g 7b 7g 7b 8r")
    assert push(match, "1r", "2r", "4r", "5r", "keep", "6r").turn == 1
    assert "keep" not in match.legal_moves


def test_tu11_color_four_cards_are_laid_in_color_order() -> None:
    match = push(colored("1r 2r 6g", "1r 3r 3b"), "1r", "1r", "2r")
    assert match.legal_moves == ["3b", "3r", "3rb"]
    push(match, "3rb")  # red first: the fourth red card, then a blue one
    assert match.outcome is None
    assert match.turn == 0  # not asked: no card is left in the hand


def test_tu11_color_four_is_not_asked_when_the_pile_is_cleared() -> None:
    match = push(colored("1r 3r 6g", "2r 3r 3b"), "1r", "2r", "3r", "3rb")
    assert size(match, "cleared") == 5
    assert match.turn == 0


def test_tu11_color_four_clears_are_not_counted() -> None:
    match = push(colored("1r 3r clear", "2r 4r 3b"), "1r", "2r", "clear-r", "4r")
    assert match.turn == 0
    assert not match.state.asking


def test_tu12_without_play_on_all_others_are_second() -> None:
    assert ended(push(three(), "down 3")).ranks == (1, 2, 2)


def test_tu12_with_points_the_lowest_total_is_first_and_ties_share() -> None:
    state = redouble.new("three-up", seats=4, games=1).state
    state.points[:4] = [30, 5, 30, 60]
    out = [0] * 4
    rules.rank(state, out)
    assert out == [2, 1, 2, 4]


def test_tu13_fifty_moves_a_seat_without_progress_are_a_stalemate() -> None:
    match = table(*SLOW, stall=2)
    push(match, "5", "7", "take", "1")  # four moves, no card drawn, nothing cleared
    assert ended(match).reason == "stalemate"
    assert "stalemate" in match.tell()
    assert ended(match).ranks == (2, 1)  # 10 cards left and 7
    assert push(table(*SLOW, draw="1b", stall=2), "5", "7", "take", "1").outcome is None
    assert push(table(*SLOW, stall=0), "5", "7", "take", "1").outcome is None


def test_tu13_a_clearing_starts_the_count_again() -> None:
    match = table("2 2 2 | 9 9 9 | 5 clear 6", "1 1b 1b | 9b 9b 9b | 1 2 7", stall=2)
    assert push(match, "5", "7", "clear", "1", "6", "take").outcome is None
    assert push(match, "9").outcome is not None


def test_tu13_equal_cards_share_and_points_count_as_usual() -> None:
    match = push(table(*SLOW, stall=1), "5", "7")
    assert ended(match).ranks == (1, 1)
    match = push(table(*SLOW, stall=1, games=1), "5", "7")
    assert ended(match).scores == (11, 3)
    assert ended(match).ranks == (2, 1)


def test_tu14_copies_are_played_in_color_order() -> None:
    match = push(table("9 9 9 | 8 8 8 | 7g 7b 7r", OTHER), "7x2")
    assert [c.color for c in match.view().zones[1].cards if c.up] == ["red", "blue"]
    assert [c.color for c in zone(match, "hand", 0).cards if c.up] == ["green"]


def test_tu14_a_green_card_shows_that_the_hand_had_no_red_or_blue_one() -> None:
    match = push(table("9 9 9 | 8 8 8 | 7g 1 2", OTHER, draw="7 7b 7 7b 7 7b 7 7b 3"), "7")
    for world in determinizations(match, 1, 300):
        old = [p for p in unseen(world, 0) if p < 18]
        assert not {world.deck[place] for place in old} & {18, 19}
    drawn = [world.deck[unseen(world, 0)[-1]] for world in determinizations(match, 1, 300)]
    assert 18 in drawn  # a card drawn afterwards may be red


def test_tu15_a_deck_has_at_most_six_equal_clears_and_four_of_any_other_card() -> None:
    with pytest.raises(DeckError, match="more than 4 of 7r"):
        redouble.new("three-up", seats=2, cards=["7r x5", "8r x4", "clear-r x6", "2b x4"])
    with pytest.raises(DeckError, match="more than 6 of clear-b"):
        redouble.new("three-up", seats=2, cards=["clear-b x7", "8r x4", "9r x4", "2b x4"])
    with pytest.raises(DeckError, match="at most 84"):
        redouble.new("three-up", seats=2, cards=["7r x85"])


def test_tu16_hands_are_shown_when_points_are_counted() -> None:
    match = table("10 10 10 | 9 9 9 | 5 5b 6", "9b 9b 9b | 8b 8b 8b | 2 3 7", games=1, stall=1)
    push(match, "5")
    assert texts(match, "hand", 1, 0) == ["?", "?", "?"]
    push(match, "7")
    assert texts(match, "hand", 1, 0) == ["2", "3"]
    assert texts(match, "hand", 0, SPECTATOR) == ["5", "6"]


def test_tu16_hands_are_also_shown_between_games() -> None:
    match = won(games=2)
    for seat in (SPECTATOR, 0, 1):
        assert match.tell(seat) == (
            "turns up the third 3DOWN, a clear; points: {0} 0, {1} 15; game 2 begins"
        )
        facts = {f.seat: f.value for f in match.view(seat).facts if f.name == "last game"}
        assert facts == {0: "no points: out of cards", 1: "15 points for 2 3 10"}
    while match.state.choosing:
        assert fact(match, "last game", 1)
        match.push(match.legal_moves[0])
    assert fact(match, "last game", 1) is None


def test_tu16_the_points_announced_are_those_of_the_game_that_ended() -> None:
    match = table("10 10 10 | 9 9 9 | 5 5b 6", "9b 9b 9b | 8b 8b 8b | 2 3 7", games=2, stall=1)
    push(match, "6")
    before = match.state
    before.points[0] = 100
    after = before.copy()
    action = known(match.legal_moves.action("7"))
    rules.play(after, action)
    text = match.game.text
    assert text.tell(before, after, action) == "plays a 7; points: {0} 10, {1} 5; game 2 begins"
    shown = {f.seat: f.value for f in text.show(after, None).facts if f.name == "last game"}
    assert shown == {0: "10 points for 5 5", 1: "5 points for 2 3"}


def test_tu16_a_3down_card_that_fails_as_the_last_of_a_game_is_shown() -> None:
    before = endgame("2", "3", "10").state
    before.games, before.stall = 2, 1
    before.top, before.pile_n, before.quiet = 4, 1, 1
    before.pile[12] = 1
    after = before.copy()
    rules.play(after, actions.DOWN + 1)
    assert after.game == 2
    for seat in (SPECTATOR, 0, 1):
        seen = [before.copy(), after.copy()]
        for state in seen:
            rules.redact(state, seat)
        said = text.tell(seen[0], seen[1], actions.DOWN + 1)
        assert said.startswith("turns up the second 3DOWN, a 3, which can't be played; points: ")


def test_tu17_with_a_hundred_cards_a_seat_has_to_play() -> None:
    match = redouble.new("three-up", seats=2, decks=2, draw_instead=True)
    while match.state.choosing:
        match.push(match.legal_moves[0])
    out = [0] * (rules.MAX_LEGAL + 1)
    for cards_held in (99, 100):
        state = match.state
        state.size[state.turn] = cards_held
        assert (actions.DRAW in out[: rules.legal(state, out)]) == (cards_held == 99)


def test_tu18_points_and_places_exclude_each_other() -> None:
    with pytest.raises(OptionError, match="games and play-on exclude each other"):
        redouble.new("three-up", seats=3, games=2, play_on=True)


def test_tu19_the_choice_of_the_3up_follows_color_order() -> None:
    match = push(table("9 9 9 | 7g 7b 7r | 1 1 1", OTHER, choose=False), "up 1 7 7", "up 2 3 4")
    assert [c.color for c in zone(match, "3UP", 0).cards if c.up] == ["red", "red", "blue"]


def test_tu19_a_play_shows_that_no_unseen_card_held_for_longer_equals_it() -> None:
    match = push(table("9 9 9 | 8 8 8 | 1 7 7", OTHER, draw="7 2 3"), "7")
    first, second, drawn = unseen(match.state, 0)
    assert match.state.came[0] < second, "the one held longest"
    worlds = list(determinizations(match, 1, 300))
    assert 18 not in {world.deck[first] for world in worlds}
    assert all(18 in {world.deck[place] for world in worlds} for place in (second, drawn))


def test_tu20_every_move_counts_for_the_stalemate_for_all_seats_at_the_table() -> None:
    match = table(
        "3 3 3 | 9 9 9 | 5 5b 6",
        "1 1b 1b | 9b 9b 9b | 1 2 7",
        "1g 1g 1g | 9g 9g 9g | 1 2 8",
        stall=1,
    )
    assert match.state.quiet == 0
    assert push(match, "5", "7").outcome is None
    assert push(match, "8").outcome is not None


def test_tu21_with_stall_off_only_12000_moves_without_progress_end_a_game() -> None:
    match = table(*SLOW, stall=0)
    match = push(match, "5", "7", "take")
    state = match.state
    state.quiet = rules.MAX_QUIET - 1
    assert fact_of(state, "stall") == 1
    rules.play(state, GAME.text.parse(state, "1"))
    assert state.reason == rules.STALEMATE
    assert fact(match, "stall") is None


def fact_of(state: Any, kind: str) -> Any:
    return next((one.value for one in text.show(state, None).facts if one.kind == kind), None)


def test_the_last_of_several_games_says_that_it_was_a_stalemate() -> None:
    match = push(table(*SLOW, stall=1, games=1), "5", "7")
    assert "; stalemate; points: " in match.tell()
    ending = known(match.ending())
    assert ending.decided.endswith("The last was a stalemate, by our own rule.")
    counted = match.moments()[-1]
    assert counted.title == "Game 1 of 1 ends as a stalemate, our own house rule"


def test_the_prompt_says_that_drawing_ends_the_turn() -> None:
    match = table(LOW, OTHER, draw="5 6 7 8", draw_instead=True)
    assert match.view(0).prompt == (
        "Play from your hand: any card on the empty pile. Or draw a card, which ends the turn."
    )
    match = table("9 9 9 | 8 8 8 | clear+1 1 5", OTHER, draw="6 7 1 2", draw_instead=True)
    assert push(match, "clear+1").describe("draw") == "Draw up to three cards"
    assert push(match, "draw").describe("draw") == "Draw a card"
    assert match.view(0).prompt.endswith("Or draw a card, which ends the extra turn.")


def test_moves_of_color_four_read_back() -> None:
    state = redouble.new("three-up", seats=2).state
    dice = Random(3)
    for action in [*range(actions.COLORED + 1), *dice.sample(range(rules.ACTIONS), 3000)]:
        name = text.name(state, action)
        back = text.parse(state, name)
        empty = action >= actions.COLORED and name in (*text.RANK_NAMES, *map("{}-".format, "c"))
        assert back == action or name.endswith("-") or empty


def test_the_prompt_says_that_nothing_held_can_be_played() -> None:
    match = table("9 9 9 | 8 8 8 | 10 1 1", "9b 9b 9b | 2b 9b clear | 2 6 8")
    assert match.view(0).prompt == "Play from your hand: any card on the empty pile."
    assert push(match, "10").view(1).prompt == "Nothing you hold is 10 or higher: take the pile."
    for eyes in (0, SPECTATOR):  # who don't see the hand
        assert match.view(eyes).prompt == "Play from your hand: 10 or higher."


def test_the_prompt_says_that_none_of_the_3up_can_be_played() -> None:
    match = table("9 9 9 | 2 3 clear | 5 5 1", "9b 9b 9b | 8b 8b 8b | 2 3 7")
    assert push(match, "1", "2", "5x2", "7").view(0).prompt == "Play from your 3UP: 7 or higher."
    match = table("9 9 9 | 2 3 4 | 5 5 1", "9b 9b 9b | 8b 8b 8b | 2 3 7")
    push(match, "1", "2", "5x2", "7")
    assert match.view(0).prompt == "None of your 3UP is 7 or higher: take the pile."


FIRST_THE_HAND = "Play your hand before your 3UP."


def test_dimmed_cards_below_the_pile_and_the_3up_while_there_is_a_hand() -> None:
    match = push(table("9 9 9 | 8 8 8 | 7 1 1", "9b 9b 9b | 8b 9b 10b | 2 6 8"), "7")
    assert match.legal_moves == ["8"]  # of the hand; the 8 of the 3UP has the same text
    low = "You need 7 or higher."
    reasons = {"2": low, "6": low, "9": FIRST_THE_HAND, "10": FIRST_THE_HAND}
    assert match.view(1).dimmed == match.view().dimmed == reasons
    assert match.view(0).dimmed == match.view(SPECTATOR).dimmed == {}


# What a seat can know, and no more: `determinize` against exhaustive enumeration.


def unseen(state: Any, seat: int) -> list[int]:
    """Places of the cards of a hand that all but its seat have not seen, in order of coming."""
    start = state.hand_at[seat]
    return sorted(state.hand[start : start + state.hand_n[seat]])


def determinizations(match: Match, seat: int, n: int) -> Iterator[Any]:
    for i in range(n):
        world = match.seen_by(seat)
        rules.determinize(world, seed_words(f"{i}"), [0] * WORK)
        yield world


@pytest.mark.thorough
@pytest.mark.laws
def test_determinize_is_uniform_after_a_take() -> None:
    match = table("1 1b 8 | 9 9 9 | 6 6b 7", "1b 1 8 | 9b 9b 9b | 1 1b 1b", draw="2 1")
    push(match, "6", "take")
    worlds = len(check_uniform(history_of(match), 0, 15_000))
    # Of ten unseen cards, two of them 8, three of the hand are no 8.
    assert worlds == 7 * 6 // 2 * 70


@pytest.mark.thorough
def test_determinize_is_uniform_after_a_play_in_color_order() -> None:
    match = table("7r 1 1 | 9 9 9 | 2 2b 3", "7b 1 1b | 9b 9b 9b | 7g 1b 1b", draw="4 1b")
    push(match, "2", "7")
    # The two cards left of the hand are neither 7r nor 7b, the one drawn later may be.
    assert len(check_uniform(history_of(match), 0, 15_000)) == 7 * 6 * 35


def test_determinize_is_uniform_after_a_3down_card_failed() -> None:
    match = table("2 3 10 | 7 8 9 | 4 5 6", "3 2 10 | 9b 9b 9b | 1 1 1")
    push(match, "4", "take", "5", "take", "6", "take", "7", "take", "8", "take", "9", "take")
    push(match, "down 3", "take", "down 1", "5", "down 2")
    # Unseen: 2, 3, 3 and a 10; the card that failed on a 5 is not the 10.
    assert len(check_uniform(history_of(match), 1)) == 12 - 3


@pytest.mark.thorough
def test_determinize_is_uniform_after_3up_were_chosen_by_color() -> None:
    match = table("7b 1 1 | 9 9 9 | 2 2b 3", "1 1b 1b | 7r 9b 9b | 1b 1b 7g")
    # Of the hand that put up a red 7 all can be; had it put up a green one, no red or blue 7.
    assert len(check_uniform(history_of(match), 0, 15_000)) == 9 * 8 * 35
    match = table("7b 1 1 | 9 9 9 | 2 2b 3", "1 1b 1b | 7g 9b 9b | 1b 1b 7g")
    assert len(check_uniform(history_of(match), 0, 15_000)) == (6 * 8 + 0) * 35


@pytest.mark.thorough
@pytest.mark.parametrize("number", [9, 16, 22, 26])
def test_determinize_is_uniform_after_drawing_instead_of_playing(number: int) -> None:
    """Random games in which seats often draw instead, at the first plies with few worlds."""
    dice = Random(f"needs {number}")
    base = dice.choice(["1r", "3b"])
    others = dice.sample(["2r", "5r", "5b", "7g", "8b", "10r", "4g"], 3)
    file = [f"{base} x4"] + [f"{other} x3" for other in others]
    colored = dice.random() < 0.4
    given = {"cards": file, "decks": 2, "stall": 0, "draw_instead": True, "color_four": colored}
    options = GAME.check_options(2, given)
    box = [text.CARDS[kind] for kind in text.box(2, options)]
    # Draw pile and 3DOWN are mostly of one kind, so that there are few arrangements.
    rest = [card for card in box if card != base]
    dice.shuffle(rest)
    back = [base] * 8 + rest[12 : 12 + dice.choice((1, 2))]
    rest = box[:]
    for card in back:
        rest.remove(card)
    dice.shuffle(back)
    dice.shuffle(rest)
    deck = back[:6] + rest[:12] + back[6:] + rest[12:]

    def often_draw(state: Any, legal: list[int]) -> int:
        if actions.DRAW in legal and dice.random() < 0.5:
            return actions.DRAW
        return dice.choice(legal)

    header = GAME.header(2, options, f"{number}", deck)
    history = play_history(GAME, header, often_draw, 60)
    for ply in range(2, len(history.states)):
        for seat in (0, 1):
            seen: Any = history.states[ply].copy()
            rules.redact(seen, seat)
            if any(seen.need[1 - seat]):
                now = cut(history, ply)
                all_worlds = number_of_arrangements(now, seat)
                if all_worlds <= 2500:
                    assert len(check_uniform(now, seat)) < all_worlds
                    return
    pytest.fail("no position was found")


@pytest.mark.parametrize("number", range(18))
def test_determinize_is_uniform_in_games_with_few_kinds(number: int) -> None:
    """Random games with a small deck and random options, at a late ply with few worlds."""
    dice = Random(f"few kinds {number}")
    seats = dice.choice((2, 2, 3))
    names = ("draw_instead", "color_four", "pick_for_others", "swap_piles", "reverse_ones")
    options: dict[str, Any] = {name: dice.random() < 0.4 for name in names}
    ranks = dice.sample(range(10), 3)
    kinds = [3 * rank + color for rank in ranks for color in dice.sample(range(3), 2)]
    size = 9 * seats + dice.choice((0, 3, 6))
    counts = Counter(dice.choice(kinds) for _ in range(size))
    file = [f"{text.CARDS[k]} x{min(n, 4)}" for k, n in sorted(counts.items())]
    file += [f"clear+1-{c} x4" for c in "rbg"[: 2 + (size > 20)]]
    checked = GAME.check_options(seats, {"cards": file, "stall": 0, **options})
    deck = GAME.header(seats, checked, "x")
    order = [text.CARDS[kind] for kind in deck.deck[: deck.deck_n]]
    dice.shuffle(order)
    header = GAME.header(seats, checked, f"{number}", order)
    history = play_history(GAME, header, lambda s, legal: dice.choice(legal), 120)
    seat = dice.randint(-1, seats - 1)
    for ply in range(seats, len(history.states)):
        seen: Any = history.states[ply].copy()
        rules.redact(seen, seat)
        knowledge = any(any(row) for row in seen.never[:seats]) or any(map(any, seen.need))
        if knowledge and number_of_arrangements(now := cut(history, ply), seat) <= 400:
            check_uniform(now, seat, 10_000)
            return
