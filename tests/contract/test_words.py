"""Moves in words: what people read for a move that could be made, in every game."""

import re
from random import Random

import pytest

import redouble
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.games.double_dominoes import text as dominoes_text
from redouble.match.match import Match

NOTATION = re.compile(r"\b\d+x\d+|\b[RBG]\d+\b|\b[rbg]{2,}\b|\d-?[rbg]\b")
"""Plays such as 4x3 and 7-rb, and cards such as R7."""


def described(game: str, seats: int, seed: str, plies: int, **options: object) -> dict[str, str]:
    """The legal moves after some random moves, by their texts, in words."""
    match = Match(GAMES[game], seats, seed, options)
    dice = Random(seed)
    while match.ply < plies:
        match.push(dice.choice(list(match.legal_moves)))
    return {move: match.describe(move) for move in match.legal_moves}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_no_notation_is_read(game: Game) -> None:
    dice = Random(game.name)
    for seed in range(3):
        match = Match(game, game.usual_seats, f"words {seed}")
        while match.turn is not None and match.ply < 80:
            moves = list(match.legal_moves)
            for move in dice.sample(moves, min(len(moves), 10)):
                words = match.describe(move)
                assert not NOTATION.search(words), f"{move}: {words}"
            match.push(dice.choice(moves))
            assert not NOTATION.search(match.tell()), match.tell()


def test_double_decker_names_colors_and_passes() -> None:
    match = Match(GAMES["double-decker"], 4, "colors")
    first = match.legal_moves[0]
    color = {"R": "red", "B": "blue", "G": "green"}[first[0]]
    assert match.describe(first) == f"Play the {color} {first[1:]}"
    while not any(match.describe(move).startswith("Pass with the ") for move in match.legal_moves):
        match.push(match.legal_moves[-1])
    lying = {
        word
        for fact in match.view().facts_of(None)
        if fact.name == "in the trick"
        for word in str(fact.value).split()
    }
    for move in match.legal_moves:
        words = match.describe(move)
        assert words.startswith("Pass") == (words.split()[-2] not in lying)


def test_double_or_quits_names_the_card_and_where_it_lies() -> None:
    match = redouble.new("double-or-quits", seed="friday", free_flip=True)
    assert match.describe("flip") == "Flip a card"
    while not any(move.startswith("cell") for move in match.legal_moves):
        match.push(match.legal_moves[0])
    move = next(move for move in match.legal_moves if move.startswith("cell"))
    (card,) = next(zone for zone in match.view().zones if zone.name == move).cards
    assert card is not None
    shown = card.text[:-1] + {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[card.text[-1]]
    assert match.describe(move) == f"Play {shown} from {move}"


def test_three_up_counts_cards() -> None:
    at_first = described("three-up", 3, "count", 0)
    for move, words in at_first.items():
        *first, last = move.split()[1:]
        assert words == f"Choose {', '.join(first)} and {last} as your 3UP"
    state = Match(GAMES["three-up"], 3, "count").state
    state.choosing = 0
    text = GAMES["three-up"].text
    for move, words in {
        "4x3": "Play three 4s",
        "8": "Play the 8",
        "clearx2": "Play two clears",
        "clear+1x2": "Play two clear+1 cards",
        "7-r": "Play the red 7",
        "4-rrb": "Play two red 4s and one blue 4",
        "down 2": "Turn up your second 3DOWN",
        "take": "Take the pile",
        "draw": "Draw a card",
        "keep": "Keep your cards",
        "swap 4r 9b": "Swap the red 4 for the blue 9 of your 3UP",
    }.items():
        action = text.parse(state, move if text.parse(state, move) >= 0 else move.replace("-", ""))
        assert action >= 0, move
        assert GAMES["three-up"].in_words(state, action) == words


def test_dominoes_are_placed_on_squares_by_their_names() -> None:
    state = Match(GAMES["double-dominoes"], 2, "star").state
    for move, words in {
        "3-5 h8 e": "Place 3-5 with the 3 on h8 and the 5 on i8",
        "3-5 h9 s": "Place 3-5 with the 3 on h9 and the 5 on h8",
        "4-4 g8 e": "Place 4-4 on g8 and h8",
    }.items():
        assert dominoes_text.describe(state, dominoes_text.parse(state, move)).startswith(words)
