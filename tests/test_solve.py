from functools import cache
from random import Random

import pytest

from server.solve import Value, is_solvable, value, values
from shared.rules import Position, Rules, lines, outcome, place
from tests.drawings import position


@cache
def brute(at: Position) -> Value:
    """The value of a position by playing out every game from it, and nothing else."""
    over = outcome(at)
    if over is not None:
        return Value(0 if over.winner is None else 1 if over.winner == at.turn else -1, 0)
    replies = [brute(place(at, cell)) for cell in empty(at)]
    result = -min(reply.result for reply in replies)
    plies = [reply.plies + 1 for reply in replies if reply.result == -result]
    return Value(result, min(plies) if result > 0 else max(plies))


def empty(at: Position) -> list[int]:
    return [cell for cell in range(at.rules.size**2) if not (at.x | at.o) >> cell & 1]


def reachable(start: Position) -> set[Position]:
    seen, waiting = {start}, [start]
    while waiting:
        at = waiting.pop()
        if outcome(at) is None:
            following = {place(at, cell) for cell in empty(at)} - seen
            seen |= following
            waiting += following
    return seen


def scattered(rules: Rules, rng: Random, blanks: int) -> Position:
    """Marks anywhere, as many of each as it happens, and no line completed."""
    while True:
        cells = rng.sample(range(rules.size**2), rules.size**2 - blanks)
        x = sum(1 << cell for cell in cells if rng.random() < 0.5)
        o = sum(1 << cell for cell in cells) & ~x
        made = [
            line
            for line in lines(rules.size, rules.win)
            if line.bits in (x & line.bits, o & line.bits)
        ]
        if not made:
            return Position(rules, "X" if rng.random() < 0.5 else "O", x, o, cells[-1])


def test_the_small_boards_are_solvable_and_no_others() -> None:
    every = [(size, win) for size in range(3, 16) for win in range(3, size + 1)]

    assert [board for board in every if is_solvable(Rules(*board))] == [(3, 3), (4, 3), (4, 4)]
    assert is_solvable(Rules(4, 4, "forfeit"))


def test_every_position_of_3x3_has_the_value_that_playing_it_out_gives() -> None:
    positions = reachable(Position(Rules()))

    assert len({(at.x, at.o) for at in positions}) == 5478
    for at in positions:
        assert value(at) == brute(at), at


@pytest.mark.parametrize("win", [3, 4])
@pytest.mark.parametrize("blanks", range(2, 8))
def test_4x4_boards_with_any_marks_have_the_value_that_playing_them_out_gives(
    win: int, blanks: int
) -> None:
    rng = Random(blanks)
    for _ in range(400 // blanks**2 + 10):
        at = scattered(Rules(4, win, "forfeit"), rng, blanks)

        assert value(at) == brute(at)
        assert values(at) == {
            cell: Value(-reply.result, reply.plies + 1)
            for cell in empty(at)
            for reply in [brute(place(at, cell))]
        }


def test_3x3_and_4x4_are_draws() -> None:
    assert value(Position(Rules(3, 3))) == Value(0, 9)
    assert value(Position(Rules(4, 4))) == Value(0, 16)
    assert set(values(Position(Rules(4, 4))).values()) == {Value(0, 16)}


def test_three_in_a_row_on_4x4_is_won_by_the_first_player_fastest_from_the_middle() -> None:
    worth = values(Position(Rules(4, 3)))

    assert {cell for cell, worth in worth.items() if worth == Value(1, 5)} == {5, 6, 9, 10}
    assert all(worth.result == 1 for worth in worth.values())


def test_each_cell_is_worth_what_it_leads_to() -> None:
    assert values(position("XX. OO. X..", turn="O")) == {
        2: Value(0, 4),
        5: Value(1, 1),
        7: Value(-1, 2),
        8: Value(-1, 2),
    }


@pytest.mark.parametrize(
    ("drawing", "result"), [("XXX OO. ...", -1), ("OOO XX. X..", 1), ("XOX XOO OXX", 0)]
)
def test_a_game_that_is_over_is_worth_its_outcome(drawing: str, result: int) -> None:
    assert value(position(drawing, turn="O")) == Value(result, 0)


def test_a_side_that_lost_its_turns_may_still_be_to_move() -> None:
    assert value(position("... ... .XX", turn="O", occupied="forfeit")) == Value(-1, 4)
    assert value(position("..O ... .XX", turn="X", occupied="forfeit")) == Value(1, 1)
