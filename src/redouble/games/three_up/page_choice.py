"""The choice of the 3UP on a page: boxes to tick; the button of the three ticked ones is shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from redouble.contract.page import html
from redouble.contract.page.html import Html, classes
from redouble.contract.page.pieces import move_button, plays, tied
from redouble.contract.page.scene import BoardScene, Face, Pile
from redouble.games.three_up.page_cards import corner_of, middle_of


def draw_choice(scene: BoardScene, hand: Pile) -> tuple[Html | None, ...]:
    """Return the choice of three cards of the hand, and buttons for choices that it can't show."""
    wanted = list(scene.about.get(scene.hint, {}).get("cards", []))
    base = "hinted" if wanted else "pick"
    buttons = dict(_buttons(scene, hand))
    form = html.fieldset(
        {"class": "pick"},
        html.legend({"class": "sr"}, "Tick three cards"),
        [_box(face, f"{base}-{i}", i, wanted) for i, face in enumerate(hand)],
        html.div(
            {"class": "hand"},
            [_label(scene, face, f"{base}-{i}", i) for i, face in enumerate(hand)],
        ),
        html.div(
            {"class": classes("answers", scene.pointed("moves")), "role": "status"},
            html.span({"class": "ask none"}, "Tap three cards."),
            html.span({"class": "ask one"}, "Two more."),
            html.span({"class": "ask two"}, "One more."),
            html.span({"class": "ask many"}, "Only three: tap one to remove it."),
            list(buttons.values()),
        ),
    )
    others = [move for move in scene.moves_of("up") if move not in {key[0] for key in buttons}]
    return form, *(move_button(scene, move) for move in others)


def _box(face: Face, name: str, number: int, wanted: list[str]) -> Html:
    """Return a card's box; it takes its card from the ``wanted`` ones, so equal cards share."""
    ticked = face.text in wanted
    if ticked:
        wanted.remove(face.text)
    return html.input(
        {
            "class": f"sr tick tick{number}",
            "type": "checkbox",
            "autocomplete": "off",
            "id": name,
            "checked": ticked,
            "aria-label": face.spoken,
        }
    )


def _label(scene: BoardScene, face: Face, name: str, number: int) -> Html:
    return html.label(
        {
            "class": classes("card", face.color, f"tick{number}"),
            **tied(scene, face),
            "for": name,
            "data-face": corner_of(face.rank),
        },
        middle_of(face.rank),
    )


def _buttons(scene: BoardScene, hand: Pile) -> Iterator[tuple[tuple[str, str], Html]]:
    """Yield a button for every three boxes, by its move and its boxes."""
    moves = {tuple(scene.about[move]["cards"]): move for move in scene.moves_of("up")}
    for boxes in combinations(range(len(hand)), 3):
        faces = [hand.faces[i] for i in boxes]
        move = moves.get(tuple(face.text for face in faces), "")
        if move:
            ticked = "".join(map(str, boxes))
            hinted = scene.hint == move and "hinted"
            look = {"class": classes(f"btn main big put put{ticked}", hinted), **plays(move)}
            label = f"Put up {', '.join(face.face for face in faces)}"
            yield (move, ticked), html.button(look, label)
