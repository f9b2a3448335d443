"""How a board is drawn, in two styles. Pure: a state in, text out.

Every board fits a terminal of 80 by 24, with the lines around it. On a large one the cells have
no numbers: a row and a column say which is meant, and headers show them.
"""

from typing import Literal

from shared.protocol import State
from shared.rules import EMPTY, Kind

Style = Literal["numbers", "grid"]

LARGEST_NUMBERED = 9
STROKES: dict[Kind, str] = {"row": "-", "column": "|", "diagonal": "\\", "antidiagonal": "/"}


def board(state: State, style: Style, *, struck: bool = False) -> str:
    """Return the board, with a line through the winning cells if `struck`.

    1 | X | 3      struck:   1 ||X|| 3      as a grid:   1 2 3
    --- --- ---             --- --- ---                1   X
    4 | X | 6                4 ||X|| 6                 2   X
    """
    strokes: dict[int, str] = {}
    outcome = state.outcome
    if struck and outcome and outcome.line and outcome.kind:
        strokes = dict.fromkeys(outcome.line, STROKES[outcome.kind])
    if style == "grid":
        return _grid(state, strokes, " ")
    return _numbers(state, strokes) if is_numbered(state.size) else _grid(state, strokes, EMPTY)


def is_numbered(size: int) -> bool:
    """Whether the cells of a board of this side are known by their numbers."""
    return size <= LARGEST_NUMBERED


def cell_name(cell: int, size: int) -> str:
    """Return what a cell is called: its number, or row,col on a large board."""
    if is_numbered(size):
        return str(cell + 1)
    return f"{cell // size + 1},{cell % size + 1}"


def _numbers(state: State, strokes: dict[int, str]) -> str:
    size = state.size
    width = len(str(size * size)) + 2
    shown = [str(i + 1) if mark == EMPTY else mark for i, mark in enumerate(state.cells)]
    texts = [text.rjust(width) for text in _struck(shown, strokes, " ")]
    edge = 0 if strokes else 1  # where nothing is struck, nothing stands left of the first column
    rows = ["|".join(row)[edge:].rstrip() for row in _rows(texts, size)]
    rule = " ".join(["-" * width] * size)
    return f"\n{rule}\n".join(rows)


def _grid(state: State, strokes: dict[int, str], empty: str) -> str:
    size = state.size
    edge = " " if strokes else ""
    head = [f"{edge}{column}{edge}" for column in range(1, size + 1)]
    texts = _struck(list(state.cells.replace(EMPTY, empty)), strokes, edge)
    width = len(str(size))
    lines = [
        " ".join(text.rjust(width + 2 * len(edge)) for text in row)
        for row in [head, *_rows(texts, size)]
    ]
    return "\n".join(
        f"{str(row or '').rjust(width)} {line}".rstrip() for row, line in enumerate(lines)
    )


def _struck(texts: list[str], strokes: dict[int, str], edge: str) -> list[str]:
    """Return the text of each cell between its strokes, or between edges where it has none."""
    sides = [strokes.get(cell, edge) for cell in range(len(texts))]
    return [f"{side}{text}{side}" for side, text in zip(sides, texts, strict=True)]


def _rows(texts: list[str], size: int) -> list[list[str]]:
    return [texts[first : first + size] for first in range(0, size * size, size)]
