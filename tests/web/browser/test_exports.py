"""The example page that plays without Python."""

from playwright.sync_api import Browser, Route, expect

from redouble.contract.registry import GAMES
from redouble.exports.build import wasm_files
from tests.helpers.places import EXAMPLES
from tests.helpers.random_games import random_games

TYPES = {"wasm": "application/wasm", "json": "application/json", "html": "text/html"}


def test_a_page_plays_the_same_games_without_python(browser: Browser) -> None:
    game = GAMES["double-down"]
    page_name = "random_games.html"
    files = {page_name: (EXAMPLES / page_name).read_bytes(), **wasm_files(game)}

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        kind = TYPES.get(name.rpartition(".")[2])
        if name in files:
            route.fulfill(body=files[name], content_type=kind)
        else:
            route.fulfill(status=404)

    page = browser.new_page()
    page.route("**/*", answer)
    page.goto(f"http://games.test/{page_name}")
    expect(page.locator("#result")).to_have_text(random_games(game).strip())
    page.context.close()
