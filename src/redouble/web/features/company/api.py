"""Reports of players, for programs."""

from typing import Annotated

from pydantic import Field

from redouble.web.api.asking import AtTable, state
from redouble.web.api.play import act
from redouble.web.api.shapes import TableState
from redouble.web.features.company import page
from redouble.web.features.company.reports import WHY_LENGTH
from redouble.web.table.acts.base import Given, SeatNumber
from redouble.web.visitor.costs import Cost, Router

router = Router(prefix="/api", generate_unique_id_function=lambda route: route.name)


class Reporting(Given):
    """The player whom you report to the operator."""

    other: SeatNumber
    """Their seat."""
    why: Annotated[str, Field(max_length=WHY_LENGTH)] = ""
    """What happened."""


@router.post("/tables/{table}/report", Cost.PAGE, **act("Report a player"))
async def report(at: AtTable, given: Reporting) -> TableState:
    """The operator reads your report with the last lines of chat. Nobody at the table learns of
    it. Spectators can report. You can report a player once at each table, and send ten
    reports a day.
    """
    await page.report_player(at, given.other, given.why)
    return await state(at.site, at.live, at.person)
