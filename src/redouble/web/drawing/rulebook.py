"""Rulebooks as HTML: sections and rulings with anchors, and pictures of positions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markupsafe import Markup, escape

from redouble.contract.game import Game
from redouble.contract.page.html import minus
from redouble.contract.page.pieces import plural
from redouble.contract.page.scene import BoardScene
from redouble.match.guide import GuideError, GuidePicture, guide_of
from redouble.match.replay import replay
from redouble.web.drawing.scene import scene_of

RULING = re.compile(r"[A-Z]+[0-9]+")
"""The name of a ruling: a list item that begins with one in bold is a ruling."""


PROGRAMMERS = "For programmers"
"""The heading below which a rulebook says what players don't need: moves as they are typed, the
options' names, and rulings."""
EXAMPLES = "Worked examples"
"""The heading below which each item of a list is an example; a guide may have games for them."""


@dataclass(frozen=True)
class Figure:
    """A position that illustrates a section."""

    caption: str
    scene: BoardScene


@dataclass(frozen=True)
class Section:
    """A heading and the text up to the next one."""

    anchor: str
    title: str
    level: int
    html: Markup
    figures: tuple[Figure, ...]
    examples: tuple[Markup, ...] = ()
    """The text of each worked example, below their heading."""


@cache
def sections_of(game: Game) -> tuple[Section, ...]:
    """Return the sections of a game's rulebook. The records of its pictures are replayed once.

    Raises :class:`GuideError` if a picture names an unknown heading or the examples are others, and
    :class:`RecordError` if its record can't be replayed.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>\n')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    markdown.add_render_rule("fence", _code)
    markdown.add_render_rule("code_block", _code)
    text = game.rulebook()
    tokens = markdown.parse(text if text.startswith("#") else f"# {game.title}\n\n{text}")
    _link_rulings(tokens)
    for child in (child for token in tokens for child in token.children or []):
        if child.type == "text":  # not in code
            child.content = minus(child.content)
    pictures = list(guide_of(game).pictures)
    anchors: Counter[str] = Counter()
    sections = []
    for part in _parts(tokens):
        title = _words(part[1])
        anchor = _anchor(title, anchors)
        part[0].attrSet("id", anchor)
        examples = _link_examples(game, part, markdown) if title == EXAMPLES else ()
        html = Markup(markdown.renderer.render(part, markdown.options, {}))
        figures = [_figure(game, picture) for picture in pictures if picture.heading == title]
        level = int(part[0].tag[1])
        sections.append(Section(anchor, title, level, html, tuple(figures), examples))
    titles = {section.title for section in sections}
    for picture in pictures:
        if picture.heading not in titles:
            raise GuideError(f"{game.name}: the rulebook has no heading {picture.heading!r}")
    return tuple(sections)


def rules_of(game: Game) -> tuple[Section, ...]:
    """Return the sections for players, of which the first has the title and the introduction."""
    sections = sections_of(game)
    return sections[: _first_detail(sections)]


def details_of(game: Game) -> tuple[Section, ...]:
    """Return the sections for programmers; a rulebook need not have any."""
    sections = sections_of(game)
    return sections[_first_detail(sections) :]


def _first_detail(sections: Sequence[Section]) -> int:
    found = (i for i, section in enumerate(sections) if section.title == PROGRAMMERS)
    return next(found, len(sections))


def _parts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens from each heading up to the next. Text always starts with a heading."""
    starts = [i for i, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        yield list(tokens[start:end])


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


def _anchor(title: str, taken: Counter[str]) -> str:
    """Return a unique anchor for a heading, in lowercase letters and hyphens."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


def _link_examples(game: Game, part: list[Token], markdown: MarkdownIt) -> tuple[Markup, ...]:
    """Add to each example a link to its game, and return the examples' texts."""
    starts = [i for i, token in enumerate(part) if token.type == "list_item_open"]
    items = [part[start + 2] for start in starts]  # behind that of a paragraph
    played = guide_of(game).examples
    if played and len(played) != len(items):
        raise GuideError(
            f"{game.name}: the rulebook has {plural(len(items), 'worked example')}, and the guide "
            f"has {plural(len(played), 'game')} for them: give one for each"
        )
    texts = [Markup(markdown.renderer.render([it], markdown.options, {})) for it in items]
    for number, _ in enumerate(played, 1):
        item = items[number - 1]
        item.children = [
            *(item.children or []),
            Token("text", "", 0, content=" "),
            Token("link_open", "a", 1, attrs={"href": f"/rules/{game.name}/examples/{number}"}),
            Token("text", "", 0, content=f"See example {number} at the table"),
            Token("link_close", "a", -1),
        ]
    return tuple(texts)


def examples_of(game: Game) -> tuple[Markup, ...]:
    """Return the text of each worked example that has a game."""
    texts = [text for section in sections_of(game) for text in section.examples]
    return tuple(texts[: len(guide_of(game).examples)])


def _figure(game: Game, picture: GuidePicture) -> Figure:
    view = replay(picture.record).view(picture.eyes)
    scene = scene_of(view, picture.record.seats, playable=False, still=True)
    return Figure(picture.caption, scene)


def _link_rulings(tokens: Sequence[Token]) -> None:
    rulings = set()
    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        name = _ruling_of(inline) if item.type == "list_item_open" else ""
        if name and name not in rulings:
            rulings.add(name)
            item.attrSet("id", name)
    if not rulings:
        return
    mention = re.compile(r"\b(" + "|".join(sorted(rulings)) + r")\b")
    for token in tokens:
        if token.type == "inline":
            token.children = list(_linked(token.children or [], mention))


def _ruling_of(inline: Token) -> str:
    """Return the name of a ruling from its list item; empty for any other item."""
    children = [child for child in inline.children or [] if child.type != "text" or child.content]
    if len(children) > 2 and children[0].type == "strong_open":
        name = children[1].content
        return name if RULING.fullmatch(name) else ""
    return ""


def _linked(children: Sequence[Token], mention: re.Pattern[str]) -> Iterator[Token]:
    for child in children:
        if child.type != "text":
            yield child
            continue
        for i, words in enumerate(mention.split(child.content)):
            if i % 2:
                yield Token("link_open", "a", 1, attrs={"href": f"#{words}"})
            yield Token("text", "", 0, content=words)
            if i % 2:
                yield Token("link_close", "a", -1)


def _code(_: RendererProtocol, tokens: Sequence[Token], i: int, *__: object) -> str:
    """Return a code block. It can take the focus, so that the keyboard scrolls long lines."""
    return f'<pre tabindex="0"><code>{escape(tokens[i].content)}</code></pre>\n'
