"""Replays: every game through all eyes, and records exported and imported."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.contract.game import Game
from redouble.contract.page.html import minus
from redouble.contract.registry import GAMES
from redouble.kernel.errors import RecordError, RedoubleError
from redouble.kernel.state import SPECTATOR
from redouble.match import replay as replaying
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.match.replay import FRAMES, Replay, replay
from redouble.match.story import last_move
from redouble.web.features.study.replay_page import LISTED
from redouble.web.features.study.saved import (
    MAX_MOVES,
    ONLOOKER,
    OPEN,
    records,
    replay_of,
    scene_at,
)
from redouble.web.gate.security import MAX_UPLOAD
from redouble.web.store import schema
from redouble.web.table import Table
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app
from tests.web.helpers.visitors import Place, Visitor, live_at, play, rows, seats_for

CHOSEN = list(GAMES.values())
TWO = next(game for game in CHOSEN if game.min_seats == 2)
ALONE = next(game for game in CHOSEN if game.max_seats == 1)
BOTH = pytest.mark.parametrize("game", CHOSEN, ids=lambda game: game.name)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path_factory.mktemp("replay"), limits=ROOMY)) as client:
        yield client


def over(client: Place, host: Visitor, game: Game, seats: int = 0, **more: Any) -> Table:
    """A whole random game of one person against bots."""
    number = seats or game.usual_seats
    table = play(client, game, seats_for(host, bots=number - 1), **more)
    assert table.over_by_rules
    return table


def eyes_of(table: Table) -> dict[str, int | None]:
    return {OPEN: None, ONLOOKER: SPECTATOR} | {str(seat): seat for seat in range(len(table.seats))}


def words(html: str) -> list[str]:
    """The moves as a page lists them, the deal first."""
    listed = re.findall(r"<li><a [^>]*data-ply[^>]*>(.*?)</a></li>", html, re.DOTALL)
    texts = [re.sub(r"<i>\d+</i>|<[^>]*>", "", one) for one in listed]
    return [" ".join(text.replace("&#39;", "'").split()) for text in texts]


def current(html: str) -> int:
    """The ply that the list of moves marks."""
    found = re.findall(r'data-ply="(\d+)" aria-current="step"', html)
    assert len(found) == 1
    return int(found[0])


@BOTH
def test_every_ply_can_be_seen_through_all_eyes(anna: Visitor, game: Game) -> None:
    table = over(anna, anna, game)
    last = table.match.ply
    for eyes in eyes_of(table):
        for ply in (0, 1, last // 2, last):
            html = anna.get(f"/t/{table.header.token}/replay?ply={ply}&eyes={eyes}")
            assert current(html) == ply
            assert f'data-ply="{ply}" data-last="{last}"' in html
            assert f"game-{game.name}" in html
            ids = re.findall(r'\sid="([^"]*)"', html)
            assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1]
            names = re.findall(r"view-transition-name: ?([\w-]+)", html)
            assert len(names) == len(set(names))
            assert 'form="play"' not in html
            assert 'name="move"' not in html


@BOTH
def test_a_table_goes_on_from_a_position(anna: Visitor, game: Game) -> None:
    """It has the same cards, and bots at the other seats, and counts for nothing."""
    table = over(anna, anna, game)
    at, half = f"/t/{table.header.token}/replay", table.match.ply // 2
    (asked,) = re.findall(r'resume" href="([^"]*)"', anna.get(f"{at}?ply={half}"))
    assert "Play on" in anna.get(asked.replace("&amp;", "&"))
    on = asked.split("?")[0]
    assert asked.endswith(f"?ply={half}&amp;seat=0")
    made = live_at(anna, anna.post(on, ply=half, seat=0)).table
    assert made.match.moves[:half] == table.match.moves[:half]
    assert made.match.state == table.match.back_to(half).state or made.match.ply > half
    assert made.match.seed == table.match.seed
    assert [bool(seat.bot) for seat in made.seats] == [seat > 0 for seat in range(len(made.seats))]
    assert made.casual
    assert made.undone.hindsight
    for ply, seat in ((table.match.ply, 0), (0, 12), ("x", 0), (0, "²")):
        anna.post(on, 400, ply=ply, seat=seat)
        anna.get(f"{on}?ply={ply}&seat={seat}", 400)
    assert "resume" not in anna.get(f"{at}?ply={table.match.ply}")


def test_a_move_is_seen_moment_by_moment(anna: Visitor) -> None:
    """The way forward visits each moment once; the way back and the list skip them."""
    table = over(anna, anna, GAMES["double-down"], seed="moments")
    at, seen = f"/t/{table.header.token}/replay?ply=0&eyes={ONLOOKER}", []
    while at:
        html = anna.get(at)
        ply = int(re.findall(r'id="stage"[^>]*data-ply="(\d+)"', html)[0])
        title = re.findall(r'<div[^>]*id="stage"[^>]*data-moment="([^"]*)"', html)
        seen += [(ply, kind) for kind in title]
        if title:
            assert (
                f'href="/t/{table.header.token}/replay?ply={ply - 1}&amp;eyes={ONLOOKER}"' in html
            )
            assert 'data-hold="' in html
        found = re.findall(r'id="to-next"\s+href="([^"]*)"', html)
        at = found[0].replace("&amp;", "&") if found else ""
    whole = replay_of(str(table.record()))
    assert ply == whole.last
    assert seen == [
        (ply, one.kind.name)
        for ply in range(1, whole.last + 1)
        for one in whole.moments(ply, SPECTATOR)
    ]
    assert {kind for _, kind in seen} >= {"chip-lost"}


@pytest.mark.parametrize("moment", ["0", "9", "-1", "x", "1" * 30])
def test_a_moment_that_is_not_there_is_the_end_of_the_move(anna: Visitor, moment: str) -> None:
    table = over(anna, anna, TWO)
    here = f"/t/{table.header.token}/replay?ply=3"
    plain = anna.get(here)
    assert anna.get(f"{here}&moment={moment}") == plain
    assert 'data-moment="' not in plain


@BOTH
def test_the_moves_are_told_as_each_viewer_may_read_them(anna: Visitor, game: Game) -> None:
    table = over(anna, anna, game, seed="words")
    for text, eyes in eyes_of(table).items():
        match = table.match.restarted()
        told = ["The deal"]
        for move in table.match.moves:
            mover = match.turn
            assert mover is not None
            match.push(move)
            subject = f"{match.names[mover]} " if match.seats > 1 else ""
            told.append(subject + minus(last_move(match, match.names, eyes)))
        assert words(anna.get(f"/t/{table.header.token}/replay?eyes={text}")) == told


@BOTH
def test_the_open_view_shows_every_card_that_a_seat_holds(anna: Visitor, game: Game) -> None:
    table = over(anna, anna, game, seed="open")
    for ply in (0, table.match.ply // 2):
        html = anna.get(f"/t/{table.header.token}/replay?ply={ply}&eyes={OPEN}")
        faces = [
            face
            for place in scene_at(replay_of(str(table.record())), ply, None).places
            for pile in place.piles.values()
            if pile.key == "hand"
            for face in pile
        ]
        assert all(face.up for face in faces)
        assert [face.text for face in faces if f'id="{face.key}"' not in html] == []


def test_what_is_undone_is_hidden_again_and_what_is_given_up_is_shown(anna: Visitor) -> None:
    table = over(anna, anna, ALONE, seed="back")
    here = f"/t/{table.header.token}"
    anna.get(f"{here}/replay")
    anna.do(here, "undo", seat=0)
    anna.get(f"{here}/replay", 403)
    table = play(anna, TWO, seats_for(anna, bots=1), plies=6)
    here = f"/t/{table.header.token}"
    anna.do(here, "resign", seat=0)
    html = anna.get(f"{here}/replay?ply=99")
    assert "the game isn't over" in html
    assert "not finished" in html
    assert "Anna resigns" in html


def test_plies_are_clamped_and_wrong_eyes_are_refused(anna: Visitor) -> None:
    table = over(anna, anna, TWO)
    here = f"/t/{table.header.token}/replay"
    assert current(anna.get(f"{here}?ply=999999")) == table.match.ply
    for junk in ("", "-1", "x", "1.5", "9" * 40, "²"):
        assert current(anna.get(f"{here}?ply={junk}")) == 0
    for missing in ("/t/nothing/replay", "/r/nothing", "/r/nothing/record"):
        anna.get(missing, 404)
    for junk in ("", "-1", f"{len(table.seats)}", "99999", "all", "²"):
        message = anna.get(f"{here}?eyes={junk}", 400)
        assert "onlooker" in message


def test_without_a_script_links_reach_every_ply(anna: Visitor) -> None:
    table = over(anna, anna, TWO)
    here, last = f"/t/{table.header.token}/replay", table.match.ply

    def links(ply: int) -> dict[str, str]:
        html = anna.get(f"{here}?ply={ply}&eyes=1").replace("&amp;", "&")
        return dict(re.findall(r'id="(to-\w+)" href="([^"]*)"', html))

    assert set(links(0)) == {"to-next", "to-last"}
    assert set(links(last)) == {"to-first", "to-back"}
    middle = links(5)
    plies = {"to-first": 0, "to-back": 4, "to-next": 6, "to-last": last}
    middle["to-next"] = middle["to-next"].removesuffix("&moment=1")  # a stop on the way
    assert middle == {name: f"{here}?ply={ply}&eyes=1" for name, ply in plies.items()}
    part = anna.part(f"{here}?ply=5&eyes=1").strip()
    assert part.startswith("<div")
    assert part in anna.get(f"{here}?ply=5&eyes=1"), "a script gets only what changes"
    html = anna.get(middle["to-next"])
    assert current(html) == 6
    assert f'action="{here}"' in html
    assert re.search(r'<input type="hidden" name="eyes" value="1">', html)


def test_the_page_shows_the_result_the_options_and_the_deal(anna: Visitor) -> None:
    game, (option, value) = next(
        (game, (option, not option.default))
        for game in CHOSEN
        for option in game.options
        if isinstance(option.default, bool) and game.min_seats == 2
    )
    table = over(anna, anna, game, 2, seed="the name of the deal", **{option.name: value})
    html = anna.get(f"/t/{table.header.token}/replay")
    outcome = table.match.outcome
    assert outcome is not None
    for seat, rank in enumerate(outcome.ranks):
        name = table.match.names[seat]
        score = rf" <b>{outcome.scores[seat]}</b>" if outcome.scores else ""
        entry = rf'<li value="{rank}"><span [^>]*>\w</span> {name}{score}'.replace(
            "-", "[-\N{MINUS SIGN}]"
        )
        assert re.search(entry, html), entry
    assert outcome.reason.capitalize() in html
    assert f"<dt>{option.label}</dt><dd>{'yes' if value else 'no'}</dd>" in html
    assert "the name of the deal" in html


def test_notes_and_names_are_shown_as_plain_text(anna: Visitor) -> None:
    match = Match(TWO, ["Anna", "Ben"], "notes")
    for _ in range(6):
        match.push(match.legal_moves[0])
    record = match.record([(0, "Ben came late."), (4, "Ben <went> away.")])
    path = anna.post("/replays", text=str(record))
    html = anna.get(path)
    listed = re.findall(r"data-ply=\"(\d+)\"|class=\"note\">([^<]*)<", html.partition("<ol")[2])
    order = [ply or note for ply, note in listed]
    assert order[:3] == ["0", "Ben came late.", "1"]
    assert order[5:7] == ["4", "Ben &lt;went&gt; away."]
    assert "Ben &lt;went&gt; away." in anna.part(f"{path}?ply=4")
    assert "Ben &lt;went&gt; away." not in anna.part(f"{path}?ply=5")
    names = ("\x07\u202e \n", "<b>" + "x" * 300)
    html = anna.get(anna.post("/replays", text=str(replace(whole(), seats=names))))
    assert "Player 1" in html
    assert "&lt;b&gt;" + "x" * 37 in html
    assert "x" * 38 not in html
    assert "\u202e" not in html


@BOTH
def test_a_downloaded_record_can_be_imported(client: TestClient, anna: Visitor, game: Game) -> None:
    table = over(client, anna, game, seed="away")
    here = f"/t/{table.header.token}"
    answer = client.get(f"{here}/record")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    line = answer.text
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert replay(line).state == table.match.state
    path = anna.post("/replays", file=line.encode())
    assert re.fullmatch(r"/r/[\w-]{20,}", path)
    assert anna.get(f"{path}/record") == line
    assert words(anna.get(path)) == words(anna.get(f"{here}/replay"))
    assert path in anna.get("/replays")
    assert path in anna.get("/me")
    stranger = Visitor(client)
    assert path not in stranger.get("/replays")
    assert current(stranger.get(f"{path}?ply=1")) == 1


def whole(game: Game = TWO) -> Record:
    match = Match(game, ["Anna", "Ben"], "whole")
    while match.turn is not None:
        match.push(match.legal_moves[-1])
    return match.record()


def test_the_chosen_one_of_several_records_is_imported(anna: Visitor) -> None:
    lines = [str(replace(whole(), seats=(name, "Ben"))) for name in ("First", "Second")]
    text = "\n".join(["", lines[0], "  ", lines[1], ""])
    assert "First" in anna.get(anna.post("/replays", text=text))
    assert "First" in anna.get(anna.post("/replays", text=text, which=""))
    assert "Second" in anna.get(anna.post("/replays", file=text.encode(), which="2"))
    assert "there are 2" in anna.post("/replays", 400, text=text, which="3")
    assert "there are 2" in anna.post("/replays", 400, text=text, which="0")
    broken = text.replace(lines[1], "{}")
    assert "Line 4: the key" in anna.post("/replays", 400, text=broken, which="2")
    assert "First" in anna.get(anna.post("/replays", text=broken))


WRONG = {
    "nothing": ("", "No record was given"),
    "no record": ("hello", "Line 1: not JSON"),
    "an unknown game": (
        str(whole()).replace(TWO.name, "chess"),
        f"Line 1: there is no game &#39;chess&#39;: the games are {CHOSEN[0].title}, ",
    ),
    "other rules": (str(replace(whole(), rules=99)), "rules version 99"),
    "an illegal move": (
        str(replace(whole(), moves=(*whole().moves[:4], "nonsense"), ranks=None)),
        "Line 1: move 5: ",
    ),
    "a move too many": (
        str(replace(whole(), moves=(*whole().moves, "1"), ranks=None)),
        f"Line 1: move {len(whole().moves) + 1}: ",
    ),
    "other ranks": (str(replace(whole(), ranks=(2, 2))), "ranks"),
    "half a character": (
        json.dumps(whole().to_dict() | {"seats": ["A\ud800", "Ben"]}),
        "Line 1: not JSON",
    ),
    "a very long line": ("x" * 1_100_000, "not JSON"),
}


def test_an_unplayable_record_is_refused_and_not_stored(client: TestClient) -> None:
    for what in WRONG:
        given, said = WRONG[what]
        before = rows(client, records), rows(client, schema.people)
        stranger = Visitor(client)
        html = stranger.post("/replays", 400, file=given.encode())
        assert said.replace("'", "&#39;") in html
        assert 'role="alert"' in html
        assert stranger.cookie == ""
        assert (rows(client, records), rows(client, schema.people)) == before


def test_a_file_that_is_not_text_is_refused(client: TestClient) -> None:
    html = Visitor(client).post("/replays", 400, text='{"game": "<b>"}')
    assert "{&#34;game&#34;: &#34;&lt;b&gt;&#34;}</textarea>" in html, "it can be corrected"
    answer = Visitor(client).post("/replays", 400, file=b"\xff\xfe\x00")
    assert "UTF-8 text: byte 0 is wrong" in answer
    assert Visitor(client).post("/replays", 413, file=b" " * (MAX_UPLOAD + 1))


@BOTH
def test_a_replay_matches_the_record_at_every_ply(game: Game) -> None:
    match = Match(game, game.usual_seats, "replay")
    states = [match.state]
    while match.turn is not None:
        match.push(match.legal_moves[len(states) % len(match.legal_moves)])
        states.append(match.state)
    shown = Replay(match.record())
    assert shown.last == match.ply > 0
    for ply in [*range(match.ply, -1, -7), *range(0, match.ply + 1, 11), match.ply]:
        here = shown.at(ply)
        assert (here.ply, here.state) == (ply, states[ply])
        if here.turn is not None:
            here.push(here.legal_moves[0])  # the caller may change its copy
    assert shown.at(match.ply).outcome == match.outcome


def test_a_replay_plays_only_a_few_plies_for_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Replay(whole())
    assert shown.last > FRAMES
    pushed: list[str] = []
    push = Match.push

    def counted(match: Match, move: str) -> None:
        pushed.append(move)
        push(match, move)

    monkeypatch.setattr(Match, "push", counted)
    for ply in range(shown.last + 1):
        pushed.clear()
        scene_at(shown, ply, None)
        assert len(pushed) < FRAMES


def test_a_replay_is_built_once_for_all(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    table = over(anna, anna, TWO, seed="once")
    made = []

    def counted(*args: Any) -> Match:
        made.append(args)
        return replayed(*args)

    replayed = replaying._replayed
    monkeypatch.setattr(replaying, "_replayed", counted)
    for ply in range(5):
        anna.get(f"/t/{table.header.token}/replay?ply={ply}&eyes={ply % 2}")
    assert len(made) == 1


def long(moves: int) -> Record:
    match, dice = Match(GAMES["three-up"], 2, "long", {"games": 99}), Random("long")
    while match.ply < moves:
        match.push(dice.choice(list(match.legal_moves)))
    return match.record()


def test_pages_of_a_long_game_are_short_and_lead_to_every_move(anna: Visitor) -> None:
    record = long(330)
    path = anna.post("/replays", text=str(record))
    told, ply, html = words(anna.get(path)), LISTED + 1, anna.get(path)
    assert told[0] == "The deal"
    assert len(told) == 1 + LISTED
    while f'href="{path}?ply={ply}&amp;eyes=open"' in html:
        html = anna.get(f"{path}?ply={ply}")
        assert current(html) == ply
        assert len(html) < 60_000
        assert f'data-ply="{ply - 1}">Earlier moves' in html
        assert anna.part(f"{path}?ply={ply}&eyes=open&moves=1").strip() in html
        told += words(html)
        ply += LISTED
    assert len(told) == 1 + len(record.moves)


def test_a_story_can_be_told_in_parts() -> None:
    shown = Replay(whole())
    for reader in (None, 0, SPECTATOR):
        story = Replay(whole()).story(reader)
        for first in range(1, shown.last + 2, 7):
            assert shown.story(reader, first) == story[first - 1 :]
            last = min(first + 3, shown.last)
            assert shown.story(reader, first, last) == story[first - 1 : last]
    with pytest.raises(RedoubleError):
        shown.story(None, 0)


def test_a_game_too_long_to_show_is_not_imported(anna: Visitor) -> None:
    record = replace(whole(), moves=("1",) * (MAX_MOVES + 1), ranks=None)
    before = rows(anna, records)
    assert f"at most {MAX_MOVES}" in anna.post("/replays", 400, text=str(record))
    with pytest.raises(RecordError, match=f"at most {MAX_MOVES}"):
        replay_of(str(record))
    assert rows(anna, records) == before
