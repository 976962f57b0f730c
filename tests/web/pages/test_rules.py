"""The rules pages of every installed game: text, contents, rulings and pictures."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import redouble
from redouble.contract.game import Game
from redouble.contract.registry import GAMES
from redouble.match.guide import GuideError, guide_of
from redouble.web.drawing import rulebook
from redouble.web.drawing.rulebook import details_of, examples_of, rules_of, sections_of
from tests.helpers.worlds import own_games
from tests.web.helpers.roomy import ROOMY
from tests.web.helpers.servers import create_app

CHOSEN = list(GAMES)
VOID = {"img", "input", "link", "meta", "br", "hr"}


class Page(HTMLParser):
    """What the tests check on a page; pictures are counted separately."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.captions = 0
        self.drawn: list[Counter[str]] = []
        """For each picture how often each tag is in it."""
        self.names: list[str] = []
        """What pictures have that must be there once: ids and transitions."""
        self._depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.ids[given["id"] or ""] += 1
        if tag == "a":
            self.links.append(given.get("href") or "")
        if tag == "figcaption":
            self.captions += 1
        if self._depth:
            self.drawn[-1][tag] += 1
            if "id" in given or "view-transition-name" in (given.get("style") or ""):
                self.names.append(self.get_starttag_text() or "")
            self._depth += tag not in VOID
        elif given.get("class") == "picture":
            self.drawn.append(Counter())
            self._depth = 1

    def handle_endtag(self, tag: str) -> None:
        self._depth -= self._depth > 0 and tag not in VOID


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(tmp_path_factory.mktemp("site"), limits=ROOMY)) as client:
        yield client


def page(client: TestClient, name: str, part: str = "") -> Page:
    answer = client.get(f"/rules/{name}{part}")
    assert answer.status_code == 200
    return Page(answer.text)


def test_the_index_leads_to_every_game_and_to_no_other(client: TestClient) -> None:
    found = Page(client.get("/rules").text)
    assert [f"/rules/{name}" for name in CHOSEN] == [
        link for link in found.links if link.startswith("/rules/")
    ]
    answer = client.get("/rules/patience")
    assert answer.status_code == 404
    titles = ", ".join(game.title for game in GAMES.values())
    assert f"There is no game of that name: choose one of {titles}." in answer.text
    assert client.get("/api/games/patience").status_code == 404


@pytest.mark.parametrize("name", CHOSEN)
def test_every_heading_and_every_picture_is_on_the_page(client: TestClient, name: str) -> None:
    found = page(client, name)
    text = GAMES[name].rulebook().partition(f"## {rulebook.PROGRAMMERS}")[0]
    titles = re.findall(r"^## +(.*?) *$", text, re.MULTILINE)
    sections = [section for section in rules_of(GAMES[name]) if section.level == 2]
    assert [section.title for section in sections] == [t.replace("*", "") for t in titles]
    assert ("#house-rules" in found.links) == bool(GAMES[name].options)
    for section in sections:
        assert found.ids[section.anchor] == 1
        assert f"#{section.anchor}" in found.links
    pictures = guide_of(GAMES[name]).pictures
    assert len(found.drawn) == found.captions == len(pictures)
    for tags in found.drawn:
        assert tags["span"] + tags["div"] > 5
        assert not tags & Counter(button=1, form=1, input=1, a=1, script=1)
    assert found.names == []
    shown = [(part.title, f.caption) for part in sections_of(GAMES[name]) for f in part.figures]
    given = [(picture.heading, picture.caption) for picture in guide_of(GAMES[name]).pictures]
    assert Counter(shown) == Counter(given)
    text = client.get(f"/rules/{name}").text
    assert text.count(f'action="/play/{name}"') == 2


@pytest.mark.parametrize("name", CHOSEN)
def test_every_ruling_can_be_linked_to(client: TestClient, name: str) -> None:
    part = "/details" if details_of(GAMES[name]) else ""
    found = page(client, name, part)
    for ruling in re.findall(r"^- \*\*([A-Z]+\d+)\*\*", GAMES[name].rulebook(), re.MULTILINE):
        assert found.ids[ruling] == 1
        assert f"#{ruling}" in found.links


@pytest.mark.parametrize("name", CHOSEN)
def test_every_internal_link_works_and_ids_are_unique(client: TestClient, name: str) -> None:
    for part in ["", "/details"] if details_of(GAMES[name]) else [""]:
        found = page(client, name, part)
        assert [link for link in found.links if link[:1] == "#" and link[1:] not in found.ids] == []
        assert [one for one, times in found.ids.items() if times > 1] == []


@pytest.mark.parametrize("name", own_games())
def test_players_see_no_rulings_moves_or_names_of_options(client: TestClient, name: str) -> None:
    shown = client.get(f"/rules/{name}").text
    assert not re.search(r">[A-Z]{2}\d+<|>Moves as they are typed<", shown)
    assert not [one.name for one in GAMES[name].options if f"<code>{one.name}</code>" in shown]
    assert f'href="/rules/{name}/details"' in shown


@pytest.mark.parametrize("name", own_games())
def test_every_worked_example_leads_to_its_game(client: TestClient, name: str) -> None:
    examples = guide_of(GAMES[name]).examples
    links = [link for link in page(client, name).links if "/examples/" in link]
    assert links == [f"/rules/{name}/examples/{number}" for number in range(1, len(examples) + 1)]
    for link, example, text in zip(links, examples, examples_of(GAMES[name]), strict=True):
        shown = client.get(link).text
        assert f'data-ply="{example.begins}"' in shown.split('id="stage"')[1][:100]
        assert f"<p>{text}</p>" in shown
        assert "The game was not finished" not in client.get(f"{link}?ply=999").text
    for number in ("0", f"{len(links) + 1}", "x", "-1", "01"):
        missing = client.get(f"/rules/{name}/examples/{number}")
        assert missing.status_code == 404
        assert "has no such example" in missing.text


def test_pictures_are_replayed_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    page(client, CHOSEN[0])
    monkeypatch.setattr(rulebook, "replay", lambda *_: pytest.fail("replayed again"))
    page(client, CHOSEN[0])


def written(folder: Path, text: str, guide: str = "") -> Game:
    """The first game with a rulebook of ours."""
    (folder / "rulebook.md").write_text(text, encoding="utf-8")
    if guide:
        (folder / "guide.toml").write_text(guide, encoding="utf-8")
    return replace(GAMES[CHOSEN[0]], folder=folder)


def test_a_rulebook_in_html(tmp_path: Path) -> None:
    text = (
        "# A *Game*\n\nSee AB1, `AB1` and AB12.\n\n## The end\n\n- **AB1** So <b>it</b> is.\n"
        "- **bold** but no ruling\n\n### The end\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```\n1 < 2\n```\n"
    )
    first, second, third = sections_of(written(tmp_path, text))
    assert [one.anchor for one in (first, second, third)] == ["a-game", "the-end", "the-end-2"]
    assert [one.level for one in (first, second, third)] == [1, 2, 3]
    assert first.title == "A Game"
    assert (
        '<p>See <a href="#AB1">AB1</a>, <code>AB1</code> and AB12.</p>' in first.html
    )  # code and longer names are not mentions
    assert '<li id="AB1"><strong><a href="#AB1">AB1</a></strong> So &lt;b&gt;it' in second.html
    assert "<li><strong>bold</strong>" in second.html
    assert '<div class="scroll"><table>' in third.html
    assert '<pre tabindex="0"><code>1 &lt; 2\n</code></pre>' in third.html


def test_a_rulebook_without_headings_gets_the_games_title(tmp_path: Path) -> None:
    (only,) = sections_of(written(tmp_path, "Play.\n"))
    assert only.title == GAMES[CHOSEN[0]].title
    assert "<p>Play.</p>" in only.html


def test_a_picture_without_its_section_is_refused(tmp_path: Path) -> None:
    record = redouble.new(CHOSEN[0], seed="rules").record()
    guide = (
        "[[picture]]\nheading = \"Nowhere\"\ncaption = \"So.\"\neyes = 0\n"
        f"record = '''{record}'''\n"
    )  # fmt: skip
    with pytest.raises(GuideError, match="no heading 'Nowhere'"):
        sections_of(written(tmp_path, "# Game\n", guide))


def test_examples_without_their_games_are_refused(tmp_path: Path) -> None:
    match = redouble.new(CHOSEN[0], seed="rules")
    match.push(match.legal_moves[0])
    guide = f"[[example]]\nbegins = 0\nrecord = '''{match.record()}'''\n"
    text = "# Game\n\n## Worked examples\n\n- One.\n- Two.\n"
    with pytest.raises(GuideError, match="has 2 worked examples, and the guide has 1 game"):
        sections_of(written(tmp_path, text, guide))
