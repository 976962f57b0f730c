"""3UP 3DOWN on a page: the pile that grows in the middle, and everyone's 3UP over their 3DOWN."""

from collections import Counter
from collections.abc import Hashable
from functools import lru_cache
from itertools import groupby

from redouble.contract.page import html
from redouble.contract.page.game_page import GamePage
from redouble.contract.page.html import Child, Html, classes, fragment
from redouble.contract.page.pieces import (
    MAX_BACKS,
    card,
    move_button,
    pictured,
    pile,
    plate,
    plays,
    plural,
    slot,
    tied,
    ties,
    told,
)
from redouble.contract.page.scene import BoardScene, Face, Pile, Place
from redouble.games.three_up.page_cards import CLEARS, SWIRL, draw_choice, live, lying


class ThreeUpPage(GamePage):
    """Draws the pile, the hand in groups of equal cards, and three places each."""

    def choices(self) -> Child:
        return None

    def own(self) -> Child:
        return None

    def seats(self) -> Child:
        """Draw the other players in rows that a wide and a narrow page have room for."""
        scene = self.scene
        number = len(scene.round)
        if not number:
            return None
        wide = number if number <= 6 else (number + 1) // 2
        narrow = number if number <= 4 else 3 if number <= 6 else 4
        many = number > 4 and "many"
        return self.region(
            {
                "class": classes("seats", scene.pointed("seats"), many),
                "aria-label": "Players",
                "style": f"--wide: {wide}; --narrow: {narrow}",
            },
            [self.player(place) for place in scene.round],
        )

    def player(self, place: Place) -> Child:
        draw = super().player
        return self.kept("player", lambda: draw(place), *self.looks(place))

    def looks(self, place: Place) -> tuple[Hashable, ...]:
        """Return all that can be seen of a player."""
        return *place.looks, *self.scene.board["left"][place.seat]

    def plate(self, place: Place) -> Child:
        hand = place.piles["hand"]
        return (
            held(hand.size, tuple(self.names(hand))),
            self.standing(place),
            self.trio(place),
            known_cards(hand),
        )

    def names(self, hand: Pile) -> list[str]:
        """Return what the backs of a hand are called; in an open game the cards lie elsewhere."""
        named = self.scene.named and self.scene.eyes is not None
        return [face.key if named else "" for face in hand.faces[:MAX_BACKS]]

    def standing(self, place: Place) -> Child:
        """Draw a player's points, their place once they are out, and their 3UP in the dark."""
        facts, pointed = place.facts, self.scene.pointed
        points, out, chosen = facts.get("points"), facts.get("out"), facts.get("chosen")
        return (
            html.span(
                {"class": classes("note", pointed("points")), **told(f"points-{place.seat}")},
                points.text,
                html.span({"class": "word"}, " points"),
            )
            if points
            else None,
            html.span(
                {"class": classes("note place", pointed("out")), **told(f"out-{place.seat}")},
                html.span({"class": "word"}, "out: "),
                f"place {out.text}",
            )
            if out
            else None,
            html.span(
                {"class": "note chosen"}, f"3UP: {chosen.text}" if chosen.value else "has chosen"
            )
            if chosen
            else None,
        )

    def trio(self, place: Place, own: bool = False) -> Html:
        """Draw three places, each 3UP half over its 3DOWN; one's ``own`` cards can be clicked."""
        up, down, scene = place.piles["up"], place.piles["down"], self.scene
        explained = [scene.pointed(key) for key in ("up", "down", "left")]
        return html.div(
            {
                "class": classes("trio", *(explained if own or scene.mine is None else ())),
                "role": "group",
                "aria-label": f"3UP: {len(up)}, 3DOWN: {len(down)}",
            },
            [self.spot(place, number, own) for number in (1, 2, 3)],
        )

    def spot(self, place: Place, number: int, own: bool) -> Html:
        """Draw one of the three places."""
        up, left = place.piles["up"].faces, self.scene.board["left"][place.seat]
        under = place.piles["down"].faces[left.index(number)] if number in left else None
        over = up[number - 1] if number <= len(up) else None
        return html.span(
            {"class": "spot"},
            self.under(under, number, own) if under else slot(),
            html.span({"class": "over"}, self.over(place, over, own)) if over else None,
        )

    def under(self, face: Face, number: int, own: bool) -> Html:
        """Draw a 3DOWN."""
        scene = self.scene
        move = scene.first_move("down", number=number) if own and not scene.still else ""
        if not move:
            return lying(scene, face) if face.up else card(scene, face)
        return html.button(
            {
                "class": classes("card back turn-up", scene.hint == move and "hinted"),
                **tied(scene, face),
                **plays(move),
                "aria-label": f"Turn up 3DOWN {number}",
            },
            html.b({"aria-hidden": "true"}, number),
        )

    def over(self, place: Place, face: Face, own: bool) -> Html:
        """Draw a 3UP; one that equals a card of the hand is played from there."""
        if own and (place.piles["hand"].size == 0 or not face.move):
            return live(self.scene, face)
        return lying(self.scene, face, "rest" if own and face.move else "")

    def centre(self) -> Child:
        scene = self.scene
        shown = *scene.piles.values(), *scene.facts.values(), scene.outcome is None
        return self.kept("centre", lambda: fragment(self.table()), *shown)

    def table(self) -> Child:
        """Draw the piles and what may be played."""
        scene = self.scene
        draw = scene.piles["draw"]
        note = f"{draw.size} to draw" if draw.size else "nothing to draw"
        return (
            html.div({"class": "draw-pile"}, pile(scene, draw, note=note)),
            self.discard(scene.piles["discard"]),
            self.cleared(scene.piles["cleared"]),
            self.more_facts(),
        )

    def discard(self, discard: Pile) -> Html:
        """Draw the pile, with what may be played and how many equal cards lie on top."""
        scene = self.scene
        least = scene.facts["beat"].text if "beat" in scene.facts else "any card"
        run = int(scene.facts["run"].value) if "run" in scene.facts else 0
        cards = plural(discard.size, "card")
        explained = [scene.pointed(key) for key in ("discard", "beat", "run")]
        return html.div(
            {
                "class": classes("pile discard", *explained),
                "role": "group",
                "aria-label": f"Discard pile: {cards}; play {least}; in a row: {run}",
            },
            html.div(
                {"class": "fan", "data-sweeps": True}, self.discarded(discard, run) or slot("beat")
            ),
            html.span(
                {"class": "caption", **told("discard")},
                ("play ", html.b(least), f" · {cards}") if discard.size else "play any card",
                html.b({"class": "in-a-row"}, f"{run} in a row")
                if discard.size and run > 1
                else None,
            ),
        )

    def discarded(self, discard: Pile, run: int) -> list[Html]:
        """Draw all cards of the pile, from the bottom to the top."""
        from_top = zip(range(len(discard), 0, -1), discard, strict=True)
        return [
            lying(
                self.scene, face, classes(depth == 1 and "beat", run > 1 and depth <= run and "run")
            )
            for depth, face in from_top
        ]

    def cleared(self, cleared: Pile) -> Html:
        outline = html.span({"class": "card slot", "aria-hidden": "true"}, SWIRL)
        return html.div(
            {"class": classes("pile gone", self.scene.pointed("cleared"))},
            html.div({"class": "stack", "data-swept": True}, outline),
            html.span({"class": "caption", **told("cleared")}, f"{cleared.size} cleared"),
        )

    def more_facts(self) -> Html:
        """Draw the other facts of the table; extra turns while there are any."""
        scene = self.scene
        facts = [
            fact
            for fact in scene.facts.values()
            if fact.kind not in ("beat", "run")
            and (fact.kind != "extra" or (fact.value and not scene.outcome))
        ]
        return html.dl(
            {"class": "facts", **told("facts")},
            [
                html.div(
                    {"class": classes(fact.kind == "extra" and "extra", scene.pointed(fact.key))},
                    html.dt(fact.name),
                    html.dd(f"{'+' if fact.kind == 'extra' else ''}{fact.text}"),
                )
                for fact in facts
            ],
        )

    def hand(self) -> Child:
        """Draw the viewer's side: moves, hand and three places."""
        scene, mine = self.scene, self.scene.mine
        if mine is None:
            return None
        if not scene.moves:
            return self.kept("own", lambda: fragment(self.side(mine)), *self.looks(mine))
        return self.side(mine)

    def side(self, mine: Place) -> Child:
        """Draw moves, hand and three places."""
        scene, hand = self.scene, mine.piles["hand"]
        groups = [(rank, list(faces)) for rank, faces in groupby(hand, lambda face: face.rank)]
        choosing = bool(scene.moves_of("up")) and not scene.still
        pointed = scene.pointed("hand")
        held_cards = (
            html.div(
                {"class": classes("groups", pointed, scene.pointed("up"))}, draw_choice(scene, hand)
            )
            if choosing
            else self.groups(groups)
        )
        return (
            self.other_moves({rank for rank, _ in groups}),
            html.div(
                {"class": "holding"},
                held_cards,
                plate(scene, mine, self.standing(mine), self.trio(mine, own=True)),
            ),
        )

    def groups(self, groups: list[tuple[str, list[Face]]]) -> Html:
        """Draw the hand as stacks of equal cards, beside the moves that play several of them."""
        return html.div(
            {
                "class": classes("groups scrolls", self.scene.pointed("hand")),
                "role": "group",
                "aria-label": "Your hand",
                "style": f"--n: {sum(len(faces) for _, faces in groups)}",
            },
            [self.group(rank, faces) for rank, faces in groups],
        )

    def group(self, rank: str, faces: list[Face]) -> Html:
        scene = self.scene
        moves = [move for move in scene.others if rank_of(scene, move) == rank]
        return html.div(
            {"class": "group", "style": f"--n: {len(faces)}"},
            html.div({"class": "equal"}, [self.stacked(face, faces[-1]) for face in faces]),
            html.div({"class": "severals"}, [several(scene, move) for move in moves])
            if rank and not scene.still
            else None,
        )

    def stacked(self, face: Face, top: Face) -> Html:
        """Draw a card of a stack: the one on top is played, and each that is another move."""
        if face is top or face.move != top.move:
            return live(self.scene, face, face is top)
        return lying(self.scene, face)

    def other_moves(self, ranks: set[str]) -> Child:
        """Draw the moves that belong to no card and to no group of the hand."""
        scene = self.scene
        moves = [
            move
            for move in scene.others
            if scene.about[move]["kind"] not in ("up", "down") and rank_of(scene, move) not in ranks
        ]
        if not moves or scene.still:
            return None
        return html.div(
            {"class": classes("choices", scene.pointed("moves"))},
            [self.other_move(move) for move in moves],
        )

    def other_move(self, move: str) -> Child:
        scene = self.scene
        about = scene.about[move]
        kind = about["kind"]
        if kind == "play":
            return several(scene, move, about["rank"])
        if kind == "swap":
            return move_button(scene, move, swap_label(about["give"], about["get"]))
        taken = f"Take the pile ({scene.piles['discard'].size})"
        label = {"take": taken, "draw": "Draw", "keep": "Keep them"}.get(kind)
        return move_button(scene, move, label, "btn main" if kind in ("take", "keep") else "btn")


def rank_of(scene: BoardScene, move: str) -> str:
    """Return the rank that a move plays; empty if it plays none."""
    rank: str = scene.about[move].get("rank", "")
    return rank


def several(scene: BoardScene, move: str, rank: str = "") -> Html | None:
    """Return a play of several equal cards: how many, or of which colors; ``rank`` names it."""
    about = scene.about[move]
    copies, colors = about["copies"], about["colors"]
    spoken = ", ".join([f"Play {copies} times {about['spoken']}", *colors])
    label = (
        f"Play {rank} " if rank else "",
        [html.i({"class": classes("mark", color)}) for color in colors]
        or (f"×{copies}" if copies > 1 else ""),
    )
    return move_button(scene, move, label, "btn several", spoken)


def swap_label(give: dict[str, str], get: dict[str, str]) -> Child:
    return (
        html.span({"class": "sr"}, "Swap "),
        token(give),
        " ",
        html.span({"aria-hidden": "true"}, "⇄"),
        html.span({"class": "sr"}, "for"),
        " ",
        token(get),
    )


def token(named: dict[str, str]) -> Html:
    """Return a card that a button names."""
    return html.span(
        {"class": classes("token", named["color"])},
        named["rank"],
        html.i({"class": "mark", "aria-hidden": "true"}),
        html.span({"class": "sr"}, f" {named['color']}"),
    )


@lru_cache(maxsize=1024)
def held(size: int, names: tuple[str, ...]) -> Html:
    """Return the backs of a hand with their number."""
    look = {"class": "held", **pictured(f"{plural(size, 'card')} in hand")}
    look["style"] = f"--n: {min(size, MAX_BACKS)}"
    return html.span(look, [html.i(ties(name)) for name in names], html.b(size))


def known_cards(hand: Pile) -> Child:
    """Return what is known of a hand: equal cards once, with their number."""
    found = Counter(face.rank for face in hand if face.up)
    if not found:
        return None
    return html.span(
        {"class": "note known", "title": "Known cards of this hand"},
        html.span({"class": "sr"}, "known cards: "),
        [
            (
                html.span(
                    {"class": rank in CLEARS and "is-clear"},
                    rank,
                    html.small(f"×{number}") if number > 1 else None,
                ),
                " ",
            )
            for rank, number in found.items()
        ],
    )
