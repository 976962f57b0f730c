"""The room where a table waits: all of it is on the first screen, and nothing of the board."""

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PHONE, Visitors

SIZES = (
    *((320, 500), (320, 568), (375, 553), (390, 664), (667, 331), (844, 340)),
    *((768, 1024), (1024, 600), (1366, 657), (1920, 1080)),
)
BOARD = ".scene, .card, .backs, .turn, .tools, .ticker, #moves, .pile, [form=play]"
FAULTS = """(board) => {
    const boxes = (parts) => [...document.querySelectorAll(parts)]
        .filter((one) => one.checkVisibility())
        .map((one) => [one, one.getBoundingClientRect()]);
    const named = (fault, found) => found.map(([one]) => `${fault}: ${one.className || one.id}`);
    const main = document.querySelector("main"), root = document.documentElement;
    const zones = boxes(".felt, .invite, .side");
    return [
        ...named("outside", boxes(".bar, .prompt, .places *, .room-tools *, .to-share *, .side *")
            .filter(([, box]) => box.top < 0 || box.left < 0 || box.bottom > innerHeight + 0.5
                || box.right > innerWidth + 0.5)),
        ...named("small", boxes(".free .seat, main :is(.btn, input, select)").filter(
            ([, box]) => box.height < 43.5)),
        ...named("covered", zones.filter(([, a], i) => zones.some(([, b], j) => i < j
            && a.right > b.left + 1 && b.right > a.left + 1
            && a.bottom > b.top + 1 && b.bottom > a.top + 1))),
        ...named("of the board", boxes(board)),
        ...(main.scrollHeight > main.clientHeight + 1 ? ["scrolls"] : []),
        ...(root.scrollWidth > innerWidth ? ["wide"] : []),
    ];
}"""


def waiting(host: Page, game: str, seats: int, *guests: Page, public: bool = False) -> str:
    """The address of a table that waits for the last of its players, and where the guests chat."""
    form: dict[str, str | float | bool] = {"players": seats, "seat-0": "me", "name": "Hanna"}
    form |= {f"seat-{seat}": "friend" for seat in range(1, seats)}
    form |= ({"public": "yes"} if public else {}) | ({"decks": 2} if seats > 6 else {})
    made = host.request.post(f"/new/{game}", form=form, max_redirects=0)
    host.goto(made.headers["location"])
    invitation = host.get_by_label("Link", exact=True).input_value()
    for seat, guest in enumerate(guests, 1):
        guest.request.post(invitation, form={"name": "Berta with a longer name"})
        said = guest.request.post(f"{host.url}/do", form={"text": "Hello", "seat": f"{seat}"})
        assert said.ok
        expect(host.get_by_role("list", name="Chat")).to_contain_text("Hello")
    return host.url


def test_all_of_it_is_on_the_first_screen(visit: Visitors) -> None:
    """With the fewest seats and the most, alone and not, for those who come by any way."""
    host, guest, watcher = visit(), visit(), visit()
    host.add_init_script("navigator.share = async () => {}")
    faults = {}
    for seats, public, guests in (
        (2, False, ()),
        (2, True, ()),
        (12, False, ()),
        (12, False, (guest,)),
        (12, True, (guest,)),
    ):
        watcher.goto(waiting(host, "three-up", seats, *guests, public=public))
        for page in (host, watcher):
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                if found := page.evaluate(FAULTS, BOARD):
                    faults[seats, public, len(guests), page is host, width, height] = found
    assert not faults
    expect(host.get_by_role("button", name="Share")).to_be_visible()
    expect(host.locator(".qr")).to_be_visible()


def test_the_game_begins_without_the_loss_of_a_line(visit: Visitors) -> None:
    host, guest = visit(viewport=PHONE), visit()
    host.goto(waiting(host, "double-down", 3, guest))
    host.get_by_label("Message to the table").fill("Shall we")
    host.get_by_role("button", name="Add a bot").click()
    expect(host.locator("#board")).to_have_attribute("data-waiting", "0")
    expect(host.locator(".scene")).to_be_visible()
    message = host.get_by_label("Message to the table")
    expect(message).to_be_visible()  # in its pane, which a phone has closed otherwise
    expect(message).to_be_focused()
    expect(message).to_have_value("Shall we")
    expect(host.get_by_role("list", name="Chat")).to_contain_text("Hello")
    expect(host.get_by_label("Invitation")).to_be_hidden()


def test_without_a_script_a_room_fills(visit: Visitors) -> None:
    page = visit(java_script_enabled=False)
    page.goto(waiting(page, "double-down", 3))
    for seats in ("2 seats", "1 seat"):
        expect(page.get_by_text(f"{seats} to fill")).to_be_visible()
        page.get_by_role("button", name="Add a bot").first.click()
    expect(page.locator(".scene")).to_be_visible()
