"""What a room is, and what every kind of step does to it.

The steps are in seating.py (who comes and goes) and game.py (the turns); nothing else changes a
room. Nothing in these files reads a clock, draws a random number or waits, so a step can be
retried, replayed and tested without a server. A step returns the new room and the news of it,
or raises Refused and has changed nothing.
"""

import hmac
from collections.abc import Set
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from shared.protocol import AnyNews, Level, Options, Refused
from shared.rules import MARKS, Mark, Outcome, Position, Rules, other

GRACE = 30.0  # seconds a dropped player has before the win may be claimed, or a seat taken
KEPT_FOR = 900.0  # seconds a room is kept for players who have all dropped


class Seat(Struct, frozen=True):
    """Who plays a mark. It belongs to whoever has the token whose hash is `key`."""

    name: str
    key: bytes
    score: int = 0
    level: Level | None = None  # how well the computer plays, or None for a human
    dropped: float | None = None  # since when, or None while connected

    @property
    def is_computer(self) -> bool:
        """Whether the computer holds the seat."""
        return self.level is not None


class Room(Struct, frozen=True):
    """A table for two, the game on it and the series it is part of.

    The options are those of whoever sat down where nobody was. Times are in seconds, of the
    clock whose `now` every step is given.
    """

    options: Options
    position: Position
    seats: dict[Mark, Seat | None] = field(default_factory=lambda: {"X": None, "O": None})
    starter: Mark = "X"
    game: int = 1
    moves: tuple[int, ...] = ()  # the cells of this game, in order
    deadline: float | None = None  # when the turn is up, if there is a clock and a game is on
    outcome: Outcome | None = None
    rematch: frozenset[Mark] = frozenset()
    draws: int = 0
    watchers: int = 0
    ply: int = 0  # never goes back, not even with a new game
    version: int = 0


Step = tuple[Room, tuple[AnyNews, ...]]


def new_room(options: Options) -> Room:
    """Return an empty room that plays by `options`, or raise Refused."""
    try:
        board = Rules(options.size, options.win, options.occupied)
    except ValueError as error:
        raise Refused("bad_options", f"The {error}.") from error
    return Room(options, Position(board))


def seats_of(room: Room, key: bytes) -> frozenset[Mark]:
    """Return the seats that belong to the token whose hash is `key`."""
    return frozenset(
        mark for mark, seat in room.seats.items() if seat and hmac.compare_digest(seat.key, key)
    )


def ordered(marks: Set[Mark]) -> list[Mark]:
    """Return marks as they are told: X before O."""
    return [mark for mark in MARKS if mark in marks]


def is_on(room: Room) -> bool:
    """Whether both seats are taken and the game has not ended."""
    return room.outcome is None and None not in room.seats.values()


def is_deserted(room: Room, now: float) -> bool:
    """Whether nobody is in the room and nobody can be expected back."""
    players = [seat for seat in room.seats.values() if seat and not seat.is_computer]
    return not room.watchers and all(
        seat.dropped is not None and now - seat.dropped >= KEPT_FOR for seat in players
    )


def claimable_in(room: Room, now: float) -> float | None:
    """Return the seconds until a dropped player's game may be claimed, or None."""
    dropped = [seat.dropped for seat in room.seats.values() if seat and seat.dropped is not None]
    if not dropped or not is_on(room):
        return None
    return max(0.0, min(dropped) + GRACE - now)


def changed(room: Room, **fields: Any) -> Room:  # noqa: ANN401
    """Return the next version of a room, with some fields changed."""
    return replace(room, version=room.version + 1, **fields)


def holder(room: Room, mark: Mark) -> Seat:
    """Return who plays a mark, or raise LookupError."""
    seat = room.seats[mark]
    if seat is None:
        raise LookupError(f"nobody holds {mark}")
    return seat


def swapped(seats: dict[Mark, Seat | None]) -> dict[Mark, Seat | None]:
    """Return the seats with the marks exchanged."""
    return {mark: seats[other(mark)] for mark in MARKS}


def new_game(
    room: Room, game: int, seats: dict[Mark, Seat | None], starter: Mark, now: float
) -> Room:
    """Return the room at the beginning of a game."""
    room = changed(
        room,
        position=Position(room.position.rules, turn=starter),
        seats=seats,
        starter=starter,
        game=game,
        moves=(),
        outcome=None,
        rematch=frozenset(),
    )
    return replace(room, deadline=deadline(room, starter, now))


def deadline(room: Room, turn: Mark, now: float) -> float | None:
    """Return when a turn that begins now is up. The computer needs no clock."""
    clock = room.options.clock
    if clock is None or not is_on(room) or holder(room, turn).is_computer:
        return None
    return now + clock
