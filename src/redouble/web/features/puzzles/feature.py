"""Puzzles, and the rating of those who solve them."""

from redouble.web.feature import Feature
from redouble.web.features.puzzles import data, page

FEATURE = Feature(
    module=__name__,
    data=(data.DATA,),
    pages=(
        page.router,
        page.router,
    ),
    api="redouble.web.features.puzzles.api",
)
