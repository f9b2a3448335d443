"""The rules of the game, and the words the whole project uses for it.

cell      a square of the board, counted from 0, row by row
mark      "X" or "O"; a player who holds a seat plays its mark
line      `win` cells in a row: a row, a column, a diagonal or an antidiagonal
turn      the mark that is to play next
ply       one turn taken: a mark placed, or a turn lost
position  a board at one moment, with the rules it is played by
outcome   how a game ended

Boards are held as one int per mark, with bit `cell` set for each cell that holds it: a line is
won when its bits are all set. Nothing here reads a clock, draws a random number or does I/O.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

Mark = Literal["X", "O"]
Occupied = Literal["retry", "forfeit"]
Kind = Literal["row", "column", "diagonal", "antidiagonal"]
Reason = Literal["line", "full", "resigned", "claimed", "timeout"]

MARKS: tuple[Mark, Mark] = ("X", "O")
EMPTY = "."
CHARACTERS = str.maketrans("012", f"{EMPTY}XO")
MIN_SIZE = 3
MAX_SIZE = 15
MAX_CELLS = MAX_SIZE * MAX_SIZE

# The step from one cell of a line to the next, in rows and columns.
STEPS: dict[Kind, tuple[int, int]] = {
    "row": (0, 1),
    "column": (1, 0),
    "diagonal": (1, 1),
    "antidiagonal": (1, -1),
}


class BadMove(Exception):
    """A cell that cannot be played. The position is as it was."""


class OffBoard(BadMove, IndexError):
    """There is no such cell."""


class CellTaken(BadMove, ValueError):
    """The cell holds a mark already."""


class GameOver(BadMove):
    """The game has ended."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The board's side, the marks in a row that win, and the price of choosing a taken cell."""

    size: int = 3
    win: int = 3
    occupied: Occupied = "retry"

    def __post_init__(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"size must be {MIN_SIZE} to {MAX_SIZE}")
        if not MIN_SIZE <= self.win <= self.size:
            raise ValueError(f"win must be {MIN_SIZE} to the size of the board")


class Line(NamedTuple):
    """Cells in a row, and the same cells as bits."""

    kind: Kind
    cells: tuple[int, ...]
    bits: int


class Position(NamedTuple):
    """A board and whose turn it is.

    The turn is kept, not counted from the marks: a turn that was lost leaves no mark.
    """

    rules: Rules
    turn: Mark = "X"
    x: int = 0
    o: int = 0
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `winner` is None when nobody won, `line` unless a line did it."""

    winner: Mark | None
    line: tuple[int, ...] | None = None
    kind: Kind | None = None
    reason: Reason = "line"


def other(mark: Mark) -> Mark:
    """Return the opponent's mark."""
    return "O" if mark == "X" else "X"


def place(position: Position, cell: int) -> Position:
    """Return the position after the side to move plays `cell`.

    A taken cell raises CellTaken or costs the turn, as the rules say.
    """
    rules, turn, x, o, _ = position
    if outcome(position) is not None:
        raise GameOver("the game is over")
    if not 0 <= cell < rules.size * rules.size:
        raise OffBoard(f"there is no cell {cell}")
    bit = 1 << cell
    if (x | o) & bit:
        if rules.occupied == "retry":
            raise CellTaken(f"cell {cell} is taken")
        return position._replace(turn=other(turn))
    if turn == "X":
        return Position(rules, "O", x | bit, o, cell)
    return Position(rules, "X", x, o | bit, cell)


def outcome(position: Position) -> Outcome | None:
    """Return how the game ended, or None while it goes on.

    Looks only at the lines through the last mark, and not before its side has enough marks
    for one. (Counting all the marks would not do: a lost turn leaves none.)
    """
    rules, _, x, o, last = position
    if last is None:
        return None
    mark: Mark = "X" if x >> last & 1 else "O"
    own = x if mark == "X" else o
    if own.bit_count() >= rules.win:
        for line in lines_through(rules.size, rules.win)[last]:
            if own & line.bits == line.bits:
                return Outcome(mark, line.cells, line.kind)
    if (x | o).bit_count() == rules.size * rules.size:
        return Outcome(None, reason="full")
    return None


@cache
def lines(size: int, win: int) -> tuple[Line, ...]:
    """Return every line of `win` cells on a board of side `size`."""
    found = []
    for kind, (down, right) in STEPS.items():
        for row in range(size):
            for column in range(size):
                end_row, end_column = row + down * (win - 1), column + right * (win - 1)
                if end_row < size and 0 <= end_column < size:
                    first, step = row * size + column, down * size + right
                    cells = tuple(range(first, first + step * win, step))
                    found.append(Line(kind, cells, sum(1 << cell for cell in cells)))
    return tuple(found)


@cache
def lines_through(size: int, win: int) -> tuple[tuple[Line, ...], ...]:
    """Return, for each cell, the lines it is part of, in the order of `lines`."""
    every = lines(size, win)
    return tuple(
        tuple(line for line in every if line.bits >> cell & 1) for cell in range(size * size)
    )


def drawing(position: Position) -> str:
    """Return the board as text, a character per cell: "X..O....X"."""
    rules, _, x, o, _ = position
    # Read in base 16, a bit becomes a digit of its own: 1 for an X, and twice that for an O.
    digits = int(f"{x:b}", 16) + 2 * int(f"{o:b}", 16)
    return f"{digits:0{rules.size * rules.size}x}"[::-1].translate(CHARACTERS)
