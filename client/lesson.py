"""What a board that can be played out to the end teaches: values and post-mortems.

Pure, like all sentences: what the server has worked out comes in, text goes out.
"""

import textwrap
from collections.abc import Iterable
from itertools import groupby

from client.board import cell_name
from client.view import player
from shared.protocol import CellValue, PostMortem, Result, State, TurningPoint, Values
from shared.rules import other

# From best to worst.
WORTHS: dict[Result, str] = {"win": "wins in {}", "draw": "draws", "loss": "loses in {}"}
WIDTH = 79  # columns of a text that has to be broken into lines


def worths(reply: Values, size: int) -> str:
    """Return what each cell is worth: "X wins in 3: 5; draws: 1, 3; loses in 4: 2."."""
    ranked = sorted(reply.values, key=_rank)
    groups = [
        f"{WORTHS[result].format(plies)}: {_cells((v.cell for v in group), size)}"
        for (result, plies), group in groupby(ranked, lambda v: (v.result, _distance(v)))
    ]
    return textwrap.fill(f"{reply.turn} {'; '.join(groups)}.", WIDTH)


def _distance(value: CellValue) -> int:
    return 0 if value.result == "draw" else value.plies


def _rank(value: CellValue) -> tuple[int, int]:
    """Return where a cell stands from best to worst: quick wins first, quick losses last."""
    order = list(WORTHS).index(value.result)
    return order, -value.plies if value.result == "loss" else _distance(value)


def post_mortem(reply: PostMortem, state: State) -> str:
    """Return where the game changed hands."""
    lines = [_turning_point(point, state) for point in reply.turning_points]
    outcome = state.outcome
    if outcome and outcome.winner and not outcome.line and reply.end != outcome.winner:
        loser = player(state, other(outcome.winner))
        standing = "a draw" if reply.end is None else f"won for {loser}"
        lines.append(f"At the end it was {standing}.")
    if not lines:
        lines = ["Nobody went wrong: best play on both sides leads here."]
    return "\n".join(textwrap.fill(line, WIDTH) for line in lines)


def _turning_point(point: TurningPoint, state: State) -> str:
    mover = player(state, point.mark)
    lost = "the draw" if point.before is None else "the win"
    held = _cells(point.held, state.size)
    return (
        f"Turn {point.turn}: {mover} chose {cell_name(point.cell, state.size)} and gave {lost} "
        f"away; held by {held}."
    )


def _cells(cells: Iterable[int], size: int) -> str:
    return ", ".join(cell_name(cell, size) for cell in cells)
