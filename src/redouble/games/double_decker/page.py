"""Double Decker on a page: a column for every seat, and across them a lane for each color."""

from functools import lru_cache, partial
from itertools import chain
from typing import Any

from redouble.contract.page import html
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Child, Html, classes, fragment, join, minus
from redouble.contract.page.pieces import backs, counted, pictured, told
from redouble.contract.page.scene import BoardScene, Face, Pile, Place
from redouble.contract.view import Fact
from redouble.games.double_decker.page_scores import (
    COLORS,
    MAX_PILED,
    SIGN,
    draw_record,
    draw_rounds,
    draw_scores,
    draw_sheet,
    numbered,
    signed,
)
from redouble.games.double_decker.rules import ROUNDS

MAX_IN_ROW = 7
"""Cards of a hand in a row where there is little room."""


class DoubleDeckerPage(GamePage):
    """Draws the trick on lanes, and what everyone captured beside their name."""

    def __init__(self, scene: BoardScene) -> None:
        super().__init__(scene)
        board = scene.board
        self.trick, self.last = board["trick"], board["last"]
        self.ended = scene.outcome is not None
        self.done = self.last is not None and not self.trick["colors"] and not self.ended
        """Whether the trick before lies on the lanes, until the next one begins."""
        self.lying: dict[str, Any] = self.last if self.done else self.trick
        self.scored = "round-1" in scene.places[0].facts
        self.between = self.ended or (
            self.last is None and not self.trick["colors"] and self.scored
        )
        """Whether no trick lies or lay: points are shown instead."""
        self.counted = bool(board["sheet"]) and not self.ended and not scene.still
        """Whether the points of a round are counted."""
        self.shown = {one["text"] for one in self.lying["cards"] if one}
        self.gliding = {one["text"] for one in self.last["cards"]} if self.last else set()
        """The cards of the trick before, which move to where they belong."""
        self.faces = played_in_round(scene)

    def seats(self) -> Child:
        return None

    def own(self) -> Child:
        return None

    def hand(self) -> Child:
        """Draw the viewer's hand; for others, the hands that lie open. Points take its place."""
        scene, mine = self.scene, self.scene.mine
        if self.counted:
            return None
        if mine is not None:
            held = open_hand(mine)
            if held is None:
                return None
            draw = partial(self.fan, held, "hand")
            return draw() if scene.moves else self.kept("hand", draw, held, scene.board["pass"])
        return [
            html.div({"class": "shown"}, html.b(place.name), self.fan(held, "small"))
            for place in scene.places
            if (held := open_hand(place))
        ]

    def fan(self, pile: Pile, kind: str) -> Html:
        """Draw cards that overlap where they have to; on a phone each color is a row."""
        number = max(len(pile), 2)
        rows = -(-number // MAX_IN_ROW)
        long, explained = len(pile) >= MAX_IN_ROW and "long", self.scene.pointed(pile.key)
        colors = [(color, [face for face in pile if face.color == color]) for color in COLORS]
        return html.div(
            {
                "class": classes("fan", kind, long, explained),
                "role": "group",
                "aria-label": pile.name,
                "style": f"--n: {number}; --per: {-(-number // rows)}",
            },
            [self.suit(color, held, kind == "hand") for color, held in colors if held],
        )

    def suit(self, color: str, held: list[Face], own: bool) -> Html:
        """Draw the cards of a color, passes marked in the viewer's ``own`` hand."""
        passing = color == self.scene.board["pass"]
        look = classes("suit scrolls", color, passing and "passing")
        marks = ("pass", ", a pass") if passing and own else ()
        return html.div(
            {"class": look, "style": f"--held: {max(len(held), 2)}"},
            [numbered(self.scene, face, *marks) for face in held],
        )

    def centre(self) -> Child:
        scene = self.scene
        return (
            self.heading(),
            draw_sheet(scene, scene.board["sheet"]) if self.counted else self.deck(),
            not scene.still and draw_record(scene, points=self.scored and not self.between),
        )

    def heading(self) -> Html:
        """Draw which round and which trick it is, and what opens the record."""
        facts = self.scene.facts
        number, trick = facts["round"], facts["trick"]
        if self.counted:
            return html.div(
                {"class": "heading"},
                html.p(f"Round {number.text} is over"),
                draw_rounds(int(number.value), ROUNDS),
            )
        opener = {"class": "btn", "type": "button", "popovertarget": "sheet"}
        return html.div(
            {"class": "heading"},
            html.p(
                told("trick"),
                _numbered("Round", number),
                None if self.ended else (" ", html.span(_numbered("trick", trick))),
            ),
            not self.scene.still
            and html.button(
                opener, html.i({"class": "icon log-icon"}), html.span("Cards and points")
            ),
        )

    def deck(self) -> Child:
        """Draw the columns and the lanes; between rounds, the points so far."""
        scene = self.scene
        columns = scene.round + ([scene.mine] if scene.mine else [])
        crowd = "several many" if len(columns) > 5 else "several" if len(columns) > 4 else ""
        return (
            html.div(
                {"class": classes("deck", self.done and "done", crowd, scene.pointed("seats"))},
                not self.between and self.lanes(),
                [self.column(place, number) for number, place in enumerate(columns, 2)],
                self.between and html.div({"class": "between"}, draw_scores(scene)),
            ),
            (not self.between or self.ended) and self.last_trick(),
        )

    def lanes(self) -> Child:
        scene = self.scene
        explained = scene.pointed("trick") or scene.pointed("lying")
        colors = self.lying["colors"]
        winners = [self.winner(color).name for color in colors]
        return (
            explained and html.div({"class": "frame pointed"}),
            self.kept(
                "lanes",
                lambda: fragment(self.lane(color, at) for at, color in enumerate(COLORS, 2)),
                *(*colors, *winners, scene.board["pass"], self.done),
            ),
        )

    def lane(self, color: str, number: int) -> Html:
        """Draw a lane: its color, and who took the cards on it."""
        closed, lit = color == self.scene.board["pass"], color in self.lying["colors"]
        taken = html.em(f"to {self.winner(color).addressed}") if self.done and lit else None
        return html.div(
            {
                "class": classes("lane", color, lit and "lit", closed and "closed"),
                "style": f"grid-row: {number}",
                **told(f"lane-{color}"),
            },
            SIGN,
            html.span("pass" if closed else color, taken and (" ", taken)),
        )

    def winner(self, color: str) -> Place:
        """Return who holds the highest card of a color."""
        seat: int = self.lying["winners"][self.lying["colors"].index(color)]
        return self.scene.places[seat]

    def column(self, place: Place, number: int) -> Html:
        return html.div(
            {
                "class": "column",
                "role": "group",
                "aria-label": place.name,
                "style": f"--c: {number}",
            },
            self.player(place),
            self.played(place),
        )

    def player(self, place: Place) -> Child:
        collected = {face.text for key in ("passed", *COLORS) for face in place.piles[key]}
        moving = frozenset(collected & self.shown), frozenset(collected & self.gliding)
        draw = super().player
        return self.kept("player", lambda: draw(place), *place.looks, *moving)

    def plate(self, place: Place) -> Child:
        """Draw a player's points, and what they captured and passed."""
        piles = place.piles
        hand = piles.get("hand")
        closed = hand is not None and hand.top is not None and not hand.top.up
        return (
            self.points(place),
            html.span(
                {"class": "piles"},
                [self.pile(place, piles[color], color) for color in COLORS],
                piles["passed"].size > 0 and self.pile(place, piles["passed"], "away"),
            ),
            "dealer" in place.facts and DEALER,
            backs(self.scene, hand) if hand is not None and closed else None,
        )

    def points(self, place: Place) -> Html:
        made, facts = place.facts.get("made"), place.facts
        began = any(place.piles[key].size for key in ("passed", *COLORS))
        points = int(facts["points"].value)
        return points_of(place.seat, points, int(made.value) if made else None, began)

    def pile(self, place: Place, zone: Pile, kind: str) -> Html:
        """Draw captured or passed cards; those of the last trick glide here when it is over."""
        named = self.scene.named
        slips = [
            (face.key if named else "", face.text in self.gliding)
            for face in zone
            if face.text not in self.shown
        ]
        spoken = [face.spoken if kind == "away" else face.rank for face in zone]
        label = f"{zone.size} {zone.name}{': ' if zone.size else ''}{', '.join(spoken)}"
        look = classes("won", kind, not zone.size and "none")
        count = f"count-{place.seat}-{kind}" if named else ""
        return won_pile(look, label, zone.size, tuple(slips), count)

    def played(self, place: Place) -> Child:
        """Draw the card that a player has on the lanes."""
        lying = self.lying
        one = lying["cards"][place.seat]
        face = self.faces.get(one["place"]) if one else None
        if face is None:
            return None
        passed = place.seat in lying["passed"]
        best = not passed and place.seat in lying["winners"] and self.winner(face.color) is place
        note = ", passed" if passed else ", the highest" if best else ""
        return html.div(
            {
                "class": classes("cell", best and "best"),
                "style": f"grid-row: {COLORS.index(face.color) + 2}",
                "data-marks": "best",
            },
            numbered(self.scene, face, "passed" if passed else "", note),
        )

    def last_trick(self) -> Child:
        """Draw the trick before in a line of text, while another lies on the lanes."""
        last = self.last
        if last is None or self.done:
            return html.p({"class": "last", **told("last-trick")})
        shown = [
            [card["text"] for card in last["cards"]],
            *(last["colors"], last["winners"], last["passed"]),
            [place.name for place in self.scene.places],
        ]
        return self.kept(
            "last trick",
            lambda: html.p(
                {"class": "last", **told("last-trick")},
                html.span("Last trick"),
                [(" ", self.taken(number)) for number in range(len(last["colors"]))],
                [(" ", self.passed_by(seat)) for seat in last["passed"]],
            ),
            *map(tuple, shown),
        )

    def taken(self, number: int) -> Html:
        """Draw the cards of one color in the trick before, the winner's in bold."""
        last = self.last
        color, winner = last["colors"][number], last["winners"][number]
        cards = [
            html.b(card["rank"]) if seat == winner else card["rank"]
            for seat, card in enumerate(last["cards"])
            if seat not in last["passed"] and card["color"] == color
        ]
        return html.span(
            {"class": classes("taken", color)},
            SIGN,
            html.span({"class": "sr"}, color),
            " ",
            join(" ", cards),
            " ",
            html.em(f"to {self.scene.places[winner].addressed}"),
        )

    def passed_by(self, seat: int) -> Html:
        card = self.last["cards"][seat]
        return html.span(
            {"class": "taken away"},
            f"{card['spoken']} ",
            html.em(f"passed by {self.scene.places[seat].addressed}"),
        )


@lru_cache(maxsize=1024)
def points_of(seat: int, points: int, made: int | None, began: bool) -> Html:
    """Return a player's points, and those of this round, seen once cards are collected."""
    this_round = html.span({"class": "word"}, "this round ")
    look = {"class": classes("made", not began and "none")}
    return html.span(
        {"class": "note", **told(f"points-{seat}")},
        html.span({"class": "points"}, html.b(minus(points)), " points"),
        None if made is None else (" ", html.span(look, this_round, signed(made))),
    )


def played_in_round(scene: BoardScene) -> dict[str, Face]:
    """Return the cards that were played in this round, by their places."""
    keys = "trick", "passed", *COLORS
    piles = (place.piles[key] for place in scene.places for key in keys)
    return {face.place: face for face in chain.from_iterable(piles)}


def open_hand(place: Place) -> Pile | None:
    """Return a player's hand if it lies open."""
    hand = place.piles.get("hand")
    return hand if hand and hand.top and hand.top.up else None


@lru_cache(maxsize=1024)
def won_pile(
    look: str, label: str, size: int, slips: tuple[tuple[str, bool], ...], count: str
) -> Html:
    """Return a pile; a slip is the name of a card, and whether it may still move."""
    return html.span(
        {"class": look, "style": f"--k: {min(size, MAX_PILED)}", **pictured(label)},
        [slip(key, moves) for key, moves in slips],
        html.span(
            {
                "class": "count",
                "style": f"view-transition-name: {count}" if count else None,
                **(counted(count) if count else {}),
            },
            html.i({"class": "sign"}),
            html.b(size),
        ),
    )


def slip(key: str, moves: bool) -> Html:
    style = f"view-transition-name:{key}" if key and moves else None
    return html.i({"class": "slip", "id": key or None, "style": style})


DEALER = html.span(
    {"class": "dealer", "title": "dealer"},
    html.span({"aria-hidden": "true"}, "D"),
    html.span({"class": "sr"}, "dealer"),
)


def _numbered(word: str, fact: Fact) -> Child:
    """Return which round or trick it is, and the same shorter, for where there is little room."""
    return (
        html.span({"class": "whole"}, f"{word} {fact.text}"),
        html.span({"class": "part", "aria-hidden": "true"}, f"{word} {fact.value}"),
    )
