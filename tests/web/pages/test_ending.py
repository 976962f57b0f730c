"""The end of a game: its words from every game, and the panel that says them."""

import json
import re
from html import unescape
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from highest_card import GAME as HIGHEST_CARD
from redouble.analysis.review import ITERATIONS, VERSION, Account, Decision, Point, Review
from redouble.analysis.turning import swings, turning_points
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.kernel.errors import SeatsError
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.story import ending_in_words, last_move
from redouble.web.drawing import templates
from redouble.web.drawing.board import Viewpoint, abilities
from redouble.web.drawing.markup.board import draw_board
from redouble.web.features.profile.ending import Progress, progress
from redouble.web.features.study import queue
from redouble.web.features.study.queue import ReviewKey
from redouble.web.live.live import Live
from redouble.web.table import Seat
from tests.helpers.tables import play_on
from tests.web.helpers.play import Playing, header
from tests.web.helpers.visitors import Visitor, play, seats_for, stored
from uphill import GAME as UPHILL

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "three-up": [{}, {"games": 2}, {"play-on": True}, {"stall": 1}],
    "double-down": [{}, {"forgetful": True, "repeats-cost": True}],
    "double-or-quits": [{}, {"free-flip": True, "redeals": 9}],
}
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus")
EVERY = [*GAMES.values(), HIGHEST_CARD, UPHILL]


def ended(game: Game, seed: str, seats: int, options: dict[str, Any]) -> Match:
    return play_on(Match(game, list(NAMES[:seats]), seed, options), Random(seed))


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_every_end_reads_as_a_sentence(game: Game) -> None:
    for number in range(24):
        few = OPTIONS.get(game.name, [{}])
        seats = min(game.max_seats, game.min_seats + number % 4)
        match = ended(game, f"ending {number}", seats, few[number % len(few)])
        for viewer in (None, SPECTATOR, 0):
            words = ending_in_words(match, match.names, viewer)
            assert words is not None
            assert re.fullmatch(r"[A-Z0-9][^{}]+\.", words.decided), words
            assert len(words.decided) < 100
            assert len(words.notes) in (0, seats)
            assert all(note and "{" not in note for note in words.notes)
            assert viewer == 0 or not re.search(r"\b[Yy]our?\b", words.decided), words


def test_there_are_no_words_before_the_end() -> None:
    match = Match(GAMES["double-down"], list(NAMES[:2]), "running")
    assert match.ending() is None
    assert ending_in_words(match, match.names, 0) is None
    with pytest.raises(SeatsError):
        match.ending(2)


@pytest.mark.parametrize(
    ("name", "seed", "options", "decided"),
    [
        ("double-down", "ending 1", {}, r"(Your|\w+'s) \S+ made -?\d+, and \w+ had no chip left\."),
        ("double-decker", "ending 1", {}, r".+ (led before|in the) .*last round.*"),
        ("double-dominoes", "ending 2", {}, r".+(ahead|reached \d+|decided|was reached)\."),
        ("three-up", "ending 3", {}, r".+ out of cards; .+ \d+ cards?\."),
        ("three-up", "ending 3", {"stall": 1}, r"Nobody made progress for 1 turn each: .+"),
        ("three-up", "ending 3", {"games": 2}, r"The lowest total after 2 games won by .+"),
        ("double-or-quits", "ending 2", {}, r"The foundation needed an? \w+, .+|All 48 cards .+"),
    ],
)
def test_a_game_says_what_decided_it(
    name: str, seed: str, options: dict[str, Any], decided: str
) -> None:
    game = GAMES[name]
    ending = ended(game, seed, game.usual_seats, options)
    words = ending_in_words(ending, ending.names, 0)
    assert words is not None
    assert re.fullmatch(decided, words.decided), words.decided


def test_the_last_player_out_and_the_chips_are_told() -> None:
    match = ended(GAMES["double-down"], "ending 5", 3, {})
    outcome, words = match.outcome, ending_in_words(match, match.names, None)
    assert outcome is not None
    assert words is not None
    by_rank = dict(zip(outcome.ranks, words.notes, strict=True))
    assert (by_rank[2], by_rank[3]) == ("out second", "out first")
    assert re.fullmatch(r"\d chips? left|on a free ride", by_rank[1])
    assert words.decided.startswith(match.names[outcome.ranks.index(2)])


def test_a_game_without_words_for_its_end_tells_the_last_move() -> None:
    match = ended(HIGHEST_CARD, "ending", 3, {})
    words = ending_in_words(match, match.names, None)
    assert HIGHEST_CARD.words.ending is None
    assert words is not None
    told = re.sub(r"\{(\d)\}", lambda found: match.names[int(found[1])], match.tell())
    assert words.decided.endswith(f" {told}.")
    assert words.decided.split()[0] in match.names


def panel(html: str) -> str:
    """The panel of a board, in one line."""
    found = re.search(r'<section class="ending.*', " ".join(html.split()))
    return "" if found is None else unescape(found[0])


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_the_panel_comes_with_the_end_and_not_before(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "GAMES", {**GAMES, game.name: game})
    seats = [Seat(NAMES[i], f"person {i}") for i in range(game.usual_seats)]
    playing = Playing(header(game, seats, "panel"))
    assert not panel(draw_board(Live(playing.table), Viewpoint(0)))
    playing.play_on(Random(2))
    outcome, match = playing.table.match.outcome, playing.table.match
    assert outcome is not None
    for eyes in (SPECTATOR, 0):
        shown = panel(draw_board(Live(playing.table), Viewpoint(eyes)))
        words = ending_in_words(match, match.names, eyes)
        assert words is not None
        assert words.decided.replace("-", "\N{MINUS SIGN}") in shown.replace("-", "\N{MINUS SIGN}")
        assert all(f">{one}</a>" in shown for one in ("Review", "Replay"))
        won = outcome.won[0] if eyes == 0 else any(outcome.won)
        assert ('class="confetti"' in shown) == won
        assert shown.count("<li value=") == (match.seats if match.seats > 1 else 0)


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_turning_points_are_the_largest_swings_before_the_last_move(game: Game) -> None:
    match = ended(game, "turning", game.usual_seats, {})
    found = swings(match, match.ply)
    largest = turning_points(match)
    assert len(largest) == (0 if match.seats == 1 else min(3, len(found)))
    assert [one.ply for one in largest] == sorted({one.ply for one in largest})
    told = {one.ply for one in largest}
    assert match.ply - 1 not in told
    least = min([one.size for one in found if one.ply in told], default=0)
    assert all(one.size <= least for one in found if one.ply not in told)
    for one in largest:
        before, after = match.back_to(one.ply), match.back_to(one.ply + 1)
        assert (before.turn, before.moves) == (one.seat, match.moves[: one.ply])
        assert one.text == last_move(after, match.names, None)


def test_the_panel_links_to_turning_points_and_prefers_a_review(
    client: TestClient, anna: Visitor
) -> None:
    table = play(client, GAMES["double-down"], seats_for(anna, bots=2), seed="turning")
    here = f"/t/{table.header.token}"
    swung = turning_points(table.match)
    shown = panel(anna.get(here))
    links = re.findall(r'href="([^"]*/replay\?ply=\d+)"', shown)
    assert links == [f"{here}/replay?ply={one.ply + 1}" for one in swung]
    assert swung[0].text.replace("-", "\N{MINUS SIGN}") in shown.replace("-", "\N{MINUS SIGN}")

    twin, ply = table.match.back_to(0), 0
    while len(twin.legal_moves) < 2:
        twin.push(table.match.moves[ply])
        ply += 1
    turn, move = twin.turn, table.match.moves[ply]
    assert turn is not None
    better = next(one for one in twin.legal_moves if one != move)
    mistake = Decision(ply, turn, move, better, 0.2, 0.01, 0.3, (0.0, 0.1, 0.1))
    accounts = tuple(Account(i, "", 1, 1, 0, 0.5, 0.5, 0.0, 0.0, 0.0) for i in range(3))
    points = tuple(Point(at, (0.5, 0.5, 0.5)) for at in (0, table.match.ply))
    review = Review(3, table.match.ply, True, 10, (mistake,), points, accounts)
    which = ReviewKey(table.record().key, VERSION, ITERATIONS)
    text = json.dumps(review.to_dict())
    stored(client, lambda c: queue.save_review(c, which, text, 1.0, 9, None, None))
    shown = panel(anna.get(here))
    assert f"Better: {twin.describe(better)}".replace("-", "\N{MINUS SIGN}") in shown
    assert re.findall(r"replay\?ply=(\d+)", shown) == [str(ply + 1)]


def row(token: str, won: bool, counts: bool = True) -> dict[str, Any]:
    return {
        **{"token": token, "won": won, "counts": counts, "rank": 1, "score": None},
        "reason": "the last chip is lost",
    }


@pytest.mark.parametrize(
    ("story", "headline", "detail"),
    [
        ("w", "Your first win", ""),
        ("l", "No wins in 1 game", ""),
        ("lw", "Your first win", ""),
        ("wlw", "2 wins in 3 games", ""),
        ("ww", "2 wins in a row", "That's your best so far."),
        ("wwlw", "3 wins in 4 games", "Your best is 2 in a row."),
        ("wwwlww", "2 wins in a row", "Your best is 3 in a row."),
        ("wwl", "After 2 wins in a row, a loss", "Your best is 2 in a row."),
        ("wwx", "This game doesn't count", "Moves were undone after new cards were seen."),
    ],
)
def test_the_panel_says_what_a_result_changed(story: str, headline: str, detail: str) -> None:
    """``w`` is a game won, ``l`` one lost; ``x`` is one that does not count."""
    rows = [row(str(i), letter in "wx", letter != "x") for i, letter in enumerate(story)]
    later = [*rows, row("later", True), row("last", True)]
    for known in (rows, later):
        found = progress(known, str(len(story) - 1))
        assert isinstance(found, Progress)
        assert (found.headline, found.detail) == (headline, detail)
    assert progress(rows, "elsewhere") is None


def test_only_a_player_with_one_seat_sees_their_results(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    game = GAMES["double-down"]
    here = f"/t/{play(client, game, seats_for(anna, bots=2), seed='mine').header.token}"
    assert 'class="tally"' in panel(anna.get(here))
    assert "average place" in panel(anna.get(here))
    assert 'class="tally"' not in panel(ben.get(here))
    both = f"/t/{play(client, game, seats_for(anna, anna), seed='both').header.token}"
    assert 'class="tally"' not in panel(anna.get(both))


def test_an_abandoned_game_says_so(anna: Visitor) -> None:
    here = anna.post("/play/double-down", level="club")
    anna.post(f"{here}/do", command="resign", seat=0)
    shown = panel(anna.get(here))
    assert "This game was abandoned" in shown
    assert "confetti" not in shown
    assert "/review" not in shown
    assert "/replay" in shown


def test_whoever_is_out_can_skip_to_the_end_when_only_bots_play_on(
    client: TestClient, anna: Visitor, ben: Visitor
) -> None:
    """Both are out one after the other; a bot's moves are all that is left then."""
    game = GAMES["double-down"]
    for seats in (seats_for(anna, bots=3), seats_for(anna, ben, bots=3)):
        offered = 0
        for number in range(30):
            table = Playing(header(game, seats, f"out {number}"))
            dice = Random(number)
            while table.table.turn is not None:
                state = table.table.match.state
                people = [i for i, seat in enumerate(seats) if seat.person]
                out = [state.lives[i] == 0 for i in people]
                live = Live(table.table)
                can = abilities(live, Viewpoint(0), seats[0].person)
                assert can.skip == all(out)
                if all(out) and not offered:
                    assert "Skip to the end" in draw_board(live, Viewpoint(0))
                    assert "Skip to the end" not in draw_board(live, Viewpoint(SPECTATOR))
                offered += all(out)
                table.move(dice.choice(list(table.table.match.legal_moves)))
            if offered:
                break
        assert offered


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_nobody_who_is_out_moves_again(game: Game) -> None:
    if game.words.out is None:
        assert game.name not in {"double-down", "three-up"}
        return
    for number in range(6):
        match = Match(game, list(NAMES[:4]), f"out {number}", OPTIONS[game.name][number % 2])
        dice, gone = Random(number), set[int]()
        while match.turn is not None:
            gone |= {seat for seat in range(4) if game.words.out(match.state, seat)}
            assert match.turn not in gone
            match.push(dice.choice(list(match.legal_moves)))
