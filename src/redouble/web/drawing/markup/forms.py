"""The forms of a table's page. They work without scripts; with scripts the page stays as it is."""

from functools import lru_cache

from redouble.bots.levels import LEVELS, USUAL_LEVEL
from redouble.contract.page import html
from redouble.contract.page.html import Attributes, Child, Html
from redouble.web.table import Table

KEPT_PARTS = 1024
"""Parts of forms that are kept, since most are the same on every board."""


def address(table: Table) -> str:
    """Return where a table's pages are."""
    return f"/t/{table.header.token}"


def posting(to: str) -> Attributes:
    """Return the attributes of a form that posts to an address.

    While it waits for an answer, the last of what is tapped meanwhile is kept, to be sent next.
    """
    return {
        "method": "post",
        "action": to,
        "hx-post": to,
        "hx-swap": "none",
        "hx-sync": "queue last",
    }


@lru_cache(maxsize=KEPT_PARTS)
def hidden(name: str, value: str | int) -> Html:
    """Return a field that nobody sees."""
    return html.input({"type": "hidden", "name": name, "value": value})


def once(ply: int, asked: int = 0) -> Html:
    """Return the field by which a command is known if it is sent again.

    It is the length of the log, at least of the part that the command is about: whatever is done
    makes it longer. A question whether to go ahead, which ``asked`` counts, isn't in the log.
    """
    return hidden("once", f"{ply}-{asked}" if asked else ply)


@lru_cache(maxsize=KEPT_PARTS)
def command_button(command: str, *children: Child, main: bool = False, key: str = "") -> Html:
    """Return a button that posts a command; ``key`` is its keyboard shortcut."""
    return html.button(
        {
            "class": "btn main" if main else "btn",
            "form": "command",
            "name": "command",
            "value": command,
            "aria-keyshortcuts": key or None,
        },
        *children,
    )


def button(label: str, main: bool = False) -> Html:
    """Return the button that posts the form around it."""
    return html.button({"class": "btn main" if main else "btn"}, label)


def command_form(table: Table, command: str, *children: Child, seat: int | None = None) -> Html:
    """Return a form that posts a command, about a seat if one is given."""
    return html.form(
        posting(f"{address(table)}/do"),
        hidden("command", command),
        None if seat is None else hidden("seat", seat),
        once(table.ply),
        *children,
    )


@lru_cache(maxsize=1)
def levels() -> Html:
    """Return the choice of a bot's level."""
    return html.select(
        {"name": "level"},
        [html.option({"selected": level == USUAL_LEVEL}, level) for level in LEVELS],
    )


@lru_cache(maxsize=KEPT_PARTS)
def icon(name: str) -> Html:
    return html.i({"class": f"icon {name}-icon"})
