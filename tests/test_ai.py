from collections import Counter
from random import Random

from server.ai import choose
from shared.rules import Position, Rules
from tests.drawings import position


def test_the_computer_chooses_any_empty_cell_and_no_other() -> None:
    board = position("XO. .X. O..")
    rng = Random(1)

    chosen = Counter(choose(board, rng) for _ in range(1000))

    assert set(chosen) == {2, 3, 5, 7, 8}
    assert min(chosen.values()) > 100


def test_the_last_empty_cell_is_the_one_it_takes() -> None:
    assert choose(position("XOX XOO OX."), Random(1)) == 8


def test_it_finds_its_way_on_the_largest_board() -> None:
    assert 0 <= choose(Position(Rules(15, 5)), Random(1)) < 225
