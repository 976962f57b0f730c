"""Puzzles, and the rating of those who solve them."""

from __future__ import annotations

from redouble.web.feature import Feature
from redouble.web.features.puzzles import data, page

FEATURE = Feature(
    name="puzzles",
    data=(data.DATA,),
    pages=(page.router,),
    api="redouble.web.features.puzzles.api",
)
