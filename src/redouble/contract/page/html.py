"""Markup as functions: ``html.b({"class": "score"}, 7)`` is ``<b class="score">7</b>``.

What these functions return is :class:`Html`. Any other text is escaped wherever it is put into an
element or an attribute, so a name that a player has chosen never becomes markup.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

import markupsafe


class Html(str):
    """Markup. Only this module makes it; what joins or formats it is a plain text again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


Attributes: TypeAlias = dict[str, str | int | float | bool | None]
"""Attributes by name. One that is None or False is left out, one that is True has no value."""
Child: TypeAlias = str | int | Iterable["Child"] | None
"""What an element can contain: markup, text, a number, several of these; None and False are
nothing."""

MINUS = "\N{MINUS SIGN}"
_NEGATIVE = re.compile(r"(?<![^\W_])-(?=\d)")


@lru_cache(maxsize=8192)
def _escaped(text: str) -> str:
    return str(markupsafe.escape(text))


@lru_cache(maxsize=4096)
def minus(text: object) -> str:
    """Return a text with a true minus sign before negative numbers; 1-3 is a domino or a range."""
    return _NEGATIVE.sub(MINUS, str(text))


def classes(*names: str | bool | None) -> str:
    """Return the value of a ``class``: ``classes("card", up and "up")``."""
    return " ".join([name for name in names if name])  # type: ignore[misc]


def fragment(*children: Child) -> Html:
    """Return children one after the other, without an element around them."""
    parts: list[str] = []
    _add(parts, children)
    return Html("".join(parts))


def join(separator: str, children: Iterable[Child]) -> Html:
    """Return children with a separator between them."""
    return Html(_escaped(separator).join([fragment(child) for child in children]))


@lru_cache(maxsize=4096)
def breakable(text: str) -> Html:
    """Return a text with a place in the middle of each long word where a line may end."""
    halves = [
        (word[: len(word) // 2], Html("<wbr>"), word[len(word) // 2 :]) if len(word) > 6 else word
        for word in text.split(" ")
    ]
    return join(" ", halves)


def _add(parts: list[str], children: Iterable[Child]) -> None:
    for child in children:
        kind = type(child)
        if kind is Html:
            parts.append(child)  # type: ignore[arg-type]
        elif kind is str:
            parts.append(_escaped(child))  # type: ignore[arg-type]
        elif child is None or kind is bool:
            continue
        elif kind is list or kind is tuple:
            _add(parts, child)  # type: ignore[arg-type]
        elif isinstance(child, int):
            parts.append(str(child))
        elif hasattr(child, "__html__"):
            parts.append(child.__html__())
        else:
            _add(parts, child)


def _open(parts: list[str], attributes: Attributes) -> None:
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        if type(value) is str or isinstance(value, str):
            parts.append(f' {name}="{_escaped(value)}"')
        elif value is True:
            parts.append(f" {name}")
        else:
            parts.append(f' {name}="{value}"')


def _element(name: str) -> Callable[..., Html]:
    """Return a function that draws an element: its attributes, if it has any, and its children."""
    start, end = f"<{name}", f"</{name}>"

    def draw(attributes: Attributes | Child = None, *children: Child) -> Html:
        parts = [start]
        if type(attributes) is dict:
            _open(parts, attributes)
            parts.append(">")
        else:
            parts.append(">")
            if attributes is not None:
                _add(parts, (attributes,))
        if children:
            _add(parts, children)
        parts.append(end)
        return Html("".join(parts))

    return draw


a = _element("a")
aside = _element("aside")
b = _element("b")
button = _element("button")
canvas = _element("canvas")
dd = _element("dd")
div = _element("div")
dl = _element("dl")
dt = _element("dt")
em = _element("em")
fieldset = _element("fieldset")
form = _element("form")
g = _element("g")
h2 = _element("h2")
h3 = _element("h3")
header = _element("header")
i = _element("i")
label = _element("label")
legend = _element("legend")
li = _element("li")
noscript = _element("noscript")
ol = _element("ol")
option = _element("option")
p = _element("p")
path = _element("path")
section = _element("section")
select = _element("select")
small = _element("small")
span = _element("span")
strong = _element("strong")
sup = _element("sup")
svg = _element("svg")
table = _element("table")
tbody = _element("tbody")
td = _element("td")
text = _element("text")
th = _element("th")
thead = _element("thead")
tr = _element("tr")
time = _element("time")
ul = _element("ul")


def input(attributes: Attributes) -> Html:
    """Return a field of a form."""
    parts = ["<input"]
    _open(parts, attributes)
    parts.append(">")
    return Html("".join(parts))
