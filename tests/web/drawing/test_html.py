"""Markup made by functions: whatever a text contains, a browser reads it as that text."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redouble.contract.page import html
from redouble.contract.page.html import Html, fragment, join

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("<>&\"'"))


class Read(HTMLParser):
    """What a browser reads: tags with their attributes, and all the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS, TEXTS)
def test_no_text_becomes_markup(inside: str, value: str) -> None:
    read = Read(html.p({"title": value}, inside, html.b(inside), [inside, None, False, (7,)]))
    assert read.tags == [("p", {"title": value}), ("b", {})]
    assert read.text == inside * 3 + "7"


@given(TEXTS)
def test_what_is_done_to_markup_is_escaped_again(name: str) -> None:
    """Joining and formatting give a plain text, so nothing is ever left unescaped by mistake."""
    bold = html.b(name)
    for text in (f"{bold}", bold + name, name + bold, bold.upper(), " ".join([bold, name])):
        assert not isinstance(text, Html)
        assert Read(html.p(text)).tags == [("p", {})]


@pytest.mark.parametrize(
    ("drawn", "markup"),
    [
        (html.i(), "<i></i>"),
        (html.input({"name": "a", "checked": True}), '<input name="a" checked>'),
        (html.option({"selected": False, "title": None}, "x"), "<option>x</option>"),
        (html.b({"data-n": 0}, 0), '<b data-n="0">0</b>'),
        (fragment(html.i(), "<", 3), "<i></i>&lt;3"),
        (join(" & ", ["a", html.b("c")]), "a &amp; <b>c</b>"),
    ],
)
def test_elements_are_written_as_html(drawn: Html, markup: str) -> None:
    assert drawn == markup
