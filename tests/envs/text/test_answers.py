"""What answers in words mean."""

import json
from random import Random

import pytest

import redouble
from redouble.envs.text import AnswerReader
from redouble.envs.text.answers import MAX_ANSWER
from redouble.kernel.errors import IllegalMove, InputError
from redouble.match.match import Match
from tests.helpers.worlds import own_games


def reader(game: str, seats: int, plies: int, seed: str = "answers") -> tuple[Match, AnswerReader]:
    match, chance = redouble.new(game, seats=seats, seed=seed), Random(seed)
    for _ in range(plies):
        match.push(chance.choice(list(match.legal_moves)))
    return match, AnswerReader(match)


def meant(match: Match, read: AnswerReader, text: str) -> str:
    """The move that a text means, or its fault."""
    answer = read.read(text)
    return answer.fault if answer.action is None else match.legal_moves.name(answer.action)


@pytest.mark.parametrize("game", own_games())
def test_a_move_is_understood_in_every_dress(game: str) -> None:
    """The move's text and its words, as people and language models write them."""
    seats = redouble.GAMES[game].usual_seats
    for plies in (0, 5, 11):
        match, read = reader(game, seats, plies)
        for move in list(match.legal_moves)[:8]:
            words = match.describe(move)
            dressed = [
                *(
                    move,
                    f"  {move.upper()} ",
                    f"`{move}`",
                    f"**{move}**.",
                    f'"{move}"',
                    f"[{move}]",
                ),
                *(f"{words}.", words.lower(), f"\u200b{move}\ufeff"),
                *(
                    json.dumps({"thought": "44 or 8?", "Move": move}),
                    f"```json\n[{json.dumps(move)}]\n```",
                ),
                *(f"Let me think: R7, 44, cell 3.\n\nMove: {move}", f"<move>{move}</move>"),
                *(f"<think>not [{match.legal_moves[0]}]</think>\n[{words}]", f"\\boxed{{{move}}}"),
                *(
                    move.replace(" ", "_"),
                    move.replace("-", "−"),
                    f"I choose [{move}], since it's best.",
                ),
            ]
            for text in dressed:
                assert meant(match, read, text) == move, text


def test_nothing_is_guessed() -> None:
    match = redouble.new("double-down", seats=2, seed="b")
    read = AnswerReader(match)
    first, second = list(match.legal_moves)[:2]
    assert read.read(f"[{first}] [{second}]").fault == "ambiguous"
    for text in (
        *(f"I won't play {first}", f"Not {first}.", f"The total is {first}", ""),
        *("{", "[]", "null", "[" * 5000, f"{first} " + "x" * MAX_ANSWER),
        *(
            f"{first} or {second}",
            f"Move: anything but {first}",
            f"I have {first} cards",
            f"{first}\n\n{second}",
        ),
        *(f"Should I play the {first}?", f"To play the {first} would be a mistake.", f"{first}?"),
        *(f"**{first}** is bad", f"I'd like to play {first}, but can't", f"Play {first} next time"),
        *(f"Play {first}; {second} would be worse.", f"The total is 7, so I play {first}"),
    ):
        assert read.read(text).fault == "unreadable", text
    held = next(card for card in ("2", "3", "4") if card not in match.legal_moves)
    assert read.read(f"[{held}], although I hold {first}").fault == "illegal"
    wide = "".join(chr(ord(one) + 0xFEE0) for one in f"[{first}]")
    assert meant(match, read, wide) == first
    with pytest.raises(InputError, match="answer"):
        read.read(3)  # type: ignore[arg-type]  # no text


def test_the_games_own_words_are_understood() -> None:
    match, read = reader("double-or-quits", 1, 0)
    cards = [move for move in match.legal_moves if move.startswith("cell")]
    while not cards:
        match.push(match.legal_moves[0])
        cards, read = [m for m in match.legal_moves if m.startswith("cell")], AnswerReader(match)
    face = match.describe(cards[0]).split()[1]
    suit = {"♠": "Spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}[face[-1]]
    figure = {"A": "ace", "J": "Jack", "Q": "queen", "K": "king"}.get(face[:-1], face[:-1])
    for text in (f"Play the {figure} of {suit}", face, f"{face[:-1].lower()}{suit[0]}"):
        assert meant(match, read, text) == cards[0], text
    match, read = reader("double-dominoes", 3, 6)
    first = match.legal_moves[0]
    domino = first.split()[0]
    assert read.read(f"[{domino}]").fault == "ambiguous"
    match, read = reader("double-decker", 4, 0)
    first = match.legal_moves[0]
    color = match.describe(first).split()[2]
    assert meant(match, read, f"The {color} {first[1:]}") == first


def test_there_is_nothing_to_read_after_the_end() -> None:
    match = redouble.new("double-down", seats=2, seed="end")
    while match.turn is not None:
        match.push(match.legal_moves[-1])
    with pytest.raises(IllegalMove, match="the game is over"):
        AnswerReader(match)
