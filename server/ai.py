"""How the computer chooses a cell, at each level."""

from collections import defaultdict
from functools import cache
from random import Random

from server import search
from server.solve import is_solvable, values
from shared.protocol import Level
from shared.rules import Position, Rules, lines, outcome, place

THINKING_SECONDS = 0.5


def choose(position: Position, level: Level, rng: Random, seconds: float = THINKING_SECONDS) -> int:
    """Return the cell that a computer of this level plays, always an empty one."""
    if level == "easy":
        return rng.choice(cells_of(empty(position)))
    if level == "medium":
        return rng.choice(urgent(position) or cells_of(empty(position)))
    if is_solvable(position.rules):
        return rng.choice(perfect(position))
    return search.best(position, rng, seconds)


def empty(position: Position) -> int:
    """Return the cells that hold no mark, as bits."""
    return (1 << position.rules.size**2) - 1 & ~(position.x | position.o)


def cells_of(bits: int) -> list[int]:
    """Return the cells whose bits are set."""
    return [cell for cell, digit in enumerate(f"{bits:b}"[::-1]) if digit == "1"]


def urgent(position: Position) -> list[int]:
    """Return the cells that win at once, or else those that keep the opponent from it."""
    rules, turn, x, o, _ = position
    own, their = (x, o) if turn == "X" else (o, x)
    return completing(rules, own, empty(position)) or completing(rules, their, empty(position))


def completing(rules: Rules, own: int, empty: int) -> list[int]:
    """Return the empty cells that complete a line of `own` marks."""
    found = 0
    for starts, step in directions(rules.size, rules.win):
        whole, one_short = starts, 0
        distances = range(0, step * rules.win, step)
        for distance in distances:
            one_short = one_short & own >> distance | whole & empty >> distance
            whole &= own >> distance
        for distance in distances:
            found |= one_short << distance
    return cells_of(found & empty)


@cache
def directions(size: int, win: int) -> list[tuple[int, int]]:
    """Return for each kind of line the cells one can start in, as bits, and the step along it.

    All the lines of a kind are then followed at once, by shifting the board.
    """
    starts: defaultdict[int, int] = defaultdict(int)
    for line in lines(size, win):
        starts[line.cells[1] - line.cells[0]] |= 1 << line.cells[0]
    return [(bits, step) for step, bits in starts.items()]


def perfect(position: Position) -> list[int]:
    """Return the cells that perfect play may choose from.

    They win as soon as possible or lose as late as possible; if neither, they leave the opponent
    the most replies that lose.
    """
    worth = values(position)
    top = max(value.result for value in worth.values())
    urgency = {
        cell: losing_replies(place(position, cell)) if top == 0 else -top * value.plies
        for cell, value in worth.items()
        if value.result == top
    }
    most = max(urgency.values())
    return [cell for cell, rank in urgency.items() if rank == most]


def losing_replies(position: Position) -> int:
    """Return how many cells would lose the game for the side to move."""
    if outcome(position) is not None:
        return 0
    return sum(value.result < 0 for value in values(position).values())
