from random import Random
from typing import Any

import pytest

from server import search
from server.ai import choose, completing
from server.search import View, best, fours, gaps
from shared.rules import Mark, Position, Rules, other, outcome, place
from tests.drawings import position

INSTANTLY = 0.0  # what is found without any time does not depend on the machine
FOR_EVER = 1e9

LONG = """
    ...............
    ...............
    ..O.......XO...
    ....O....X.X...
    ..OX..O.OX.....
    ...X..X....O...
    .....XO........
    ....O..OXOX....
    ...X.O.........
    ....O.X...X....
    ....XO...O.....
    ......X....X...
    .........X.OO..
    ...............
    ..............."""
COUNTER = """
    ...............
    ...............
    ...X.OO........
    ....O..XXO.X...
    ...........O...
    ..XX...O.O..O..
    ..XO....X.X....
    ..O..O..XO.....
    .....O......X..
    ...X......O....
    ..OXX..XO...X..
    .......X.......
    ..O....O....X..
    ...............
    ..............."""
COUNTERS = """
    ...............
    ...............
    .........X..O..
    ......O...O....
    .......X.OX....
    ..X..O.X.......
    ......O..X.....
    .....X...X.....
    ......XXXO.....
    ........X.OOO..
    ..........XO...
    ..X.....O......
    ...O.......O...
    ...............
    ..............."""

# X threatens to win by fours, and of most answers it takes long to see whether they stop that.
THREATENED = """
    .......X.O.X...
    .......OX......
    ..........X...O
    O............O.
    X...O.....X....
    X..X..O.......O
    ...O.X.........
    X.......X....OX
    .............O.
    ....O.....O.XX.
    .....X.....X.XX
    ......O......XX
    ....O..O.......
    ...............
    .O....OO......."""

CROSSING = """
    ...........
    ...........
    .......O...
    ....X......
    ....X......
    ......XX...
    ...O.......
    ...........
    ........O..
    ...........
    ..........."""


def winning_cells(at: Position, mark: Mark) -> list[int]:
    own = at.x if mark == "X" else at.o
    empty = (1 << at.rules.size**2) - 1 & ~(at.x | at.o)
    return completing(at.rules, own, empty)


def fours_until_won(at: Position) -> tuple[int, int]:
    """How many fours force the win, and how many answers to them were fours as well."""
    attacker, fours, counters = at.turn, 0, 0
    while not winning_cells(at, attacker):
        at = place(at, best(at, Random(1), INSTANTLY))
        threats = winning_cells(at, attacker)
        assert threats, "not a four"
        assert not winning_cells(at, other(attacker)), "the defence wins first"
        fours += 1
        at = place(at, threats[0])
        counters += bool(winning_cells(at, other(attacker)))
    assert outcome(place(at, best(at, Random(1), INSTANTLY))) is not None
    return fours, counters


def has_fours(own: int, their: int) -> bool:
    view = View(gaps(15, 5, own, their), gaps(15, 5, their, own), own | their)
    return bool(fours(view, 10_000))


@pytest.mark.parametrize(("size", "win"), [(4, 3), (5, 4), (9, 5), (15, 5), (15, 3), (15, 15)])
def test_an_empty_board_is_opened_in_the_centre(size: int, win: int) -> None:
    middle = {(size - 1) // 2, size // 2}

    chosen = {best(Position(Rules(size, win)), Random(seed), INSTANTLY) for seed in range(40)}

    assert chosen == {row * size + column for row in middle for column in middle}


def test_a_win_is_taken_before_a_win_is_stopped() -> None:
    at = position("OOO.. ..... ..... .XXX. .....", win=4)

    assert {best(at, Random(seed), INSTANTLY) for seed in range(20)} == {15, 19}


def test_a_win_is_stopped_even_where_that_gains_nothing() -> None:
    at = position("OOO.. ..... X..X. .XX.. .....", win=4)

    assert best(at, Random(1), INSTANTLY) == 3


def test_a_loss_that_cannot_be_stopped_is_put_off_all_the_same() -> None:
    at = position("..... .OOO. ..... .XX.. .....", win=4)

    assert {best(at, Random(seed), INSTANTLY) for seed in range(20)} == {5, 9}


def test_three_in_a_row_on_a_large_board_is_won_at_once() -> None:
    at = place(place(Position(Rules(15, 3)), 112), 0)
    at = place(at, best(at, Random(1), INSTANTLY))

    assert len(winning_cells(at, "X")) == 2


@pytest.mark.parametrize(
    ("drawing", "fours", "counters"), [(LONG, 15, 0), (COUNTER, 12, 1), (COUNTERS, 5, 2)]
)
def test_a_win_by_fours_is_found_to_its_end(drawing: str, fours: int, counters: int) -> None:
    assert fours_until_won(position(drawing, win=5)) == (fours, counters)


@pytest.mark.parametrize("drawing", [LONG, COUNTERS])
def test_a_win_by_fours_is_prevented(drawing: str) -> None:
    at = position(drawing, turn="O", win=5)
    assert has_fours(at.x, at.o)

    at = place(at, best(at, Random(1), INSTANTLY))
    while threats := winning_cells(at, "O"):
        at = place(at, threats[0])
        at = place(at, best(at, Random(1), INSTANTLY))

    assert not has_fours(at.x, at.o)


def test_a_win_by_fours_that_is_hard_to_prevent_is_not_looked_into_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []
    four = search.four

    def counted(*asked: Any) -> list[int]:  # noqa: ANN401
        tried.append(1)
        return four(*asked)

    monkeypatch.setattr(search, "four", counted)
    at = position(THREATENED, turn="O", win=5)
    assert has_fours(at.x, at.o)
    tried.clear()
    best(at, Random(1), INSTANTLY)

    assert len(tried) < 2 * search.FOURS_AT_ROOT + search.FOURS_AFTER_ALL + 2 * search.FOURS_AFTER


def test_two_open_threes_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "DEEPEST", 3)

    assert best(position(CROSSING, win=5), Random(1), FOR_EVER) == 5 * 11 + 4


def test_two_open_threes_are_prevented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "DEEPEST", 3)
    at = position(CROSSING, turn="O", win=5)

    for _ in range(6):
        at = place(at, best(at, Random(1), FOR_EVER))
        at = place(at, best(at, Random(1), FOR_EVER))

    assert outcome(at) is None


@pytest.mark.parametrize("size", range(4, 16))
def test_whatever_the_board_the_cell_is_empty_and_no_win_is_missed(size: int) -> None:
    rng = Random(size)
    for win in range(3, size + 1):
        for taken in (1, size, size * size // 2, size * size - 2):
            at = Position(Rules(size, win, "forfeit"))
            for cell in rng.sample(range(size * size), taken):
                following = place(at, cell)
                if outcome(following) is None:
                    at = following if rng.random() < 0.9 else following._replace(turn=at.turn)
            wins, losses = winning_cells(at, at.turn), winning_cells(at, other(at.turn))

            cell = best(at, rng, INSTANTLY)

            assert not (at.x | at.o) >> cell & 1
            assert cell in (wins or losses or [cell])


def test_cells_that_are_as_good_are_chosen_alike() -> None:
    at = place(Position(Rules(15, 5)), 112)
    chosen = {best(at, Random(seed), INSTANTLY) - 112 for seed in range(100)}

    assert chosen == {-16, -15, -14, -1, 1, 14, 15, 16}


@pytest.mark.parametrize("mark", ["X", "O"])
def test_the_medium_level_is_beaten_without_time_to_think(mark: Mark) -> None:
    rng, winners = Random(1), []
    for _ in range(20):
        at = Position(Rules(15, 5))
        while (over := outcome(at)) is None:
            hard = at.turn == mark
            at = place(at, best(at, rng, INSTANTLY) if hard else choose(at, "medium", rng))
        winners.append(over.winner)

    assert winners == [mark] * 20
