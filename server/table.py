"""A room and the connections in it: who is told what, and never waited for.

Nothing here changes a room; the hub puts the next one on the table.
"""

import asyncio
import hashlib
import logging
from collections.abc import Iterable

from websockets.asyncio.server import ServerConnection, broadcast

from server.public import view
from server.room import Room, ordered, seats_of
from shared.names import printable
from shared.protocol import (
    PROTOCOL,
    TAKEN_OVER,
    AnyNews,
    AnyReply,
    Join,
    Moved,
    Welcome,
    encode,
)
from shared.rules import Mark

MAX_BACKLOG = 64 * 1024  # bytes a client may leave unread before it is cut off
GOODBYE_SECONDS = 5.0  # for a client to answer that its connection is closed

log = logging.getLogger("tictactoe")


class Member:
    """A connection's place in a room: the seats of its key, or none for a watcher."""

    __slots__ = ("is_gone", "join", "key", "seats", "socket", "table")

    def __init__(self, socket: ServerConnection, table: "Table", join: Join, key: bytes) -> None:
        self.socket = socket
        self.table = table
        self.join = join  # how it came
        self.key = key
        self.seats: frozenset[Mark] = frozenset()
        self.is_gone = False  # it left, or a newer connection has its seats

    @property
    def sees_values(self) -> bool:
        """Whether it is told what each cell is worth, as no player is."""
        return self.join.eval and not self.seats and not self.is_gone


class Table:
    """A room, the members in it, and what is under way for it."""

    __slots__ = ("members", "name", "room", "thinking", "timer")

    def __init__(self, name: str, room: Room) -> None:
        self.name = name
        self.room = room
        self.members: dict[ServerConnection, Member] = {}
        self.timer: asyncio.TimerHandle | None = None  # for the turn's deadline
        self.thinking: asyncio.Task[None] | None = None  # of the computer, about its turn

    def seat_anew(self) -> None:
        """Tell the members whose seats have changed."""
        for socket, member in self.members.items():
            seats = seats_of(self.room, member.key)
            if seats != member.seats:
                member.seats = seats
                tell(socket, Welcome(PROTOCOL, self.name, ordered(seats)))

    def tell_all(self, news: tuple[AnyNews, ...], now: float) -> None:
        """Show everyone the room, and log the news."""
        tell_each(self.members, view(self.room, news, now))
        for item in news:
            # The repr of a name is escaped.
            log.log(
                logging.DEBUG if isinstance(item, Moved) else logging.INFO,
                "room %s: %r",
                self.name,
                item,
            )


def key_of(token: str) -> bytes:
    """Return the hash of a seat's token, which is all the server keeps of it."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def tell(socket: ServerConnection, reply: AnyReply) -> None:
    """Send a message to one connection, without waiting for it."""
    tell_each([socket], reply)


def tell_each(sockets: Iterable[ServerConnection], reply: AnyReply) -> None:
    """Send a message, encoded once, to some connections, without waiting for any."""
    broadcast(sockets, encode(reply), text=True)
    for socket in sockets:
        cut_off_if_stalled(socket)


async def take_leave(socket: ServerConnection) -> None:
    """Tell a connection that a newer one has its seats, and close it."""
    try:
        async with asyncio.timeout(GOODBYE_SECONDS):
            await socket.close(TAKEN_OVER, "the seat was taken by a newer connection")
    except TimeoutError:  # closing waits for a client that does not read
        socket.transport.abort()


def cut_off_if_stalled(socket: ServerConnection) -> None:
    """Drop a client that does not read. (A closing handshake would wait for it.)"""
    if socket.transport.get_write_buffer_size() > MAX_BACKLOG:
        log.warning("%s: cut off, it does not read", printable(str(socket.remote_address)))
        socket.transport.abort()
