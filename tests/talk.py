"""A player over a real socket, who says and hears the messages of the protocol."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from shared.protocol import (
    PROTOCOL,
    AnyCommand,
    AnyNews,
    AnyReply,
    Join,
    Move,
    Options,
    Refusal,
    Role,
    State,
    Welcome,
    decode_reply,
    encode,
)

SECONDS = 10  # for anything the server owes an answer to

R = TypeVar("R", bound=AnyReply)

HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Talk:
    """One connection to a server. Every wait is bounded."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[str] = []  # all that was heard, as it came

    async def send(self, command: AnyCommand | dict[str, Any]) -> None:
        """Send a command; as a dict, also one that no client of ours would send."""
        await self.send_raw(msgspec.json.encode(command).decode())

    async def send_raw(self, frame: str | bytes) -> None:
        """Send a frame as it is, text or binary."""
        await self.socket.send(frame)

    async def receive(self) -> AnyReply:
        """Return the next message."""
        async with asyncio.timeout(SECONDS):
            frame = await self.socket.recv(decode=True)
        self.frames.append(frame)
        return decode_reply(frame)

    async def until(self, kind: type[R], when: Callable[[R], bool] = lambda _: True) -> R:
        """Return the next message of a kind, or the next that is as wanted."""
        while True:
            reply = await self.receive()
            if isinstance(reply, kind) and when(reply):
                return reply

    async def news(self, kind: type[AnyNews]) -> State:
        """Return the next state that tells news of a kind."""
        return await self.until(State, lambda s: any(isinstance(item, kind) for item in s.news))

    async def refusal(self, command: AnyCommand | dict[str, Any]) -> Refusal:
        """Send a command and return the answer, which must be a refusal."""
        await self.send(command)
        return await self.until(Refusal)

    async def join(
        self,
        room: str,
        name: str = "",
        *,
        role: Role = "play",
        token: str | None = None,
        options: Options | None = None,
    ) -> tuple[Welcome, State]:
        """Join a room and return what comes: a welcome, and right after it the state."""
        return await self.enter(
            Join(PROTOCOL, room, name, role=role, token=token, options=options or Options())
        )

    async def enter(self, command: Join) -> tuple[Welcome, State]:
        """Join by a command and return what comes: a welcome, and right after it the state."""
        await self.send(command)
        welcome, state = await self.receive(), await self.receive()
        assert isinstance(welcome, Welcome), welcome
        assert isinstance(state, State), state
        return welcome, state

    async def move(self, cell: int, ply: int) -> State:
        """Play a cell and return the state after it."""
        await self.send(Move(cell, ply))
        return await self.until(State, lambda state: state.ply > ply)

    async def close_code(self) -> int | None:
        """Read until the server closes the connection, and return the code it gave."""
        while True:
            try:
                await self.receive()
            except ConnectionClosed:
                return self.socket.close_code


@asynccontextmanager
async def player(url: str) -> AsyncIterator[Talk]:
    """Connect to a server."""
    async with connect(url, compression=None, proxy=None, open_timeout=SECONDS) as socket:
        yield Talk(socket)


def deaf(port: int, *commands: AnyCommand) -> socket.socket:
    """Return a raw socket that has sent commands over a WebSocket and reads no answer.

    The first answer is in its buffer, so the server has seen the first command.
    """
    client = socket.socket()
    client.settimeout(SECONDS)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(HANDSHAKE.format(host="127.0.0.1", port=port).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += client.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 "), answer
    client.sendall(b"".join(map(frame, commands)))
    client.recv(1, socket.MSG_PEEK)
    return client


def frame(command: AnyCommand) -> bytes:
    """Return a command as the bytes a client puts on the wire."""
    return Frame(Opcode.TEXT, encode(command)).serialize(mask=True)
