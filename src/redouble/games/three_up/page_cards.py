"""The cards of 3UP 3DOWN on a page, and the choice of three: boxes to tick, and a button."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from redouble.contract.page import html
from redouble.contract.page.html import Html, classes, fragment
from redouble.contract.page.pieces import card, figure, move_button, plays, tied
from redouble.contract.page.scene import BoardScene, Face, Pile

CLEARS = {"clear": "", "clear+1": "+1", "clear+2": "+2"}
"""The cards that clear the pile, and what stands beside their swirl."""
SPIRAL = (
    "M12 12a1.5 1.5 0 0 1 3 0a3 3 0 0 1-6 0a4.5 4.5 0 0 1 9 0a6 6 0 0 1-12 0a7.5 7.5 0 0 1 15 0"
)


def live(scene: BoardScene, face: Face, frames: bool = True) -> Html:
    """Return a card that can be played from where it lies."""
    corner, middle = corner_of(face.rank), middle_of(face.rank)
    return card(scene, face, label=face.spoken, corner=corner, middle=middle, frames=frames)


def lying(scene: BoardScene, face: Face, kind: str = "") -> Html:
    """Return a card that can't be played from where it lies, whatever its text."""
    corner, middle = corner_of(face.rank), middle_of(face.rank)
    still = face._replace(move="", why="")
    return card(scene, still, kind, label=face.spoken, corner=corner, middle=middle)


def corner_of(rank: str) -> str:
    """Return what stands in a card's corners."""
    return "clear" if rank in CLEARS else rank


@cache
def middle_of(rank: str) -> Html:
    """Return what stands in a card's middle: a number, or the swirl that clears the pile."""
    mark = html.i({"class": "mark", "aria-hidden": "true"})
    if rank not in CLEARS:
        return fragment(figure(rank), mark)
    more = CLEARS[rank]
    clears = {"class": "figure clears", "aria-hidden": "true"}
    return fragment(html.span(clears, SWIRL, html.b(more) if more else None), mark)


SWIRL = html.svg(
    {"class": "swirl", "viewBox": "4 3 19 17", "aria-hidden": "true"}, html.path({"d": SPIRAL})
)


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
