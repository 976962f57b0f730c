# ruff: noqa: RUF001 - look-alike letters are what this is about
"""Names are seen, and told apart."""

import unicodedata
from typing import Any

import pytest
from starlette.testclient import TestClient

import redouble
from redouble.web.errors import WebError
from redouble.web.live.plan import clean_seed
from redouble.web.people.people import clean_name
from redouble.web.table.names import looks
from redouble.web.table.seats import unique
from tests.web.helpers.visitors import Visitor, live_at, mark_of

INVISIBLE = (
    *("\u3164", "\uffa0", "\u115f", "\u1160", "\u2800", "\u200b", "\u200d", "\u2060", "\ufeff"),
    *("\u00ad", "\u034f", "\u0301", "\u0301\u0308", "\ufe0f", "\u180e", "\u061c", "\u17b5"),
    *("\U000e0041", "\U0001d159", "\u00a0", "\u3000", "\u2028", "\x00", "\u202e", "\U000f0000"),
)
KEPT = (
    *(
        "Zoë",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d🚀",
        "❤\ufe0f",
        "李雷",
        "עִבְרִית",
        "한글",
        "O'Neil",
    ),
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
)
ALIKE = (
    *(("Anna", "Аnnа"), ("Anna", "ANNA"), ("Bill", "Bi1l"), ("Bill", "BiII"), ("Otto", "0tto")),
    *(("Maria", "Μαria"), ("Tom", "Tоm"), ("Bern", "Bem"), ("Eva", "Ｅｖａ"), ("Ann a", "Anna")),
    *(("Anna", "ɑnnɑ"), ("Gil", "ɡıl"), ("Tomas", "Tomas\u2063"), ("Ola", "𝒪𝓁𝒶")),
)


@pytest.mark.parametrize("name", INVISIBLE)
def test_what_draws_nothing_is_no_name(name: str) -> None:
    for one in (name, f" {name} {name}"):
        with pytest.raises(WebError, match="visible character"):
            clean_name(one)
    assert clean_name(f"{name}An{name if name != chr(0x301) else ''}na") in (
        *("Anna", "An na", "An\u200dna", "An\ufe0fna"),
        *(unicodedata.normalize("NFC", f"An{name}na"),),
    )


def test_what_names_need_is_kept() -> None:
    for name in KEPT:
        assert clean_name(f" {name} ") == unicodedata.normalize("NFC", name)
    assert clean_name("Z" + "\u0301" * 9) == "Ź" + "\u0301" * 3


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_look_alikes_are_told_apart(one: str, other: str) -> None:
    assert looks(one) == looks(other)
    assert unique(other, [one]) == f"{other} 2"


def test_other_names_are_left_alone() -> None:
    for one, other in (("Anna", "Hanna"), ("Zoe", "Zoë"), ("Ben 2", "Ben 3"), ("李雷", "李磊")):
        assert unique(other, [one]) == other
    taken: list[str] = []
    for _ in range(12):
        taken.append(unique("Ben", taken))
    assert taken[-1] == "Ben 12"


def test_at_a_table(client: TestClient, anna: Visitor) -> None:
    seats: dict[str, Any] = {"seat-0": "me", "seat-1": "here", "name-1": "Аnnа"}
    path = anna.post("/new/double-down", players="2", **seats)
    assert "Аnnа 2" in anna.get(path)


def test_a_friend_who_sits_down(client: TestClient, anna: Visitor) -> None:
    seats: dict[str, Any] = {"seat-0": "me", "seat-2": "bot", "seat-1": "friend"}
    seats["seat-3"] = "friend"
    path = anna.post("/new/double-down", players="4", **seats)
    bot = live_at(client, path).table.seats[2].name
    for name in ("Аnnа", bot.upper(), "player 4", "ɑnnɑ"):
        table = live_at(client, path).table
        friend = Visitor(client)
        friend.post(f"/join/{table.header.invite}", name=name)
        names = [seat.name for seat in live_at(client, path).table.seats]
        assert len(set(map(looks, names))) == 4, names
        friend.post(f"{path}/do", command="leave")


def test_words_are_compared_as_people_see_them(client: TestClient, anna: Visitor) -> None:
    one, other = "Café", unicodedata.normalize("NFD", "Café")
    assert clean_seed(f" {other} ") == one
    deals = {redouble.new("double-or-quits", seed=seed).seed for seed in (one, f" {other}\n")}
    assert deals == {one}
    pages = [anna.get(f"/deals/double-or-quits/{word}") for word in (one, other)]
    marks = [mark_of(page) for page in pages]
    assert len({page.replace(mark, "") for page, mark in zip(pages, marks, strict=True)}) == 1
