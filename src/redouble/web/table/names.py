# ruff: noqa: RUF001 - look-alike letters are what this is about
"""Names of people: what of them is kept, and which ones look alike.

Letters of all scripts and emoji are welcome. What draws nothing is left out, whatever Unicode calls
it; joiners stay inside the words and emoji that need them.
"""

import re
import unicodedata

ZWNJ, ZWJ = "\u200c", "\u200d"
"""The joiners, which Persian words and emoji such as 👩‍🚀 need."""
VARIATIONS = "\ufe0e\ufe0f"
FLAG, TAGS = "\U0001f3f4", re.compile("[\U000e0020-\U000e007f]")
"""The flag before the tags that tell which one it is, such as 🏴󠁧󠁢󠁳󠁣󠁴󠁿."""
BLANK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2061-\u2065\u206a-\u206f\u2800\u3164"
    "\ufe00-\ufe0d\uffa0\ufff0-\ufffc\U00013441-\U00013446\U00016fe4\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What draws nothing by itself, although some of it counts as a letter or symbol: what Unicode lets
fonts ignore, fillers, and the empty braille pattern, note head and hieroglyphs."""
MAX_MARKS = 3
"""Marks on a letter; more of them cover other lines."""
CAPITALS = str.maketrans("АВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXIJSABEZHIKMNOPTYX")
SMALL = str.maketrans(
    "аекорсухіјѕԁԛԝһӏցհոսαικνορυχγωϲϳɑɡıɩ01|", "aekopcyxijsdqwhlghnuaikvopuxywcjagiioll"
)
"""Cyrillic, Greek, Armenian and phonetic letters, and digits, that look like Latin letters. Unicode
lists many more (UTS 39); these are on the keyboards of living languages."""


def visible(name: str) -> str:
    """Return a name without what isn't seen; empty if nothing is left.

    Spaces are single, and letters composed with their marks where that is possible.
    """
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", name):
        last = kept[-1] if kept else " "
        marked = unicodedata.category(char) in ("Mn", "Me", "Mc")
        joins = char in ZWNJ + ZWJ + VARIATIONS or (TAGS.match(char) and FLAG in kept)
        if char.isspace():
            kept.append(" ")
        elif joins:
            if last != " " and last != char:
                kept.append(char)
        elif (
            BLANK.match(char)
            or not char.isprintable()
            or (marked and (last == " " or marks == MAX_MARKS))
        ):
            continue
        else:
            kept.append(char)
        marks = marks + 1 if marked else 0 if not joins else marks
    words = (word.strip(ZWNJ + ZWJ) for word in "".join(kept).split())
    return " ".join(word for word in words if word)


def one_line(text: str) -> str:
    """Return what a visitor has written as one line, without characters that control its output."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def looks(name: str) -> str:
    """Return a text that is the same for names that look alike, which nobody reads."""
    seen = unicodedata.normalize("NFKC", name).translate(CAPITALS).casefold()
    drawn = "".join(c for c in seen if not (c in ZWNJ + ZWJ + VARIATIONS or BLANK.match(c)))
    same = drawn.translate(SMALL).replace("rn", "m").replace("vv", "w").replace("i", "l")
    return "".join(same.split())
