"""Where a game turned, in the panel of its end."""

from redouble.analysis.turning import TurningPoint, reviewed_points, turning_points
from redouble.contract.page import html
from redouble.contract.page.html import Html, minus
from redouble.contract.page.scene import HUES
from redouble.web.drawing.markup.forms import address
from redouble.web.feature import TableVisit
from redouble.web.features.study.reviews import Reviews
from redouble.web.features.study.saved import replay_of
from redouble.web.live.live import Live, Slot
from redouble.web.site import Site

_POINTS = Slot[tuple[object, bool], tuple[TurningPoint, ...]]()
"""By the moves, and whether there is a review."""


async def ending(visit: TableVisit) -> Html | None:
    """Return the moves at which the game turned, with links to them in the replay."""
    table, found = visit.table, await points_of(visit.site, visit.live)
    names, replay = table.match.names, f"{address(table)}/replay"
    return (
        html.section(
            {"class": "turning", "aria-labelledby": "turning-title"},
            html.h3({"id": "turning-title"}, "Turning points"),
            html.ol(
                [
                    html.li(
                        html.a(
                            {"href": f"{replay}?ply={one.ply + 1}"},
                            html.span(
                                {"class": f"dot hue{one.seat % HUES}", "aria-hidden": "true"}
                            ),
                            html.span(
                                html.b(names[one.seat]),
                                " ",
                                minus(one.text),
                                bool(one.better) and html.small(f"Better: {minus(one.better)}"),
                            ),
                        )
                    )
                    for one in found
                ]
            ),
        )
        if found
        else None
    )


async def points_of(site: Site, live: Live) -> tuple[TurningPoint, ...]:
    """Return where a table's game turned: by its review, if there is one. None before the end.

    They are found once; looking for a review is all that is done for each page.
    """
    table = live.table
    if not table.over_by_rules:
        return ()
    record = table.record()
    review = await site.service(Reviews).found(record)
    kept, key = live.kept.of(_POINTS), (record.moves, review is not None)
    if key not in kept:
        if review is None:
            points = await site.renderings.run(turning_points, table.match.copy())
        else:
            replay = await site.renderings.run(replay_of, str(record))
            points = await site.renderings.run(reviewed_points, replay, review)
        kept.clear()
        kept[key] = points
    return kept[key]
