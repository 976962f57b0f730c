"""The board of Double Double Dominoes on a page, with the score track round it.

Lengths on the board are in squares: x to the right, y down. What lies there is the same for every
viewer, so most of it is drawn once and kept.
"""

from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html, classes, fragment
from redouble.contract.page.kept import Same
from redouble.contract.page.scene import HUES, BoardScene
from redouble.games.double_dominoes.text import FILES, in_words
from redouble.kernel.checks import counted

SIDES = "west", "north", "east", "south"
DOTS = 7
"""Numbers on a domino's half, and so of dots on the track: from 0 to 6."""
TRACKS = 63, 91, 119
"""Spaces of the tracks. They are multiples of 7, so a space has the same dots in every round."""
At = tuple[int, int]
"""A square: its column and row, counted from 1."""


class Lie(NamedTuple):
    """How a domino lies: which way, where, and whether its low half is the left or upper one."""

    way: str
    x: int
    y: int
    rising: bool


def lie(low: At, high: At, size: int) -> Lie:
    """Return how a domino with these halves lies on a board of this size."""
    x, y, u, v = low[0] - 1, size - low[1], high[0] - 1, size - high[1]
    rising = x + y < u + v
    way = "h" if y == v else "v"
    return Lie(way, x, y, True) if rising else Lie(way, u, v, False)


@lru_cache(maxsize=16)
def half(number: int) -> Html:
    return html.i({"class": f"n{number}"})


def halves(low: int, high: int, rising: bool) -> tuple[Html, Html]:
    """Return the halves of a domino on the board, the left or upper one first."""
    return (half(low), half(high)) if rising else (half(high), half(low))


class Track(NamedTuple):
    """The score track: four sides, each the corner that it begins with and its spaces."""

    size: int
    """The length of the board that it goes round."""
    spaces: int

    @property
    def cells(self) -> int:
        """The corner and the spaces of a side."""
        return (self.spaces + 1) // 4

    def space_of(self, points: int) -> int:
        """Return the space for these points, in whatever round; 0 is the start."""
        return (points - 1) % self.spaces + 1 if points else 0

    def round_of(self, points: int) -> int:
        return (points - 1) // self.spaces + 1

    def place(self, space: int, *kind: str) -> Attributes:
        """Return the attributes of something that stands on a space."""
        side, cell = divmod(space, self.cells)
        if not cell:
            corner = SIDES[side - 1] if side else "south"
            return {"class": classes(*kind, SIDES[side], corner)}
        along = (cell - 0.5) * self.size / (self.cells - 1)
        at = self.size - along if side in (0, 3) else along
        return {"class": classes(*kind, SIDES[side]), "style": f"--at:{round(at, 2)}"}


def track_of(board: Mapping[str, Any]) -> Track:
    """Return the shortest track that has room for the victory total."""
    fitting = (spaces for spaces in TRACKS if board["goal"] <= spaces)
    return Track(board["size"], next(fitting, TRACKS[-1]))


def laid(board: Mapping[str, Any]) -> Iterator[Hashable]:
    """Yield all that can be seen of the squares, by which drawings of them are kept."""
    yield from (board["size"], board["goal"], *board["star"])
    yield from (Same(board["diamonds"]), Same(board["dominoes"]))


def draw_field(scene: BoardScene) -> Html:
    """Return the track and the squares with everything on them."""
    board, track = scene.board, track_of(scene.board)
    roomy = track.spaces == TRACKS[0] and "roomy"
    return html.div(
        {
            "class": classes("field", roomy, scene.pointed("board")),
            "style": f"--size: {track.size}; --cells: {track.cells}",
            "aria-hidden": "true",
        },
        _sides(track),
        html.div(
            {"class": "squares"},
            _grid(
                track.size,
                tuple(board["star"]),
                tuple((*it["at"], it["number"]) for it in board["diamonds"]),
            ),
            [_domino(scene, it) for it in board["dominoes"]],
            html.i(track.place(0, "start")),
            html.i(track.place(board["goal"], "goal")) if board["goal"] <= track.spaces else None,
            _pieces(scene, track),
        ),
    )


@lru_cache(maxsize=8)
def _sides(track: Track) -> Html:
    return fragment(
        [
            html.i(
                {
                    "class": f"side-of n{(side + 1) * track.cells % DOTS if side < 3 else 'o'}",
                    "style": f"--turn: {side - 1}; --from: {(side * track.cells + 1) % DOTS}",
                }
            )
            for side in range(4)
        ]
    )


@lru_cache(maxsize=32)
def _grid(size: int, star: At, diamonds: tuple[tuple[int, int, int], ...]) -> Html:
    lines = "".join(f"M0 {line}h{size}M{line} 0v{size}" for line in range(1, size))
    shapes = " ".join(f"M{x - 1} {size - y}l.34.34-.34.34-.34-.34z" for x, y, _ in diamonds)
    middle = f"translate({star[0] - 1}.5 {size - star[1]}.5)"
    return html.svg(
        {"viewBox": f"0 0 {size} {size}"},
        html.path({"class": "grid", "d": lines}),
        html.path({"class": "diamonds", "transform": "translate(.5 .16)", "d": shapes}),
        html.text(
            {
                "class": "figures",
                "x": " ".join(f"{x - 1}.5" for x, _, _ in diamonds),
                "y": " ".join(f"{size - y}.66" for _, y, _ in diamonds),
            },
            "".join(str(number) for _, _, number in diamonds),
        ),
        html.g({"class": "marks"}, _edge(size)),
        html.path({"class": "star", "transform": middle, "d": STAR}),
    )


STAR = "M0-.4 .1-.13.38-.12.16.05.24.32 0 .16-.24.32-.16.05-.38-.12-.1-.13z"


def _edge(size: int) -> Child:
    files = " ".join(f"{file}.06" for file in range(size))
    return (
        html.text({"y": f"{size - 0.08}", "x": files}, FILES[:size]),
        [html.text({"x": ".06", "y": f"{size - rank}.27"}, rank) for rank in range(2, size + 1)],
    )


def _domino(scene: BoardScene, it: Mapping[str, Any]) -> Child:
    """Return a domino on the board; on the last one also what it brings while it is counted."""
    size, gains = scene.board["size"], scene.board.get("gains")
    low, high = tuple(it["low_at"]), tuple(it["high_at"])
    key = f"card-{it['place']}" if scene.named else ""
    drawn = _lying_domino(
        low, high, it["low"], it["high"], size, it["seat"] % HUES, bool(it["last"]), key
    )
    if not it["last"] or not gains or not gains[it["seat"]]:
        return drawn
    _, x, y, _ = lie(low, high, size)
    gained = html.b({"class": "gain", "style": f"--x: {x}; --y: {y}"}, f"+{gains[it['seat']]}")
    return drawn, gained


@lru_cache(maxsize=2048)
def _lying_domino(
    low_at: At, high_at: At, low: int, high: int, size: int, hue: int, last: bool, key: str
) -> Html:
    way, x, y, rising = lie(low_at, high_at, size)
    moving = f";view-transition-name:{key}" if last and key else ""
    return html.span(
        {
            "class": classes("dom", way, f"hue{hue}", last and "last"),
            "id": key or None,
            "style": f"--x: {x}; --y: {y}{moving}",
        },
        halves(low, high, rising),
    )


def _pieces(scene: BoardScene, track: Track) -> list[Html]:
    by_points = sorted(scene.board["pieces"], key=lambda piece: piece["space"])
    return [
        _spot(scene, track, points, [piece["seat"] for piece in pieces])
        for points, pieces in groupby(by_points, lambda piece: piece["space"])
    ]


def _spot(scene: BoardScene, track: Track, points: int, seats: list[int]) -> Html:
    crowd = "crowd" if len(seats) > 2 else "pair" if len(seats) == 2 else ""
    home = "" if points else "home"
    return html.span(
        track.place(track.space_of(points), "spot", home, crowd),
        [_piece(scene, track, points, seat) for seat in seats],
    )


def _piece(scene: BoardScene, track: Track, points: int, seat: int) -> Html:
    place = scene.places[seat]
    return html.b(
        {
            "class": f"piece hue{place.hue}",
            "style": f"view-transition-name: piece-{seat}" if scene.named else None,
        },
        place.letter,
        html.sup(track.round_of(points)) if points > track.spaces else None,
    )


def draw_places(scene: BoardScene, groups: list[list[dict[str, Any]]]) -> Html:
    """Return where each domino of the hand may lie, as buttons on the board."""
    covered = {tuple(it[end]) for it in scene.board["dominoes"] for end in ("low_at", "high_at")}
    return html.div(
        {"class": "places", "style": f"--size: {scene.board['size']}"},
        [
            html.div(
                {
                    "class": f"p{number}",
                    "role": "group",
                    "aria-label": f"Places for {placements[0]['domino']}",
                    **_gains(scene, placements[0]),
                },
                _places_of_one(scene, placements, covered),
            )
            for number, placements in enumerate(groups, 1)
        ],
    )


def _touching(it: Mapping[str, Any], covered: set[At]) -> list[At]:
    """Return the squares of a place that touch a domino: one, or both where it links two lines.

    The first domino touches the star, so both of its squares count.
    """
    ends: list[At] = [tuple(it["low_at"]), tuple(it["high_at"])]
    beside = {(x, y): {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & covered for x, y in ends}
    return [end for end in ends if beside[end]] or ends


def _places_of_one(
    scene: BoardScene, placements: list[dict[str, Any]], covered: set[At]
) -> list[Html]:
    """Return the places of a domino, those round the same touching square together.

    The best of them is marked on that square. The others are reached from it.
    """
    touching = {it["move"]: _touching(it, covered) for it in placements}
    ordered = sorted(placements, key=lambda it: (-it["points"], -len(touching[it["move"]])))
    marked: dict[At, str] = {}
    for it in ordered:
        for square in touching[it["move"]]:
            marked.setdefault(square, it["move"])
    ordered.sort(key=lambda it: (-touching[it["move"]][0][1], touching[it["move"]][0][0]))
    most = max(it["points"] for it in placements)
    return [_placement(scene, it, touching[it["move"]], marked, most) for it in ordered]


def _placement(
    scene: BoardScene, it: Mapping[str, Any], touching: list[At], marked: dict[At, str], most: int
) -> Html:
    """Return a button for a place: on its own square if it has a mark, otherwise beside marks."""
    low, high = tuple(it["low_at"]), tuple(it["high_at"])
    lies = lie(low, high, scene.board["size"])
    ends: list[At] = [low, high] if lies.rising else [high, low]
    own = [end for end in ends if marked.get(end) == it["move"]]
    far = [end for end in ends if end not in touching]
    kind = classes(
        "mark" if own else "way" if far else "link",
        (own or far or ends)[0] == ends[1] and "end",
        bool(own) and it["points"] == most and "best",
        scene.hint == it["move"] and "hinted",
    )
    turns = " ".join(f"{x}.{y}" for x, y in touching)
    return _place_button(
        it["move"], lies, it["low"], it["high"], it["points"], turns, kind, len(own), in_words(it)
    )


def _gains(scene: BoardScene, it: Mapping[str, Any]) -> Attributes:
    """Return what a script says of the points of a domino: its bonus, and who else gets one."""
    board, numbers = scene.board, (it["low"], it["high"])
    ends = it["low_at"], it["high_at"]
    diamonds = sum(found["number"] for found in board["diamonds"] if found["at"] in ends)
    bonus = it["points"] - diamonds * (2 if it["low"] == it["high"] else 1)
    others = [
        scene.places[piece["seat"]].name
        for piece in board["pieces"]
        if piece["dots"] in numbers and not scene.places[piece["seat"]].me
    ]
    return {
        "data-says": f"{it['domino']} here gives you",
        "data-bonus": bonus or None,
        "data-others": f"Bonus for {' and '.join(others)}." if others else None,
    }


@lru_cache(maxsize=4096)
def _place_button(
    move: str,
    lies: Lie,
    low: int,
    high: int,
    points: int,
    turns: str,
    kind: str,
    marks: int,
    spoken: str,
) -> Html:
    """Return the button for a place; most places are still there at a player's next turn."""
    return html.button(
        {
            "class": classes("place", lies.way, kind),
            "form": "play",
            "name": "move",
            "value": move,
            "data-ask": f"Place for {points}" if points else "Place here",
            "data-points": f"+{points}",
            "data-turn": turns,
            "style": f"--x: {lies.x}; --y: {lies.y}",
            "aria-label": f"{spoken}, {counted(points, 'point')}",
        },
        halves(low, high, lies.rising),
        [html.b({"aria-hidden": "true"}, f"+{points}") for _ in range(max(marks, "way" in kind))],
    )
