from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.review import cell_values, review, winner
from server.solve import value
from shared import rules
from shared.protocol import CellValue, TurningPoint
from shared.rules import Position, Rules, outcome, place
from tests.drawings import position

START = Position(Rules())


def test_a_perfect_game_has_no_turning_point() -> None:
    lesson = review(START, [4, 0, 8, 2, 1, 7, 6, 3], 1)

    assert (lesson.start, lesson.turning_points, lesson.end) == (None, [], None)


def test_a_turn_that_gives_the_draw_away_is_named_with_the_cells_that_held() -> None:
    lesson = review(START, [0, 1, 4, 2, 8], 2)

    assert lesson.turning_points == [TurningPoint(2, "O", 1, None, "X", [4])]
    assert (lesson.game, lesson.end) == (2, "X")


def test_a_game_can_change_hands_more_than_once() -> None:
    # O errs, X errs back, O errs again and X wins.
    lesson = review(START, [0, 1, 8, 4, 7, 2, 6], 1)

    assert [(p.turn, p.mark, p.before, p.after) for p in lesson.turning_points] == [
        (2, "O", None, "X"),
        (3, "X", "X", None),
        (6, "O", None, "X"),
    ]


def test_a_turn_that_was_lost_can_be_a_turning_point() -> None:
    start = Position(Rules(occupied="forfeit"))
    lesson = review(start, [4, 4], 1)

    assert [(p.turn, p.mark, p.cell, p.after) for p in lesson.turning_points] == [(2, "O", 4, "X")]
    assert 4 not in lesson.turning_points[0].held


def test_on_four_by_four_with_three_in_a_row_the_first_to_play_wins() -> None:
    assert winner(Position(Rules(4, 3))) == "X"
    assert winner(Position(Rules(4, 4))) is None


def test_the_values_of_the_cells_are_told_from_the_side_to_move() -> None:
    assert cell_values(position("XX. OO. X.."))[0] == CellValue(2, "win", 1)
    assert cell_values(position("XX. .O. ...", "O")) == [
        CellValue(2, "draw", 6),
        *(CellValue(cell, "loss", 2) for cell in (3, 5, 6, 7, 8)),
    ]


@settings(deadline=None, max_examples=100)
@given(st.permutations(range(9)), st.sampled_from(["X", "O"]))
def test_between_turning_points_nothing_changes_hands(
    cells: list[int], starter: rules.Mark
) -> None:
    position, played = Position(Rules(), turn=starter), []
    for cell in cells:
        if outcome(position):
            break
        position = place(position, cell)
        played.append(cell)
    lesson = review(Position(Rules(), turn=starter), played, 1)

    hands = [lesson.start, *(point.after for point in lesson.turning_points)]
    assert all(before != after for before, after in pairwise(hands))
    assert hands[-1] == lesson.end == (outcome(position) or pytest.fail("not over")).winner
    at = Position(Rules(), turn=starter)
    for turn, cell in enumerate(played, 1):
        for point in lesson.turning_points:
            if point.turn == turn:
                assert cell == point.cell
                assert cell not in point.held
                assert point.held
                for held in point.held:
                    kept = value(place(at, held)).result
                    assert kept == value(at).result * -1
        at = place(at, cell)
