"""Puzzles: those that come with the games hold, show no secret, and can be solved in a terminal."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redouble.analysis import puzzle as shelves
from redouble.analysis.puzzle import (
    FILE,
    HARDNESS,
    LADDER,
    RATERS,
    NoPuzzle,
    Puzzle,
    PuzzleError,
    puzzle_numbered,
    puzzles_at,
    puzzles_of,
)
from redouble.analysis.reason import LOOKS_ALIKE, reason
from redouble.bots.policy import Policy
from redouble.bots.search import Search
from redouble.contract.game import Game
from redouble.contract.parts import Words
from redouble.contract.registry import GAMES
from redouble.kernel.rng import seed_words
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.story import midsentence
from scripts.puzzles import Care, chosen, puzzle_of, rated, trial_margin, tried
from tests.helpers.cases import case
from tests.helpers.command import Run
from tests.helpers.keyboard import Keyboard
from tests.helpers.places import ROOT
from tests.helpers.puzzles import ONE, SEVERAL, SHIPPED, label, sample


@pytest.mark.parametrize("name", SEVERAL)
def test_a_game_for_several_has_puzzles_of_several_kinds(name: str) -> None:
    found = puzzles_of(GAMES[name])
    assert len(found) >= 50
    assert len({one.seats for one in found}) >= 3
    assert len({one.stars for one in found}) >= 3
    assert len({str(one.record) for one in found}) == len(found)
    assert len({one.answer for one in found}) >= 8


@pytest.mark.parametrize("name", SEVERAL)
def test_a_shipped_puzzle_replays_to_a_choice_with_one_clear_answer(name: str) -> None:
    for puzzle in puzzles_of(GAMES[name]):
        with case(label(puzzle)):
            check_one_clear_answer(puzzle)


def check_one_clear_answer(puzzle: Puzzle) -> None:
    match = puzzle.match()
    assert match.turn == puzzle.seat
    assert match.ply == len(puzzle.record.moves)
    assert puzzle.answer in match.legal_moves
    assert set(puzzle.shares) == set(match.legal_moves)
    assert Care.min_choices <= len(puzzle.shares) <= Care.max_choices
    second = max(share for move, share in puzzle.shares.items() if move != puzzle.answer)
    assert puzzle.shares[puzzle.answer] - second == pytest.approx(
        puzzle.margins["trials"].value, abs=0.0015
    )
    for margin in puzzle.margins.values():
        assert margin.value >= Care.margin
        assert margin.value >= Care.errors * margin.error - 1e-3
    assert Puzzle.parse(str(puzzle), puzzle.number) == puzzle


@pytest.mark.parametrize("puzzle", sample(2))
def test_a_fresh_search_and_fresh_trials_find_the_answer(puzzle: Puzzle) -> None:
    observation = puzzle.match().observation()
    search = Search(observation, seed_words("fresh"), Policy(iterations=4000))
    search.run(4000)
    assert observation.name(search.candidates()[0].action) == puzzle.answer
    means = tried(observation, seed_words("fresh"), 2000).mean(axis=0)
    assert observation.name(observation.legal[int(means.argmax())]) == puzzle.answer
    for action, mean in zip(observation.legal, means, strict=True):
        assert puzzle.shares[observation.name(action)] == pytest.approx(mean, abs=0.07)


def test_the_last_moves_are_in_the_words_that_the_seat_read() -> None:
    for puzzle in SHIPPED[::7]:
        record, told = puzzle.record, puzzle.last_moves()
        match = Match(puzzle.game, record.seats, record.seed, record.options, record.deck)
        heard = []
        for move in record.moves:
            mover = match.turn
            match.push(move)
            words = match.tell(puzzle.seat)
            for seat, name in enumerate(record.seats):
                words = words.replace(f"{{{seat}}}", name)
            heard.append((mover, words))
        assert [(one.seat, one.text) for one in told] == heard[-shelves.LAST_MOVES :]


def found_by(*raters: str) -> dict[str, float]:
    return {rater: float(rater in raters) for rater in RATERS}


def test_stars_count_the_raters_that_miss_the_answer() -> None:
    def stars(found: dict[str, float]) -> int:
        return replace(ONE, found=found).stars

    for missing, finder in enumerate(LADDER):
        assert stars(found_by(finder)) == 1 + missing
    assert stars(found_by("novice", *LADDER)) == 1
    assert stars(found_by("master")) == len(LADDER) + 1 == 5
    assert stars({**found_by(), "expert": 0.5}) == 2
    assert stars({**found_by(), "expert": 0.49}) == 5
    assert sorted(sum(HARDNESS.values(), ())) == [1, 2, 3, 4, 5]


def test_a_verdict_compares_with_the_answer_or_the_next_best() -> None:
    right = ONE.verdict(ONE.answer)
    assert right.right
    words = {move: midsentence(ONE.match().describe(move)) for move in ONE.shares}
    assert right.headline == f"Right: the best move is to {words[ONE.answer]}."
    assert f"the next best, to {words[right.moves[1][0]]}," in right.sentence
    assert [midsentence(said) for _, said, _, _ in right.moves] == [
        words[move] for move, *_ in right.moves
    ]
    last = right.moves[-1][0]
    wrong = ONE.verdict(last)
    assert not wrong.right
    assert wrong.headline == f"Not quite: the best move is to {words[ONE.answer]}."
    assert "your move " in wrong.sentence
    with pytest.raises(PuzzleError, match="'nonsense' is not legal here; legal: "):
        ONE.verdict("nonsense")


@pytest.mark.parametrize(
    ("game", "number", "why"),
    [
        (
            "double-down",
            9,
            "After the next best move you lose a chip right away, but not after the best one.",
        ),
        ("double-down", 69, "After the best move you lose a chip by your next turn in 0 of 100 "),
        ("double-decker", 3, "Though you make no points rather than 2 right away, after the best "),
        ("double-dominoes", 3, "After the best move you make 8 points right away; after the next "),
        ("three-up", 15, "After the best move the others have 14.9 cards left in all by your next"),
        ("three-up", 39, LOOKS_ALIKE),
    ],
)
def test_a_verdict_says_what_the_answer_gains(game: str, number: int, why: str) -> None:
    puzzle = puzzle_numbered(GAMES[game], number)
    assert puzzle.verdict(puzzle.answer).why.startswith(why)


def test_a_game_without_numbers_of_its_own_is_told_by_its_evaluation() -> None:
    match = puzzle_numbered(GAMES["double-down"], 9).match()
    plain = replace(match.observation(), game=replace(match.game, words=Words()))
    best, worse = (match.legal_moves.action(move) for move in ("turn", "10"))
    assert best is not None
    assert worse is not None
    said = reason(plain, best, worse, "the 10")
    assert re.fullmatch(r"After the best move bots judge you ahead of .+; after the 10, .+\.", said)


def test_a_share_is_shown_as_games_won_or_as_a_place() -> None:
    two, four = (replace(ONE, record=replace(ONE.record, seats=("",) * n)) for n in (2, 4))
    assert two.worth(0.632) == "63 of 100"
    assert [four.worth(share) for share in (0.0, 0.5, 1.0)] == ["4.00", "2.50", "1.00"]


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no object": (lambda data: [data], "line 2: not a JSON object"),
    "no answer": (lambda data: {**data, "answer": "nothing"}, "'nothing' must be one of several"),
    "worse": (
        lambda data: {**data, "answer": min(data["shares"], key=data["shares"].get)},
        "is not the best move in shares",
    ),
    "record": (lambda data: {**data, "record": {}}, "line 2: its record cannot be read: the key"),
    "levels": (lambda data: {**data, "found": {"club": 1.0}}, "found must have the keys novice"),
    "share": (lambda data: {**data, "shares": {"a": 2}}, "shares.a cannot be 2: give at most 1"),
    "margin": (
        lambda data: {**data, "margins": {"search": [0.1], "trials": [0.1, 0.0]}},
        "margins.search has only 1 item",
    ),
    "another game": (
        lambda data: {**data, "record": {**data["record"], "game": "three-up"}},
        "line 2: its record is one of 'three-up'",
    ),
}


@pytest.fixture
def shelf(tmp_path: Path) -> Callable[..., Game]:
    """A game whose puzzles are the given lines; other games keep theirs."""

    def of(*lines: str) -> Game:
        (tmp_path / FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return replace(ONE.game, folder=tmp_path)

    return of


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_line_is_named_with_what_is_wrong(shelf: Callable[..., Game], kind: str) -> None:
    change, said = BROKEN[kind]
    game = shelf(str(ONE), json.dumps(change(json.loads(str(ONE)))))
    with pytest.raises(PuzzleError, match=r"double-down: puzzles\.jsonl: line 2: ") as raised:
        puzzles_of(game)
    assert said in str(raised.value)


def test_invalid_json_and_invalid_text_are_refused(shelf: Callable[..., Game]) -> None:
    with pytest.raises(PuzzleError, match=r"line 1: not JSON: "):
        puzzles_of(shelf("{"))
    game = shelf()
    (game.folder / FILE).write_bytes(b"\xff")
    shelves.forget_puzzles()
    with pytest.raises(PuzzleError, match=r"puzzles.jsonl cannot be read: "):
        puzzles_of(game)


def test_an_unplayable_position_is_reported_when_it_is_used() -> None:
    wrong = replace(ONE, record=replace(ONE.record, moves=("nonsense",)), number=7)
    with pytest.raises(PuzzleError, match=r"double-down: puzzles.jsonl: line 7: cannot be played"):
        wrong.view()
    other = replace(ONE, shares={ONE.answer: 0.5, "nonsense": 0.1})
    with pytest.raises(PuzzleError, match=r"shares names .*nonsense; legal: "):
        other.view()


def test_a_game_without_a_file_has_none(tmp_path: Path) -> None:
    game = replace(ONE.game, folder=tmp_path)
    assert puzzles_of(game) == ()
    with pytest.raises(NoPuzzle, match="1 of Double Down: this game has no puzzles"):
        puzzle_numbered(game, 1)
    with pytest.raises(NoPuzzle, match="there are no hard puzzles of Double Down"):
        puzzles_at(game, difficulty="hard")


def test_puzzles_are_picked_by_game_number_and_level() -> None:
    game = ONE.game
    assert puzzles_at(game, 3) == list(puzzles_of(game)[2:])
    assert {one.stars for one in puzzles_at(None, difficulty="easy")} <= {1, 2}
    assert puzzles_at(None, in_order=True) == [p for g in GAMES.values() for p in puzzles_of(g)]
    for number in (0, -1, 10**6):
        with pytest.raises(NoPuzzle, match=f"there is no puzzle {number} of Double Down: choose"):
            puzzles_at(game, number)
    with pytest.raises(NoPuzzle, match="there is no difficulty 'hopeless': choose easy, medium"):
        puzzles_at(game, difficulty="hopeless")
    with pytest.raises(NoPuzzle, match="puzzle 3 of which game"):
        puzzles_at(None, 3)


QUICK = Care(easy=1.0, glance=200, second=400, searches=2, iterations=800, worlds=400, decisions=4)


def test_the_same_game_gives_the_same_puzzle_and_most_give_one() -> None:
    made = [puzzle_of(Match(ONE.game, 2, f"made {n}"), QUICK) for n in range(3)]
    again = [puzzle_of(Match(ONE.game, 2, f"made {n}"), QUICK) for n in range(3)]
    assert made == again
    found = [one for one in made if one]
    assert found
    for one in found:
        assert Puzzle.parse(str(one)) == one
        assert one.verdict(one.answer).right
        assert rated(one, QUICK.decisions) == one


def test_impossible_demands_yield_no_puzzle() -> None:
    strict = replace(QUICK, margin=1.0)
    assert puzzle_of(Match(ONE.game, 2, "strict"), strict) is None


def test_a_margin_is_that_over_the_next_best_move_with_its_error() -> None:
    results = np.array([[0.9, 0.5, 0.1], [0.7, 0.5, 0.3]] * 50)
    margin = trial_margin(results, 0)
    assert margin.value == pytest.approx(0.3)
    worst = (results[:, 0] - results[:, 2]).std(ddof=1) / 10
    assert margin.error == pytest.approx(worst, abs=1e-4)
    assert trial_margin(results, 2).value == 0.0


def test_chosen_puzzles_mix_difficulties_and_answers() -> None:
    def like(answer: str, stars: int) -> Puzzle:
        return replace(ONE, answer=answer, found=found_by(*LADDER[stars - 1 :]))

    found = [like(answer, stars) for stars in (5, 1, 3) for answer in ("a", "a", "a", "b")]
    taken = chosen(found, 6)
    assert [one.stars for one in taken] == [1, 1, 3, 3, 5, 5]
    assert [one.number for one in taken] == [1, 2, 3, 4, 5, 6]
    assert {one.answer for one in taken} == {"a", "b"}
    assert len(chosen(found, 100)) == len(found)


def test_the_command_asks_judges_and_goes_on(run: Run) -> None:
    second = puzzle_numbered(ONE.game, 2)
    wrong = next(move for move in second.shares if move != second.answer)
    typed = f"nonsense\n{ONE.answer}\nskip\nhint\ntable\n"
    ran = run("puzzle", "double-down", "--number", "1", typed=typed)
    assert ran.code == 0
    assert ran.out.startswith("--- Double Down, puzzle 1 ")
    assert "(you)" in ran.out
    assert "'nonsense' is not a legal move." in ran.out
    assert f"Right: the best move is to play the {ONE.answer}." in ran.out
    assert "How often bots find it: novice" in ran.out
    assert "Double Down, puzzle 3 " in ran.out
    assert "Type a move, or its label in the list." in ran.out
    assert ran.out.endswith("End of input.\nYou solved 1 of 1.\n")
    ran = run("puzzle", "double-down", "--number", "2", typed=f"{wrong}\nq\n")
    assert f"Not quite: the best move is to play the {second.answer}." in ran.out
    assert ran.out.endswith("You solved 0 of 1.\n")


def test_on_a_live_screen_the_position_is_drawn_and_the_next_one_follows(tmp_path: Path) -> None:
    with Keyboard("puzzle", "double-down", "--number", "1", folder=tmp_path) as keyboard:
        assert f"puzzle 1 {'★' * ONE.stars}" in keyboard.see("\n> ", "\n>")
        keyboard.type("rules")
        keyboard.see("\n> ", "\n>")
        keyboard.type("nonsense")
        assert "'nonsense' is not a legal move." in keyboard.see("\n> ", "\n>")
        keyboard.type(ONE.answer)
        assert "Right: " in keyboard.see("leave >")
        keyboard.type("")
        assert "puzzle 2 " in keyboard.see("\n> ", "\n>")
        keyboard.type("q")
        assert keyboard.wait() == 0
        assert "You solved 1 of 1." in keyboard.screen


def test_the_command_reveals_no_secret_before_an_answer(run: Run) -> None:
    hidden = ONE.match().view(None)
    ran = run("puzzle", "double-down", "--number", "1", typed="quit\n")
    assert ONE.record.seed not in ran.out
    for zone in hidden.zones:
        if zone.name == "hand" and zone.seat != ONE.seat:
            cards = " ".join(card.text for card in zone.cards if card.up)
            assert f"hand: {cards}" not in ran.out
    assert "hand: 5 face down" in ran.out
    assert ONE.match().view(SPECTATOR).legal_moves == ()


def test_the_command_as_json_and_as_a_list(run: Run) -> None:
    shown = json.loads(run("puzzle", "double-down", "--number", "1", "--json", "-").out)
    assert shown == json.loads(json.dumps(ONE.shown()))
    ran = run("puzzle", "double-down", "--number", "1", "--json", "-", "--answer", ONE.answer)
    assert json.loads(ran.out)["verdict"]["right"] is True
    ran = run("puzzle", "double-down", "--number", "1", "--answer", ONE.answer)
    assert ran.out.startswith("Right: ")
    rows = json.loads(run("puzzle", "--list", "--json", "-").out)
    assert rows == [one.summary() for one in SHIPPED] or len(rows) > len(SHIPPED)
    table = run("puzzle", "double-down", "--list", "--difficulty", "easy").out.splitlines()
    assert table[0].split() == ["game", "number", "players", "moves", "stars"]
    assert len(table) == 1 + len(puzzles_at(ONE.game, difficulty="easy"))


DOCUMENTED = [
    line.split()[1:]
    for line in (ROOT / "docs" / "puzzles.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("redouble puzzle")
]


def test_the_documented_answer_is_judged(run: Run) -> None:
    answers = [arguments for arguments in DOCUMENTED if "--answer" in arguments]
    assert len(DOCUMENTED) > 3
    assert len(answers) == 1
    assert "the best move is to" in run(*answers[0]).out
