"""How Sphinx builds the documentation; ``scripts/docs`` runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from redouble import GAMES
from redouble.kernel.version import __version__
from redouble.match.guide import guide_of
from scripts import reference

project = "Redouble"
author = "The Redouble authors"
project_copyright = "The Redouble authors; MIT license"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]

html_theme = "furo"
html_title = f"Redouble {__version__}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_js_files = ["board.js", "try.js"]
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "play.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5c4a", "color-brand-content": "#1d5c4a"},
    "dark_css_variables": {"color-brand-primary": "#8fd3b6", "color-brand-content": "#8fd3b6"},
}

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = ["jax", "pufferlib"]  # those who build the site may lack them
autodoc_default_options = {"members": True, "show-inheritance": True}

DOCS = Path(__file__).parent
RULEBOOKS = DOCS / "rulebooks"
REFERENCE = DOCS / "reference"
"""A page for each group of ``python/index.md``."""
PLAYED = DOCS.parent / "build" / "site"
"""Where ``scripts/docs`` makes ``play/``, the edition that runs in a browser; without it the pages
have no boards."""
if (PLAYED / "play").exists():
    html_extra_path = [str(PLAYED)]
    html_context = {"play": True}

TREES = {
    "index": {
        "Start": "why install tutorial start troubleshooting",
        "Play": "tables circles daily ratings puzzles rulebooks/index browser review strength fair",
        "Host": "hosting updating",
        "Library": "library writing-bots api other-languages python/index",
        "Research": "arena study environments language-models learning data solitaire"
        " performance cluster",
        "Look up": "command-line games/index formats versions glossary changelog",
        "Reports": "reports/index",
        "Contribute": "adding-a-game architecture",
    },
    "python/index": {"Python": " ".join(f"../reference/{name}" for name, _ in reference.pages())},
    "reports/index": {"Reports": "levels searches solitaire speed pages hosting"},
    "games/index": {
        "Spec sheets": "double-down double-or-quits double-dominoes double-decker three-up"
    },
}
"""The pages below each page, by their groups' titles: GitHub would show directives as text."""
SITE_PAGES = {
    r"(?:\.\./)*src/redouble/games/(\w+)/rulebook\.md": r"/rulebooks/\1.md",
    r"(?:\.\./)*CONTRIBUTING\.md": "/adding-a-game.md",
    r"(?:\.\./)*CHANGELOG\.md": "/changelog.md",
    r"(?:\.\./)+README\.md": "/index.md",
    r"docs/([\w/-]+\.md)": r"/\1",
}
"""Links that lead to files of the repository, which is right where the sources are read, and the
pages of the site that hold the same text."""


WHOLE = {"adding-a-game": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}
"""Pages of the site that are files of the repository."""


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


def write_reference(app: Sphinx) -> None:
    """Write a page for each group of public modules, with what their docstrings say."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in reference.pages():
        _write(REFERENCE / f"{name}.md", text)


def add_trees(app: Sphinx, name: str, source: list[str]) -> None:
    """Add the pages below a page, and the text of a file that the site has as a page."""
    if name in WHOLE:
        options = ":relative-docs: docs/\n:relative-images:"
        source[0] = f"```{{include}} ../{WHOLE[name]}\n{options}\n```\n"
    for title, pages in TREES.get(name, {}).items():
        listed = "\n".join(pages.split())
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def lead_to_site_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to files of the repository into links to the pages of the site."""
    text = source[0]
    for target, page in SITE_PAGES.items():
        text = re.sub(rf"\]\({target}(#[\w-]+)?\)", rf"]({page}\g<{_groups(target)}>)", text)
    text = re.sub(r"\[(`[^`\]]+`)\]\((?:\.\./)*(?:tests|examples)/[^)]*\)", r"\1", text)
    source[0] = text if app.config.html_extra_path == [] else _with_board(name, text)


def _with_board(page: str, text: str) -> str:
    """Return the text of a game's page with links to its table and its worked examples."""
    folder, _, name = page.partition("/")
    games = {game.name: game for game in GAMES.values()}
    games |= {game.folder.name: game for game in GAMES.values()}
    if folder not in ("games", "rulebooks") or name not in games:
        return text
    game = games[name]
    rules = f"../play/index.html#/rules/{game.name}"
    examples = range(1, len(guide_of(game).examples) + 1)
    links = [f'<a href="{rules}">Play now</a>']
    links += [f'<a href="{rules}/examples/{number}">Example {number}</a>' for number in examples]
    board = f'\n\n<div class="board">{" ".join(links)}</div>\n\n'
    before = "\n## Worked examples\n" if folder == "rulebooks" else "\n![A game of"
    return text.replace(before, before + board if folder == "rulebooks" else board + before, 1)


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
    app.connect("builder-inited", write_reference)
    app.connect("source-read", add_trees)
    app.connect("source-read", lead_to_site_pages)
    app.connect("include-read", lambda app, path, name, text: lead_to_site_pages(app, name, text))
