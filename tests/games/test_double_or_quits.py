"""Double or Quits, paragraph by paragraph: the rule text and DQ1-DQ7.

Decks are stacked with ``deck=``: the foundation is dealt first, then cells 1 to 7, then the stock.
"""

from collections import Counter
from typing import Any

import pytest

import redouble
from redouble import Match
from redouble.kernel.state import SPECTATOR
from tests.helpers.tables import ended, fact, push, texts, zone
from tests.helpers.uniform import check_uniform, history_of

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SEQUENCE = ["A", "2", "4", "8", "3", "6", "Q", "J", "9", "5", "10", "7"]


def spread(ranks: str) -> list[str]:
    """Cards of these ranks, suits as they come."""
    seen: Counter[str] = Counter()
    cards = []
    for rank in ranks.split():
        if rank[-1] in "SHDC" and rank[:-1] in RANKS:
            cards.append(rank)
            continue
        cards.append(rank + "SHDC"[seen[rank]])
        seen[rank] += 1
    return cards


def stacked(ranks: str, last: str = "", **options: Any) -> Match:
    """A match in which these ranks are dealt first and the ``last`` ones lie lowest."""
    first = spread(f"{ranks} {last}")
    rest = [rank + suit for rank in RANKS for suit in "SHDC" if rank + suit not in first]
    n = len(ranks.split())
    return redouble.new("double-or-quits", deck=first[:n] + rest + first[n:], **options)


def play(match: Match, moves: str) -> Match:
    return push(match, *moves.split(", "))


def ranks(match: Match, name: str) -> list[str]:
    return [text[:-1] for text in texts(match, name)]


def cells(match: Match) -> str:
    return " ".join(ranks(match, f"cell {cell}")[0] for cell in range(1, 8))


def moves(match: Match) -> list[str]:
    return list(match.legal_moves)


# An order in which every card comes when it is needed, from the cells, the stock feeding them.
PERFECT = " ".join(SEQUENCE * 4)
# A start on which nothing can be played: A on the foundation, no 2 and no 4 in the cells, and
# all 4s before all 2s in the stock.
STUCK = "A 3 3 3 3 5 5 5 4 4 4 4"


def stuck(**options: Any) -> Match:
    return stacked(STUCK, last="2 2 2 2", **options)


def random_end(seed: str, index: int, **options: Any) -> Match:
    """A game in which always the first (0) or the last (-1) legal move is made."""
    match = redouble.new("double-or-quits", seed=seed, **options)
    while match.turn is not None:
        match.push(match.legal_moves[len(match.legal_moves) - 1 if index else 0])
    return match


def test_text_players_and_supplies_one_player_one_deck() -> None:
    match = redouble.new("double-or-quits", seed="supplies")
    assert match.seats == 1
    assert len(match.game.text.CARDS) == 52
    with pytest.raises(redouble.SeatsError, match="for 1 player, not"):
        redouble.new("double-or-quits", seats=2)


def test_text_setup_one_card_to_the_foundation_seven_to_the_cells_the_rest_is_stock() -> None:
    match = stacked("9 A 2 3 4 J 6 7 8")
    assert texts(match, "foundation") == ["9S"]
    for cell, card in enumerate(spread("A 2 3 4 J 6 7"), 1):
        assert texts(match, f"cell {cell}") == [card]
    assert zone(match, "waste").size == 0
    assert zone(match, "stock").size == 44
    assert texts(match, "stock") == ["?"]
    assert play(match, "flip").tell() == "flips 8♠"


def test_text_setup_a_king_dealt_goes_under_the_stock_and_is_replaced() -> None:
    match = stacked("9 A K 3 4 5 6 7 8")
    assert ranks(match, "cell 2") == ["3"]
    assert ranks(match, "cell 7") == ["8"]
    assert zone(match, "stock").size == 44
    assert fact(match, "bottom of the stock") == "KS"


def test_text_setup_a_king_is_never_the_first_card_of_the_foundation() -> None:
    match = stacked("K 9 A 2 3 4 5 6 7 8")
    assert ranks(match, "foundation") == ["9"]
    assert ranks(match, "cell 1") == ["A"]


@pytest.mark.parametrize(
    ("rank", "double"), list(zip(SEQUENCE, SEQUENCE[1:] + SEQUENCE[:1], strict=True))
)
def test_text_card_values_and_dq1_each_rank_is_followed_by_its_double(
    rank: str, double: str
) -> None:
    others = [other for other in SEQUENCE if other not in (rank, double)]
    match = stacked(" ".join([rank, *others[:6], double]))
    assert fact(match, "needed") == double
    assert moves(match) == ["cell 7"]
    assert ranks(play(match, "cell 7"), "foundation") == [double]


def test_text_example_the_sequence_repeats_after_the_7() -> None:
    match = stacked("5 10 7 A 2 4 8 3")
    assert fact(match, "then") == "7 A 2"
    play(match, "cell 1, cell 2, cell 3, cell 4, cell 5, cell 6, cell 7")
    assert ranks(match, "foundation") == ["3"]


def test_text_suits_do_not_matter() -> None:
    assert moves(stacked("AS 2H 2C 3S 5S 5H 5D 7S")) == ["cell 1", "cell 2"]


def test_text_the_top_of_the_waste_and_every_cell_can_be_played() -> None:
    match = play(stacked("A 3 5 5 5 5 7 9 2 4"), "flip")
    assert moves(match) == ["waste"]
    play(match, "waste")
    assert ranks(match, "foundation") == ["2"]
    assert zone(match, "foundation").size == 2
    assert zone(match, "waste").size == 0


def test_text_only_the_top_of_the_waste_can_be_played() -> None:
    match = play(stacked("A 3 5 5 5 5 7 9 4 2"), "flip, flip, waste")
    assert moves(match) == ["waste"]  # the 4 lies free again


def test_text_an_emptied_cell_is_filled_from_the_waste_before_the_stock() -> None:
    match = play(stacked("A 3 4 5 5 5 7 9 J 10 2 8"), "flip, flip, flip, waste")
    assert ranks(match, "waste") == ["J", "10"]
    play(match, "cell 2")
    assert ranks(match, "cell 2") == ["10"]
    assert ranks(match, "waste") == ["J"]
    assert zone(match, "stock").size == 41
    assert match.tell() == "plays 4♠ from cell 2; 10♠ fills it"


def test_text_an_emptied_cell_is_filled_from_the_stock_when_the_waste_is_empty() -> None:
    match = play(stacked("A 2 5 5 5 7 7 9 J 10"), "cell 1")
    assert ranks(match, "cell 1") == ["J"]
    assert zone(match, "stock").size == 43


def test_text_a_king_that_enters_a_cell_blocks_it() -> None:
    match = play(stacked("A 2 5 5 5 7 7 9 K 4"), "cell 1")
    assert ranks(match, "cell 1") == ["K"]
    assert match.tell() == "plays 2♠ from cell 1; K♠ blocks it for good"
    while match.turn is not None:
        assert "cell 1" not in moves(match)
        match.push(match.legal_moves[0])
    assert ranks(match, "cell 1") == ["K"]


def test_text_flip_when_nothing_can_be_played() -> None:
    match = stuck()
    assert moves(match) == ["flip"]
    play(match, "flip")
    assert ranks(match, "waste") == ["4"]
    assert zone(match, "stock").size == 43


def test_text_to_win_all_cards_but_the_kings_are_on_the_foundation() -> None:
    match = stacked(PERFECT, last="K K K K")
    while match.turn is not None:
        match.push(match.legal_moves[0])
    assert match.ply == 47
    assert match.outcome == redouble.Outcome((1,), (48,), (True,), "foundation complete")
    assert match.tell().endswith("the foundation is complete")


def test_text_lost_when_no_move_is_left() -> None:
    match = stuck(redeals=0)
    while match.turn is not None:
        match.push(match.legal_moves[0])
    # The first 2 is played when it is flipped; the 4s lie buried under everything.
    assert match.outcome == redouble.Outcome((1,), (2,), (False,), "no more moves")
    assert match.tell() == "flips 2♣: no more moves, with 2 cards on the foundation"


def test_g1_the_only_seat_ranks_first_won_or_lost_and_has_a_score() -> None:
    reasons = set()
    for seed in map(str, range(12)):
        match = random_end(seed, 0)
        assert ended(match).ranks == (1,)
        assert ended(match).scores == (zone(match, "foundation").size,)
        assert ended(match).won[0] == (ended(match).scores == (48,))
        reasons.add(ended(match).reason)
    assert reasons == {"foundation complete", "no more moves"}


def test_dq1_kings_are_never_played() -> None:
    match = stuck()
    while match.turn is not None:
        top = ranks(match, "waste")[-1:]
        if top == ["K"]:
            assert "waste" not in moves(match)
        match.push(match.legal_moves[0])
        assert ranks(match, "foundation") != ["K"]


def test_dq2_of_several_kings_the_last_lies_lowest() -> None:
    match = stacked("KH A KS KD 3 5 6 KC 7 9 10 J")
    assert ranks(match, "foundation") == ["A"]
    assert cells(match) == "3 5 6 7 9 10 J"
    assert fact(match, "bottom of the stock") == "KH KS KD KC"
    flipped = []
    while zone(match, "stock").size:
        match.push(match.legal_moves[0])
        if match.moves[-1] == "flip":
            flipped.append(texts(match, "waste")[-1])
    assert flipped[-1] == "KC"


def test_dq2_the_kings_under_the_stock_are_known_from_the_start() -> None:
    match = stacked("A KS KD 3 5 6 7 9 10 J")
    seen = match.seen_by(0)
    bottom = [match.game.text.CARDS[seen.deck[place]] for place in seen.line[42:44]]
    assert bottom == ["KS", "KD"]
    assert all(seen.deck[place] == -1 for place in seen.line[:42])


def test_dq3_a_cell_stays_empty_when_waste_and_stock_are_empty() -> None:
    match = stacked(PERFECT, last="K K K K")
    while zone(match, "stock").size:
        match.push(match.legal_moves[0])
    cell = moves(match)[0]
    play(match, cell)
    assert zone(match, cell).size == 0
    assert match.tell().endswith("nothing is left to fill it")


def test_dq4_free_flip_allows_flip_at_any_time() -> None:
    match = stacked("A 2 5 5 5 7 7 9 K J", free_flip=True)
    assert moves(match) == ["cell 1", "flip"]
    play(match, "flip, flip, cell 1")
    assert ranks(match, "cell 1") == ["J"]
    assert ranks(match, "waste") == ["K"]


def test_dq5_a_redeal_turns_the_waste_over_without_shuffling() -> None:
    match = stuck(redeals=1)
    flipped = []
    while zone(match, "stock").size:
        match.push(match.legal_moves[0])
        if match.moves[-1] == "flip":
            flipped.append(texts(match, "waste")[-1])
    assert flipped[-4:] == ["2S", "2H", "2D", "2C"]
    assert ranks(match, "foundation") == ["2"]
    assert play(match, "redeal").tell() == "redeals; no redeals left"
    assert zone(match, "waste").size == 0
    flipped.remove("2S")  # the one that was played
    assert fact(match, "stock from the top") == " ".join(flipped)
    play(match, "flip")
    assert texts(match, "waste") == ["4S"]


def test_dq5_redeal_only_when_the_stock_is_empty_and_the_waste_is_not() -> None:
    match = redouble.new("double-or-quits", seed="redeal", free_flip=True)
    while match.turn is not None:
        possible = zone(match, "stock").size == 0 and zone(match, "waste").size > 0
        left = fact(match, "redeals left") > 0
        assert ("redeal" in moves(match)) == (possible and left)
        match.push(match.legal_moves[len(match.legal_moves) - 1])


@pytest.mark.parametrize("redeals", [-1, 10, "two", True])
def test_dq5_option_redeals_refuses_nonsense(redeals: object) -> None:
    with pytest.raises(redouble.OptionError, match="0 to 9"):
        redouble.new("double-or-quits", redeals=redeals)


def test_dq6_the_first_card_counts_and_the_game_ends_immediately() -> None:
    match = stacked(PERFECT, last="K K K K", free_flip=True)
    while zone(match, "foundation").size < 47:
        assert match.outcome is None
        match.push(match.legal_moves[0])
    match.push(match.legal_moves[0])
    assert match.turn is None
    assert not match.legal_moves
    assert zone(match, "foundation").size == 48


def test_dq7_the_stock_is_unknown_until_it_was_turned_up_once() -> None:
    match = redouble.new("double-or-quits", seed="known", free_flip=True)
    while match.moves.count("redeal") == 0:
        for seat in (0, SPECTATOR):
            seen = match.seen_by(seat)
            unknown = sum(card < 0 for card in seen.deck)
            assert unknown == max(zone(match, "stock").size - seen.kings, 0)
        assert fact(match, "stock from the top") is None
        match.push(match.legal_moves[len(match.legal_moves) - 1])
    while match.turn is not None:
        assert min(match.seen_by(0).deck) >= 0
        match.push(match.legal_moves[0])


def test_dq7_determinize_lays_the_unseen_stock_in_every_order_equally_often() -> None:
    match = stacked("A K K 3 3 3 3 5 5 5 4 4 4 4", last="8S 9S 10S JS")
    while zone(match, "stock").size > 6:
        match.push(match.legal_moves[0])
    assert len(check_uniform(history_of(match), 0)) == 24


def test_rulebook_without_free_flip_no_choice_changes_the_result() -> None:
    for seed in map(str, range(60)):
        first, last = random_end(seed, 0), random_end(seed, -1)
        assert first.outcome == last.outcome


def test_rulebook_example_a_king_kept_out_of_a_cell() -> None:
    match = play(stacked("A 2 5 5 6 7 7 9 10 K J", free_flip=True), "flip, flip")
    assert ranks(match, "waste") == ["10", "K"]
    play(match, "flip, cell 1")
    assert ranks(match, "cell 1") == ["J"]
    assert ranks(match, "waste") == ["10", "K"]


def test_rulebook_example_of_successive_doubles() -> None:
    match = stacked("J 9 5 5 10 K 3 6 7 A")
    assert cells(match) == "9 5 5 10 3 6 7"
    assert moves(match) == ["cell 1"]
    play(match, "cell 1")
    assert ranks(match, "cell 1") == ["A"]
    assert moves(match) == ["cell 2", "cell 3"]


def test_dimmed_cells_and_waste_that_cannot_go_on_the_foundation() -> None:
    match = play(stacked("J 9 5 5 10 3 6 7 A K A"), "cell 1")
    reasons = match.view(0).dimmed
    assert reasons == {
        "AS": "A 5 is needed, not an A.",
        "10S": "A 5 is needed, not a 10.",
        "3S": "A 5 is needed, not a 3.",
        "6S": "A 5 is needed, not a 6.",
        "7S": "A 5 is needed, not a 7.",
    }
    assert match.view().dimmed == reasons
    assert match.view(SPECTATOR).dimmed == {}


def test_dimmed_cards_under_the_top_of_the_waste() -> None:
    match = play(stacked("A 3 5 5 5 5 7 9 4 2"), "flip, flip")
    assert match.view(0).dimmed["4S"] == "A 2 is needed, not a 4."
    assert "2S" not in match.view(0).dimmed
    match.push("waste")
    assert "4S" not in match.view(0).dimmed
    match = play(stacked("A 2 5 5 5 5 7 9 2 4", free_flip=True), "flip, flip")
    assert match.view(0).dimmed["2H"] == "Only the top card of the waste can be played."
    assert "2S" not in match.view(0).dimmed
