"""No drawing takes a text apart: renamed things are drawn as before, under their new names.

A view is disguised: every character that people read in it, and every move and card text, becomes
a character of a private alphabet, and on pages stands between two marks. In what is drawn from the
disguised view the characters are turned back and the marks taken out. It must be what is drawn
from the view itself: a template that splits, compares or measures a text draws something else.
"""

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import jinja2
import pytest

from redouble.contract.game import Game
from redouble.contract.page.html import MINUS
from redouble.contract.view import Card, Fact, View, Zone
from redouble.kernel.state import SPECTATOR
from redouble.match.guide import guide_of
from redouble.match.match import Match
from redouble.terminal.draw import table
from redouble.terminal.draw.cards import ASCII, ROUND
from redouble.web.drawing.markup.prompt import draw_question
from redouble.web.drawing.markup.scenes import draw_scene
from redouble.web.drawing.scene import scene_of
from tests.helpers.worlds import Setting, settings

SETTINGS = [setting for setting in settings(2) if setting.seats in (1, 2, 4)]
ALPHABET = 0xF0000
"""Added to a character's number: the first of a plane for private use."""
OPEN, CLOSE = chr(0x100001), chr(0x100002)
NAMED = {"text", "domino", "move", "spoken"}
"""The keys of a game's own JSON whose values are texts; those under ``cards`` are, too."""
Disguise = Callable[[str], str]


def hidden(text: str) -> str:
    """Letters, digits and signs in the private alphabet; every text keeps its length and order."""
    return "".join(chr(ALPHABET + ord(c)) for c in text)


def marked(text: str) -> str:
    return f"{OPEN}{hidden(text)}{CLOSE}"


def words_hidden(text: str) -> str:
    """The letters and digits in the private alphabet: what is between words stays."""
    return "".join(hidden(c) if c.isalnum() else c for c in text)


def shown_again(drawn: str) -> str:
    """Turn back what the disguises did."""
    drawn = "".join(chr(ord(c) - ALPHABET) if ALPHABET <= ord(c) < 0x100000 else c for c in drawn)
    return drawn.replace(OPEN, "").replace(CLOSE, "")


def disguised(view: View, change: Disguise, figure: Disguise) -> View:
    """The view with other texts; ``figure`` changes those on cards, which are fitted by length."""

    def card(one: Card) -> Card:
        if not one.up:
            return one
        return replace(one, text=change(one.text), face=figure(one.face), spoken=change(one.spoken))

    def zone(one: Zone) -> Zone:
        return replace(one, name=change(one.name), cards=tuple(map(card, one.cards)))

    def fact(one: Fact) -> Fact:
        return replace(one, name=change(one.name), text=change(one.text))

    def inside(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: inside(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [inside(part, "text" if key == "cards" else "") for part in value]
        if key == "face":
            return figure(value)
        return change(value) if key in NAMED and value is not None else value

    return replace(
        view,
        zones=tuple(map(zone, view.zones)),
        facts=tuple(map(fact, view.facts)),
        prompt=change(view.prompt) if view.prompt else "",
        board=inside(view.board),
        legal_moves=tuple(map(change, view.legal_moves)),
        moves={change(move): inside(parts) for move, parts in view.moves.items()},
        dimmed={change(text): change(why) for text, why in view.dimmed.items()},
    )


def positions(setting: Setting) -> Iterator[Match]:
    """A match at some positions of a whole random game: the first, the last, and some between."""
    match = Match(setting.game, setting.seats, "texts", dict(setting.options))
    dice = Random(str(setting))
    while match.turn is not None and match.ply < 600:
        if match.ply < 2 or dice.random() < 0.02:
            yield match
        match.push(dice.choice(list(match.legal_moves)))
    yield match


def eyes_of(match: Match) -> list[int | None]:
    """Everything, a spectator, the seat to move, and another."""
    turn = match.turn or 0
    return [None, SPECTATOR, *sorted({turn, (turn + 1) % match.seats})]


def pages(game: Game, view: View, hint: str) -> Iterator[str]:
    """The scene as a picture, as a page to play on with each step of the guide, and to watch."""
    names = [f"p{seat}" for seat in range(view.seats)]
    steps = ["", *(step.at for step in guide_of(game).steps)]
    ways = [(True, False, ""), (False, True, ""), *((True, False, at) for at in steps)]
    for playable, still, at in ways:
        scene = scene_of(view, names, playable=playable, still=still)
        scene.hint, scene.guide_at = hint if at else "", at
        asked = None if still else draw_question(scene, "Play.")
        yield html.unescape(draw_scene(game, scene, asked)).replace(MINUS, "-")


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_page_does_not_depend_on_what_things_are_called(setting: Setting) -> None:
    drawn = 0
    for match in positions(setting):
        for eyes in eyes_of(match):
            view = match.view(eyes)
            hint = view.legal_moves[-1] if view.legal_moves else ""
            renamed = disguised(view, marked, hidden)
            before = pages(match.game, view, hint)
            after = pages(match.game, renamed, marked(hint) if hint else "")
            for usual, strange in zip(before, after, strict=True):
                assert shown_again(strange) == usual, f"ply {match.ply}, seen by {eyes}"
                drawn += strange != usual
    assert drawn > 50


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_terminal_does_not_depend_on_what_things_are_called(setting: Setting) -> None:
    for match in positions(setting):
        for eyes in eyes_of(match):
            me = eyes if eyes is not None and eyes >= 0 else None
            view = match.view(eyes)
            renamed = disguised(view, words_hidden, words_hidden)
            for draw in in_a_terminal(match.game.title, match.names, me):
                assert draw(renamed) != draw(view)
                assert shown_again(draw(renamed)) == draw(view), f"ply {match.ply}, seen by {eyes}"


def in_a_terminal(
    title: str, names: Sequence[str], me: int | None
) -> Iterator[Callable[[View], str]]:
    """The ways to draw a view as text: in windows of several sizes, and in plain sentences."""

    def window(columns: int, rows: int) -> Callable[[View], str]:
        def draw(view: View) -> str:
            picture = table.TablePicture(title, view, names, me)
            glyphs = ROUND if columns > 80 else ASCII
            return "\n".join(line.markup for line in table.draw(picture, glyphs, columns, rows))

        return draw

    yield from (window(*size) for size in ((140, 50), (80, 24), (50, 40)))
    yield lambda view: "\n".join(view.lines(title, names, me))


@pytest.mark.parametrize(
    ("parsing", "what"),
    [
        ("{{ scene.zone.name[5:] }}", "a slice"),
        ("{% if zone.name.startswith('cell ') %}cell{% endif %}", "a beginning"),
        ("{% if zone.name == 'cell 1' %}first{% endif %}", "a comparison"),
        ("{{ zone.name.split()[0] }} of the table", "a part"),
        ("{{ '%-9s' % zone.name }}", "a length"),
    ],
)
def test_a_template_that_takes_a_name_apart_is_noticed(parsing: str, what: str) -> None:
    template = jinja2.Template(parsing.replace("scene.", ""))
    usual = template.render(zone=Zone("cell", (), number=1))
    strange = template.render(zone=replace(Zone("cell", ()), name=marked("cell 1")))
    assert shown_again(strange) != usual, what
