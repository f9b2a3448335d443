"""Rooms as the tests of their steps need them: who is there, and what the board looks like."""

from collections.abc import Iterator, Set
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from server.game import move, rematch
from server.room import Room, Step, new_room
from server.seating import join
from shared.protocol import Code, Join, Move, Opponent, Options, Refused, Rematch
from shared.rules import MARKS, Mark, Occupied
from tests.drawings import position

ANN, BOB, EVE = b"key-of-ann", b"key-of-bob", b"key-of-eve"
X: frozenset[Mark] = frozenset({"X"})
O: frozenset[Mark] = frozenset({"O"})  # noqa: E741
BOTH = X | O
NOBODY: frozenset[Mark] = frozenset()
NOW = 1000.0
WATCH = Join(1, "lunch", "Eve", role="watch")


def player(name: str = "", opponent: Opponent = "human", opponent_name: str = "") -> Join:
    return Join(1, "lunch", name, opponent_name, options=Options(opponent=opponent))


def alone(opponent: Opponent = "human", clock: float | None = None) -> Room:
    """Ann has come in, to play against `opponent`."""
    options = Options(opponent=opponent, clock=clock)
    return join(new_room(Options()), Join(1, "lunch", "Ann", "Bob", options=options), ANN, NOW)[0]


def table(
    drawn: str = "... ... ...",
    turn: Mark = "X",
    occupied: Occupied = "retry",
    clock: float | None = None,
) -> Room:
    """Ann plays X and Bob plays O, on a board that looks so."""
    room = join(alone(clock=clock), player("Bob"), BOB, NOW)[0]
    board = position(drawn, turn, occupied=occupied)
    moves = tuple(cell for cell, c in enumerate("".join(drawn.split())) if c in MARKS)
    return replace(room, position=board, moves=moves, ply=len(moves))


def play(room: Room, seats: Set[Mark], cell: int, now: float = NOW) -> Step:
    return move(room, seats, Move(cell, room.ply), now)


def won() -> Room:
    """Ann has won as X."""
    return play(table("XX. OO. ..."), X, 2)[0]


def again(room: Room, seats: Set[Mark], accept: bool = True, now: float = NOW) -> Step:
    return rematch(room, seats, Rematch(accept), now)


def scores(room: Room) -> dict[str, int]:
    return {seat.name: seat.score for seat in room.seats.values() if seat}


def named(room: Room) -> list[str | None]:
    return [seat.name if seat else None for seat in (room.seats["X"], room.seats["O"])]


@contextmanager
def refused(code: Code) -> Iterator[None]:
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.code == code
