"""Several people at one table: by link, on one device, watching, undoing, going away."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

import pytest
from playwright.sync_api import Page, expect

import redouble
from redouble.contract.registry import GAMES
from redouble.kernel.state import SPECTATOR
from redouble.match.match import Match
from redouble.match.record import Record
from redouble.web.drawing.scene import scene_of
from tests.web.browser.conftest import Visitors
from tests.web.browser.play import (
    MOVES,
    QUICK,
    SEVERAL,
    ask_for_table,
    asked,
    choose,
    faces,
    give_up,
    held_back,
    hold,
    lift_curtain,
    new_table,
    play_one_move,
    play_to_the_end,
    play_unseen,
    ply,
    shows_result,
    table_of,
    wait,
    whose_turn,
)
from tests.web.helpers.server import Server, dealing, program

QUICK_TO_MISS = program(
    dealing("3"),
    "from redouble.web.live import live, tables; live.AWAY_SECONDS = tables.HEARTBEAT = 0.5",
)
"""The command, with people counted as away after half a second, and looked for as often."""
WATCHED = 5
"""Moves of people during which every page is looked at."""
A_WHILE = 7
"""Moves of people."""
SAY = """texts => texts.forEach(text => {
    document.getElementById("say").value = text;
    document.querySelector(".say").requestSubmit();
})"""


def invited(visit: Visitors, host: Page, name: str, **options: object) -> Page:
    """Open the link that the host's page shows and sit down."""
    guest = visit(**options)  # type: ignore[arg-type]
    guest.goto(host.get_by_label("Link", exact=True).input_value())
    guest.get_by_label("Your name").fill(name)
    with guest.expect_navigation():
        guest.get_by_role("button", name="Join").click()
    expect(guest.locator("#board")).to_be_visible()
    return guest


def resign(*pages: Page) -> None:
    """Resign as programs do; bots play on."""
    for page in pages:
        asked(page, f"/api/tables/{table_of(page)}/resign", {})


def table_of_two(visit: Visitors, game: str) -> tuple[Page, Page]:
    """A host and a guest, and as many bots as the game needs."""
    host = visit()
    bots = GAMES[game].min_seats - 2
    new_table(host, game, ["you", "a friend, by link", *["club bot"] * bots])
    expect(host.get_by_text("Waiting for players")).to_be_visible()
    return host, invited(visit, host, "Berta")


@pytest.mark.parametrize("game", SEVERAL)
def test_two_people_play_through_the_invitation_to_the_end(visit: Visitors, game: str) -> None:
    """A spectator watches. What each page showed is compared with the record after the game.

    In a long game both resign after a while, and bots play on.
    """
    host, guest = table_of_two(visit, game)
    watcher = visit()
    watcher.goto(host.url)
    eyes = {0: host, 1: guest, SPECTATOR: watcher}
    chance = random.Random(f"two {game}")
    before, made = -1, 0
    seen: dict[int, dict[int, set[str]]] = {}
    while (mover := whose_turn([host, guest], before)) is not None:
        before = ply(mover)
        if made < WATCHED:
            for page in eyes.values():  # no page is reloaded
                expect(page.locator("#board")).to_have_attribute("data-ply", f"{before}")
            assert watcher.locator("[form=play]").count() == 0
            seen[made] = {seat: faces(page) for seat, page in eyes.items()}
        elif made == WATCHED:
            watcher.close()
        if made == A_WHILE:
            resign(host, guest)
            break
        choose(mover, chance)
        made += 1
    for page in (host, guest):
        expect(page.locator("#board")).to_have_attribute("data-over", "1")
        shows_result(page)
    _hold_against(host, (0, 1), seen)


def _hold_against(
    page: Page, people: Collection[int], seen: dict[int, dict[int, set[str]]]
) -> None:
    """What pages showed against the record of the game, which is over.

    ``seen``: the cards on each seat's page, by how many moves the people had made by then.
    """
    text = page.request.get(f"{page.url.partition('?')[0]}/record").text()
    record = Record.parse(text)
    match = redouble.replay(record).restarted()
    made = 0
    for move in record.moves:
        if match.turn in people:
            for eyes, cards in seen.get(made, {}).items():
                assert cards <= _keys(match, eyes), "a page shows a card that its seat must not see"
                if eyes != SPECTATOR:
                    assert cards - _keys(match, SPECTATOR), "no page shows more than a spectator's"
            made += 1
        match.push(move)
    assert made > max(seen)


def _keys(match: Match, eyes: int) -> set[str]:
    """The names of the cards that this reader knows: those face up, and those seen picked up."""
    scene = scene_of(match.view(eyes), match.names, playable=False)
    piles = [*scene.piles.values(), *(p for place in scene.places for p in place.piles.values())]
    return {face.key for pile in piles for face in pile.faces if face.up}


def test_two_people_talk_and_go_on_with_a_rematch(visit: Visitors) -> None:
    host, guest = table_of_two(visit, QUICK)
    for page, other, text in ((host, guest, "Hello there"), (guest, host, "<b>Hi</b>")):
        page.get_by_label("Message to the table").fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_label("Message to the table")).to_have_value("")
        expect(other.get_by_role("list", name="Chat").get_by_text(text)).to_be_visible()
    resign(host, guest)
    host.get_by_role("button", name="Rematch").click()
    host.wait_for_url(lambda url: url != guest.url)
    guest.get_by_role("alert").get_by_role("button", name="Join").click()
    guest.wait_for_url(host.url)
    assert whose_turn([host, guest]) is not None


@pytest.mark.thorough
def test_messages_and_moves_that_wait_for_answers_are_all_sent(visit: Visitors) -> None:
    pages = table_of_two(visit, QUICK)
    mover = whose_turn(pages)
    assert mover is not None
    talker = pages[mover is pages[0]]
    moves, talk = hold(mover, "**/move"), hold(talker, "**/do")
    mover.locator(MOVES).first.click()
    move = held_back(mover, moves)
    talker.evaluate(SAY, ["One", "Two", "Three"])
    for _ in range(3):
        held_back(talker, talk).continue_()
    expect(mover.get_by_role("list", name="Chat").get_by_text("Three")).to_be_visible()
    move.continue_()
    expect(mover.locator("#board")).to_have_attribute("data-moves", "1")


def test_the_invitation_vanishes_when_every_seat_is_taken(visit: Visitors) -> None:
    """The invitation vanishes and the tools of a running game come, without loading again."""
    host = visit()
    new_table(host, QUICK, ["you", "a friend, by link"])
    expect(host.get_by_role("heading", name="Invite friends")).to_be_visible()
    expect(host.get_by_label("Message to the table")).to_be_hidden()
    invited(visit, host, "Berta")
    expect(host.get_by_role("heading", name="Invite friends")).to_be_hidden()
    expect(host.get_by_label("Message to the table")).to_be_visible()
    host.get_by_text("Table", exact=True).click()
    expect(host.get_by_text("Resign", exact=True)).to_be_visible()


def test_an_open_seat_can_be_given_to_a_bot(visit: Visitors) -> None:
    host = visit()
    new_table(host, QUICK, ["you", "a friend, by link"])
    host.get_by_role("button", name="Add a bot").click()
    wait(host)
    play_one_move(host, random.Random(1))


@pytest.mark.parametrize("game", SEVERAL)
def test_on_one_device_a_curtain_falls_between_players(visit: Visitors, game: str) -> None:
    page = visit()
    seats = max(GAMES[game].min_seats, 2)
    new_table(
        page,
        game,
        ["you", *["a player on this device"] * (seats - 1)],
        names={i: f"Player {i}" for i in range(1, seats)},
    )
    chance = random.Random(f"here {game}")
    wait(page)
    seen: dict[int, dict[int, set[str]]] = {}
    for made in range(5):
        if page.locator(".prompt.curtain").count():
            assert page.locator("button[form=play]").count() == 0
            seen[made] = {SPECTATOR: faces(page)}
            lift_curtain(page)
        play_one_move(page, chance)
    give_up(page)
    shows_result(page)
    _hold_against(page, range(seats), seen)


def test_a_game_on_one_device_to_its_end(visit: Visitors) -> None:
    page = visit(phone=True)
    table = ask_for_table(page, QUICK, 2, others="here")
    play_unseen(page, table, 56, random.Random("device"))
    page.goto(f"/t/{table}?guide=0")
    assert play_to_the_end(page, random.Random("device")) > 5
    shows_result(page)


def test_a_public_table_is_listed_for_spectators(visit: Visitors) -> None:
    page, watcher = visit(), visit()
    new_table(page, QUICK, public=True)
    watcher.goto("/")
    watcher.get_by_role("region", name="Join a table").get_by_role("link").first.click()
    expect(watcher).to_have_url(page.url)
    wait(page)
    play_one_move(page, random.Random(1))
    expect(watcher.locator("#board")).to_have_attribute("data-ply", f"{ply(page)}")


def test_a_move_is_undone_when_the_other_player_agrees(visit: Visitors) -> None:
    host, guest = table_of_two(visit, QUICK)
    chance = random.Random("undo")
    for answer in ("Refuse", "Agree"):
        mover = whose_turn([host, guest])
        assert mover is not None
        other = guest if mover is host else host
        before = ply(mover)
        choose(mover, chance)
        after = whose_turn([host, guest], before)  # a player who loses a chip may be to move again
        assert after is not None
        mover.get_by_role("button", name="Ask to undo").click()
        banner = other.get_by_role("alert").filter(has_text="asks to undo the last move")
        banner.get_by_role("button", name=answer).click()
        if answer == "Refuse":
            for page in (host, guest):
                expect(page.locator("#log").get_by_text("doesn't agree")).to_be_visible()
            assert after.locator("#board").get_attribute("data-mine") == "1"
    for page in (host, guest):
        expect(page.locator("#log").get_by_text("undoes")).to_be_visible()
        mine = page.locator("#board").get_attribute("data-mine")
        assert mine == ("1" if page is mover else "0")


def test_what_is_typed_while_a_message_is_on_its_way_stays(visit: Visitors) -> None:
    host = visit()
    new_table(host, QUICK, ["you", "a friend, by link"])
    invited(visit, host, "Berta")
    held = hold(host, "**/do")
    field = host.get_by_label("Message to the table")
    field.fill("Hello")
    field.press("Enter")
    request = held_back(host, held)
    field.fill("Are you there?")
    with host.expect_response("**/do"):
        request.continue_()
    expect(host.get_by_role("list", name="Chat").get_by_text("Hello")).to_be_visible()
    expect(field).to_have_value("Are you there?")
    host.unroute("**/do")
    field.press("Enter")
    expect(host.get_by_role("list", name="Chat").get_by_text("Are you")).to_be_visible()
    expect(field).to_have_value("")


@pytest.fixture
def impatient(serve: Callable[..., Server]) -> Server:
    return serve(QUICK_TO_MISS)


def test_a_bot_stands_in_for_an_absent_player_until_they_return(
    visit: Visitors, impatient: Server
) -> None:
    host = visit(address=impatient.address)
    new_table(host, QUICK, ["you", "a friend, by link"])
    guest = invited(visit, host, "Berta", address=impatient.address)
    table, context = guest.url, guest.context
    guest.close()
    gone = host.get_by_role("region", name="Players who are away")
    expect(gone.get_by_text("Berta is away")).to_be_visible()
    if not gone.get_by_role("button").is_visible():  # which comes on her turn
        play_one_move(host, random.Random(3))
    gone.get_by_role("button", name="Let a bot play").click()
    expect(host.locator("#log").get_by_text("a bot (club) takes over")).to_be_visible()
    wait(host)
    for _ in range(2):
        play_one_move(host, random.Random(3))
    guest = context.new_page()
    guest.goto(table)
    guest.get_by_role("button", name="Take my seat back").click()
    expect(host.locator("#log").get_by_text("is back")).to_be_visible()
    expect(gone).to_be_hidden()
    assert whose_turn([host, guest]) is not None
