"""Messages that reach the other processes of a database at once, if they aren't lost.

Nothing depends on them: a process that misses one finds out within a second all the same, see
:mod:`redouble.web.live.exchange`.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

CHANNEL = "redouble"


class Bus:
    """Carries lines of text from each process to all others, by NOTIFY and LISTEN of PostgreSQL."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._sender: Any = None

    async def send(self, lines: Sequence[str]) -> None:
        """Send lines, each of at most 7,900 bytes. Raises ``OSError`` if they can't be sent."""
        import psycopg

        try:
            if self._sender is None or self._sender.closed:
                self._sender = await self._connected()
            await self._sender.execute(
                "SELECT pg_notify(%s, line) FROM unnest(%s::text[]) AS line", (CHANNEL, list(lines))
            )
        except psycopg.Error as error:
            await self.close()
            raise OSError(str(error)) from error

    async def lines(self) -> AsyncGenerator[str]:
        """Yield what processes send, this one included.

        Raises ``OSError`` when the connection is lost or can't be made.
        """
        import psycopg

        try:
            async with await self._connected() as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                async for notice in connection.notifies():
                    yield notice.payload
        except psycopg.Error as error:
            raise OSError(str(error)) from error

    async def close(self) -> None:
        """Close the connection that sends."""
        if self._sender is not None:
            await self._sender.close()
            self._sender = None

    async def _connected(self) -> Any:
        import psycopg

        return await psycopg.AsyncConnection.connect(self._address, autocommit=True)
