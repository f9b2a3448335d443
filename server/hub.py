"""The rooms of this server and the connections in them.

A command is a step of a room: `submit` takes the step and tells everyone in the room. There is
no lock and no waiting here, so a step is never half done when the next one comes, and nobody
waits for a slow reader.
"""

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from random import SystemRandom

from websockets.asyncio.server import ServerConnection, broadcast

from server import ai
from server.room import (
    STEPS,
    Room,
    Step,
    drop,
    is_deserted,
    is_on,
    join,
    leave,
    move,
    new_room,
    open_room,
    ordered,
    seats_of,
    view,
)
from shared.names import BadName, printable, room_name
from shared.protocol import (
    PROTOCOL,
    TAKEN_OVER,
    AnyCommand,
    AnyNews,
    AnyReply,
    Join,
    Move,
    Moved,
    OpenRoom,
    Options,
    Refused,
    Welcome,
    encode,
)
from shared.rules import Mark

MAX_BACKLOG = 64 * 1024  # bytes a client may leave unread before it is cut off
SWEEP_EVERY = 60.0  # seconds between looks for rooms to forget
GOODBYE_SECONDS = 5.0  # for a client to answer that its connection is closed

log = logging.getLogger("tictactoe")


class Member:
    """A connection's place in a room: the seats of its key, or none for a watcher."""

    __slots__ = ("is_gone", "key", "seats", "socket", "table")

    def __init__(self, socket: ServerConnection, table: "Table", key: bytes) -> None:
        self.socket = socket
        self.table = table
        self.key = key
        self.seats: frozenset[Mark] = frozenset()
        self.is_gone = False  # it left, or a newer connection has its seats


class Table:
    """A room and the members in it."""

    __slots__ = ("members", "name", "room")

    def __init__(self, name: str, room: Room) -> None:
        self.name = name
        self.room = room
        self.members: dict[ServerConnection, Member] = {}


class Hub:
    """All tables of this server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.tables: dict[str, Table] = {}
        self.clock = clock
        self.random = SystemRandom()
        self.closing: set[asyncio.Task[None]] = set()

    def join(self, socket: ServerConnection, command: Join) -> Member:
        """Bring a connection into a room, which is made if it does not exist."""
        if command.protocol != PROTOCOL:
            raise Refused("protocol_version")
        try:
            name = room_name(command.room)
        except BadName as error:
            raise Refused("bad_room", str(error)) from error
        table = self.tables.get(name) or Table(name, new_room(Options()))
        token = command.token or ""
        if command.role == "watch" or not seats_of(table.room, key_of(token)):
            token = secrets.token_urlsafe(16)
        member = Member(socket, table, key_of(token))
        room, news = join(table.room, command, member.key, self.clock())
        self._take_over(table, member.key)
        self.tables[name] = table
        table.members[socket] = member
        table.room = room
        member.seats = seats_of(room, member.key)
        tell(socket, Welcome(PROTOCOL, name, ordered(member.seats), token))
        self._tell_all(table, news)
        self._play_computer(table)
        return member

    def submit(self, member: Member, command: AnyCommand) -> None:
        """Take the step a command asks for and tell everyone in the room, or raise Refused."""
        step = STEPS.get(type(command))
        if step is None:
            raise Refused("unsupported")
        table = member.table
        before = table.room
        table.room, news = step(before, member.seats, command, self.clock())
        if table.room.seats is not before.seats:
            self._seat_anew(table)
        self._tell_all(table, news)
        self._play_computer(table)

    def leave(self, member: Member) -> None:
        """Take a connection out of its room, its seats given up."""
        self._remove(member, leave(member.table.room, member.seats))

    def drop(self, member: Member) -> None:
        """Take a connection that was lost out of its room, its seats kept."""
        if not member.is_gone:
            self._remove(member, drop(member.table.room, member.seats, self.clock()))

    def tell_state(self, member: Member) -> None:
        """Show a member where its room stands."""
        tell(member.socket, view(member.table.room, (), self.clock()))

    def open_rooms(self) -> list[OpenRoom]:
        """Return the rooms in which somebody waits for an opponent."""
        rooms = (open_room(table.name, table.room) for table in self.tables.values())
        return [room for room in rooms if room]

    async def sweep(self) -> None:
        """Forget rooms that nobody has come back to, for as long as the server runs."""
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            self.forget_deserted()

    def forget_deserted(self) -> None:
        """Forget the rooms nobody is in and nobody can be expected back to."""
        now = self.clock()
        for table in [table for table in self.tables.values() if is_deserted(table.room, now)]:
            self._forget(table)

    def _remove(self, member: Member, step: Step) -> None:
        table = member.table
        del table.members[member.socket]
        member.is_gone = True
        table.room, news = step
        self._tell_all(table, news)
        if not table.members and is_deserted(table.room, self.clock()):
            self._forget(table)

    def _forget(self, table: Table) -> None:
        del self.tables[table.name]
        log.info("room %s: forgotten", table.name)

    def _take_over(self, table: Table, key: bytes) -> None:
        """Close the older connection of a player who has come on a newer one."""
        for older in [member for member in table.members.values() if member.key == key]:
            del table.members[older.socket]
            older.is_gone = True
            task = asyncio.create_task(take_leave(older.socket))
            self.closing.add(task)
            task.add_done_callback(self.closing.discard)

    def _seat_anew(self, table: Table) -> None:
        """Tell the members whose seats a step has changed."""
        for socket, member in table.members.items():
            seats = seats_of(table.room, member.key)
            if seats != member.seats:
                member.seats = seats
                tell(socket, Welcome(PROTOCOL, table.name, ordered(seats)))

    def _tell_all(self, table: Table, news: tuple[AnyNews, ...]) -> None:
        frame = encode(view(table.room, news, self.clock()))
        broadcast(table.members, frame, text=True)
        for socket in table.members:
            cut_off_if_stalled(socket)
        for item in news:
            # The repr of a name is escaped.
            log.log(
                logging.DEBUG if isinstance(item, Moved) else logging.INFO,
                "room %s: %r",
                table.name,
                item,
            )

    def _play_computer(self, table: Table) -> None:
        """Play the computer's turn, if it is its turn."""
        room = table.room
        seat = room.seats[room.position.turn]
        if seat and seat.computer and is_on(room):
            command = Move(ai.choose(room.position, self.random), room.ply)
            table.room, news = move(room, {room.position.turn}, command, self.clock())
            self._tell_all(table, news)


def key_of(token: str) -> bytes:
    """Return the hash of a seat's token, which is all the server keeps of it."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def tell(socket: ServerConnection, reply: AnyReply) -> None:
    """Send a message to one connection, without waiting for it."""
    broadcast([socket], encode(reply), text=True)
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
