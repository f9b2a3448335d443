from collections import Counter
from random import Random

import pytest

from server.ai import choose, perfect
from server.solve import value
from shared.protocol import Level
from shared.rules import Mark, Position, Rules, outcome, place
from tests.drawings import position

LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
# What chi-square stays below in 999 of 1,000 fair samples, by the number of cells less one.
CRITICAL = {3: 16.27, 4: 18.47, 8: 26.12}


def chi_square(chosen: Counter[int]) -> float:
    expected = chosen.total() / len(chosen)
    return sum((count - expected) ** 2 / expected for count in chosen.values())


def empty(at: Position) -> list[int]:
    return [cell for cell in range(at.rules.size**2) if not (at.x | at.o) >> cell & 1]


@pytest.mark.parametrize("level", LEVELS)
def test_the_last_empty_cell_is_the_one_it_takes(level: Level) -> None:
    assert choose(position("XOX XOO OX."), level, Random(1)) == 8


@pytest.mark.parametrize("level", LEVELS)
def test_it_finds_its_way_on_the_largest_board(level: Level) -> None:
    assert 0 <= choose(Position(Rules(15, 5)), level, Random(1), seconds=0.01) < 225


@pytest.mark.parametrize("level", LEVELS)
def test_it_plays_on_when_turns_were_lost(level: Level) -> None:
    at = position("XXO .X. O..", turn="X", occupied="forfeit")

    assert choose(at, level, Random(1)) in empty(at)


def test_easy_chooses_each_empty_cell_as_often() -> None:
    rng = Random(1)
    first = Counter(choose(Position(Rules()), "easy", rng) for _ in range(10_000))
    later = Counter(choose(position("XO. .X. O.."), "easy", rng) for _ in range(10_000))

    assert set(first) == set(range(9))
    assert chi_square(first) < CRITICAL[8]
    assert set(later) == {2, 3, 5, 7, 8}
    assert chi_square(later) < CRITICAL[4]


def test_medium_takes_a_win_rather_than_stop_one() -> None:
    at = position("XX. OO. ...")

    assert {choose(at, "medium", Random(seed)) for seed in range(20)} == {2}


def test_medium_takes_any_of_its_wins() -> None:
    at = position("XX. XO. .O.")

    assert {choose(at, "medium", Random(seed)) for seed in range(20)} == {2, 6}


def test_medium_stops_a_win() -> None:
    at = position("O.. XOX ...", turn="X")

    assert {choose(at, "medium", Random(seed)) for seed in range(20)} == {8}


def test_medium_does_not_see_a_line_run_on_into_the_next_row() -> None:
    at = position("..XX X... .... ....", win=3)

    assert {choose(at, "medium", Random(seed)) for seed in range(20)} == {1}


def test_medium_plays_anywhere_when_nothing_is_urgent() -> None:
    at = position("X.. .O. ...")

    assert {choose(at, "medium", Random(seed)) for seed in range(100)} == set(empty(at))


def test_hard_opens_in_any_corner_as_often() -> None:
    rng = Random(1)
    chosen = Counter(choose(Position(Rules()), "hard", rng) for _ in range(2_000))

    assert set(chosen) == {0, 2, 6, 8}
    assert chi_square(chosen) < CRITICAL[3]


def test_hard_wins_as_soon_as_it_can() -> None:
    at = position("XX.. OO.. .... ....", win=3)

    assert perfect(at) == [2]


def test_hard_loses_as_late_as_it_can() -> None:
    at = position("X.O .X. ..O", turn="O", occupied="forfeit")

    assert perfect(at) == [5]


@pytest.mark.parametrize("hard", ["X", "O"])
def test_hard_never_loses_and_wins_whatever_is_won(hard: Mark) -> None:
    seen, waiting = set(), [Position(Rules())]
    while waiting:
        at = waiting.pop()
        over = outcome(at)
        if over is not None:
            assert over.winner in (hard, None)
            continue
        cells = perfect(at) if at.turn == hard else empty(at)
        for following in (place(at, cell) for cell in cells):
            if at.turn == hard and outcome(following) is None:
                assert value(following).result == -value(at).result
            if following not in seen:
                seen.add(following)
                waiting.append(following)


@pytest.mark.parametrize("win", [3, 4])
def test_hard_plays_4x4_without_a_loss(win: int) -> None:
    for seed in range(6):
        rng, at = Random(seed), Position(Rules(4, win))
        while (over := outcome(at)) is None:
            at = place(at, choose(at, "hard" if at.turn == "X" else "medium", rng))

        assert over.winner == "X" or (over.winner is None and win == 4)
