"""What tables send is compressed, and its length doesn't tell what a hand holds."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from html import escape
from random import Random

import pytest
from starlette.testclient import TestClient

from redouble.contract.registry import GAMES
from redouble.web.gate import compression
from redouble.web.gate.compression import HEADER, STEP, Stream, accepts_gzip, compressed, padding
from redouble.web.pages.table import sse
from redouble.web.table.acts.talk import Saying
from tests.web.helpers.markup import give_one_mark
from tests.web.helpers.play import asks
from tests.web.helpers.servers import cut_streams, site_of
from tests.web.helpers.visitors import Visitor, in_loop, play, seats_for

GUESSES = ("the queen of spades", "the eight of hearts", "the three of clubs")
GAME = GAMES["double-down"]


def event(hand: str, said: list[str], ply: int = 1, hand_first: bool = False) -> str:
    """An event with a board: a hand, a chat and much that never changes."""
    plates = "\n".join(f'<b class="plate" id="plate-{i}">Player {i}</b>' for i in range(20))
    lines = "\n".join(
        f'<li id="said-{i}"><b>Ben</b> {escape(one)}</li>' for i, one in enumerate(said)
    )
    parts = [f'<ul class="chat" id="chat" tabindex="0">{lines}</ul>', f"<p>You hold {hand}.</p>"]
    html = "\n".join(reversed(parts) if hand_first else parts)
    return sse(f'<div id="board">{plates}\n{html}</div>', ply)


def lengths(*messages: str | tuple[str, ...]) -> list[int]:
    """Return the lengths of messages on a stream; each is an event, or several sent together."""
    stream = Stream()
    return [len(stream.send(*([one] if isinstance(one, str) else one))) for one in messages]


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (None, False),
        ("", False),
        ("identity", False),
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, GZIP;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, br", False),
        ("x-gzip", True),
    ],
)
def test_only_clients_that_accept_gzip_get_it(header: str | None, wanted: bool) -> None:
    assert accepts_gzip(header) is wanted


def test_each_event_can_be_read_when_it_arrives() -> None:
    dice = Random(5)
    texts = [
        event(dice.choice(GUESSES), dice.choices(GUESSES, k=dice.randrange(40)), ply)
        for ply in range(60)
    ]
    texts[20:20] = [sse("♠" * 40_000), sse("")]  # longer than the window; empty
    stream, reader = Stream(), zlib.decompressobj(zlib.MAX_WBITS | 16)
    assert reader.decompress(HEADER) == b""
    for i in range(len(texts)):
        together = texts[max(0, i - i % 4) : i + 1]  # the moments of a move and what came of it
        sent = stream.send(*together, compress=i % 7 > 0)
        assert len(sent) % STEP == 0
        assert reader.decompress(sent) == "".join(together).encode()
    assert reader.decompress(stream.end()) == b""
    assert reader.eof


def test_a_stream_ends_as_gzip_does_and_comments_send_nothing() -> None:
    first, moment, second = event(GUESSES[0], []), event(GUESSES[2], []), event(GUESSES[1], ["hi"])

    async def messages() -> AsyncIterator[list[str]]:
        for one in ([first], [": still here\n\n"], [moment, second]):
            yield one

    async def sent() -> list[bytes]:
        return [one async for one in compressed(messages(), lambda: True)]

    header, *parts, end = asyncio.run(sent())
    assert len(parts) == 3
    assert gzip.decompress(b"".join([header, *parts, end])).decode() == first + moment + second


def test_padding_fills_up_and_says_nothing() -> None:
    for length in range(3 * STEP):
        filled = padding(length)
        assert (length + len(filled)) % STEP == 0
        assert zlib.decompressobj(-zlib.MAX_WBITS).decompress(filled) == b""


@pytest.mark.parametrize("hand_first", [True, False])
@pytest.mark.parametrize("before", [[], ["good luck, everybody", "and to you too"], [*GUESSES]])
def test_the_chat_does_not_tell_what_a_hand_holds(
    monkeypatch: pytest.MonkeyPatch, before: list[str], hand_first: bool
) -> None:
    """However the guesses in the chat fit the hand, a hand adds the same to the length."""
    monkeypatch.setattr(compression, "STEP", 1)
    monkeypatch.setattr(compression, "MIN_PADDING", 0)

    def sent(hand: str, guess: str) -> list[int]:
        said, usual = [*before, guess], "the ten of clubs"
        first = event(usual, before, 1, hand_first)
        drawn = event(hand, said, 2, hand_first)
        guessed = event(usual, said, 2, hand_first)
        return [
            *lengths(first, drawn),
            *lengths(first, (guessed, drawn)),
            *lengths(event(hand, before, 1, hand_first), guessed),
        ]

    for hand in GUESSES[1:]:
        added = [
            [a - b for a, b in zip(sent(hand, guess), sent(GUESSES[0], guess), strict=True)]
            for guess in GUESSES
        ]
        assert added == [added[0]] * len(GUESSES), hand


def test_a_board_resembles_the_board_before() -> None:
    first, second, third = lengths(*(event(GUESSES[0], ["hi"] * 9, ply) for ply in range(3)))
    assert second == third <= STEP < first


def test_pages_and_streams_of_a_table_keep_the_chat_apart(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_one_mark(monkeypatch)
    anna, ben = Visitor(client, "Anna"), Visitor(client, "Ben")
    table = play(client, GAME, seats_for(anna, ben), plies=4)
    said, site, writer = "is <it> the 8?", site_of(client), ben.person.id
    live = in_loop(client, site.tables.get, table.header.token)
    say = asks(writer, Saying(text=said, seat=1))
    in_loop(client, site.tables.act, live, say)
    cut_streams(client)
    at = f"/t/{table.header.token}"
    for path in (at, f"{at}/stream", *([f"{at}/hint"] if live.table.turn == 0 else [])):
        sent = client.get(path, headers={"cookie": f"redouble={anna.cookie}"})
        assert sent.headers["content-encoding"] == "gzip"
        assert sent.headers["vary"] == "Accept-Encoding"
        text = sent.content
        found = compression._Sent.of(text)
        outside = text[: found.begin] + text[found.end :]
        assert escape(said).encode() in found.chat
        assert escape(said).encode() not in outside
        plain = {"cookie": f"redouble={anna.cookie}", "accept-encoding": "identity"}
        assert "content-encoding" not in client.get(path, headers=plain).headers
        assert client.get(path, headers=plain).content == text


def test_while_people_take_seats_nothing_is_compressed(client: TestClient) -> None:
    anna = Visitor(client, "Anna")
    at = anna.post(f"/new/{GAME.name}", 303, None, **{"seat-0": "me", "seat-1": "friend"})
    cut_streams(client)
    for path in (at, f"{at}/stream"):
        headers = {"cookie": f"redouble={anna.cookie}"}
        with client.stream("GET", path, headers=headers) as answer:
            sent = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
        assert len(sent) > len(gzip.decompress(sent)) > 2000


def test_programs_get_tables_uncompressed(client: TestClient) -> None:
    """Their chat and their hand are in one response."""
    anna = Visitor(client, "Anna")
    table = play(client, GAME, seats_for(anna, Visitor(client, "Ben")), plies=4)
    bearer = {"authorization": f"Bearer {anna.cookie}"}
    answer = client.get(f"/api/tables/{table.header.token}", headers=bearer)
    assert answer.status_code == 200
    assert len(answer.content) > 500
    assert "content-encoding" not in answer.headers
