# ruff: noqa: RUF001 - look-alike letters are what this is about
"""The operator's words are found however they are written, and nothing else is."""

import os
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from redouble.web.errors import WebError
from redouble.web.features.circles import circles
from redouble.web.people import people
from redouble.web.table import wordlist
from redouble.web.table.wordlist import WordList, WordListError
from tests.web.helpers.visitors import Visitor

LISTED = WordList(["ass", "dick", "hell", "penis", "tit", "cock", "wanker*", "evil clan", "", "  "])
CAUGHT = (
    *(
        "ass",
        "ASS!",
        "you dick",
        "D1ck",
        "d!ck",
        "dіck",
        "ԁick",
        "ｄｉｃｋ",
        "𝓭𝓲𝓬𝓴",
        "dïck",
        "diiick",
    ),
    *("d i c k", "d.i.c.k", "d-i-c-k", "di-ck", "d_i_c_k", "*dick*", "(dick)", "a$$", "@ss", "4ss"),
    *("dick99", "DickHead", "big-dick", "Mr.Dick", "h3ll", "assss", "wankers", "WANKERING"),
    *("evil  clan", "Evil Clan!", "e v i l c l a n dick", "pen-is", "p3n1s", "xx_dick_xx"),
)
INNOCENT = (
    *("Cassandra", "Assunta", "Penistone", "Dickens", "Dickinson", "Michelle", "Shelly", "Titania"),
    *("Hancock", "Peacock", "Babcock", "hello", "shell", "as soon as", "my pen is here", "classic"),
    *(
        "455 points",
        "I have 4 5 5",
        "A S Roma",
        "as",
        "Matt 5",
        "title",
        "evil",
        "the clan",
        "Hell0w",
    ),
    *("Guest 455", "李雷", "می‌خواهم", "👩‍🚀", "passes", "Scunthorpe", "cocktail", "Moby-Dickens"),
)


def test_a_word_is_found_however_it_is_written() -> None:
    assert [one for one in CAUGHT if not LISTED.has(one)] == []


def test_innocent_words_that_contain_one_are_left_alone() -> None:
    assert [one for one in INNOCENT if LISTED.has(one)] == []
    assert not any(WordList().has(one) for one in CAUGHT)


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    words = WordList()
    with pytest.raises(WordListError, match=r"there is no file .*: check its name"):
        words.use(file)
    file.write_text("\ufeffdick # rude\n# a comment\n\n", encoding="utf-8")
    words.use(file)
    assert words.has("dick")
    assert not words.has("a comment")
    file.write_text("tit\n", encoding="utf-8")
    os.utime(file, (1, 1))
    assert words.has("tit")
    assert not words.has("dick")
    file.unlink()
    assert words.has("tit")
    words.use(None)
    assert not words.has("tit")


def test_names_and_lines_are_refused_with_what_to_do(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = Visitor(client, "Dick")
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "friend"}
    table = anna.post("/new/double-down", **seats)
    monkeypatch.setattr(wordlist.WORDS, "has", LISTED.has)
    said = "this name isn&#39;t allowed on this site: choose another one"
    assert said.capitalize()[5:] in anna.post("/me/name", 400, name="D i c k")
    anna.post("/play/double-down", 400)  # the name that she has had for long
    line = anna.post(f"{table}/do", 400, command="say", seat=0, text="go to h3ll")
    assert "has a word that isn&#39;t allowed on this site: change it" in line
    anna.post("/me/name", name="Michelle")
    anna.post("/play/double-down")
    for names in (people.clean_name, circles.clean_name):
        with pytest.raises(WebError, match="choose another"):
            names("Dick")
    refused = client.post("/api/guests", json={"name": "Dick"})
    assert (refused.status_code, "choose another one" in refused.text) == (400, True)
