"""The solver on the pages: deals that can be won, its hint, and the move that lost a game."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redouble.analysis.prepare import Purpose
from redouble.analysis.solve import Solving, grade
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.match.story import midsentence
from redouble.web.features.study.solver import DIFFICULTIES
from redouble.web.live.plan import DEALS
from redouble.web.thinking.compiler import Compiler
from tests.web.helpers.markup import found_in
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, sites_of
from tests.web.helpers.visitors import Visitor, in_loop

GAME = GAMES["double-or-quits"]
FREE = {"free-flip": True}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        for site in sites_of(client):
            in_loop(client, site.compiler.load, GAME, Purpose.SOLVER)
        yield client


def played(visitor: Visitor, deal: str, moves: list[str], query: str = "") -> str:
    """A table of a deal with these moves made; its address."""
    here = visitor.post(f"/deals/{GAME.name}/{deal}{query}")
    for ply, move in enumerate(moves):
        visitor.post(f"{here}/move", ply=ply, seat=0, move=move)
    return here


def lost_game(deal: str) -> Match:
    """Everything flipped, and then whatever is left to do: lost, though it could be won."""
    match = Match(GAME, 1, deal, FREE)
    while match.turn is not None:
        match.push(match.legal_moves[-1])
    return match


def said(html: str) -> str:
    """What a page says of the solver, without tags."""
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_deal_of_a_level_can_be_won_and_is_as_hard(anna: Visitor, difficulty: str) -> None:
    answer = anna.client.get(
        f"/deals/{GAME.name}?free-flip=yes&difficulty={difficulty}", follow_redirects=False
    )
    assert answer.status_code == 303
    found = re.fullmatch(rf"/deals/{GAME.name}/(\d+)\?free-flip=yes", answer.headers["location"])
    assert found
    match = Match(GAME, 1, found[1], FREE)
    solving = Solving(GAME)
    assert solving.winnable(match.state)
    assert difficulty in ("any", grade(solving.ease(match.state)))


def test_levels_exist_where_deals_differ(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    as_published = said(anna.get(f"/deals/{GAME.name}/3"))
    assert "With these rules there are no choices" in as_published
    assert "Hard" not in as_published
    free = said(anna.get(f"/deals/{GAME.name}/3?free-flip=yes"))
    assert "Any Easy Medium Hard" in free
    assert "nothing is to decide" not in free
    assert "here are no &#39;odd&#39; deals" in anna.get(f"/deals/{GAME.name}?difficulty=odd", 404)
    html = anna.get(f"/deals/{GAME.name}?difficulty=hard", 404)  # nothing to choose: none is hard
    assert "o deal was found that can be won and is hard" in html
    address = f"/deals/{GAME.name}/3"
    html = anna.get(address)
    assert "Can this deal be won?" in html
    assert "can't be won" not in html
    assert "can't be won" in anna.get(f"{address}?solve=1")
    assert "can be won</b>. Its difficulty: <b>easy" in anna.get(f"/deals/{GAME.name}/14?solve=1")
    free = Solving(GAME).verdict(Match(GAME, 1, "3", FREE).state)
    assert f"difficulty: <b>{free}" in anna.get(f"{address}?free-flip=yes&solve=1")
    monkeypatch.setattr(Solving, "verdict", lambda self, state: "lost")
    assert Solving(GAME).find_deal({}, "any", 1, DEALS) == ""


@pytest.mark.parametrize("game", [g for g in GAMES.values() if g.solver is None])
def test_games_without_a_solver_do_not_mention_one(anna: Visitor, game: Game) -> None:
    name = game.name
    anna.get(f"/deals/{name}?difficulty=easy", 404)
    here = anna.post(f"/play/{name}")
    assert "/solver" not in anna.get(here)
    anna.get(f"{here}/solver", 404)


def test_pages_say_when_solvers_get_ready(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    here = played(anna, "5", [])
    with monkeypatch.context() as patch:
        patch.setattr(Compiler, "is_ready", lambda self, game, purpose: False)
        for address in (f"/deals/{GAME.name}?difficulty=easy", f"/deals/{GAME.name}/5?solve=1"):
            html = anna.get(address)
            assert "This happens once" in html
            assert 'http-equiv="refresh"' in html
        html = anna.part(f"{here}/solver?seat=0")
        assert "getting ready" in html
        assert "load delay" in html
    assert "getting ready" not in anna.part(f"{here}/solver?seat=0")


def test_the_solvers_hint_keeps_the_win_and_says_what_it_knows(anna: Visitor) -> None:
    here = played(anna, "5", [], "?free-flip=yes")
    html = anna.get(here)
    assert "Solver's hint" in html or "Solver&#39;s hint" in html
    match = Match(GAME, 1, "5", FREE)
    for ply in range(12):
        text = said(anna.part(f"{here}/solver?seat=0"))
        found = found_in(r"sees everything, says: (.+)\. (\d+) moves to win", text)
        (move,) = [move for move in match.legal_moves if match.describe(move) == found]
        match.push(move)
        assert Solving(GAME).winnable(match.state)
        anna.post(f"{here}/move", ply=ply, seat=0, move=move)
    assert "<html" in anna.get(f"{here}/solver")


def test_no_one_else_gets_the_solvers_answer_before_the_end(anna: Visitor) -> None:
    here = played(anna, "5", [], "?free-flip=yes")
    ben = anna.other("Ben")
    assert "nother player is playing this deal" in ben.get(f"{here}/solver", 403)
    assert "/solver" not in ben.get(here)


def test_a_lost_game_shows_which_move_lost_it(anna: Visitor) -> None:
    match = lost_game("5")
    here = played(anna, "5", list(match.moves), "?free-flip=yes")
    assert "Where did I lose it?" in anna.get(here)
    at = Solving(GAME).lost_at(match)
    assert at
    html = anna.part(f"{here}/solver")
    before = Match(GAME, 1, "5", FREE)
    for move in match.moves[: at - 1]:
        before.push(move)
    words = midsentence(before.describe(match.moves[at - 1]))
    lost = f"Move {at} ({words}) lost the game: until then it could be won."
    assert lost in said(html)
    assert f'href="{here}/replay?ply={at - 1}"' in html
    anna.get(f"{here}/replay?ply={at - 1}")
    assert said(anna.other().get(f"{here}/solver")).count("until then it could be won") == 1


def test_a_won_game_does_not_ask_where_it_was_lost(anna: Visitor) -> None:
    match = Match(GAME, 1, "14")
    while match.turn is not None:
        match.push(match.legal_moves[0])
    here = played(anna, "14", list(match.moves))
    assert "Where did I lose it?" not in anna.get(here)
    assert "This deal is won." in said(anna.part(f"{here}/solver"))
