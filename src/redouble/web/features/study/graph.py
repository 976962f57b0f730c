"""The graph of a review, as coordinates for a drawing."""

from dataclasses import dataclass

from redouble.analysis.review import Review

WIDE, NARROW = 720, 360
"""Widths of the drawing, for a screen and for a phone."""
HEIGHT = 300
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 14, 40
"""Margins around the lines."""
STEPS = 4
"""Parts that the width is divided into, if the game has that many plies."""


@dataclass(frozen=True)
class Line:
    """One seat's expected share over the game."""

    seat: int
    points: str
    """In the notation of SVG."""
    marks: list[tuple[float, float]]
    """The points at which the seat made a mistake."""


@dataclass(frozen=True)
class Graph:
    """Lines and scales, in units of the drawing."""

    lines: list[Line]
    levels: list[tuple[float, str]]
    """Heights and their labels."""
    plies: list[tuple[float, int]]
    """Horizontal positions and the number of moves made by then."""
    width: int
    height: int = HEIGHT
    left: int = LEFT

    @property
    def right(self) -> int:
        return self.width - RIGHT


def graph_of(review: Review, width: int) -> Graph:
    """Return the graph of a review for a width in pixels."""

    def x(ply: float) -> float:
        return round(LEFT + (width - LEFT - RIGHT) * ply / max(review.plies, 1), 1)

    def y(share: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0)), 1)

    def height(ply: int, seat: int) -> float:
        """Return the height of a seat's line at a ply, also between two points."""
        before = max((p for p in review.points if p.ply <= ply), key=lambda p: p.ply)
        after = min((p for p in review.points if p.ply >= ply), key=lambda p: p.ply)
        part = (ply - before.ply) / max(after.ply - before.ply, 1)
        return before.shares[seat] * (1 - part) + after.shares[seat] * part

    lines = [
        Line(
            seat,
            " ".join(f"{x(point.ply)},{y(point.shares[seat])}" for point in review.points),
            [(x(one.ply), y(height(one.ply, seat))) for one in review.mistakes if one.seat == seat],
        )
        for seat in range(review.seats)
    ]
    steps = min(STEPS, review.plies)
    plies = sorted({review.plies * i // steps for i in range(steps + 1)})
    levels = [(y(share), word) for share, word in _levels(review)]
    return Graph(lines, levels, [(x(p), p) for p in plies], width)


def _levels(review: Review) -> list[tuple[float, str]]:
    """Return the horizontal lines: one per place; quarters with one opponent or none."""
    if review.seats <= 2:
        return [(part / 4, f"{25 * part}%") for part in range(5)]
    last = review.seats - 1
    shown = range(review.seats) if review.seats <= 7 else range(0, review.seats, 2)
    return [(1 - place / last, f"{place + 1}.") for place in shown]
