"""A proxy that keeps the answers to some requests to itself, as those that buffer streams do."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator


class HoldingProxy:
    """Passes everything on to a port, but for answers on connections that asked for ``held``."""

    def __init__(self, upstream: int) -> None:
        self.address = ""
        self.held: tuple[bytes, ...] = ()
        """Parts of the first lines of requests whose answers don't arrive, while they are here."""
        self._upstream = upstream
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self._ready = threading.Event()

    @contextlib.contextmanager
    def running(self) -> Iterator[HoldingProxy]:
        thread = threading.Thread(target=asyncio.run, args=(self._serve(),))
        thread.start()
        assert self._ready.wait(30)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._stop.set)
            thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._upstream)
        asked = [b""]
        answers = asyncio.create_task(self._answer(there, writer, asked))
        try:
            while data := await reader.read(65536):
                if b" HTTP/1.1\r\n" in data:
                    asked[0] = data.partition(b"\r\n")[0]
                back.write(data)
        except (OSError, asyncio.CancelledError):  # streams of asyncio report a canceled handler
            pass
        finally:
            answers.cancel()
            back.close()
            writer.close()

    async def _answer(self, there: StreamReader, writer: StreamWriter, asked: list[bytes]) -> None:
        with contextlib.suppress(OSError):
            while data := await there.read(65536):
                while any(part in asked[0] for part in self.held):
                    await asyncio.sleep(0.02)
                writer.write(data)
        writer.close()
