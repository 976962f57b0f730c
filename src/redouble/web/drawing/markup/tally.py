"""A player's results in a game."""

from __future__ import annotations

from redouble.contract.page import html
from redouble.contract.page.html import Child, Html
from redouble.web.people.results import Statistics


def draw_tally(tally: Statistics, others: bool = False) -> Html:
    """Return results as a list of figures; with ``others``, those of games for several players."""
    if others:
        average = f"{tally.average_rank:.1f}" if tally.played else "–"
        last = _figure("average place", average)
    else:
        last = _figure("best", tally.best_streak)
    return html.dl(
        {"class": "tally"},
        _figure("played", tally.played),
        _figure("won", f"{tally.share}%"),
        _figure("wins in a row", tally.streak),
        last,
        tally.helped > 0 and _figure("won with the solver", tally.helped),
    )


def _figure(name: str, value: Child) -> Html:
    return html.div(html.dt(name), html.dd(value))
