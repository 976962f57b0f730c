"""Finding people to play with."""

from redouble.web.feature import Feature, PagePlace
from redouble.web.features.meeting import data, page
from redouble.web.features.meeting.meeting import Meetings
from redouble.web.features.meeting.seekers import COMPANY

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.meeting.api",
    services=lambda site: [Meetings(site)],
    sections={PagePlace.TODAY: page.button},
    messages=(COMPANY,),
)
