"""What a position on a small board is worth when both sides play perfectly.

A position is searched for the shortest line that one side can force against every defence, a
turn deeper at a time. Positions are seen from the side to move, as its own marks and the
opponent's: with turns lost, the number of marks does not tell whose turn it is. To pass is never
searched, because a mark more never hurts. How to choose between cells is not decided here.
"""

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from shared.rules import Position, Rules, lines, outcome, place

SOLVABLE = {(3, 3), (4, 3), (4, 4)}
# The worst position needs about as many answers; both functions full take some 35 MB.
REMEMBERED = 1 << 16


class Value(NamedTuple):
    """What the side to move gets: 1 a win, 0 a draw, -1 a loss; and in how many plies."""

    result: int
    plies: int


def is_solvable(rules: Rules) -> bool:
    """Return whether games by these rules are small enough to be solved while one waits."""
    return (rules.size, rules.win) in SOLVABLE


def values(position: Position) -> dict[int, Value]:
    """Return for each empty cell what playing it is worth to the side that plays it."""
    worth = {}
    for cell in range(position.rules.size**2):
        if not (position.x | position.o) >> cell & 1:
            reply = value(place(position, cell))
            worth[cell] = Value(-reply.result, reply.plies + 1)
    return worth


def value(position: Position) -> Value:
    """Return what a position is worth to the side to move, which may have won or lost already."""
    rules, turn, x, o, _ = position
    over = outcome(position)
    if over is not None:
        return Value(0 if over.winner is None else 1 if over.winner == turn else -1, 0)
    own, their = (x, o) if turn == "X" else (o, x)
    empty = rules.size**2 - (x | o).bit_count()
    for turns in range(1, (empty + 1) // 2 + 1):
        if forces(rules.size, rules.win, own, their, turns):
            return Value(1, 2 * turns - 1)
        if not escapes(rules.size, rules.win, own, their, turns):
            return Value(-1, 2 * turns)
    return Value(0, empty)


@lru_cache(REMEMBERED)
def forces(size: int, win: int, own: int, their: int, turns: int) -> bool:
    """Return whether the side to move can complete a line within `turns` of its turns."""
    chances = gaps(size, win, own, their, turns)
    if any(is_single(gap) for gap in chances):
        return True
    if 2 * danger(chances) < 1:
        return False
    threats = gaps(size, win, their, own, turns)
    return any(
        not escapes(size, win, their, own | cell, turns - 1)
        for cell in forced(threats) or by_weight(chances + threats)
    )


@lru_cache(REMEMBERED)
def escapes(size: int, win: int, own: int, their: int, turns: int) -> bool:
    """Return whether the side to move can keep the other from a line for `turns` of its turns."""
    threats = gaps(size, win, their, own, turns)
    if danger(threats) < 1:
        return True
    chances = gaps(size, win, own, their, turns)
    if any(is_single(gap) for gap in chances):
        return True
    return any(
        not forces(size, win, their, own | cell, turns)
        for cell in forced(threats) or by_weight(chances + threats)
    )


def gaps(size: int, win: int, own: int, their: int, turns: int) -> list[int]:
    """Return the empty cells, as bits, of each line that `own` lacks at most `turns` marks of."""
    open_lines = (line.bits & ~own for line in lines(size, win) if not line.bits & their)
    return [gap for gap in open_lines if gap.bit_count() <= turns]


def danger(threats: list[int]) -> float:
    """Return how far the lines are from being stopped for certain.

    By the theorem of Erdős and Selfridge they can all be stopped when this is below 1 and the
    defence is to move, or below a half and the attack is: always take the cell that is worth most.
    """
    return sum(2.0 ** -gap.bit_count() for gap in threats)


def forced(threats: list[int]) -> list[int]:
    """Return a cell, as a bit, that must be taken now to stop a line, if there is one."""
    return [gap for gap in threats if is_single(gap)][:1]


def by_weight(lacking: list[int]) -> list[int]:
    """Return the cells, as bits, that matter to any line; those that matter most come first."""
    weights: defaultdict[int, float] = defaultdict(float)
    for gap in lacking:
        weight, rest = 4.0 ** -gap.bit_count(), gap
        while rest:
            cell = rest & -rest
            weights[cell] += weight
            rest ^= cell
    return sorted(weights, key=weights.__getitem__, reverse=True)


def is_single(gap: int) -> bool:
    """Return whether one cell is all that a line lacks."""
    return gap & (gap - 1) == 0
