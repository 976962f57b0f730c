"""Double Double Dominoes on a page: the players, the hand, and where its dominoes may lie."""

from collections.abc import Hashable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

from redouble.contract.page import html, pieces
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Attributes, Child, Html, classes, fragment
from redouble.contract.page.scene import BoardScene, Face, Pile, Place
from redouble.games.double_dominoes import page_board
from redouble.games.double_dominoes.text import in_words, square_name


class DoubleDominoesPage(GamePage):
    """Draws the board after the hand: you choose a domino, then its place."""

    sound = "domino"

    def __init__(self, scene: BoardScene) -> None:
        super().__init__(scene)
        self.track = page_board.track_of(scene.board)
        self.gains: list[int] = scene.board.get("gains", [])
        """What the last domino brings each seat, while its points are counted."""
        mine = scene.mine
        self.held = mine.piles.get("hand") if mine is not None else None
        offered = set(scene.moves)
        self.placements: list[dict[str, Any]] = [
            it for it in scene.board["placements"] if it["move"] in offered
        ]
        self.choosing = bool(self.placements and scene.moves and not scene.still)

    @cached_property
    def dominoes(self) -> list[tuple[str, list[Face]]]:
        return equal_dominoes(self.held) if self.held is not None else []

    def own(self) -> Child:
        return None

    def fitting(self, domino: str) -> list[dict[str, Any]]:
        """Return the places of a domino while one is chosen."""
        if not self.choosing or not domino:
            return []
        return [it for it in self.placements if it["domino"] == domino]

    def seats(self) -> Child:
        """Draw all players, the viewer last, and the table's facts."""
        scene = self.scene
        places = scene.round + ([scene.mine] if scene.mine else [])
        return (
            self.region(
                {"class": classes("seats", scene.pointed("seats")), "aria-label": "Players"},
                [self.player(place) for place in places],
            ),
            self.kept("facts", self.facts, *scene.piles.values(), scene.board["goal"]),
        )

    def player(self, place: Place) -> Child:
        piece = self.scene.board["pieces"][place.seat]
        gain = self.gains[place.seat] if self.gains else 0
        draw = super().player
        return self.kept(
            "player", lambda: draw(place), *place.looks, self.track, *piece.values(), gain
        )

    def plate(self, place: Place) -> Child:
        """Draw a player's points, the space of their piece, and their dominoes."""
        piece = self.scene.board["pieces"][place.seat]
        gain = self.gains[place.seat] if self.gains else 0
        return (
            html.b(
                {"class": "points", **pieces.told(f"points-{place.seat}")},
                piece["space"],
                html.span({"class": "gain", "aria-hidden": "true"}, f"+{gain}") if gain else None,
                html.span({"class": "sr"}, " points"),
            ),
            html.span(
                {"class": "note"},
                standing_at(self.track, piece["space"], piece["dots"]),
                " ",
                None if place.me or "hand" not in place.piles else self.closed(place.piles["hand"]),
            ),
        )

    def closed(self, held: Pile) -> Html:
        """Draw another player's dominoes."""
        shown = ", ".join([face.spoken for face in held if face.up])
        number = f"{held.size} domino{'' if held.size == 1 else 'es'}"
        look = {"class": "held", **pieces.pictured(f"{number}: {shown}" if shown else number)}
        return html.span(look, [self.domino(face) for face in held])

    def domino(self, face: Face, spoken: str = "") -> Html:
        """Draw a domino beside the board, face up or down; ``spoken`` is read out."""
        return lone_domino(face, self.scene.named, spoken)

    def facts(self) -> Html:
        piles, board = self.scene.piles, self.scene.board
        pit = [(" ", self.domino(face, face.spoken)) for face in piles["pit"]]
        boneyard = [(" ", self.domino(face)) for face in piles["boneyard"]]
        return html.dl(
            {"class": "facts"},
            self.fact("victory", "Victory total", board["goal"]),
            self.fact("boneyard", "Boneyard", self.number(piles["boneyard"]), boneyard),
            self.fact("pit", "Pit", self.number(piles["pit"]), pit),
        )

    def number(self, pile: Pile) -> Html:
        return html.span(pieces.told(f"number-{pile.key}"), pile.size)

    def fact(self, key: str, name: str, *value: Child) -> Html:
        return html.div({"class": self.scene.pointed(key)}, html.dt(name), html.dd(*value))

    def centre(self) -> Child:
        """Describe the board for those who don't see it."""
        return self.kept("centre", self.described, *page_board.laid(self.scene.board))

    def described(self) -> Html:
        board = self.scene.board
        placed = [
            f"{in_words(it)}{' (placed last)' if it['last'] else ''}" for it in board["dominoes"]
        ]
        empty = f"nothing yet; the star is on {square_name(board['star'])}"
        size = f"{board['size']} by {board['size']} squares"
        return html.p({"class": "sr"}, f"On the board, {size}: {'; '.join(placed) or empty}.")

    def hand(self) -> Child:
        """Draw the viewer's dominoes, equal ones on top of each other."""
        if not self.held:
            return None
        if not self.scene.moves:
            return self.kept("hand", lambda: fragment(self.holding()), self.held)
        return self.holding()

    def holding(self) -> Child:
        scene = self.scene
        return (
            SAID if self.choosing else None,
            html.div(
                {
                    "class": classes("hand", scene.pointed("hand")),
                    "role": "radiogroup" if self.choosing else "group",
                    "aria-label": "Your dominoes",
                },
                self.held_dominoes(),
            ),
            ADVICE if self.choosing else None if scene.still else LOOK,
        )

    def held_dominoes(self) -> list[Child]:
        drawn: list[Child] = []
        number = 0
        for domino, faces in self.dominoes:
            if not domino:
                drawn.append([self.domino(face) for face in faces])
            elif fitting := self.fitting(domino):
                number += 1
                drawn.append(self.to_choose(domino, faces, number, len(fitting)))
            else:
                drawn.append(self.not_to_choose(domino, faces))
        return drawn

    def look(self, faces: list[Face], *kind: str | bool) -> Attributes:
        """Return the attributes of equal dominoes; any may be played, so the others lie under."""
        two = len(faces) > 1 and "two"
        return {"class": classes("dom h", *kind, two), **pieces.tied(self.scene, faces[0])}

    def under(self, faces: list[Face]) -> list[Html]:
        return [html.b({"class": "copy", **pieces.tied(self.scene, face)}) for face in faces[1:]]

    def to_choose(self, domino: str, faces: list[Face], number: int, places: int) -> Html:
        """Draw dominoes that fit somewhere, with the button that shows their places."""
        scene = self.scene
        hinted = scene.about.get(scene.hint, {}).get("domino") == domino
        only = places == len(self.placements)
        return html.label(
            self.look(faces, hinted and "hinted"),
            html.input(
                {
                    "class": f"sr c{number}",
                    "type": "radio",
                    "name": "chosen",
                    "id": f"choose-{scene.ply}-{domino}{'-hint' if scene.hint else ''}",
                    "checked": hinted or only,
                    "aria-label": f"{faces[0].spoken}, fits in {pieces.plural(places, 'place')}",
                }
            ),
            pips(faces[0]),
            self.under(faces),
        )

    def not_to_choose(self, domino: str, faces: list[Face]) -> Html:
        """Draw dominoes for the pit, or those that can't be placed, with the reason."""
        scene, face = self.scene, faces[0]
        pit, shown = scene.first_move("pit", domino=domino), (pips(face), self.under(faces))
        if pit and not scene.still:
            label = f"Put {face.spoken} into the pit"
            look = self.look(faces, scene.hint == pit and "hinted")
            return html.button({**look, **pieces.plays(pit), "aria-label": label}, *shown)
        if face.why and not scene.still:
            why = pieces.refused(face.why, f"{face.spoken}, cannot be placed: {face.why}")
            return html.button({**self.look(faces, "dim"), **why}, *shown)
        label = f"{face.spoken}, twice" if len(faces) > 1 else face.spoken
        return html.span({**self.look(faces), **pieces.pictured(label)}, *shown)

    def choices(self) -> Child:
        """Draw the moves that place nothing; those to the pit are made in the hand."""
        scene = self.scene
        placing = {it["move"] for it in self.placements}
        others = [move for move in scene.others if move not in placing]
        if not others or scene.still:
            return None
        kinds = {move: scene.about[move]["kind"] for move in others}
        return html.div(
            {"class": classes("choices", scene.pointed("moves"))},
            [
                pieces.move_button(scene, move, "Stop here" if kind == "stop" else None)
                for move, kind in kinds.items()
                if kind != "pit"
            ],
        )

    def lying(self) -> Iterator[Hashable]:
        """Yield all that can be seen of the squares and of the pieces round them."""
        yield from page_board.laid(self.scene.board)
        for piece in self.scene.board["pieces"]:
            yield from (piece["space"], self.scene.places[piece["seat"]].letter)
        yield from self.gains

    def board(self) -> Child:
        groups = self.choosing and [
            group for domino, _ in self.dominoes if (group := self.fitting(domino))
        ]
        return html.div(
            {"class": "centre table-top"},
            html.div(
                {"class": "window", "id": None if self.scene.still else "window"},
                self.kept("field", lambda: page_board.draw_field(self.scene), *self.lying()),
                page_board.draw_places(self.scene, groups) if groups else None,
            ),
            None if self.scene.still else CLOSE_UP,
        )


@lru_cache(maxsize=1024)
def standing_at(track: page_board.Track, points: int, dots: int | None) -> Html:
    """Return where a piece stands, and the dots of that space."""
    if dots is None:
        return html.span({"class": "at"}, "at the start")
    return fragment(
        f"round {track.round_of(points)}, " if points > track.spaces else None,
        html.span({"class": "on"}, "on"),
        " ",
        html.i({"class": f"dots n{dots}", "aria-hidden": "true"}),
        html.span({"class": "sr"}, pieces.plural(dots, "dot")),
    )


@lru_cache(maxsize=1024)
def lone_domino(face: Face, named: bool, spoken: str) -> Html:
    """Return a domino that lies beside the board."""
    look: Attributes = {"class": classes("dom h", not face.up and "back")}
    if named:
        look |= pieces.ties(face.key)
    if face.up and spoken:
        look |= pieces.pictured(spoken)
    return html.span(look, pips(face))


def equal_dominoes(hand: Pile) -> list[tuple[str, list[Face]]]:
    """Return the dominoes of a hand by their text, in order; face down they have none."""
    ordered = sorted(hand, key=lambda face: face.text)
    return [(text, list(faces)) for text, faces in groupby(ordered, lambda face: face.text)]


def pips(face: Face) -> list[Html]:
    """Return the halves of a domino; nothing of one that lies face down."""
    return [page_board.half(number) for number in face.pips]


def _button(text: str, spoken: str = "", **attributes: str) -> Html:
    """Return a button for the place that was chosen, shown once there is one."""
    named = {f"data-{name}": value for name, value in attributes.items()}
    main = "main" if "sure" in attributes else ""
    look: Attributes = {"class": classes("btn", main), "type": "button", "hidden": True}
    key = "t" if "turn" in attributes else None
    spoken_as = {"aria-keyshortcuts": key, "aria-label": spoken or None}
    return html.button(look | named | spoken_as, text)


ZOOM_IN = html.label({"class": "zoom", "for": "close-up"}, "Zoom in")
ADVICE = html.div(
    {"class": "advice"},
    html.p({"class": "first"}, "Choose a domino."),
    html.p({"class": "then"}, "Choose its place."),
    _button("←", "Back", step="-1"),
    _button("Turn", turn=""),
    _button("Place", sure=""),
    _button("→", "Next", step="1"),
    ZOOM_IN,
    html.label(
        {"class": "listed"}, html.input({"type": "checkbox", "id": "as-list"}), " as a list"
    ),
)
SAID = html.p({"class": "said", "role": "status"}, html.strong(), html.small())
"""Room for what the place that was chosen would bring, over the prompt."""
LOOK = html.div({"class": "advice look"}, ZOOM_IN)
CLOSE_UP = fragment(
    html.input({"class": "sr", "type": "checkbox", "id": "close-up", "aria-label": "Zoom in"}),
    html.div(
        {"class": "corner", "id": "corner"},
        html.canvas({"class": "map", "id": "map", "data-shows": ".dom", "aria-hidden": "true"}),
        html.label({"class": "zoom", "for": "close-up"}, "All"),
    ),
    html.button({"class": "more", "id": "more", "type": "button", "hidden": True}),
)
"""The switch between the whole board and a close-up, which has a small map, and room for how many
places are out of sight."""
