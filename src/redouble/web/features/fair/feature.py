"""Fair deals, which everyone can check."""

from redouble.web.feature import Feature, TablePlace
from redouble.web.features.fair import page

FEATURE = Feature(
    module=__name__,
    pages=(page.router,),
    table_sections={TablePlace.ENDING: page.ending},
)
