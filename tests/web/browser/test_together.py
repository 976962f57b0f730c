"""Several people at one table: by link, on one device, watching, undoing, going away."""

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from redouble.contract.registry import GAMES
from tests.web.browser.conftest import DEAL, Visitors
from tests.web.browser.play import (
    MOVES,
    QUICK,
    SEVERAL,
    asked,
    choose,
    give_up,
    held_back,
    hold,
    join,
    lift_curtain,
    new_table,
    open_table,
    play_one_move,
    play_to_the_end,
    ply,
    shows_result,
    table_of,
    table_of_two,
    wait,
    whose_turn,
)
from tests.web.helpers.server import Server, dealing, program

QUICK_TO_MISS = program(
    dealing(DEAL),
    "from redouble.web.live import live, tables; live.AWAY_SECONDS = tables.HEARTBEAT = 0.5",
)
"""The command, with people counted as away after half a second, and looked for as often."""
A_WHILE = 5
"""Moves of people."""
SAY = """texts => texts.forEach(text => {
    document.getElementById("say").value = text;
    document.querySelector(".say").requestSubmit();
})"""


def resign(*pages: Page) -> None:
    """Resign as programs do; bots play on."""
    for page in pages:
        asked(page, f"/api/tables/{table_of(page)}/resign", {})


@pytest.mark.parametrize("game", SEVERAL)
def test_two_people_play_through_the_invitation_to_the_end(visit: Visitors, game: str) -> None:
    """A spectator watches. In a long game both resign after a while, and bots play on."""
    host, guest = table_of_two(visit(), visit(), game)
    watcher = visit()
    watcher.goto(host.url)
    chance = random.Random(f"two {game}")
    before = -1
    for _ in range(A_WHILE):
        if (mover := whose_turn([host, guest], before)) is None:
            break
        before = ply(mover)
        for page in (host, guest, watcher):  # no page is reloaded
            expect(page.locator("#board")).to_have_attribute("data-ply", f"{before}")
        assert watcher.locator("[form=play]").count() == 0
        choose(mover, chance)
    else:
        resign(host, guest)
    for page in (host, guest):
        expect(page.locator("#board")).to_have_attribute("data-over", "1")
        shows_result(page)


def test_two_people_talk_and_go_on_with_a_rematch(visit: Visitors) -> None:
    host = new_table(visit(), seats=["you", "a friend, by link"])
    message = host.get_by_label("Message to the table")
    expect(host.get_by_role("region", name="Invitation")).to_be_visible()
    expect(message).to_be_hidden()
    guest = join(visit(), host)  # without loading again, the tools of a running game come
    expect(host.get_by_role("region", name="Invitation")).to_be_hidden()
    expect(message).to_be_visible()
    for page, other, text in ((host, guest, "Hello there"), (guest, host, "<b>Hi</b>")):
        page.get_by_label("Message to the table").fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_label("Message to the table")).to_have_value("")
        expect(other.get_by_role("list", name="Chat").get_by_text(text)).to_be_visible()
    held = hold(host, "**/do")
    message.fill("Hello")
    message.press("Enter")
    request = held_back(host, held)
    message.fill("Are you there?")
    with host.expect_response("**/do"):
        request.continue_()
    host.unroute("**/do")
    expect(message).to_have_value("Are you there?")  # it was typed while another was on its way
    message.press("Enter")
    expect(guest.get_by_role("list", name="Chat").get_by_text("Are you")).to_be_visible()
    expect(message).to_have_value("")
    host.get_by_text("Menu", exact=True).click()
    expect(host.get_by_text("Resign", exact=True)).to_be_visible()
    host.keyboard.press("Escape")
    resign(host, guest)
    host.get_by_role("button", name="Rematch").click()
    host.wait_for_url(lambda url: url != guest.url)
    guest.get_by_role("alert").get_by_role("button", name="Join").click()
    guest.wait_for_url(host.url)
    assert whose_turn([host, guest]) is not None


@pytest.mark.thorough
def test_messages_and_moves_that_wait_for_answers_are_all_sent(visit: Visitors) -> None:
    pages = table_of_two(visit(), visit())
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


def test_an_open_seat_can_be_given_to_a_bot(visit: Visitors) -> None:
    host = new_table(visit(), seats=["you", "a friend, by link"])
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
    for _ in range(5):
        if page.locator(".prompt.curtain").count():
            assert page.locator("button[form=play]").count() == 0
            lift_curtain(page)
        play_one_move(page, chance)
    give_up(page)
    shows_result(page)


def test_a_game_on_one_device_to_its_end(visit: Visitors) -> None:
    page = visit(phone=True)
    open_table(page, QUICK, 2, moves=33, chance="device", others="here")  # it could end with 37
    assert play_to_the_end(page, random.Random("device")) > 1
    shows_result(page)


def test_a_public_table_is_listed_for_spectators(visit: Visitors) -> None:
    page, watcher = new_table(visit(), public=True), visit()
    watcher.goto("/people")
    watcher.get_by_role("link", name="Watch").first.click()
    expect(watcher).to_have_url(page.url)
    play_one_move(page, random.Random(1))
    expect(watcher.locator("#board")).to_have_attribute("data-ply", f"{ply(page)}")


def test_a_move_is_undone_when_the_other_player_agrees(visit: Visitors) -> None:
    host, guest = table_of_two(visit(), visit())
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
                said = re.compile("(You don't|doesn't) agree")
                expect(page.locator("#log").get_by_text(said)).to_be_visible()
            assert after.locator("#board").get_attribute("data-mine") == "1"
    for page in (host, guest):
        expect(page.locator("#log").get_by_text(re.compile("(You undo|undoes) "))).to_be_visible()
        mine = page.locator("#board").get_attribute("data-mine")
        assert mine == ("1" if page is mover else "0")


def test_a_bot_stands_in_for_an_absent_player_until_they_return(
    visit: Visitors, serve: Callable[..., Server]
) -> None:
    address = serve(QUICK_TO_MISS).address
    host, guest = table_of_two(visit(address=address), visit(address=address))
    table, context = guest.url, guest.context
    guest.close()
    gone = host.get_by_role("region", name="Players who are away")
    expect(gone.get_by_text("Berta is away")).to_be_visible()
    if not gone.get_by_role("button").is_visible():  # which comes on her turn
        choose(host, random.Random(3))
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
