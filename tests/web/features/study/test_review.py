"""Reviews on the pages: made once, in the background, and only for finished games."""

import asyncio
import html
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from redouble.analysis.hint import ONLY, QUICK
from redouble.analysis.prepare import Purpose
from redouble.analysis.review import Review, review
from redouble.analysis.solve import solving_for
from redouble.bots import BOTS, own_chance
from redouble.contract.game import Game
from redouble.contract.page.html import minus
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from redouble.match.replay import Replay
from redouble.web.errors import StoreError
from redouble.web.features.account import identity
from redouble.web.features.study import queue, records, reviewer, reviews
from redouble.web.features.study.queue import reviews as review_rows
from redouble.web.features.study.reviews import Reviews
from redouble.web.features.study.saved import SavedGame, record_played, replay_of, table_played
from redouble.web.people.people import COOKIE
from redouble.web.table import Table
from redouble.web.thinking import compiler, hints
from tests.helpers.known import known
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app, site_of, sites_of
from tests.web.helpers.visitors import Visitor, in_loop, play, rows, seats_for, stored

CHOSEN = list(GAMES.values())
TWO = GAMES["double-down"]
"""For what holds of any game for two: its reviews take the least time."""
SOLVED = next(game for game in CHOSEN if game.solver is not None)
EACH = pytest.mark.parametrize("game", CHOSEN, ids=lambda game: game.name)


THINKING = "Thinking further"


@pytest.fixture
def unready(tmp_path: Path) -> Iterator[TestClient]:
    """A site whose search isn't compiled yet."""
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        yield client


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick, shallow reviews."""

    def short(game: Any, **more: Any) -> Review:
        return review(game, 20, **more)

    monkeypatch.setattr(reviewer, "review", short)


def brought(anna: Visitor, game: Game, plies: int = 5000, seed: str = "page") -> str:
    """The address of the replay of a game between a careful player and a careless one."""
    match = Match(game, game.min_seats, seed)
    while match.turn is not None and match.ply < plies:
        observation = match.observation()
        bot = BOTS["random" if observation.seat == 0 else "greedy"]
        match.push_action(bot.choose(observation, own_chance(seed, observation.seat, match.ply)))
    return anna.post("/replays", text=str(match.record()))


def replay_at(client: TestClient, here: str) -> Replay:
    _, shelf, token, *_ = here.split("/")
    find = {"r": record_played, "t": table_played}[shelf]
    played: SavedGame = in_loop(client, find, site_of(client), token, None)
    return played.replay


def found(client: TestClient, here: str) -> Review:
    record = replay_at(client, here).record
    review: Review | None = in_loop(client, site_of(client).service(Reviews).found, record)
    return known(review)


def wait(client: TestClient) -> None:
    """Wait until every requested review is done."""

    async def done() -> None:
        waiting = sa.select(queue.jobs).where(queue.jobs.c.problem == "")
        while await site_of(client).store.run(lambda c: c.execute(waiting).first()) is not None:
            await asyncio.sleep(0.02)

    in_loop(client, done)


class Slow:
    """A stand-in for a review that lasts until it is released or stopped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go, self.begun = threading.Event(), threading.Event()
        self.made = 0
        monkeypatch.setattr(reviewer, "review", self.review)

    def review(self, game: Any, watch: Any, threads: int) -> Review:
        self.begun.set()
        while not self.go.wait(0.01):
            if not watch(3, 10):
                break
        self.made += 1
        return review(game, 10, watch)


@EACH
def test_a_game_is_reviewed_and_its_replay_marks_mistakes(
    client: TestClient, anna: Visitor, quick: None, game: Game
) -> None:
    here = brought(anna, game)
    assert f'href="{here}/review"' in anna.get(here)
    offer = anna.get(f"{here}/review")
    assert "Review this game" in offer
    assert "http-equiv" not in offer
    assert anna.post(f"{here}/review") == f"{here}/review"
    wait(client)
    page = anna.get(f"{here}/review")
    kept = found(client, here)
    assert "<script" not in page.split("<main")[1]
    drawings = re.findall(r'<svg class="(?:wide|narrow)".*?</svg>', page, re.DOTALL)
    assert len(drawings) == 2
    for drawing in drawings:
        assert drawing.count('<polyline class="line') == game.min_seats
        assert drawing.count('class="mark ink') == len(kept.mistakes)
    rows = re.findall(r'<tr role="row">.*?</tr>', page.split('class="account"')[1], re.S)
    assert len(rows) == game.min_seats + 1
    replay = replay_at(client, here)
    for moment in kept.moments():
        assert f'href="{here}?ply={moment.ply}&amp;eyes={moment.seat}"' in page
        better = minus(replay.described(moment.ply, moment.better))
        assert f'<b class="better">{better}</b>' in page
    replayed = anna.get(here)
    marked = re.findall(r'data-ply="(\d+)"(?:(?!</li>).)*class="slip"', replayed, re.S)
    assert marked == [str(one.ply + 1) for one in kept.mistakes]


def test_a_running_table_reveals_nothing(client: TestClient, anna: Visitor) -> None:
    table = play(client, TWO, seats_for(anna, bots=1), plies=6)
    assert not table.over
    here = f"/t/{table.header.token}/review"
    for answer in (anna.get(here, 403), anna.post(here, 403)):
        assert "when the game is over" in answer
    headers = {"authorization": f"Bearer {anna.cookie}"}
    at = f"/api/tables/{table.header.token}/review"
    assert client.get(at, headers=headers).status_code == 403
    assert client.post(at, headers=headers).status_code == 403


def test_a_game_without_a_mistake_says_so_once(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lenient(game: Any, **more: Any) -> Review:
        made = review(game, 20, **more)
        return replace(made, decisions=tuple(replace(one, loss=0.0) for one in made.decisions))

    monkeypatch.setattr(reviewer, "review", lenient)
    here = f"/t/{play(client, TWO, seats_for(anna, bots=1)).header.token}/review"
    anna.post(here)
    wait(client)
    assert anna.get(here).count("No clear mistake") == 1


def test_a_player_sees_their_own_moments_first(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def severe(game: Any, **more: Any) -> Review:
        """A review that calls every move a mistake."""
        made = review(game, 20, **more)
        losses = [
            replace(one, better=one.move, loss=0.01 * one.ply + 0.1) for one in made.decisions
        ]
        return replace(made, decisions=tuple(losses))

    monkeypatch.setattr(reviewer, "review", severe)
    table = play(client, TWO, seats_for(anna, bots=1))
    here = f"/t/{table.header.token}/review"
    anna.post(here)
    wait(client)
    kept = found(client, here)
    parts = anna.get(here).split("<section ")
    for part, kind, seat in ((parts[1], "own", 0), (parts[2], "others", 1)):
        assert f'id="{kind}"' in part
        assert re.findall(r"ply=(\d+)", part) == [str(one.ply) for one in kept.moments([seat])]
        assert re.findall(r"eyes=(\d+)", part) == [str(seat)] * 3
    onlooker = Visitor(client).get(here).split("<section ")[1]
    assert 'id="game"' in onlooker
    assert re.findall(r"ply=(\d+)", onlooker) == [str(one.ply) for one in kept.moments()]


def test_an_unfinished_game_is_not_reviewed(client: TestClient, anna: Visitor) -> None:
    here = brought(anna, TWO, plies=6)
    assert f'href="{here}/review"' not in anna.get(here)
    assert "only finished games can be reviewed" in anna.get(f"{here}/review")
    anna.post(f"{here}/review", 409)


def test_a_waiting_visitor_sees_the_progress(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    assert slow.begun.wait(60)
    while "30% done" not in (page := anna.get(f"{here}/review")):
        pass
    assert '<meta http-equiv="refresh" content="2">' in page
    assert ">Stop<" in page
    assert ">Stop<" not in Visitor(client, "Ben").get(f"{here}/review")
    slow.go.set()
    wait(client)
    assert "Luck and mistakes" in anna.get(f"{here}/review")
    anna.post(f"{here}/review")  # it exists already: nothing is made again
    wait(client)
    assert slow.made == 1


def test_only_the_requester_can_stop_a_review(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    assert slow.begun.wait(60)
    Visitor(client, "Ben").post(f"{here}/review", command="stop")
    assert ">Stop<" in anna.get(f"{here}/review")
    anna.post(f"{here}/review", command="stop")
    wait(client)
    assert "Review this game" in anna.get(f"{here}/review")


def test_no_one_can_queue_endless_work(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, most = Slow(monkeypatch), 3
    monkeypatch.setattr(queue, "MAX_WAITING", most)
    here, other = brought(anna, TWO), brought(anna, TWO, seed="other")
    anna.post(f"{here}/review")
    anna.post(f"{here}/review")  # the same review again is no extra work
    assert "already have a review in progress" in anna.post(f"{other}/review", 429)
    people = [Visitor(client, f"Guest {number}") for number in range(most)]
    for number, one in enumerate(people[:-1]):
        one.post(f"{brought(one, TWO, seed=f'queue {number}')}/review")
    at = f"{brought(people[-1], TWO, seed='last')}/review"
    assert "try again later" in people[-1].post(at, 429)
    page = people[1].get(f"{brought(people[1], TWO, seed='queue 1')}/review")
    assert "2 other reviews are queued before this one" in page
    slow.go.set()
    wait(client)
    people[-1].post(at)
    wait(client)


# Stored reviews.


def reviewed(client: TestClient, anna: Visitor, here: str) -> str:
    """The page of a review that is made first."""
    anna.post(f"{here}/review")
    wait(client)
    page = anna.get(f"{here}/review")
    assert "Luck and mistakes" in page
    return page


def write(client: TestClient, **values: Any) -> None:
    """Change what lies on the disk of every review."""
    stored(client, lambda c: c.execute(sa.update(review_rows).values(values)) and None)


@pytest.mark.parametrize("game", [TWO, SOLVED], ids=lambda game: game.name)
def test_a_review_is_the_same_after_a_restart(tmp_path: Path, quick: None, game: Game) -> None:
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna = Visitor(client, "Anna")
        here = brought(anna, game)
        before, marked, kept = reviewed(client, anna, here), anna.get(here), found(client, here)
        assert kept == review(replay_at(client, here).record, 20)
    replay_of.cache_clear()
    with TestClient(create_app(tmp_path, limits=ROOMY)) as client:
        anna.client = client
        assert anna.get(f"{here}/review") == before
        assert anna.get(here) == marked
        assert found(client, here) == kept
        at = f"/api/records/{here.split('/')[2]}/review"
        assert client.get(at).json()["review"] == kept.to_dict()


@pytest.mark.parametrize("name", ["VERSION", "ITERATIONS"])
def test_an_outdated_review_is_made_again(
    client: TestClient, anna: Visitor, quick: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    here = brought(anna, TWO)
    reviewed(client, anna, here)
    for module in (reviews, reviewer):
        monkeypatch.setattr(module, name, getattr(module, name) + 1)
    assert "Review this game" in anna.get(f"{here}/review")
    reviewed(client, anna, here)
    assert rows(client, review_rows) == 1


DAMAGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no text": lambda data: b"\xff\xfe",
    "cut": lambda data: '{"seats": 2, "plies": 1',
    "one field less": lambda data: {k: v for k, v in data.items() if k != "graph"},
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_review_is_made_again(
    client: TestClient,
    anna: Visitor,
    quick: None,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    here = brought(anna, TWO)
    page = reviewed(client, anna, here)
    assert not caplog.records
    damaged = DAMAGED[what](found(client, here).to_dict())
    text = damaged if isinstance(damaged, (bytes, str)) else json.dumps(damaged)
    write(client, review=text)
    assert "Review this game" in anna.get(f"{here}/review")
    assert "cannot be read" in caplog.text
    assert 'class="slip"' not in anna.get(here)
    assert reviewed(client, anna, here) == page


def test_a_review_is_deleted_with_its_game(client: TestClient, anna: Visitor, quick: None) -> None:
    here = brought(anna, TWO)
    reviewed(client, anna, here)
    table = play(client, TWO, seats_for(anna, bots=1))
    reviewed(client, anna, f"/t/{table.header.token}")
    assert rows(client, review_rows) == 2
    me, token = anna.person.id, here.split("/")[2]
    stored(client, lambda c: records.delete_record(c, me, token))
    assert rows(client, review_rows) == 1
    anna.post("/me/forget", 200, sure="yes")
    assert rows(client, review_rows) == 0


def test_deleting_a_person_deletes_reviews_of_their_games(
    client: TestClient, anna: Visitor, quick: None
) -> None:
    ben = Visitor(client, "Benjamin")
    table = play(client, TWO, seats_for(anna, ben))
    here = f"/t/{table.header.token}"
    assert "Benjamin" in reviewed(client, anna, here)
    texts = stored(client, lambda c: repr(c.execute(sa.select(review_rows)).all()))
    assert "Benjamin" not in texts
    ben.post("/me/forget", 200, sure="yes")
    assert rows(client, review_rows) == 0
    page = reviewed(client, anna, here)
    assert identity.FORGOTTEN in page
    assert "Benjamin" not in page


def test_a_game_deleted_during_its_review_leaves_no_review(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    assert slow.begun.wait(60)
    me, token = anna.person.id, here.split("/")[2]
    stored(client, lambda c: records.delete_record(c, me, token))
    slow.go.set()
    other = brought(anna, TWO, seed="other")
    anna.post(f"{other}/review")
    wait(client)  # for the second, as the first has left the queue: they are made in turn
    assert slow.made == 2
    assert found(client, other)
    assert rows(client, review_rows) == 1


def test_a_review_that_cannot_be_saved_can_be_retried(
    client: TestClient, anna: Visitor, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = brought(anna, TWO)
    with monkeypatch.context() as patch:

        def full(connection: sa.Connection, *_: Any) -> None:
            raise StoreError("it cannot be kept now: the disk is full")

        patch.setattr(queue, "save_review", full)
        anna.post(f"{here}/review")
        wait(client)
    assert "the disk is full" in anna.get(f"{here}/review")
    reviewed(client, anna, here)


def test_the_number_of_stored_reviews_is_limited(
    client: TestClient, anna: Visitor, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewer, "KEPT", 1)
    first, second = brought(anna, TWO), brought(anna, TWO, seed="second")
    for here in (first, second):
        anna.post(f"{here}/review")
        wait(client)
    assert "Luck and mistakes" in anna.get(f"{second}/review")
    assert "Review this game" in anna.get(f"{first}/review")
    assert rows(client, review_rows) == 1


# Of a game that has a solver.


def test_a_review_and_the_solver_agree_about_a_table(
    client: TestClient, anna: Visitor, quick: None
) -> None:
    for site in sites_of(client):
        in_loop(client, site.compiler.load, SOLVED, Purpose.SOLVER)
    table = play(client, SOLVED, seats_for(anna), seed="6", free_flip=True)
    here = f"/t/{table.header.token}"
    page = reviewed(client, anna, here)
    told = solving_for(SOLVED).foresight(table.match)
    assert told.lost_at
    assert told.line
    for shown in (page, anna.part(f"{here}/solver")):
        assert minus(told.said(table.match)) in shown
    at = f"/api/tables/{table.header.token}/review"
    assert client.get(at).json()["review"]["foresight"] == told.to_dict()


def test_an_impossible_review_says_why(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redouble.analysis.review.MAX_DECISIONS", 1)
    here = brought(anna, TWO)
    anna.post(f"{here}/review")
    wait(client)
    page = anna.get(f"{here}/review")
    assert "are too many to review" in page
    monkeypatch.setattr("redouble.analysis.review.MAX_DECISIONS", 3000)
    assert "Try again" in page
    anna.post(f"{here}/review")
    wait(client)
    assert "Luck and mistakes" in anna.get(f"{here}/review")


def test_stopping_does_not_wait_for_a_review(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(monkeypatch)
    with TestClient(create_app(tmp_path_factory.mktemp("stop"), limits=ROOMY)) as client:
        anna = Visitor(client, "Anna")
        anna.post(f"{brought(anna, TWO)}/review")
        assert slow.begun.wait(60)
    assert not slow.go.is_set()


def test_programs_can_request_reviews(client: TestClient, anna: Visitor, quick: None) -> None:
    here = brought(anna, TWO)
    at = f"/api/records/{here.split('/')[2]}/review"
    headers = {"authorization": f"Bearer {anna.cookie}"}
    assert client.get(at).json()["status"] == "none"
    assert client.post(at).status_code == 401
    client.cookies.delete(COOKIE)
    assert client.post(at, headers=headers).json()["status"] in ("running", "ready")
    wait(client)
    state = client.get(at).json()
    assert (state["status"], state["percent"]) == ("ready", 100)
    line = str(replay_at(client, here).record)
    assert state["review"] == review(replay_of(line).record, 20).to_dict()
    unfinished = brought(anna, TWO, plies=4)
    at = f"/api/records/{unfinished.split('/')[2]}/review"
    assert client.get(at).json()["status"] == "impossible"


# Hints, which use the same search.


def test_a_hint_says_why(client: TestClient, anna: Visitor) -> None:
    table = play(client, TWO, seats_for(anna, bots=1), plies=0)
    here = f"/t/{table.header.token}"
    live = in_loop(client, site_of(client).tables.get, table.header.token)
    while live.table.turn != 0:  # the bot begins
        pass
    page = anna.get(f"{here}?hint=1")
    assert re.search(r"Hint: <b>[A-Z][^<]+</b>\. You win about \d+ of 100 games like this", page)
    assert anna.part(f"{here}/hint?seat=0").count('class="hint"') == 1


def with_a_choice(client: TestClient, anna: Visitor) -> Table:
    """A solitaire table that begins with a choice."""
    options = {"free-flip": True}
    deals = (f"{number}" for number in range(1, 100))
    deal = next(d for d in deals if len(Match(SOLVED, 1, d, options).legal_moves) > 1)
    return play(client, SOLVED, seats_for(anna), plies=0, seed=deal, **options)


def test_a_forced_move_needs_no_compiled_hint(
    client: TestClient, anna: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler.Compiler, "load", None)  # it is never called
    deals = (f"{number}" for number in range(1, 100))
    deal = next(d for d in deals if len(Match(SOLVED, 1, d).legal_moves) == 1)
    table = play(client, SOLVED, seats_for(anna), plies=0, seed=deal)
    assert ONLY.capitalize() in anna.get(f"/t/{table.header.token}?hint=1")


def test_while_code_compiles_a_hint_is_marked_as_a_guess(
    unready: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, anna = unready, Visitor(unready, "Anna")
    compiling = asyncio.Event()

    async def compile_slowly(worker: compiler.Worker, work: compiler.Work) -> None:
        await compiling.wait()

    monkeypatch.setattr(compiler.Worker, "compile", compile_slowly)
    monkeypatch.setattr(hints, "PATIENCE", 0.01)
    table = with_a_choice(client, anna)
    here = f"/t/{table.header.token}"
    first = anna.get(f"{here}?hint=1")
    assert QUICK.capitalize() in first
    assert THINKING in first
    headers = {"authorization": f"Bearer {anna.cookie}"}
    asking = f"/api/tables/{table.header.token}/hint"
    answer = client.post(asking, headers=headers).json()
    assert (answer["quick"], answer["again"]) == (True, hints.RETRY_SECONDS)
    again = html.unescape(re.findall(r'id="thinking" hx-get="([^"]*)"', first)[0])
    assert f'hx-trigger="every {hints.RETRY_SECONDS}s"' in first
    assert silent(anna, again)

    monkeypatch.setattr(hints, "PATIENCE", 300.0)
    in_loop(client, compiling.set)
    better = anna.part(again)
    assert better.startswith('<div class="board" id="board"')
    for page in (better, anna.get(f"{here}?hint=1")):
        assert page.count('class="hint"><p role="status">') == 1
        assert QUICK.capitalize() not in page
        assert THINKING not in page
    answer = client.post(asking, headers=headers).json()
    assert (answer["quick"], answer["again"]) == (False, None)

    move = re.findall(r'name="move" value="([^"]*)"', better)[0]
    anna.post(f"{here}/move", ply=0, seat=0, move=move)
    assert silent(anna, again)  # the earlier hint was for another position


def silent(visitor: Visitor, path: str) -> bool:
    """Whether the script is told that nothing has changed."""
    cookie = {"cookie": f"{COOKIE}={visitor.cookie}", "hx-request": "true"}
    answer = visitor.client.get(path, headers=cookie)
    assert answer.status_code in (200, 204)
    return bool(answer.status_code == 204)


def test_a_final_guess_is_not_polled_again(
    unready: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, anna = unready, Visitor(unready, "Anna")

    def fail(game: Game, purpose: Purpose) -> None:
        raise OSError("no room to compile")

    monkeypatch.setattr(compiler, "prepare", fail)
    table = with_a_choice(client, anna)
    here = f"/t/{table.header.token}"
    page = anna.get(f"{here}?hint=1")
    assert QUICK.capitalize() in page
    assert THINKING not in page
    headers = {"authorization": f"Bearer {anna.cookie}"}
    answer = client.post(f"/api{here.replace('/t/', '/tables/')}/hint", headers=headers).json()
    assert (answer["quick"], answer["again"]) == (True, None)
    assert QUICK.capitalize() in anna.part(f"{here}/hint?seat=0&guessed=0")  # the page stops asking
