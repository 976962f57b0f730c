"""Each game's guide and cover: what the pages in the browser take from its folder.

Every game of this package has both; a third-party game may have neither.
"""

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

import redouble
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.guide import (
    FILE,
    Guide,
    GuideError,
    GuidePicture,
    GuideSign,
    GuideStep,
    guide_of,
)
from redouble.web.drawing.rulebook import examples_of
from tests.helpers.worlds import own_games

OURS = own_games()
GUIDED = [name for name, game in GAMES.items() if (game.folder / FILE).exists()]
COVERED = [name for name, game in GAMES.items() if (game.folder / "cover.svg").exists()]
PICTURES = [(name, i) for name in GUIDED for i in range(len(guide_of(GAMES[name]).pictures))]

FIXED = {"prompt", "hand", "seats", "me", "moves"}
"""What a step can point at in any game."""
MAX_CHARACTERS = 200
MAX_BYTES = 6 * 1024
HREF = "{http://www.w3.org/1999/xlink}href"


def shown(name: str) -> set[str]:
    """The keys of all zones and facts that come up in some random games."""
    keys: set[str] = set()
    for seed in ("guide", "another"):
        match, chance = redouble.new(name, seed=seed), Random(seed)
        while match.turn is not None and match.ply < 2000:
            view = match.view(0)
            keys |= {zone.key for zone in view.zones} | {fact.key for fact in view.facts}
            match.push(chance.choice(list(match.legal_moves)))
    return keys


def headings(game: Game) -> list[str]:
    return re.findall(r"^#+ +(.*?) *$", game.rulebook(), re.MULTILINE)


def picture(name: str, number: int) -> GuidePicture:
    return guide_of(GAMES[name]).pictures[number]


@pytest.mark.parametrize("name", OURS)
def test_a_guide_is_short_and_says_how_to_win(name: str) -> None:
    guide = guide_of(GAMES[name])
    assert 4 <= len(guide.steps) <= 7
    assert 3 <= len(guide.pictures) <= 5
    assert re.search(r"\b(won|wins?)\b", guide.steps[-1].say)


@pytest.mark.parametrize("name", GUIDED)
def test_steps_point_at_something_a_player_sees(name: str) -> None:
    steps = guide_of(GAMES[name]).steps
    assert [step.at for step in steps if step.at not in FIXED | shown(name)] == []
    for step in steps:
        assert max(len(step.do), len(step.say)) <= MAX_CHARACTERS
        match = redouble.replay(step.record)
        assert str(match.record()) == str(step.record)
        assert match.back_to(step.begins).turn == 0


@pytest.mark.parametrize(("name", "number"), PICTURES)
def test_a_picture_shows_a_position_of_its_section(name: str, number: int) -> None:
    shows = picture(name, number)
    assert headings(GAMES[name]).count(shows.heading) == 1
    assert len(shows.caption) <= MAX_CHARACTERS
    match = redouble.replay(shows.record)
    assert match.view(shows.eyes).zones
    assert str(match.record()) == str(shows.record)


@pytest.mark.parametrize("name", GUIDED)
def test_no_two_pictures_are_identical(name: str) -> None:
    pictures = guide_of(GAMES[name]).pictures
    assert len({str(shows.record) for shows in pictures}) == len(pictures)


@pytest.mark.parametrize("name", OURS)
def test_an_example_has_a_game_that_gets_beyond_its_beginning(name: str) -> None:
    examples = guide_of(GAMES[name]).examples
    assert len(examples) == len(examples_of(GAMES[name])) > 2
    for example in examples:
        match = redouble.replay(example.record)
        assert str(match.record()) == str(example.record)
        assert match.ply > example.begins


@pytest.mark.parametrize("name", COVERED)
def test_a_cover_is_just_a_small_picture(name: str) -> None:
    text = (GAMES[name].folder / "cover.svg").read_text(encoding="utf-8")
    assert len(text.encode()) <= MAX_BYTES
    assert "<!" not in text
    assert "<?" not in text
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == "0 0 480 300"
    named = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(named)) == len(named)
    for element in root.iter():
        assert element.tag.partition("}")[2] not in {"script", "foreignObject", "style", "image"}
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on")
            assert not re.search(r"javascript:|data:|//", value)
            links = re.findall(r"url\(([^)]*)\)", value)
            links += [value] if key in ("href", HREF) else []
            for link in links:
                assert link.startswith("#"), link
                assert link[1:] in named, link


def test_covers_can_share_a_page() -> None:
    """No id is repeated, even where the pictures are inlined into the page."""
    texts = [(GAMES[name].folder / "cover.svg").read_text() for name in COVERED]
    named = [name for text in texts for name in re.findall(r'\bid="([^"]+)"', text)]
    assert len(set(named)) == len(named)


SIGN = '[[sign]]\nat = ".dealer"\nsee = "D"\nmeans = "The dealer."\n'
RECORD = str(redouble.new(OURS[0], seed="guide").record())
BEGUN = redouble.replay(RECORD)
BEGUN.push(BEGUN.legal_moves[0])
STEP = (
    '[[step]]\nat = "hand"\ndo = "Play it."\nsay = "Play."\nbegins = 0\n'
    f"record = '''{BEGUN.record()}'''\n"
)
KEYS = "the keys at, do, say, begins, record and no others"
PICTURE = (
    f"[[picture]]\nheading = \"Rulings\"\ncaption = \"So.\"\neyes = 0\nrecord = '''{RECORD}'''\n"
)
EXAMPLE = f"[[example]]\nbegins = 0\nrecord = '''{BEGUN.record()}'''\n"


def guided(folder: Path, text: str) -> Game:
    """The first game, with this guide."""
    (folder / FILE).write_text(text, encoding="utf-8")
    return replace(GAMES[OURS[0]], folder=folder)


def test_a_guide_reads_back_as_written(tmp_path: Path) -> None:
    pictures = PICTURE + PICTURE.replace("= 0", '= "open"')
    guide = guide_of(guided(tmp_path, STEP + SIGN + pictures))
    assert guide.steps == (GuideStep("hand", "Play it.", "Play.", 0, BEGUN.record()),)
    assert guide.steps[0].move == BEGUN.moves[0]
    assert guide.signs == (GuideSign(".dealer", "D", "The dealer."),)
    first, second = guide.pictures
    assert (first.heading, first.caption, first.eyes) == ("Rulings", "So.", 0)
    assert str(first.record) == RECORD
    assert second.eyes is None


def test_a_game_without_the_file_has_an_empty_guide(tmp_path: Path) -> None:
    assert guide_of(replace(GAMES[OURS[0]], folder=tmp_path)) == Guide()


def test_a_guide_is_read_only_once(tmp_path: Path) -> None:
    game = guided(tmp_path, STEP)
    guide = guide_of(game)
    (tmp_path / FILE).unlink()
    assert guide_of(game) is guide


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[step]", "cannot be read"),
        ('[[hint]]\nat = "hand"\n', "'hint' is none of"),
        (EXAMPLE.replace("= 0", "= 1"), "example 1: begins cannot be 1: give a number"),
        (EXAMPLE.replace(OURS[0], OURS[1]), f"example 1: its record is from '{OURS[1]}'"),
        ('[step]\nat = "hand"\nsay = "Play."\n', r"step must be written as \[\[step\]\]"),
        ('step = ["hand"]\n', r"step must be written as \[\[step\]\]"),
        ('[[step]]\nat = "hand"\n', f"step 1 must have {KEYS}"),
        (STEP + STEP + 'why = "so"\n', f"step 2 must have {KEYS}"),
        (STEP.replace('"Play."', "7"), "step 1: say cannot be 7"),
        (STEP.replace('"hand"', '" "'), "step 1: at cannot be ' '"),
        (STEP.replace("= 0", "= 1"), "step 1: begins cannot be 1: give a number"),
        (PICTURE.replace("= 0", "= -1"), "picture 1: eyes cannot be -1"),
        (PICTURE.replace("= 0", "= 99"), "picture 1: eyes cannot be 99"),
        (PICTURE.replace("= 0", "= true"), "picture 1: eyes cannot be True"),
        (PICTURE.replace("= 0", '= "all"'), "picture 1: eyes cannot be 'all'"),
        (PICTURE.replace('"game"', '"came"'), "picture 1: its record cannot be read"),
        (PICTURE.replace(OURS[0], OURS[1]), f"picture 1: its record is from '{OURS[1]}'"),
    ],
)
def test_a_malformed_guide_is_refused_in_a_sentence(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(GuideError, match=message) as caught:
        guide_of(guided(tmp_path, text))
    assert OURS[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_in_place_of_the_guide_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(GuideError, match="cannot be read"):
        guide_of(replace(GAMES[OURS[0]], folder=tmp_path))
