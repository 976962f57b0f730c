"""Messages that reach the other processes of a database at once, if they aren't lost.

Nothing depends on them: a process that misses one finds out within a second all the same, see
:mod:`redouble.web.live.exchange`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs

CHANNEL = "redouble"
QUIET_SECONDS = 10.0
"""How long nothing comes before the connection to a broker is looked at."""
NO_BROKER = "none"
"""As the address of a broker: no messages at all."""
SCHEMES = ("valkey://", "valkeys://", "redis://", "rediss://", "unix://")


class BrokerError(RedoubleError):
    """The address of a broker can't be used."""


class Bus(ABC):
    """Carries lines of text from each process to all others."""

    @abstractmethod
    async def send(self, lines: Sequence[str]) -> None:
        """Send lines, each of at most 7,900 bytes. Raises ``OSError`` if they can't be sent."""

    @abstractmethod
    def lines(self) -> AsyncGenerator[str]:
        """Yield what processes send, this one included.

        Raises ``OSError`` when the connection is lost or can't be made.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close the connection that sends."""


class PostgresqlBus(Bus):
    """NOTIFY and LISTEN of a PostgreSQL database."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._sender: Any = None

    async def send(self, lines: Sequence[str]) -> None:
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
        import psycopg

        try:
            async with await self._connected() as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                async for notice in connection.notifies():
                    yield notice.payload
        except psycopg.Error as error:
            raise OSError(str(error)) from error

    async def close(self) -> None:
        if self._sender is not None:
            await self._sender.close()
            self._sender = None

    async def _connected(self) -> Any:
        import psycopg

        return await psycopg.AsyncConnection.connect(self._address, autocommit=True)


class ValkeyBus(Bus):
    """Publish and subscribe of a Valkey server, or of a Redis server.

    Raises :class:`BrokerError` for an address that can't be read, and :class:`MissingExtra` without
    valkey-py. The server needn't be there yet.
    """

    def __init__(self, address: str) -> None:
        with needs("--broker", "server"):
            from valkey.asyncio import Valkey
        wrong = BrokerError("the broker's address can't be read: give valkey://host:port")
        if not address.startswith(SCHEMES):
            raise wrong
        try:
            self._client = Valkey.from_url(address, health_check_interval=QUIET_SECONDS)
        except ValueError:
            raise wrong from None

    async def send(self, lines: Sequence[str]) -> None:
        from valkey.exceptions import ValkeyError

        try:
            async with self._client.pipeline(transaction=False) as pipeline:
                for line in lines:
                    pipeline.publish(CHANNEL, line)
                await pipeline.execute()
        except ValkeyError as error:
            raise OSError(str(error)) from error

    async def lines(self) -> AsyncGenerator[str]:
        from valkey.exceptions import ValkeyError

        try:
            async with self._client.pubsub() as channel:
                await channel.subscribe(CHANNEL)
                while True:
                    # Without a time of its own, silence would count as a lost connection.
                    message = await channel.get_message(
                        ignore_subscribe_messages=True, timeout=QUIET_SECONDS
                    )
                    if message is not None:
                        yield message["data"].decode()
        except ValkeyError as error:
            raise OSError(str(error)) from error

    async def close(self) -> None:
        await self._client.aclose()
