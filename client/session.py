"""The way to a room: connects, joins, comes back when the connection is lost.

States and other replies come out, commands go in. It knows the wire, not the game.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidProxy, InvalidURI

from shared.protocol import (
    MAX_STATE,
    RESTART,
    TAKEN_OVER,
    AnyCommand,
    AnyReply,
    Join,
    State,
    Welcome,
    decode_reply,
    encode,
)

PING_EVERY = 5.0
PING_TIMEOUT = 10.0  # so that a dead connection is noticed within 15 seconds
CLOSE_TIMEOUT = 1.0
MAX_DELAY = 15.0

TROUBLE = (OSError, TimeoutError, InvalidHandshake, InvalidProxy, InvalidURI)


class Lost(NamedTuple):
    """The connection was lost; the session is coming back by itself."""

    stopping: bool  # the server said that it stops


class Ended(Exception):
    """The session is over, and does not come back; the text says why."""


class Session:
    """One client's place in a room, whatever becomes of its connections."""

    def __init__(self, url: str, join: Join) -> None:
        self.url = url
        self.join = join
        self.version = -1
        self.socket: ClientConnection | None = None

    async def open(self) -> None:
        """Connect and ask to join, or raise one of TROUBLE."""
        self.socket = await connect(
            self.url,
            compression=None,
            max_size=MAX_STATE,
            ping_interval=PING_EVERY,
            ping_timeout=PING_TIMEOUT,
            close_timeout=CLOSE_TIMEOUT,
        )
        await self.send(self.join)

    async def ask(self, join: Join) -> None:
        """Ask to join in another way, after the first was refused."""
        self.join = join
        await self.send(join)

    async def send(self, command: AnyCommand) -> None:
        """Send a command. On a lost connection nothing happens: `replies` tells of it."""
        if self.socket:
            with contextlib.suppress(ConnectionClosed):
                await self.socket.send(encode(command), text=True)

    async def replies(self) -> AsyncIterator[AnyReply | Lost]:
        """Yield what the server says, and each loss of the connection, or raise Ended."""
        while True:
            async for reply in self._received():
                yield reply
            code = self.socket.close_code if self.socket else None
            if code == TAKEN_OVER:
                raise Ended("Your seat was taken by a newer connection.")
            yield Lost(code == RESTART)
            await self._reopen()

    async def _received(self) -> AsyncIterator[AnyReply]:
        if self.socket is None:
            return
        try:
            async for frame in self.socket:
                reply = decode_reply(frame)
                if isinstance(reply, Welcome) and reply.token:
                    self.join = replace(self.join, token=reply.token)
                    self.version = -1  # a server started anew counts anew
                if isinstance(reply, State):
                    if reply.version < self.version:
                        continue
                    self.version = reply.version
                yield reply
        except ConnectionClosed:
            pass
        except ValueError as error:
            raise Ended(f"This is not a server of the game: {error}.") from error

    async def _reopen(self) -> None:
        for delay in delays():
            await asyncio.sleep(delay)
            try:
                await self.open()
            except TROUBLE:
                continue
            return

    async def close(self) -> None:
        """Close the connection."""
        if self.socket:
            await self.socket.close()


def delays() -> Iterator[float]:
    """Yield how long to wait before each try to come back: growing, and never in step."""
    delay = 0.25
    while True:
        yield delay * random.uniform(0.5, 1.5)  # noqa: S311
        delay = min(delay * 2, MAX_DELAY)
