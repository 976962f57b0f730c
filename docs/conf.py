"""How Sphinx builds the documentation; ``scripts/docs`` runs it."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from redouble import GAMES
from redouble.kernel.version import __version__

project = "Redouble"
author = "The Redouble authors"
project_copyright = "The Redouble authors; MIT license"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]

html_theme = "furo"
html_title = f"Redouble {__version__}"
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5c4a", "color-brand-content": "#1d5c4a"},
    "dark_css_variables": {"color-brand-primary": "#8fd3b6", "color-brand-content": "#8fd3b6"},
}

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}

DOCS = Path(__file__).parent
RULEBOOKS = DOCS / "rulebooks"

SITE_PAGES = {
    r"(?:\.\./)*src/redouble/games/(\w+)/rulebook\.md": r"/rulebooks/\1.md",
    r"(?:\.\./)*CONTRIBUTING\.md": "/adding-a-game.md",
    r"(?:\.\./)*CHANGELOG\.md": "/changelog.md",
    r"(?:\.\./)+README\.md": "/index.md",
    r"docs/([\w/-]+\.md)": r"/\1",
}
"""Links that lead to files of the repository, which is right where the sources are read, and the
pages of the site that hold the same text."""


def write_rulebook_pages(app: Sphinx) -> None:
    """Write a page for each game that includes its rulebook, so that a new game needs no edit."""
    RULEBOOKS.mkdir(exist_ok=True)
    rows = []
    for game in GAMES.values():
        page = game.folder.name
        text = game.rulebook()
        _write(RULEBOOKS / f"{page}.md", text)
        seats = f"{game.min_seats}–{game.max_seats}" if game.max_seats > 1 else "1"
        rows.append(f"| [{game.title}]({page}.md) | {seats} | {game.summary} |")
    head = (
        "# Rulebooks\n\nRules, moves, worked examples and rulings. `redouble rules GAME` shows the"
        " same text in a terminal, and each game's *Rules* page adds pictures.\n\n"
        "| game | players | |\n|---|---|---|\n"
    )
    tree = "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    _write(RULEBOOKS / "index.md", head + "\n".join(rows) + tree)


def lead_to_site_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to files of the repository into links to the pages of the site."""
    text = source[0]
    for target, page in SITE_PAGES.items():
        text = re.sub(rf"\]\({target}(#[\w-]+)?\)", rf"]({page}\g<{_groups(target)}>)", text)
    source[0] = re.sub(r"\[(`[^`\]]+`)\]\((?:\.\./)*(?:tests|examples)/[^)]*\)", r"\1", text)


def _groups(pattern: str) -> int:
    """The number of the group after those of a pattern."""
    return re.compile(pattern).groups + 1


def _write(page: Path, text: str) -> None:
    """Write a page if it is new, so that an unchanged one is not built again."""
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect the functions above; Sphinx calls this."""
    app.connect("builder-inited", write_rulebook_pages)
    app.connect("source-read", lead_to_site_pages)
    app.connect("include-read", lambda app, path, name, text: lead_to_site_pages(app, name, text))
