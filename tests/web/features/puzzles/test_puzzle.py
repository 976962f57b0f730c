"""The pages and HTTP operations for puzzles: the verdict on a move, and no secret."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from redouble.analysis.puzzle import FILE, Puzzle, puzzle_numbered, puzzles_of
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.web.features.puzzles import page as pages
from redouble.web.features.puzzles import tries as puzzle_tries
from tests.helpers.puzzles import ONE, elsewhere, label, sample
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app
from tests.web.helpers.visitors import Visitor, new_code, stored

MULTI = [game for game in GAMES.values() if puzzles_of(game)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path_factory.mktemp("site"), limits=ROOMY)) as client:
        yield client


@pytest.fixture
def anna(client: TestClient) -> Visitor:
    return Visitor(client)


def worst(puzzle: Puzzle) -> str:
    return min(puzzle.shares, key=lambda move: puzzle.shares[move])


def test_every_puzzle_is_listed_once_under_its_stars_and_leads_to_the_next(anna: Visitor) -> None:
    text = anna.get("/puzzles")
    links = re.findall(r'href="/puzzles/([\w-]+)/(\d+)"', text)
    assert sorted(links) == sorted(
        (game.name, str(one.number)) for game in MULTI for one in puzzles_of(game)
    )
    for game in MULTI:
        for stars, row in pages.by_stars(puzzles_of(game)):
            assert all(one.stars == stars for one in row)
    assert not anna.cookie
    home = anna.get("/")
    assert 'href="/puzzles"' in home
    assert 'href="/puzzles/any"' in home
    assert 'href="/puzzles"' in anna.get("/rules")
    number = len(puzzles_of(ONE.game))
    assert 'href="/puzzles/double-down/2">Next puzzle' in anna.get("/puzzles/double-down/1")
    assert 'href="/puzzles/double-down/1">Next' in anna.get(f"/puzzles/double-down/{number}")


@pytest.mark.parametrize("puzzle", sample(3))
def test_a_puzzle_has_a_button_for_every_move_and_no_answer(anna: Visitor, puzzle: Puzzle) -> None:
    text = anna.get(pages.address(puzzle))
    moves = re.findall(r'form="play" name="move" value="([^"]*)"', text)
    assert set(moves) == set(puzzle.shares)
    assert f'<form id="play" method="get" action="{pages.address(puzzle)}">' in text
    assert "Which move is best?" in text
    for secret in ("best move", "Who finds it", "hinted", puzzle.record.seed):
        assert secret not in text, secret
    words = re.sub(r"<svg.*?</svg>", "", text)  # a picture has numbers of its own
    assert str(puzzle.shares[puzzle.answer]) not in words
    assert not anna.cookie


@pytest.mark.parametrize("puzzle", sample(3))
def test_a_move_is_judged_and_the_answer_marked(anna: Visitor, puzzle: Puzzle) -> None:
    here = pages.address(puzzle)
    right = anna.get(f"{here}?move={puzzle.answer.replace('+', '%2B')}")
    assert 'data-right="1"' in right
    assert "Right: " in right
    bad = worst(puzzle).replace("+", "%2B")
    asked = anna.get(f"{here}?move={bad}")
    assert 'data-right="0"' in asked
    assert "Not the best move. Try again." in asked
    for secret in ("best move is", 'class="best"', "hinted", "Who finds it"):
        assert secret not in asked, secret
    assert anna.get(f"{here}?tried={bad}&move={bad}") == asked, "the same move is no second try"
    wrong = anna.get(f"{here}?tried={bad}&answer=1")
    assert "Not quite: " in wrong
    assert wrong.count('class="best"') == 1
    assert "hinted" in wrong
    assert " yours</small>" in wrong.replace("<small>yours", " yours")
    second = anna.get(f"{here}?tried={bad}&move={puzzle.answer.replace('+', '%2B')}")
    assert "Right: " in second
    assert 'data-right="0"' in second, "only the first try solves it"
    assert puzzle.record.seed not in right + wrong


@pytest.mark.parametrize("puzzle", sample(3))
def test_no_byte_differs_between_worlds_that_the_seat_cannot_tell_apart(
    anna: Visitor, puzzle: Puzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, move = pages.address(puzzle), worst(puzzle).replace("+", "%2B")
    tried = f"{address}?tried={move}&answer=1"
    paths = (address, f"{address}?move={move}", tried, f"/api{address}")
    real = [anna.get(path) for path in paths]
    twin = elsewhere(puzzle, "another world")
    assert twin.match().state != puzzle.match().state
    for finder in ("page.asked_for", "api._asked_for"):
        monkeypatch.setattr(f"redouble.web.features.puzzles.{finder}", lambda *_: twin)
    assert [anna.get(path) for path in paths] == real


def test_a_first_try_changes_the_rating_and_the_next_puzzle_is_as_hard(anna: Visitor) -> None:
    anna.post("/me/name", name="Anna")
    assert "Your puzzle rating" not in anna.get("/puzzles")
    rated = []
    for number in range(1, 13):
        puzzle = puzzle_numbered(ONE.game, number)
        right = number != 6
        move = puzzle.answer if right else worst(puzzle)
        page = anna.get(anna.post(pages.address(puzzle), move=move))
        found = re.search(r"Your puzzle rating: <b>([\d,]+)</b>, (up|down)", page)
        assert found
        assert found[2] == ("up" if right else "down")
        rated.append(int(found[1].replace(",", "")))
        anna.post(pages.address(puzzle), move=puzzle.answer)  # only the first try counts
        anna.post(pages.address(puzzle), move=puzzle.answer, tried=move)
    assert rated[0] > 1200
    page = anna.get("/puzzles")
    assert "after 12 puzzles. Solved in a row: 6, at best 6." in page
    assert page.count('class="solved"') == 11
    assert page.count('class="missed"') == 1
    tries = stored(anna, lambda c: puzzle_tries.tries_of(c, anna.person.id))
    for game in ("", ONE.game.name):
        following = puzzle_tries.next_puzzle(tries, game)
        assert following is not None
        assert (following.game.name, following.number) not in {
            (one["game"], one["number"]) for one in tries
        }
        assert abs(puzzle_tries.STARS[following.stars] - rated[-1]) <= 150
    every = [{"game": ONE.game.name, "number": one.number} for one in puzzles_of(ONE.game)]
    left = [one | {"right": True, "points": 1500.0} for one in every]
    assert puzzle_tries.next_puzzle(left, ONE.game.name) is None
    anna.get("/puzzles/next?game=chess", 404)
    anna.post("/puzzles/double-down/1", 400, move="odd")
    stranger = anna.other()
    assert "rated" not in stranger.post(pages.address(ONE), move=ONE.answer)
    assert not stranger.cookie
    other = anna.other("Anna's phone")
    other.post("/link", code=new_code(anna))
    assert "after 12 puzzles" in other.get("/puzzles")


def test_a_random_puzzle_has_the_requested_difficulty(client: TestClient) -> None:
    for query, stars in (
        ("", range(1, 6)),
        ("?difficulty=hard", (4, 5)),
        ("?game=three-up", range(6)),
    ):
        answer = client.get(f"/puzzles/any{query}", follow_redirects=False)
        assert answer.status_code == 303
        _, _, game, number = answer.headers["location"].split("/")
        assert puzzle_numbered(GAMES[game], int(number)).stars in stars
    assert client.get("/puzzles/any?difficulty=odd").status_code == 404
    assert client.get("/puzzles/any?game=double-or-quits").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/puzzles/double-down/0", 404, "There is no puzzle 0 of Double Down: choose 1 to"),
        ("/puzzles/double-down/9999", 404, "There is no puzzle 9999 of Double Down"),
        ("/puzzles/double-down/x", 404, "There is no puzzle 0 of Double Down"),
        ("/puzzles/double-or-quits/1", 404, "this game has no puzzles"),
        ("/puzzles/nothing/1", 404, "There is no game"),
        (
            "/puzzles/double-down/1?move=odd",
            400,
            "That move isn&#39;t legal in this position: choose another.",
        ),
        ("/games/double-down/puzzles.jsonl", 404, "Double Down has no file puzzles.jsonl"),
    ],
)
def test_a_missing_puzzle_is_reported(anna: Visitor, path: str, status: int, said: str) -> None:
    assert said.lower() in anna.get(path, status).lower()


def broken(folder: Path) -> Game:
    """A game whose second puzzle cannot be read."""
    (folder / FILE).write_text(f"{ONE}\nnonsense\n", encoding="utf-8")
    return replace(ONE.game, folder=folder)


def test_a_broken_file_is_named_and_affects_no_other_page(
    anna: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = broken(tmp_path)
    monkeypatch.setattr(pages, "GAMES", {game.name: game})
    said = anna.get("/puzzles", 400)
    assert "Double-down: puzzles.jsonl: line 2: not JSON" in said
    anna.get("/")


def test_programs_get_the_list_the_view_and_the_verdict(client: TestClient) -> None:
    rows = client.get("/api/puzzles").json()["puzzles"]
    assert rows == [one.summary() for game in GAMES.values() for one in puzzles_of(game)]
    for game in MULTI:
        puzzle = puzzles_of(game)[-1]
        path = f"/api{pages.address(puzzle)}"
        shown = client.get(path)
        assert shown.status_code == 200
        assert shown.json() == json.loads(json.dumps(puzzle.shown())), label(puzzle)
        assert not {"answer", "shares", "found", "record"} & set(shown.json())
        verdict = client.post(path, json={"move": puzzle.answer})
        assert verdict.json() == puzzle.verdict(puzzle.answer).to_dict()


def test_programs_are_told_what_is_wrong(client: TestClient) -> None:
    def status(answer: httpx2.Response) -> int:
        assert answer.headers["content-type"] == "application/problem+json"
        return answer.status_code

    assert status(client.get("/api/puzzles/double-down/9999")) == 404
    assert status(client.get("/api/puzzles/nothing/1")) == 404
    assert status(client.get("/api/puzzles/double-down/x")) == 422
    assert status(client.post("/api/puzzles/double-down/1", json={"move": "odd"})) == 400
    assert status(client.post("/api/puzzles/double-down/1", json={"more": "odd"})) == 422
