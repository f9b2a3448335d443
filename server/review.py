"""What a finished game taught: at which turns the result changed hands.

Pure, and slow on a board that has not been solved before: not for the event loop.
"""

from collections.abc import Iterable

from server.solve import value, values
from shared import rules
from shared.protocol import CellValue, PostMortem, Result, TurningPoint
from shared.rules import Mark, Position, other

RESULTS: dict[int, Result] = {1: "win", 0: "draw", -1: "loss"}


def review(start: Position, moves: Iterable[int], game: int) -> PostMortem:
    """Return the turns at which the side to move gave a win or a draw away."""
    position, before = start, winner(start)
    points = []
    for turn, cell in enumerate(moves, 1):
        mark = position.turn
        after_it = rules.place(position, cell)
        after = winner(after_it)
        if after != before:
            held = [
                cell
                for cell, worth in values(position).items()
                if _side(mark, worth.result) == before
            ]
            points.append(TurningPoint(turn, mark, cell, before, after, sorted(held)))
        position, before = after_it, after
    return PostMortem(game, winner(start), points, before)


def winner(position: Position) -> Mark | None:
    """Return who wins with best play from here, or None if nobody does."""
    return _side(position.turn, value(position).result)


def cell_values(position: Position) -> list[CellValue]:
    """Return what each free cell is worth to the side to move."""
    return [
        CellValue(cell, RESULTS[worth.result], worth.plies)
        for cell, worth in sorted(values(position).items())
    ]


def _side(mark: Mark, result: int) -> Mark | None:
    return {1: mark, 0: None, -1: other(mark)}[result]
