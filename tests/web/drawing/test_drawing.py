"""Kept drawings equal fresh ones, and other properties of drawn boards."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest

import redouble
from redouble import web
from redouble.contract.game import Game
from redouble.contract.page import kept
from redouble.contract.page.html import MINUS, minus
from redouble.contract.registry import GAMES
from redouble.kernel.errors import InputError
from redouble.kernel.state import SPECTATOR
from redouble.match.story import called, ties_broken
from redouble.web.drawing.board import Viewpoint
from redouble.web.drawing.markup.board import draw_board
from redouble.web.drawing.templates import names_in_order
from redouble.web.live.live import Live
from redouble.web.table import Seat
from tests.helpers.worlds import Setting
from tests.web.helpers.markup import squeezed
from tests.web.helpers.play import Playing, few_settings, header, seated

MAX_LINE = 120
"""Characters in a line of a template, a style sheet or a script."""

CHOSEN = list(GAMES.values())


def kept_drawings() -> list[Any]:
    """The functions that keep what they have drawn."""
    rooms = "redouble.contract.page.", "redouble.web.drawing.markup."
    pages = {game.page.__module__ for game in GAMES.values()}
    modules = [m for name, m in sys.modules.items() if name.startswith(rooms) or name in pages]
    found = [value for m in modules for value in vars(m).values() if hasattr(value, "cache_info")]
    return [value for value in found if value.cache_info().maxsize is not None]


@pytest.mark.parametrize("game", CHOSEN, ids=lambda game: game.name)
def test_a_kept_drawing_equals_a_fresh_one(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """At tables of one deal with different names and options, through all eyes in turn."""
    keeping = kept_drawings()
    assert len(keeping) > 3
    dice, tables = Random(1), []
    for letter, victory in (("A", 40), ("B", 80), ("B", 40)):
        known = {option.name for option in game.options}
        options = {"victory": victory} if "victory" in known else {}
        seats = [Seat(f"{letter}{i}", "person") for i in range(game.usual_seats)]
        tables.append(Playing(header(game, seats, "kept", **options)))
    for _ in range(40):
        for play in tables:
            live = Live(play.table)
            for eyes in (SPECTATOR, *range(game.usual_seats)):
                point = Viewpoint(eyes)
                html = draw_board(live, point)
                live.drawn.clear()
                for function in keeping:
                    function.cache_clear()
                with monkeypatch.context() as patched:
                    patched.setattr(kept, "_drawings", {})
                    patched.setattr(kept, "_older", {})
                    assert html == draw_board(live, point)
            if play.table.turn is not None:
                play.move(dice.choice(list(play.table.match.legal_moves)))


@pytest.mark.parametrize(
    ("number", "eyes", "said"),
    [
        (6, SPECTATOR, "P0 and P3 share first place"),
        (6, 0, "You and P3 share first place"),
        (6, 1, "P0 and P3 share first place"),
        (7, SPECTATOR, "P3 wins"),
        (7, 3, "You win!"),
        (7, 1, "P3 wins"),
    ],
)
def test_every_winner_is_named(number: int, eyes: int, said: str) -> None:
    seats = [Seat(f"P{i}", f"person {i}") for i in range(4)]
    play = Playing(header(GAMES["double-decker"], seats, f"tie {number}"))
    play.play_on(Random(number))
    html = squeezed(draw_board(Live(play.table), Viewpoint(eyes)))
    over = html.split('class="prompt over"')[1]
    assert f"<strong>{said}</strong>" in over
    outcome = play.table.match.outcome
    assert outcome is not None
    assert outcome.scores is not None
    assert all(f"<b>{score}</b>".replace("-", MINUS) in over for score in outcome.scores)


def test_the_end_says_what_broke_a_tie() -> None:
    seats = [Seat(f"P{i}", f"person {i}") for i in range(3)]
    play = Playing(header(GAMES["double-dominoes"], seats, "tie", victory=1))
    play.play_on(Random(1))
    names = ["P0", "P1", "P2"]
    for eyes in (SPECTATOR, 0, 1):
        (tie,) = ties_broken(play.table.match.view(SPECTATOR), called(names, eyes))
        assert re.fullmatch(r"Tie broken by dots left in hand: (P\d|You) \d+, (P\d|You) \d+\.", tie)
        html = squeezed(draw_board(Live(play.table), Viewpoint(eyes)))
        assert f"<small>{tie}</small>" in html.split('class="prompt over"')[1]


def test_no_line_of_templates_styles_and_scripts_is_long() -> None:
    package = Path(redouble.__file__).parent
    files = [
        file
        for room in ("web", "games")
        for kind in ("*.html", "*.css", "*.js")
        for file in (package / room).rglob(kind)
        if file.parent.name != "vendor"
    ]
    assert len(files) > 40
    long = [
        f"{file.relative_to(package)}:{number}: {len(line)} characters"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MAX_LINE
    ]
    assert not long, "\n".join(long)


def test_two_fingers_can_make_every_page_larger() -> None:
    package = Path(redouble.__file__).parent
    styles = "\n".join(path.read_text(encoding="utf-8") for path in package.rglob("*.css"))
    by_script = {"pan-x pan-y"}  # the close-up of a board, where a script does it
    for action in set(re.findall(r"touch-action: (.*?);", styles)) - by_script:
        assert action == "manipulation" or "pinch-zoom" in action.split()
    pages = [path.read_text(encoding="utf-8") for path in package.rglob("*.html")]
    views = {view for page in pages for view in re.findall(r'"viewport" content="(.*?)"', page)}
    assert views == {"width=device-width, initial-scale=1"}


@pytest.mark.parametrize("setting", list(few_settings()), ids=str)
def test_every_legal_move_has_a_button(setting: Setting) -> None:
    """Including the moves that a template draws from the game's own data."""
    play = Playing(header(setting.game, seated(*["p0"] * setting.seats), **dict(setting.options)))
    dice = Random(str(setting))
    for _ in range(12):
        if (seat := play.table.turn) is None:
            break
        html = draw_board(Live(play.table), Viewpoint(seat))
        offered = {unescape(move) for move in re.findall(r'name="move"\s+value="([^"]*)"', html)}
        assert offered == set(play.table.match.legal_moves)
        play.move(dice.choice(list(play.table.match.legal_moves)))
        play.play_on(dice, plies=3)


def test_a_view_describes_legal_moves_only() -> None:
    view = redouble.new("double-dominoes", seed="a").view(0)
    assert view.moves.keys() == set(view.legal_moves)
    with pytest.raises(InputError, match="describe legal moves only"):
        replace(view, moves={"no move": {"kind": "stop"}})


def test_only_negative_numbers_get_a_minus_sign() -> None:
    assert minus(-12) == f"{MINUS}12"
    assert minus("+1, -2 and (-3)") == f"+1, {MINUS}2 and ({MINUS}3)"
    assert minus("1-3, 2-7 players, x-2, long-standing") == "1-3, 2-7 players, x-2, long-standing"


def finished(name: str, wanted: Callable[[Playing], bool]) -> str:
    """The board of the first of some random games whose last position is as wanted."""
    for number in range(200):
        play = Playing(header(GAMES[name], seated("p0", "b"), seed=f"end {number}"))
        play.play_on(Random(number), 5000)
        if wanted(play):
            return squeezed(draw_board(Live(play.table), Viewpoint(0)))
    raise AssertionError("no game ends like this")


def fact_at_end(play: Playing, kind: str) -> int:
    facts = play.table.match.view(SPECTATOR).facts_of(None)
    return int(next((fact.value for fact in facts if fact.kind == kind), 0))


def test_a_total_of_99_or_more_has_no_next_double() -> None:
    board = finished("double-down", lambda play: fact_at_end(play, "total") >= 99)
    assert "99 or more" in board
    assert "next double" not in board


def test_extra_turns_are_not_announced_when_the_game_is_over() -> None:
    board = finished("three-up", lambda play: fact_at_end(play, "extra") > 0)
    assert "extra turns" not in board


def test_names_from_right_to_left_keep_the_order_of_a_list() -> None:
    listed = names_in_order(["Anna", "דוד", "<b>é"])
    assert listed == "Anna, <bdi>דוד</bdi>, <bdi>&lt;b&gt;é</bdi>"
    for template in Path(web.__file__).parent.rglob("*.html"):
        assert not re.search(r"(names|taken|others)\|join", template.read_text(encoding="utf-8"))
