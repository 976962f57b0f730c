"""Compresses what tables send, so that its length doesn't tell what a hand holds.

Boards resemble the boards before them, so gzip makes a twentieth of them. But compressed lengths
tell what resembles what. If the chat were compressed together with a hand, a player who can see
how much is sent to another (in the same Wi-Fi, say) could write guesses into the chat and read
from the lengths which guess is right, as the attacks CRIME and BREACH do. Therefore

- the chat is compressed apart: it refers only to earlier chat, and nothing else refers to it;
- nothing is compressed while people take seats, since names stand all over a board and can be
  chosen again and again until the game begins;
- what is sent at once, the events of a move, is padded to a multiple of ``STEP`` bytes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from starlette.responses import Response

LEVEL = 6
STEP = 128
"""The length of what is sent at once, compressed, is a multiple of this number of bytes."""
WINDOW = 1 << 15
"""Bytes that gzip can refer back to."""
MASK = b"\xff"
"""Stands for text of another context. It is in no UTF-8 text, so nothing refers to it."""
HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
END = b"\x03\x00"
"""A last block, empty."""
NOTHING, NOTHING_LONGER = b"\x00\x00\x00\xff\xff", b"\x02\x00\x00\x00\xff\xff"
"""Empty blocks of five and six bytes; from 20 on, every number is a sum of fives and sixes."""
MIN_PADDING = 20
SHORT = 100
"""A chat of fewer bytes isn't worth compressing: nothing has been said yet."""
_CHAT, _CHAT_ENDS = b' id="chat"', b"</ul>"
"""Where the messages of a board begin and end. Nothing in them can end the list, because they are
escaped."""
STORED_BYTES = 0xFFFF
"""Bytes in a block that isn't compressed, at most."""


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Return whether a client's ``Accept-Encoding`` names gzip, and not as unwanted."""
    for one in (accept_encoding or "").lower().split(","):
        name, _, quality = one.replace(" ", "").partition(";q=")
        if name in ("gzip", "x-gzip"):
            return re.fullmatch(r"0(\.0*)?", quality) is None
    return False


@dataclass(frozen=True)
class _Sent:
    """What was sent, with the place of the chat in it."""

    text: bytes = b""
    begin: int = 0
    end: int = 0

    @classmethod
    def of(cls, text: bytes) -> _Sent:
        tag = text.find(_CHAT)
        if tag < 0:
            return cls(text, len(text), len(text))
        begin = text.index(b">", tag) + 1
        return cls(text, begin, text.index(_CHAT_ENDS, begin))

    @property
    def chat(self) -> bytes:
        return self.text[self.begin : self.end]


class Stream:
    """A gzip stream that can be read up to the end of each event.

    What is sent at once is compressed by a new compressor, which gets the event before it. This
    costs little more than to keep one, which would hold 256 KB for every open page.
    """

    def __init__(self) -> None:
        self._last = _Sent()
        self._sum = zlib.crc32(b"")
        self._length = 0

    def send(self, *events: str, compress: bool = True) -> bytes:
        """Return events as they are sent together; wrapped only unless they are to be compressed.

        Each event has one chat at most.
        """
        new = [_Sent.of(event.encode()) for event in events]
        for one in new:
            self._sum = zlib.crc32(one.text, self._sum)
            self._length += len(one.text)
        sent = _blocks(self._last, new) if compress else b"".join([_stored(x.text) for x in new])
        self._last = new[-1]
        return sent + padding(len(sent))

    def end(self) -> bytes:
        """Return what ends the stream."""
        length = self._length & 0xFFFFFFFF
        return END + self._sum.to_bytes(4, "little") + length.to_bytes(4, "little")


async def plain(messages: AsyncIterator[Sequence[str]]) -> AsyncIterator[str]:
    """Yield server-sent events as they are; those of a message are sent together."""
    async for events in messages:
        yield "".join(events)


async def compressed(
    messages: AsyncIterator[Sequence[str]], may_compress: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield server-sent events as a gzip stream; comments become bytes that mean nothing."""
    stream = Stream()
    yield HEADER
    async for events in messages:
        if events[0].startswith(":"):
            yield NOTHING
        else:
            yield stream.send(*events, compress=may_compress())
    yield stream.end()


def compress_page(response: Response, accept_encoding: str | None, compress: bool) -> Response:
    """Return the page of a table, as gzip if the client accepts it."""
    if accepts_gzip(accept_encoding):
        stream = Stream()
        text = stream.send(bytes(response.body).decode(), compress=compress)
        response.body = HEADER + text + stream.end()
        response.headers["Content-Length"] = str(len(response.body))
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    return response


def padding(length: int) -> bytes:
    """Return empty blocks that fill ``length`` bytes up to a multiple of ``STEP``."""
    missing = -length % STEP
    missing += STEP if 0 < missing < MIN_PADDING else 0
    fives, sixes = missing // 5 - missing % 5, missing % 5
    return NOTHING * fives + NOTHING_LONGER * sixes


def _blocks(last: _Sent, new: Sequence[_Sent]) -> bytes:
    """Return ``new`` as compressed blocks after ``last``, with each chat in blocks of its own."""
    masked = MASK * len(last.chat)
    rest = _compressor(last.text[: last.begin] + masked + last.text[last.end :])
    blocks = waiting = b""
    for one in new:
        waiting += one.text[: one.begin]
        if one.chat:
            blocks += rest.compress(waiting) + rest.flush(zlib.Z_SYNC_FLUSH)
            blocks += _chat_blocks(last, one)
            rest.compress(MASK * len(one.chat))
            rest.flush(zlib.Z_SYNC_FLUSH)
            waiting = b""
        waiting += one.text[one.end :]
        last = one
    return blocks + rest.compress(waiting) + rest.flush(zlib.Z_SYNC_FLUSH)


def _chat_blocks(last: _Sent, new: _Sent) -> bytes:
    """Return the chat of ``new``, which refers only to the chat of ``last``."""
    if len(new.chat) < SHORT:
        return _stored(new.chat)
    chat = _compressor(last.chat + MASK * (len(last.text) - last.end + new.begin))
    return chat.compress(new.chat) + chat.flush(zlib.Z_SYNC_FLUSH)


def _compressor(earlier: bytes) -> zlib._Compress:
    """Return a compressor of raw blocks that come after ``earlier``."""
    window = earlier[-WINDOW:]
    strategy = zlib.Z_DEFAULT_STRATEGY
    return zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 8, strategy, window)


def _stored(text: bytes) -> bytes:
    blocks = b""
    for begin in range(0, len(text), STORED_BYTES):
        part = text[begin : begin + STORED_BYTES]
        length = len(part).to_bytes(2, "little")
        blocks += b"\x00" + length + bytes(0xFF - byte for byte in length) + part
    return blocks
