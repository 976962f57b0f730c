"""Reads pages as strictly as no browser does."""

import re
from html.parser import HTMLParser

EMPTY = {"meta", "link", "br", "img", "hr"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed, in order; ids and addresses are listed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.references: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attributes)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src", "xlink:href") and value and value.startswith("#"):
                self.references.append(value[1:])
            elif name in ("href", "src", "xlink:href", "action"):
                self.addresses.append(value or "")
            self.references += re.findall(r"url\(#([^)]+)\)", value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
