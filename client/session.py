"""The way to a room: connects, joins, comes back when the connection is lost.

States and other replies come out, commands go in. It knows the wire, not the game.
"""

import asyncio
import contextlib
import ipaddress
import os
import random
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from socket import gaierror
from ssl import SSLError
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidProxy, InvalidURI
from websockets.frames import CloseCode

from shared.names import printable
from shared.protocol import (
    FOREIGN,
    MAX_STATE,
    MISCONDUCT,
    RESTART,
    TAKEN_OVER,
    AnyCommand,
    AnyReply,
    Join,
    List,
    OpenRoom,
    Refusal,
    Rooms,
    State,
    Welcome,
    decode_reply,
    encode,
)

T = TypeVar("T")

PING_EVERY = 5.0
PING_TIMEOUT = 10.0  # so that a dead connection is noticed within 15 seconds
CLOSE_TIMEOUT = 1.0
ANSWER_TIMEOUT = 10.0  # for the server to say whether there is a place
MAX_DELAY = 15.0

# What opening may raise. ValueError: a host no resolver takes, a port that is none, in a proxy's
# address or a redirect; LookupError: headers that contradict each other; ImportError: a kind of
# proxy that needs another package.
TROUBLE = (
    *(OSError, InvalidHandshake, InvalidProxy, InvalidURI, ConnectionClosed),
    *(ValueError, LookupError, ImportError),
)
# Who comes back after one of these would be closed in the same way again.
FINAL = {
    CloseCode.PROTOCOL_ERROR,
    CloseCode.UNSUPPORTED_DATA,
    CloseCode.INVALID_DATA,
    MISCONDUCT,
    CloseCode.MESSAGE_TOO_BIG,
    TAKEN_OVER,
}


class Lookups(ThreadPoolExecutor):
    """Looks names up in daemon threads: nobody who leaves has to wait for an answer."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:  # noqa: ANN401
        """Start a thread for a call, and return its future."""
        future: Future[T] = Future()

        def call() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        future.set_running_or_notify_cancel()  # from here on it cannot be cancelled
        threading.Thread(target=call, daemon=True).start()
        return future


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
        self.answer: str | bytes = ""  # the first frame of a connection

    async def open(self) -> None:
        """Connect, ask to join and hear the answer; or raise one of TROUBLE, or Ended."""
        self.socket = await connected(self.url)
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                await self.send(self.join)  # a server that has closed may have said why
                self.answer = await self.socket.recv()
        except BaseException:
            await self.socket.close()
            self._check_end(self.socket)
            raise

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
        while self.socket:
            async for frame in self._frames(self.socket):
                reply = decoded(frame)
                if isinstance(reply, Welcome):
                    self._settle(reply)
                if isinstance(reply, State):
                    if reply.version < self.version:
                        continue
                    self.version = reply.version
                yield reply
            self._check_end(self.socket)
            yield Lost(self.socket.close_code == RESTART)
            await self._reopen()

    def _settle(self, welcome: Welcome) -> None:
        """Note the place in the room, to come back to it."""
        self.join = replace(self.join, room=welcome.room, any=False)
        if welcome.seats:
            self.join = replace(self.join, role="play")
        if welcome.token:
            self.join = replace(self.join, token=welcome.token)
            self.version = -1  # a server started anew counts anew

    async def _frames(self, socket: ClientConnection) -> AsyncIterator[str | bytes]:
        yield self.answer
        with contextlib.suppress(ConnectionClosed):
            async for frame in socket:
                yield frame

    def _check_end(self, socket: ClientConnection) -> None:
        if socket.close_code in FINAL:
            reason = printable(socket.close_reason or "") or socket.close_code
            raise Ended(f"The server closed the connection: {reason}.")

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


async def connected(url: str) -> ClientConnection:
    """Return a connection to a server, or raise one of TROUBLE."""
    return await connect(
        url,
        compression=None,
        max_size=MAX_STATE,
        ping_interval=PING_EVERY,
        ping_timeout=PING_TIMEOUT,
        close_timeout=CLOSE_TIMEOUT,
        proxy=None if is_here(url) else True,
    )


async def open_rooms(url: str) -> list[OpenRoom]:
    """Return the rooms of a server that wait for an opponent, or raise one of TROUBLE, or Ended."""
    async with await connected(url) as socket, asyncio.timeout(ANSWER_TIMEOUT):
        await socket.send(encode(List()), text=True)
        reply = decoded(await socket.recv())
    if isinstance(reply, Refusal):
        raise Ended(printable(reply.message))
    if not isinstance(reply, Rooms):
        raise Ended(f"This is not a server of the game: {FOREIGN}.")
    return reply.rooms


def decoded(frame: str | bytes) -> AnyReply:
    """Return the message in a frame, or raise Ended."""
    try:
        return decode_reply(frame)
    except ValueError as error:
        raise Ended(f"This is not a server of the game: {error}.") from error


def no_way(url: str, error: Exception) -> str:
    """Return one line on why there is no connection to a server, and what may help."""
    line = f"cannot connect to {printable(url)}: {_reason(error)}"
    # A plain OSError is what a name with several addresses gives, each of which refused.
    if type(error) in (OSError, ConnectionRefusedError) and is_here(url):
        return f"{line}. Start a server with tictactoe-server, or add --host."
    return line


def _reason(error: Exception) -> str:
    if isinstance(error, SSLError | gaierror):
        return printable(str(error.strerror))
    if isinstance(error, OSError):
        return os.strerror(error.errno).lower() if error.errno else "nobody answers there"
    if isinstance(error, ConnectionClosed):
        return "the server closed the connection"
    return printable(str(error)) or "nobody answers there"


def is_here(url: str) -> bool:
    """Whether a server is on this machine, where no proxy can reach it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def delays() -> Iterator[float]:
    """Yield how long to wait before each try to come back: growing, and never in step."""
    delay = 0.25
    while True:
        yield delay * random.uniform(0.5, 1.5)  # noqa: S311
        delay = min(delay * 2, MAX_DELAY)
