"""Playing at a table as people do: by clicking what can be seen."""

import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from redouble.bots import BOTS, own_chance
from redouble.contract.registry import GAMES
from redouble.match.match import Match
from tests.web.browser.conftest import PATIENCE

BOARD = """() => {
    const board = document.getElementById("board"), page = document.documentElement;
    const notice = document.getElementById("notice");
    document.querySelector("#go-on")?.click();
    return board && notice && {  // none while a new page is read
        ply: Number(board.dataset.ply),
        mine: board.dataset.mine === "1",
        over: board.dataset.over === "1",
        curtain: document.querySelector(".prompt.curtain") !== null,
        wide: page.scrollWidth - page.clientWidth,
        notice: notice.hidden ? "" : notice.textContent,
    };
}"""
CAN_ACT = """before => {
    const board = document.getElementById("board");  // none while a new page is read
    document.querySelector("#go-on")?.click();
    return board && Number(board.dataset.ply) > before && (board.dataset.mine === "1"
        || board.dataset.over === "1" || document.querySelector(".prompt.curtain") !== null);
}"""
MOVES = "button[form=play]:visible"
PARTS = "#felt label:visible"
"""What some games show first: a move's button appears when its parts have been chosen."""
UNTICKED = "all => [...all.keys()].filter(i => !all[i].control.checked)"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""By how many pixels a page is wider than its window."""
AT_REST = """() => document.getAnimations().every(one =>
    one.playState !== "running" || one.effect.getTiming().iterations === Infinity)"""
MAX_PARTS = 8
MAX_MOVES = 400
NAMES = tuple(GAMES)
QUICK = "double-down"
"""For tests that any game would do for: few moves, and every card in hand is a button."""
SEVERAL = tuple(name for name, game in GAMES.items() if game.max_seats > 1)
SHORT: dict[str, dict[str, Any]] = {
    "double-dominoes": {"victory": 50},
    "double-or-quits": {"redeals": 0},
    "three-up": {"colors": 1},
}
"""Options that make a whole game short."""
SHORT_SEATS = {"double-decker": 7}
"""More players hold fewer cards."""
BEGUN = {"double-decker": 33, "double-down": 10, "double-or-quits": 45, "three-up": 8}
"""Moves after which a short game is near its end, but not there yet."""


def play_now(page: Page, game: str) -> None:
    """Click *Play now* on the home page."""
    page.goto("/")
    title = page.get_by_role("heading", name=GAMES[game].title)
    card = page.get_by_role("listitem").filter(has=title)
    with page.expect_navigation():
        card.get_by_role("button", name="Play now").click()


def new_table(
    page: Page,
    game: str = QUICK,
    seats: Sequence[str] = (),
    *,
    names: Mapping[int, str] | None = None,
    deal: str = "",
    public: bool = False,
    pace: str = "instant",
    published: bool = False,
) -> Page:
    """A table as the form makes it; or with its usual options switched off, as ``published``.

    ``seats`` are the labels chosen for the seats; by default the fewest possible: me and bots. The
    form is filled in for friends, who are promised a fair deal there; else it is only sent, and the
    page can move.
    """
    chosen, alone = GAMES[game], GAMES[game].max_seats == 1
    seats = seats or ["you", *["club bot"] * (not alone and max(chosen.min_seats, 2) - 1)]
    friends = any("friend" in seat for seat in seats)
    if friends:
        with page.expect_navigation():  # until its scripts are there
            _invite(page, game, seats, public)
        table = table_of(page)
    else:
        kinds = {"you": "me", "a player on this device": "here"}
        form: dict[str, str | float | bool] = {"players": len(seats), "deal": deal}
        form |= {"public": "yes" * public}
        for number, seat in enumerate(seats):
            form[f"seat-{number}"] = kinds.get(seat, f"bot {seat.split()[0]}")
        form |= {f"name-{number}": name for number, name in (names or {}).items()}
        options = {option.name: option.default for option in chosen.options}
        options |= {} if published else chosen.setups.usual
        form |= {name: "yes" for name, value in options.items() if value is True}
        sent = page.request.post(f"/new/{game}", form=form, max_redirects=0)
        assert sent.status == 303, sent.text()
        table = sent.headers["location"].removeprefix("/t/")
    if pace != "normal" and not alone:
        asked(page, f"/api/tables/{table}/pace", {"pace": pace})
    if not friends:
        page.goto(f"/t/{table}")
    expect(page.locator("#board")).to_be_visible()
    if not friends:
        wait(page)
    return page


def _invite(page: Page, game: str, seats: Sequence[str], public: bool) -> None:
    """Fill in the form for a table with friends, and send it."""
    page.goto(f"/new/{game}")
    choose_number(page, len(seats))
    for number, label in enumerate(seats):
        page.get_by_label(f"Player {number + 1}", exact=True).select_option(label=label)
    own_name = page.get_by_label("Your name")
    if not own_name.input_value():
        own_name.fill("Hanna")
    if public:
        page.get_by_label("Public").check()
    page.get_by_role("button", name="Start").click()


def table_of_two(host: Page, guest: Page, game: str = QUICK, **options: Any) -> tuple[Page, Page]:
    """A table of two people, and of as many bots as the game needs, at which both sit."""
    bots = GAMES[game].min_seats - 2
    new_table(host, game, ["you", "a friend, by link", *["club bot"] * bots], **options)
    return host, join(guest, host)


def join(guest: Page, host: Page, name: str = "Berta") -> Page:
    """Open the link that the host's page shows, and sit down, usually as Berta."""
    guest.goto(host.get_by_label("Link", exact=True).input_value())
    guest.get_by_label("Your name").fill(name)
    with guest.expect_navigation():
        guest.get_by_role("button", name="Join").click()
    expect(guest.locator("#board")).to_be_visible()
    return guest


def short_table(page: Page, game: str, begun: bool = False) -> int:
    """A table with bots, for a short game that may have ``begun``; how many seats it has."""
    seats = SHORT_SEATS.get(game, GAMES[game].min_seats)
    moves = BEGUN.get(game, 0) * begun
    open_table(page, game, seats, moves, options=SHORT.get(game, {}))
    page.wait_for_load_state()
    return seats


def open_table(page: Page, game: str, seats: int, moves: int = 0, **given: Any) -> None:
    """Open a table as `ask_for_table` makes it, when so many moves have been made at random."""
    chance = random.Random(given.pop("chance", game))
    table = ask_for_table(page, game, seats, **given)
    play_unseen(page, table, moves, chance)
    page.goto(f"/t/{table}?guide=0")
    wait(page)


def by_bots(game: str, players: int | Sequence[str], seed: str, *bots: str) -> Match:
    """A game that bots have played: these, from the first seat on, over and over."""
    match = Match(GAMES[game], players, seed)
    while match.turn is not None:
        seen = match.observation()
        bot = BOTS[bots[seen.seat % len(bots)]]
        match.push_action(bot.choose(seen, own_chance(seed, seen.seat, match.ply)))
    return match


def played(page: Page, match: Match) -> None:
    """Open a table for one with the deal, the options and the moves of a match."""
    given: dict[str, Any] = {"options": dict(match.options), "seed": match.seed}
    given["pace"] = "normal"  # another one would be an entry of the log
    table = ask_for_table(page, match.game.name, 1, **given)
    for ply, move in enumerate(match.moves):
        asked(page, f"/api/tables/{table}/moves", {"ply": ply, "move": move})
    page.goto(f"/t/{table}?guide=0")


def ask_for_table(page: Page, game: str, seats: int, others: str = "bot", **given: Any) -> str:
    """Make a table of Anna, the page's visitor, and bots, without the form; its token.

    ``others``: the kind of the other seats; Anna plays those that are ``here``, too. ``given``:
    what else a program may say of the table.
    """
    page.request.post("/me/name", form={"name": "Anna"})
    plan = [{"kind": "me"}, *[{"kind": others}] * (seats - 1)]
    given = {"game": game, "seats": plan, "pace": "instant"} | given
    return str(asked(page, "/api/tables", given)["table"])


def asked(page: Page, address: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a program gets that asks with the page's cookies."""
    answer = page.request.post(address, data=given)
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found


def table_of(page: Page) -> str:
    """The token of the table that a page shows."""
    return re.sub(r".*/t/|[/?#].*", "", page.url)


def play_unseen(page: Page, table: str, moves: int, chance: random.Random) -> None:
    """Make random moves as a program does, and wait until the bots have answered."""
    for left in range(moves, -1, -1):
        now = on_turn(page, table)
        if left and now["my_turn"]:
            move = chance.choice(now["view"]["legal_moves"])
            asked(page, f"/api/tables/{table}/moves", {"ply": now["ply"], "move": move})


def on_turn(page: Page, table: str) -> dict[str, Any]:
    """Wait until the visitor can move or the game is over; the table's state."""
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        now: dict[str, Any] = page.request.get(f"/api/tables/{table}").json()
        if now["my_turn"] or now["status"] != "playing":
            return now
        page.wait_for_timeout(20)
    raise AssertionError("the bots make no move")


def choose_number(page: Page, players: int) -> None:
    """Choose a number of players in the form, if it leaves a choice."""
    number = page.get_by_role("radio", name=str(players), exact=True)
    if number.count():
        number.check()


def at_rest(page: Page) -> None:
    """Wait until the page has loaded, style sheets and scripts included, and nothing moves on it.

    Before that, elements that will be hidden can be seen, and sizes and colors are others.
    """
    page.wait_for_load_state()
    page.wait_for_function(AT_REST)


def fits(page: Page) -> None:
    """Check that nothing is wider than the window."""
    at_rest(page)
    assert page.evaluate(WIDER) <= 0


def middle(one: Locator) -> tuple[float, float]:
    """The middle of an element, for a mouse or a finger."""
    box = one.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def hold(page: Page, address: str | re.Pattern[str]) -> list[Route]:
    """Keep requests to an address waiting; they appear in the list that is returned."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))
    return held


def held_back(page: Page, held: list[Route]) -> Route:
    """Wait until a request is held, and take it from the list."""
    until = time.monotonic() + PATIENCE / 1000
    while not held:
        assert time.monotonic() < until, "nothing was requested"
        page.wait_for_timeout(20)
    return held.pop()


def state(page: Page) -> dict[str, Any]:
    """What the page shows, as soon as it shows a board."""
    found: dict[str, Any] = page.wait_for_function(BOARD).json_value()
    return found


def ply(page: Page) -> int:
    """The number of the last entry that the page shows."""
    return int(state(page)["ply"])


def wait(page: Page, before: int = -1) -> None:
    """Wait until there is something to do: a move, a curtain to lift, or the end to look at."""
    page.wait_for_function(CAN_ACT, arg=before)


def whose_turn(pages: Sequence[Page], before: int = -1) -> Page | None:
    """Wait until one of the pages can move; which, or None when the game is over."""
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        for page in pages:
            board = state(page)
            if board["ply"] > before and (board["mine"] or board["over"]):
                return page if board["mine"] else None
        pages[0].wait_for_timeout(20)
    raise AssertionError("no page can move")


def is_over(page: Page) -> bool:
    return bool(state(page)["over"])


def choose(page: Page, chance: random.Random) -> None:
    """Click a move that can be seen; where none can, choose part of one first."""
    page.wait_for_load_state()  # before its style sheets have come, everything can be seen
    for _ in range(MAX_PARTS):
        moves = page.locator(MOVES)
        if number := moves.count():
            moves.nth(chance.randrange(number)).click()
            return
        parts = page.locator(PARTS)
        parts.nth(chance.choice(parts.evaluate_all(UNTICKED))).click()
    raise AssertionError("the page shows no move, whatever is chosen")


def play_one_move(page: Page, chance: random.Random) -> None:
    """Make a move and wait until there is something to do again."""
    board = state(page)
    assert board["mine"], "it is not this page's turn"
    assert not board["notice"], board["notice"]
    assert board["wide"] <= 0, f"the page is {board['wide']} pixels too wide"
    choose(page, chance)
    wait(page, board["ply"])


def play_to_the_end(page: Page, chance: random.Random) -> int:
    """Play, lifting curtains, until the game is over; how many moves this page made."""
    wait(page)
    for made in range(MAX_MOVES):
        if page.locator(".prompt.curtain").count():
            lift_curtain(page)
        if is_over(page):
            return made
        play_one_move(page, chance)
    raise AssertionError(f"the game was not over after {MAX_MOVES} moves")


def give_up(page: Page) -> None:
    """Resign; bots play on."""
    page.get_by_text("Menu", exact=True).click()
    page.get_by_text(re.compile("^(Resign|Give up)$")).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Yes, ").click()


def lift_curtain(page: Page) -> None:
    with page.expect_navigation():
        page.locator(".prompt.curtain").get_by_role("link").click()
    expect(page.locator(".prompt.curtain")).to_have_count(0)
    wait(page)


def shows_result(page: Page) -> None:
    """Check that the page says how the game ended and offers what to do next."""
    result = page.locator("#ending")
    expect(result).to_be_visible()
    expect(result.get_by_role("heading", level=2)).not_to_be_empty()
    expect(result.get_by_role("link", name="Replay")).to_be_visible()


def choose_move(page: Page, move: str) -> None:
    """Click the button of a move: at once, or after what has to be chosen before it is seen."""
    at_rest(page)
    button = page.locator(f'button[form=play][value="{move}"]')
    for part in page.locator("#felt label:visible").all():
        if button.locator("visible=true").count():
            break
        part.click()
    button.locator("visible=true").first.click()


def bring(page: Page, line: str, folder: Path, script: bool = True) -> int:
    """Upload a record; the last ply of its replay."""
    path = folder / "record.json"
    path.write_text(line, encoding="utf-8")
    page.goto("/replays")
    page.get_by_label("File", exact=True).set_input_files(path)
    with page.expect_navigation():  # until its script is there: keys work then
        page.get_by_role("button", name="Open").click()
    stage = page.locator("#stage")
    expect(stage).to_have_attribute("data-ply", "0")
    if script:
        expect(page.get_by_role("button", name="Play")).to_be_visible()
    return int(stage.get_attribute("data-last") or 0)
