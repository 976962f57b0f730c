"""What a feature declares, and what the site asks of all of them.

A feature is a folder in ``features``: its rows, pages and part of the interface for programs. The
rest of the site knows none of them by name. One list, ``installed.py``, names all.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from redouble.web.personal import PersonalData
from redouble.web.visitor.costs import Router


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One subject of the site."""

    name: str
    """The name of its folder."""
    data: tuple[PersonalData, ...] = ()
    """What becomes of the rows of its tables."""
    pages: tuple[Router, ...] = ()
    api: str = ""
    """The module whose ``router`` is its part of the interface, imported when first asked for."""


@dataclass(frozen=True)
class FeatureList:
    """All features of a site, in the order in which they are asked."""

    installed: tuple[Feature, ...]

    @property
    def data(self) -> tuple[PersonalData, ...]:
        return tuple(data for one in self.installed for data in one.data)

    @property
    def pages(self) -> tuple[Router, ...]:
        return tuple(router for one in self.installed for router in one.pages)

    @property
    def interface(self) -> tuple[Router, ...]:
        """The parts of the interface for programs."""
        return tuple(import_module(one.api).router for one in self.installed if one.api)
