"""How the computer finds a good cell on a board that is too large to solve.

A side is held as its gaps: for each line that the other side has no mark in, the cells it still
lacks, as bits. A mark that leaves a line lacking one cell is called a four, however many win.
First come the wins that fours alone can force, bounded by a count and not by the clock; then a
search of what looks good, a ply deeper at a time, until the time is up.
"""

from collections import defaultdict
from functools import lru_cache
from heapq import nlargest
from random import Random
from time import monotonic
from typing import NamedTuple

from shared.rules import MAX_SIZE, Line, Position, lines, lines_through

# What a line is worth by the number of cells it lacks: five times as much for each one less.
WEIGHTS = tuple(5 ** max(0, 6 - lacking) for lacking in range(MAX_SIZE + 1))
WON = 10**9
WIDTH = 10
WIDTH_AT_ROOT = 20
DEEPEST = 20
# Fours tried before giving up: in the position itself, after a cell, after all cells together, and
# deep in the search.
FOURS_AT_ROOT = 1000
FOURS_AFTER = 200
FOURS_AFTER_ALL = 3000
FOURS_IN_TREE = 20

Gaps = list[int]


class View(NamedTuple):
    """A position as the side to move sees it: the gaps of either side, and all marks as bits."""

    own: Gaps
    their: Gaps
    taken: int


class Search(NamedTuple):
    """What stays the same while a position is searched."""

    through: tuple[tuple[Line, ...], ...]
    deadline: float


class TimeUp(Exception):
    """The search has used its time."""


def best(position: Position, rng: Random, seconds: float) -> int:
    """Return the cell to play, at random if several are as good, in about `seconds`."""
    deadline = monotonic() + seconds
    size, win = position.rules.size, position.rules.win
    x, o = position.x, position.o
    own, their = (x, o) if position.turn == "X" else (o, x)
    view = View(gaps(size, win, own, their), gaps(size, win, their, own), x | o)
    cells = singles(view.own) or singles(view.their) or fours(view, FOURS_AT_ROOT)
    if not cells:
        begun = View(marked(view.own, win), marked(view.their, win), view.taken)
        gains = survey(begun)[1]
        cells = sorted(gains, key=lambda cell: (gains[cell], rng.random()), reverse=True)
        cells = deepen(Search(lines_through(size, win), deadline), begun, safe(view, cells))
    return rng.choice(cells or central(size, x | o)).bit_length() - 1


def gaps(size: int, win: int, own: int, their: int) -> Gaps:
    """Return what each line lacks that `their` marks do not stop."""
    return [line.bits & ~own for line in lines(size, win) if not line.bits & their]


def marked(side: Gaps, win: int) -> Gaps:
    """Return the gaps of the lines that hold a mark already."""
    return [gap for gap in side if gap.bit_count() < win]


def singles(side: Gaps) -> list[int]:
    """Return the cells, as bits, that complete a line."""
    return list({gap for gap in side if not gap & (gap - 1)})


def central(size: int, taken: int) -> list[int]:
    """Return the empty cells, as bits, that are nearest to the centre."""
    distances = {
        1 << cell: (2 * (cell // size) - size + 1) ** 2 + (2 * (cell % size) - size + 1) ** 2
        for cell in range(size * size)
        if not taken >> cell & 1
    }
    nearest = min(distances.values())
    return [cell for cell, distance in distances.items() if distance == nearest]


def fours(view: View, most: int) -> list[int]:
    """Return a cell, as a bit, that starts a win by fours alone, if `most` tries find one."""
    return four(view.own, view.their, 0, 0, set(), most)


def four(
    own: Gaps, their: Gaps, played: int, answered: int, tried: set[tuple[int, int]], most: int
) -> list[int]:
    """Return a four that wins, or that leads to one after the only answer to it."""
    answers: defaultdict[int, int] = defaultdict(int)
    for gap in own:
        if gap.bit_count() == 2:
            cell = gap & -gap
            answers[cell] |= gap ^ cell
            answers[gap ^ cell] |= cell
    forced = singles(their)
    cells = [cell for cell in answers if forced in ([], [cell])]
    for cell in cells:
        if answers[cell].bit_count() > 1:
            return [cell]
    for cell in cells:
        answer = answers[cell]
        after = (played | cell, answered | answer)
        if after in tried or len(tried) >= most:
            continue
        tried.add(after)
        if four(fill(own, cell, answer), fill(their, answer, cell), *after, tried, most):
            return [cell]
    return []


def fill(side: Gaps, cell: int, stop: int) -> Gaps:
    """Return a side's gaps after it takes `cell` and the other side takes `stop`."""
    return [gap & ~cell for gap in side if not gap & stop]


def safe(view: View, cells: list[int]) -> list[int]:
    """Return the first cells found to leave the opponent no win by fours, or all if none is."""
    if not fours(View(view.their, view.own, view.taken), FOURS_AT_ROOT):
        return cells
    kept: list[int] = []
    left = FOURS_AFTER_ALL
    for cell in cells:
        own, their = fill(view.own, cell, 0), fill(view.their, 0, cell)
        tried: set[tuple[int, int]] = set()
        if singles(own) or not four(their, own, 0, 0, tried, FOURS_AFTER):
            kept.append(cell)
        left -= len(tried)
        if len(kept) == WIDTH or left <= 0:
            break
    return kept or cells


def deepen(search: Search, view: View, cells: list[int]) -> list[int]:
    """Return the best of the cells, as far as the time allows to look ahead; the first at worst."""
    cells = cells[:WIDTH_AT_ROOT]
    chosen = cells[:1]
    for depth in range(DEEPEST):
        values: dict[int, int] = {}
        top = -WON
        try:
            for cell in cells:
                # Looking one point below the best tells the cells that are as good from worse.
                values[cell] = -value(search, play(search, view, cell), depth, 1, -WON, 1 - top)
                top = max(top, values[cell])
        except TimeUp:
            break
        cells.sort(key=values.__getitem__, reverse=True)
        chosen = [cell for cell in cells if values[cell] == top]
        if abs(top) > WON // 2:
            break
    return chosen


def value(search: Search, view: View, depth: int, ply: int, low: int, high: int) -> int:
    """Return what a view is worth to the side to move, as far as it is between low and high."""
    if monotonic() > search.deadline:
        raise TimeUp
    if singles(view.own):
        return WON - ply
    forced = singles(view.their)
    if not forced and fours(view, FOURS_IN_TREE):
        return WON - ply - 2
    score, gains = survey(view)
    if not gains:
        return 0
    if not forced and depth == 0:
        return score + max(gains.values())
    top = -WON
    for cell in forced[:1] or nlargest(WIDTH, gains, key=gains.__getitem__):
        # An answer that is forced costs no depth: it must not push what follows out of sight.
        deeper = depth if forced else depth - 1
        found = -value(search, play(search, view, cell), deeper, ply + 1, -high, -max(low, top))
        top = max(top, found)
        if top >= high:
            break
    return top


def play(search: Search, view: View, cell: int) -> View:
    """Return what the opponent sees after the side to move takes a cell."""
    own = fill(view.own, cell, 0)
    for line in search.through[cell.bit_length() - 1]:
        if not line.bits & view.taken:
            own.append(line.bits & ~cell)
    return View(fill(view.their, 0, cell), own, view.taken | cell)


def survey(view: View) -> tuple[int, dict[int, int]]:
    """Return how far the side to move is ahead, and what it would gain by each cell."""
    score = 0
    gains: defaultdict[int, int] = defaultdict(int)
    for gap in view.own:
        lacking = gap.bit_count()
        score += WEIGHTS[lacking]
        gain = WEIGHTS[lacking - 1] - WEIGHTS[lacking]
        for cell in split(gap):
            gains[cell] += gain
    for gap in view.their:
        weight = WEIGHTS[gap.bit_count()]
        score -= weight
        for cell in split(gap):
            gains[cell] += weight
    return score, gains


@lru_cache(1 << 16)
def split(gap: int) -> tuple[int, ...]:
    """Return the cells of a gap, each as a bit."""
    cells = []
    while gap:
        cells.append(gap & -gap)
        gap &= gap - 1
    return tuple(cells)
