"""Boards as drawings, so that a test shows the board it is about."""

from msgspec.structs import replace

from server import public, room, seating
from shared.protocol import Join, Options, State
from shared.rules import Mark, Occupied, Position, Rules, lines, outcome


def position(
    drawing: str, turn: Mark = "X", win: int = 3, occupied: Occupied = "retry"
) -> Position:
    """Return the board drawn row by row; its last mark is one of a finished line, if it has one."""
    rows = drawing.split()
    cells = "".join(rows)
    x, o = (sum(1 << cell for cell, c in enumerate(cells) if c == mark) for mark in "XO")
    made = [line for line in lines(len(rows), win) if line.bits in (x & line.bits, o & line.bits)]
    marked = [cell for cell, c in enumerate(cells) if c != "."]
    last = made[0].cells[-1] if made else marked[-1] if marked else None
    return Position(Rules(len(rows), win, occupied), turn, x, o, last)


def state(at: Position, x: str = "", o: str = "") -> State:
    """Return what players called `x` and `o` are shown of a board."""
    made = room.new_room(Options())
    made, _ = seating.join(
        made, Join(1, "lunch", x, options=Options(at.rules.size, at.rules.win)), b"x", 0.0
    )
    made, _ = seating.join(made, Join(1, "lunch", o), b"o", 0.0)
    return public.view(replace(made, position=at, outcome=outcome(at)), (), 0.0)
