"""What the pages of all games are drawn with: cards, piles, hands, players and moves."""

from functools import lru_cache

from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html, classes, minus
from redouble.contract.page.scene import BoardScene, Face, Pile, Place

MAX_BACKS = 24
"""Backs that are drawn of a hand; a larger one is counted as well."""
COUNTED = 12
"""Hands of more cards than this have their number beside them."""
KEPT_DRAWINGS = 4096
"""Drawings of cards that are kept, of about 300 bytes each."""


def tied(scene: BoardScene, face: Face) -> Attributes:
    """Return the attributes that tie a card to itself from one drawing to the next."""
    return ties(face.key) if scene.named else {}


def ties(key: str) -> Attributes:
    """Return the attributes of the element that has this name in every drawing."""
    return {"id": key, "style": f"view-transition-name:{key}"} if key else {}


def told(key: str) -> Attributes:
    """Return the attributes of words that change when the cards of a move lie."""
    return {"data-told": key}


def counted(key: str) -> Attributes:
    """Return the attributes of a figure that counts when the cards of a move lie, before words."""
    return {"data-counted": key}


def plays(move: str) -> Attributes:
    """Return the attributes of a button that makes a move."""
    return {"form": "play", "name": "move", "value": move}


def pictured(label: str) -> Attributes:
    """Return the attributes of a drawing that a screen reader says as these words."""
    return {"role": "img", "aria-label": label}


def refused(why: str, label: str) -> Attributes:
    """Return the attributes of a button that says why a card can't be played."""
    return {"type": "button", "data-why": why, "aria-disabled": "true", "aria-label": label}


def plural(number: int, one: str) -> str:
    """Return a number of things: ``1 card``, ``2 cards``."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def card(
    scene: BoardScene,
    face: Face,
    kind: str = "",
    *,
    label: str = "",
    corner: str = "",
    middle: Html | None = None,
    frames: bool = True,
) -> Html:
    """Return a card: a button where it can be played, dimmed with its reason where it can't.

    ``kind`` is its class, ``label`` what a screen reader says, ``corner`` and ``middle`` are what
    is written on it; without them these are the face's own. A hint ``frames`` it unless another
    card that is played by the same move lies on it.
    """
    hinted = frames and bool(face.move) and face.move == scene.hint
    return _card(face, kind, label, corner, middle, scene.named, scene.still, hinted)


@lru_cache(maxsize=KEPT_DRAWINGS)
def _card(
    face: Face,
    kind: str,
    label: str,
    corner: str,
    middle: Html | None,
    named: bool,
    still: bool,
    hinted: bool,
) -> Html:
    name = ties(face.key) if named else {}
    if not face.up:
        return html.span({"class": classes("card back", kind), **name})
    label = label or minus(face.spoken)
    if middle is None:
        middle = figure(face.face)
    look: Attributes = {**name, "data-face": minus(corner or face.face)}
    if face.move and not still:
        look["class"] = classes("card", face.color, kind, hinted and "hinted")
        return html.button({**look, **plays(face.move), "aria-label": f"Play {label}"}, middle)
    if face.why and not still:
        look["class"] = classes("card dim", face.color, kind)
        reason = refused(face.why, f"{label}, cannot be played: {face.why}")
        return html.button({**look, **reason}, middle)
    look["class"] = classes("card", face.color, kind)
    return html.span({**look, **pictured(label)}, middle)


@lru_cache(maxsize=KEPT_DRAWINGS)
def figure(text: str) -> Html:
    """Return the big figure in a card's middle; long ones are drawn smaller."""
    size = "longer" if len(text) > 3 else "long" if len(text) == 3 else ""
    return html.b({"class": classes("figure", size), "aria-hidden": "true"}, minus(text))


def slot(kind: str = "") -> Html:
    """Return the outline of a card where none lies."""
    return html.span({"class": classes("card slot", kind), "aria-hidden": "true"})


def beneath(scene: BoardScene, face: Face) -> Html:
    """Return a card that lies under the top one of a pile."""
    if not face.up:
        return html.span({"class": "card back", **tied(scene, face)})
    look: Attributes = {"class": classes("card", face.color), **tied(scene, face)}
    written: Attributes = {"data-face": minus(face.face), "aria-hidden": "true"}
    return html.span({**look, **written}, figure(face.face))


def pile(scene: BoardScene, zone: Pile, note: str | None = None) -> Html:
    """Return cards on top of each other, with a note, or with their name and number."""
    top = zone.top
    back = top is None or not top.up
    return html.div(
        {"class": classes("pile", scene.pointed(zone.key))},
        html.div(
            {"class": "stack"},
            zone.size > 1
            and html.span({"class": classes("card under", back and "back"), "aria-hidden": "true"}),
            [beneath(scene, face) for face in zone.faces[-3:-1]],
            card(scene, top) if top else slot(),
        ),
        html.span(
            {"class": "caption", **told(f"pile-{zone.key}")},
            f"{zone.name} · {zone.size}" if note is None else note,
        ),
    )


def row(scene: BoardScene, zone: Pile, kind: str = "hand") -> Html:
    """Return cards side by side."""
    return html.div(
        {
            "class": classes(kind, scene.pointed(zone.key)),
            "role": "group",
            "aria-label": zone.name,
            "style": f"--n: {len(zone)}",
        },
        [card(scene, face) for face in zone],
    )


def backs(scene: BoardScene, hand: Pile) -> Html:
    """Return small backs, one for each card in another player's hand.

    Hands that lie open are drawn elsewhere, and only one element can be the card.
    """
    named = scene.named and scene.eyes is not None
    return _backs(hand.size, tuple(f.key if named else "" for f in hand.faces[:MAX_BACKS]))


@lru_cache(maxsize=KEPT_DRAWINGS)
def _backs(size: int, keys: tuple[str, ...]) -> Html:
    look = {"class": "backs", **pictured(plural(size, "card"))}
    return html.span(
        {**look, "style": f"--n: {min(size, MAX_BACKS)}"},
        [html.i(ties(key)) for key in keys],
        size > COUNTED and html.small(size),
    )


def move_button(
    scene: BoardScene, move: str, label: Child = None, kind: str = "btn", spoken: str | None = None
) -> Html | None:
    """Return a button for a move, labelled with its words; nothing in a picture."""
    if scene.still:
        return None
    hinted = scene.hint == move and "hinted"
    return html.button(
        {"class": classes(kind, hinted), **plays(move), "aria-label": spoken},
        minus(scene.describe(move)) if label is None else label,
    )


def plate(scene: BoardScene, place: Place, *shown: Child) -> Html:
    """Return a player: name, turn and what the game shows of them."""
    return html.div(
        {
            "class": classes(
                "seat",
                place.turn and "turn",
                place.away and "away",
                place.me and "me",
                (place.me or scene.mine is None) and scene.pointed("me"),
            ),
            "data-seat": place.seat,
        },
        avatar(place.hue, place.letter, place.motif),
        place.reaction and _reaction(*place.reaction),
        who(
            place,
            _standing_of(scene, place),
            place.turn and html.span({"class": "sr"}, " (to move)"),
        ),
        *shown,
    )


def _reaction(look: str, number: int) -> Html:
    """Return what a player shows for a moment; the page says it once, elsewhere."""
    name = {"class": f"reaction shown {look}-reaction", "id": f"reaction-{number}"}
    return html.i({**name, "aria-hidden": "true"})


def who(place: Place, *more: Child) -> Html:
    """Return a player's name, which style sheets draw smaller the longer it is."""
    look = {"class": "who", "style": f"--letters: {len(place.name)}"}
    return html.span(look, html.breakable(place.name), *more)


@lru_cache(maxsize=KEPT_DRAWINGS)
def avatar(hue: int, letter: str, motif: str = "") -> Html:
    """Return a player's picture, or else their first letter, on the color of their seat."""
    look = f"avatar hue{hue} m-{motif}" if motif else f"avatar hue{hue}"
    return html.span({"class": look, "aria-hidden": "true"}, None if motif else letter)


def _standing_of(scene: BoardScene, place: Place) -> Child:
    """Return who plays a seat, where that isn't simply a player."""
    if place.bot:
        return " ", html.small(f"{place.bot} bot")
    if place.open:
        return " ", html.small("open")
    if place.away:
        return " ", html.small("away")
    return None
