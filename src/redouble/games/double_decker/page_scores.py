"""The score sheets of Double Decker on a page: points by rounds, and what each pile gave."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html, classes, fragment, minus
from redouble.contract.page.pieces import avatar, card, who
from redouble.contract.page.scene import BoardScene, Face, Place

COLORS = "red", "blue", "green"
MAX_PILED = 8
"""A pile of more cards looks no higher."""
SIGN = html.i({"class": "sign", "aria-hidden": "true"})
"""The sign of a color."""


def signed(number: int) -> str:
    """Return points with their sign."""
    return f"{'+' if number > 0 else ''}{minus(number)}"


@lru_cache(maxsize=64)
def middle_of(rank: str) -> Html:
    """Return what is on a card: its number, and the sign of its color."""
    return fragment(html.b({"class": "figure", "aria-hidden": "true"}, rank), SIGN)


def numbered(scene: BoardScene, face: Face, kind: str = "", note: str = "") -> Html:
    """Return a card with its number; the note is read out after its name."""
    return card(scene, face, kind, label=face.spoken + note, middle=middle_of(face.rank))


def draw_scores(scene: BoardScene) -> Html:
    """Return points by rounds; at the end with the cards set aside."""
    rounds = [fact for fact in scene.places[0].facts.values() if fact.kind == "round"]
    return html.table(
        {"class": "scores"},
        html.thead(
            html.tr(
                _heading(html.span({"class": "sr"}, "Player")),
                [_heading(html.span({"class": "word"}, "round "), fact.number) for fact in rounds],
                _heading("points"),
                scene.outcome and _heading("set aside"),
            )
        ),
        html.tbody([_scores_of(scene, place) for place in scene.placing]),
    )


def _scores_of(scene: BoardScene, place: Place) -> Html:
    rounds = [fact for fact in place.facts.values() if fact.kind == "round"]
    aside = place.piles["aside"].faces if scene.outcome else []
    return html.tr(
        {"class": place.me and "me"},
        _player(place),
        [html.td(signed(int(fact.value))) for fact in rounds],
        html.td(html.b(minus(place.facts["points"].value))),
        scene.outcome and html.td([numbered(scene, face, "tiny") for face in aside if face.up]),
    )


def _heading(*children: Child) -> Html:
    return html.th({"scope": "col"}, *children)


def _player(place: Place) -> Html:
    return html.th({"scope": "row"}, avatar(place.hue, place.letter, place.motif), f" {place.name}")


def draw_sheet(scene: BoardScene, rows: list[dict[str, Any]]) -> Html:
    """Return the score sheet between two rounds: who collected what, and what it gave."""
    played = scene.facts["round"]
    return html.div(
        {"class": "round-sheet", "style": f"--rows: {len(rows)}"},
        html.p(
            {"class": "columns", "aria-hidden": "true"},
            [html.span({"class": "heap"}, label) for label in (*COLORS, "passed")],
            html.span(f"round {played.value}"),
            html.span("total"),
        ),
        html.ol(
            {"aria-label": f"Scores after round {played.text}"},
            [_row(scene, row, number, int(played.value)) for number, row in enumerate(rows)],
        ),
    )


def draw_rounds(played: int, rounds: int) -> Html:
    """Return a mark for each round, those that were played in another color."""
    marks = [html.i({"class": number < played and "done"}) for number in range(rounds)]
    return html.span({"class": "rounds", "aria-hidden": "true"}, marks)


def _row(scene: BoardScene, row: Mapping[str, Any], number: int, played: int) -> Html:
    place = scene.places[row["seat"]]
    best = max(pile["points"] for pile in row["colors"])
    return html.li(
        {"class": place.me and "me", "style": f"--n: {number}"},
        _rank(row, played),
        html.span({"class": "name"}, avatar(place.hue, place.letter, place.motif), " ", who(place)),
        [
            _heap(pile["cards"], pile["points"], pile["color"], best=0 < best == pile["points"])
            for pile in row["colors"]
        ],
        _heap(row["passed"]["cards"], row["passed"]["points"], "away"),
        html.b({"class": "made"}, html.span({"class": "sr"}, "this round "), signed(row["made"])),
        html.b({"class": "total"}, html.span({"class": "sr"}, "in all "), minus(row["total"])),
    )


def _rank(row: Mapping[str, Any], played: int) -> Html:
    """Return a place, and how many places up or down that is since the round before."""
    climbed = row["rank_before"] - row["rank"] if played > 1 else 0
    way = "up" if climbed > 0 else "down"
    return html.span(
        {"class": "rank"},
        row["rank"],
        climbed != 0
        and (" ", html.small({"class": way}, html.span({"class": "sr"}, f"{way} "), abs(climbed))),
    )


def _heap(cards: int, points: int, kind: str, best: bool = False) -> Html:
    away = kind == "away"
    what = "passed" if away else kind
    return html.span(
        {"class": classes("heap", best and "most"), "role": "img"}
        | {"aria-label": f"{cards} {what}: {signed(points)}"},
        html.span(
            {"class": classes("won", kind, not cards and "none")}
            | {"style": f"--k: {min(cards, MAX_PILED)}"},
            html.span({"class": "count"}, not away and html.i({"class": "sign"}), html.b(cards)),
        ),
        html.span(
            {"class": classes("gave", points > 0 and "plus", points == 0 and "nil")},
            signed(points),
            away and html.small("passed"),
        ),
    )


def draw_record(scene: BoardScene, points: bool) -> Html:
    """Return the cards of this round as a list to open, and with ``points`` those so far."""
    # only who has something to show
    rows = [(place.name, texts) for place in scene.places if any(texts := _texts(place))]
    close = {"class": "btn", "type": "button"}
    close |= {"popovertarget": "sheet", "popovertargetaction": "hide"}
    return html.div(
        {"class": "record", "id": "sheet", "popover": True},
        html.h2("Cards of this round"),
        html.table(_record_head(), html.tbody([_collected(*row) for row in rows]))
        if rows
        else html.p("Nobody has captured or passed a card yet."),
        (html.h2("Points"), draw_scores(scene)) if points else None,
        html.button(close, "Close"),
    )


@lru_cache(maxsize=1)
def _record_head() -> Html:
    signs = [html.span({"class": classes("tag", color)}, SIGN, color) for color in COLORS]
    player = html.span({"class": "sr"}, "Player")
    return html.thead(html.tr([_heading(label) for label in (player, *signs, "passed")]))


def _texts(place: Place) -> tuple[str, ...]:
    """Return what a player captured of each color, and passed, in words."""
    captured = [" ".join([face.rank for face in place.piles[color]]) for color in COLORS]
    return (*captured, ", ".join([face.spoken for face in place.piles["passed"]]))


@lru_cache(maxsize=1024)
def _collected(name: str, texts: tuple[str, ...]) -> Html:
    return html.tr(html.th({"scope": "row"}, name), [html.td(text) for text in texts])
