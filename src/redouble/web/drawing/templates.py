"""The template environment of the pages, and the templates' helpers."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import jinja2
import segno
from markupsafe import Markup, escape

from redouble.analysis.shares import ordinal
from redouble.bots.levels import LEVEL_WORDS, LEVELS, USUAL_LEVEL
from redouble.contract.page.html import minus
from redouble.contract.page.pieces import plural
from redouble.contract.registry import GAMES
from redouble.kernel.cores import IN_BROWSER
from redouble.kernel.state import SPECTATOR
from redouble.web.drawing import addresses, words
from redouble.web.drawing.markup.ending import draw_tally
from redouble.web.people.profiles import LOOKS, looks_of
from redouble.web.table import PACES
from redouble.web.table.clocks import CONTROLS, THEN, left_in_words

TEMPLATES = Path(__file__).parent.parent / "templates"


def environment(folders: Mapping[str, Path]) -> jinja2.Environment:
    """Return the environment of the pages.

    Templates in ``folders`` have their key before their name, such as ``daily/today.html``.
    """
    more = {name: jinja2.FileSystemLoader(folder) for name, folder in folders.items()}
    env = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(TEMPLATES), jinja2.PrefixLoader(more)]),
        autoescape=True,
        auto_reload=False,  # a server's templates don't change
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    env.globals.update(
        levels=list(LEVELS),
        LEVEL_WORDS=LEVEL_WORDS,
        USUAL_LEVEL=USUAL_LEVEL,
        games=GAMES,
        in_browser=IN_BROWSER,
        paces=list(PACES),
        CONTROLS=CONTROLS,
        THEN=THEN,
        script=script,
        static=addresses.static_url,
        version=addresses.static_version,
        game_css=addresses.game_css_url,
        cover=addresses.cover_url,
        deal_url=addresses.deal_url,
        draw_tally=draw_tally,
        qr=qr_code,
        once=once,
        SPECTATOR=SPECTATOR,
        option_kind=words.option_kind,
        house_rules=words.house_rules,
        LOOKS=LOOKS,
        looks_of=looks_of,
    )
    env.filters.update(
        minus=minus,
        names=names_in_order,
        ago=ago,
        left=left_in_words,
        ordinal=ordinal,
        long_day=long_day,
        moment=moment,
        ticks=ticks,
        who_waits=words.who_waits,
        has_played=words.has_played,
        seats_left=words.seats_left,
        members=lambda count: plural(count, "member"),
        people=words.people,
        bots=lambda count: plural(count, "bot"),
    )
    return env


def script(name: str) -> Markup:
    """Return the element of a script, and links by which a browser loads its imports meanwhile."""
    links = '<link rel="modulepreload" href="{}">' * len(addresses.imports_of(name))
    urls = map(addresses.static_url, [*addresses.imports_of(name), name])
    return Markup(links + '<script type="module" src="{}"></script>').format(*urls)


def once(mark: str) -> Markup:
    """Return the field of a form by which it is known if it is sent again."""
    return Markup('<input type="hidden" name="once" value="{}">').format(mark)


def qr_code(address: str) -> Markup:
    """Return an address as a QR code in SVG."""
    code = segno.make(address, error="m", micro=False)
    return Markup(
        code.svg_inline(scale=4, border=2, dark="#10251a", light="#fffdf6", omitsize=True)
    )


def names_in_order(names: Iterable[str]) -> Markup:
    """Return a list of names that keeps its order, also if some are written from right to left."""
    apart = Markup("<bdi>{}</bdi>")
    return Markup(", ").join(name if name.isascii() else apart.format(name) for name in names)


def ticks(text: str) -> Markup:
    """Return a text as HTML, with the parts between backticks as code."""
    parts = [escape(part) for part in re.split(r"`+", text)]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def long_day(day: date) -> str:
    """Return a day as people read it, such as 22 November 2026."""
    return f"{day.day} {day:%B %Y}"


def moment(seconds: float) -> Markup:
    """Return a time as its element, in UTC until a script writes it in the viewer's time zone."""
    at = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time class="local" datetime="{}">{} {}</time>').format(
        at.isoformat(), long_day(at.date()), f"{at:%H:%M} UTC"
    )


def ago(seconds: float) -> str:
    """Return a span of time in words."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'s' if number > 1 else ''} ago"
    return "just now"
