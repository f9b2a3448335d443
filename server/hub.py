"""The rooms of this server, and every step that is taken in them.

A command is a step of a room: it is taken, everyone in the room is told, and whatever follows
from it is set going: the clock of the next turn, the computer's move, the values for watchers.
There is no lock and no waiting in a step, so it is never half done when the next one comes.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Set
from itertools import islice
from random import SystemRandom
from typing import Any

from websockets.asyncio.server import ServerConnection

from server import ai
from server.game import claim, move, rematch, resign, run_out
from server.lesson import check_review, has_values, tell_review, tell_values
from server.public import open_room, view
from server.room import Room, Step, is_deserted, is_on, new_room, ordered, seats_of
from server.seating import computer, drop, join, leave, sit
from server.table import Member, Table, key_of, take_leave, tell
from server.thinker import NoThought, Thinker
from shared.names import BadName, room_name
from shared.protocol import (
    MAX_LISTED,
    PROTOCOL,
    AnyCommand,
    Claim,
    Computer,
    Join,
    Move,
    OpenRoom,
    Options,
    Refused,
    Rematch,
    Resign,
    Review,
    Sit,
    Welcome,
)
from shared.rules import Mark

SWEEP_EVERY = 60.0  # seconds between looks for rooms to forget

# The steps that who is in a room takes by a command. Each takes a command of its own type.
STEPS: dict[type, Callable[[Room, Set[Mark], Any, float], Step]] = {
    Move: move,
    Resign: resign,
    Claim: claim,
    Rematch: rematch,
    Computer: computer,
}

log = logging.getLogger("tictactoe")

_STARTED = time.time() - time.monotonic()


def steady_time() -> float:
    """Return the time of day, as a clock tells it that nobody sets while the server runs."""
    return _STARTED + time.monotonic()


class Hub:
    """All tables of this server."""

    def __init__(self, clock: Callable[[], float] = steady_time) -> None:
        self.tables: dict[str, Table] = {}
        self.clock = clock
        self.random = SystemRandom()
        self.thinker = Thinker()
        self.tasks: set[asyncio.Task[None]] = set()

    def join(self, socket: ServerConnection, command: Join) -> Member:
        """Bring a connection into a room, which is made if it does not exist."""
        if command.protocol != PROTOCOL:
            raise Refused("protocol_version")
        try:
            name = room_name(command.room)
        except BadName as error:
            raise Refused("bad_room", str(error)) from error
        if command.any:
            name = self._waiting_room(command.options) or name
        table = self.tables.get(name) or Table(name, new_room(Options()))
        token = command.token or ""
        if command.role == "watch" or not seats_of(table.room, key_of(token)):
            token = secrets.token_urlsafe(16)
        member = Member(socket, table, command, key_of(token))
        step = join(table.room, command, member.key, self.clock())
        self._take_over(table, member.key)
        self.tables[name] = table
        member.seats = seats_of(step[0], member.key)
        tell(socket, Welcome(PROTOCOL, name, ordered(member.seats), token))
        table.members[socket] = member
        self._take(table, step)
        self._tell_values(table, [member])
        return member

    def submit(self, member: Member, command: AnyCommand) -> None:
        """Take the step a command asks for and tell everyone in the room, or raise Refused."""
        table, now = member.table, self.clock()
        if table.room.deadline is not None and now >= table.room.deadline:
            self._take(table, run_out(table.room))  # what comes too late must not come first
        if isinstance(command, Review):
            check_review(table.room)
            self._spawn(tell_review(self.thinker, table.room, member))
        elif isinstance(command, Sit):
            self._take(table, sit(table.room, member.seats, member.join, member.key, now))
        else:
            step = STEPS[type(command)]
            self._take(table, step(table.room, member.seats, command, now))

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
        """Return the rooms in which somebody waits for an opponent, the oldest first."""
        return list(islice(self._open_rooms(), MAX_LISTED))

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

    def close(self) -> None:
        """Stop what is under way beside the steps."""
        for task in self.tasks:
            task.cancel()
        self.thinker.close()

    def _take(self, table: Table, step: Step) -> None:
        """Take a step: tell everyone in the room, and set going what follows."""
        before = table.room
        table.room, news = step
        room = table.room
        if room.seats is not before.seats:
            table.seat_anew()
        table.tell_all(news, self.clock())
        if room.deadline != before.deadline:
            self._set_clock(table)
        if room.position is not before.position or room.seats is not before.seats:
            self._tell_values(table, table.members.values())
            self._play_computer(table)

    def _waiting_room(self, options: Options) -> str | None:
        """Return a room that waits for an opponent, best one that plays by `options`, if any."""
        wanted = (options.size, options.win, options.occupied, options.clock)
        first = None
        for room in self._open_rooms():
            if (room.size, room.win, room.occupied, room.clock) == wanted:
                return room.room
            first = first or room.room
        return first

    def _open_rooms(self) -> Iterator[OpenRoom]:
        for table in self.tables.values():
            if found := open_room(table.name, table.room):
                yield found

    def _remove(self, member: Member, step: Step) -> None:
        table = member.table
        del table.members[member.socket]
        member.is_gone = True
        self._take(table, step)
        if not table.members and is_deserted(table.room, self.clock()):
            self._forget(table)

    def _forget(self, table: Table) -> None:
        del self.tables[table.name]
        if table.timer:
            table.timer.cancel()
        log.info("room %s: forgotten", table.name)

    def _take_over(self, table: Table, key: bytes) -> None:
        """Close the older connection of a player who has come on a newer one."""
        for older in [member for member in table.members.values() if member.key == key]:
            del table.members[older.socket]
            older.is_gone = True
            self._spawn(take_leave(older.socket))

    def _set_clock(self, table: Table) -> None:
        """Have the turn end at its deadline."""
        if table.timer:
            table.timer.cancel()
        table.timer = None
        deadline = table.room.deadline
        if deadline is not None:
            wait = deadline - self.clock()
            table.timer = asyncio.get_running_loop().call_later(wait, self._end_turn, table)

    def _end_turn(self, table: Table) -> None:
        deadline = table.room.deadline
        if deadline is None:
            return
        if self.clock() < deadline:  # a timer may ring a little early
            self._set_clock(table)
        else:
            self._take(table, run_out(table.room))

    def _play_computer(self, table: Table) -> None:
        """Play the computer's turn, if it is its turn; a hard one thinks about it first."""
        if table.thinking:  # of a board, or for a player, that may be gone
            table.thinking.cancel()
            table.thinking = None
        room = table.room
        seat = room.seats[room.position.turn]
        if not seat or seat.level is None or not is_on(room):
            return
        if seat.level == "hard":
            table.thinking = self._spawn(self._think(table))
        else:
            self._play(table, ai.choose(room.position, seat.level, self.random))

    async def _think(self, table: Table) -> None:
        position = table.room.position
        try:
            cell = await self.thinker.choose(position, "hard")
        except NoThought:
            cell = ai.choose(position, "medium", self.random)
        table.thinking = None
        self._play(table, cell)

    def _play(self, table: Table, cell: int) -> None:
        room = table.room
        command = Move(cell, room.ply)
        self._take(table, move(room, {room.position.turn}, command, self.clock()))

    def _tell_values(self, table: Table, members: Iterable[Member]) -> None:
        """Tell watchers who want to know what each cell is worth, where that can be known."""
        curious = [member for member in members if member.sees_values]
        if curious and has_values(table.room):
            self._spawn(tell_values(self.thinker, table, table.room, curious))

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task
