"""Pages as browsers read them, for tests that look for markup."""

import re

import pytest

_BLOCKS = (
    "article|aside|body|button|caption|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|form"
    "|h1|h2|h3|head|header|html|legend|li|link|main|meta|nav|ol|option|p|script|section|select"
    "|summary|svg|table|tbody|td|th|thead|title|tr|ul"
)


def squeezed(html: str) -> str:
    """Return the page without the white space that no browser shows.

    Runs of white space become one space; none is left at the edges of blocks, before the end of a
    tag, and within a style.
    """
    html = re.sub(r"\s+", " ", html)
    html = re.sub(r"(?<=[\"'\w]) (/?>)", r"\1", html)
    html = re.sub(r'style="[^"]*"', lambda found: re.sub("([:;]) ", r"\1", found[0]), html)
    return re.sub(rf" ?(</?(?:{_BLOCKS})\b[^>]*>) ?", r"\1", html)


def found_in(pattern: str, text: str, flags: int = 0) -> str:
    """The first group of the first match of a pattern, which has to be there."""
    found = re.search(pattern, text, flags)
    assert found, f"there is no {pattern} in {text}"
    return found[1]


def give_one_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all pages have the same mark for their forms: else no two would be alike."""
    for module in ("site", "feature", "pages.table"):
        monkeypatch.setattr(f"redouble.web.{module}.new_mark", lambda: "mark")
