from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules import (
    MARKS,
    MAX_SIZE,
    BadMove,
    CellTaken,
    GameOver,
    Kind,
    Mark,
    OffBoard,
    Outcome,
    Position,
    Rules,
    drawing,
    lines,
    lines_through,
    other,
    outcome,
    place,
)
from tests.drawings import position

sizes = st.integers(3, MAX_SIZE).flatmap(
    lambda size: st.tuples(st.just(size), st.integers(3, size))
)


@st.composite
def played(draw: st.DrawFn, largest: int = 7) -> Position:
    """A position some turns into a game, where a turn now and then is lost."""
    size = draw(st.integers(3, largest))
    board = Position(Rules(size, draw(st.integers(3, min(size, 5))), "forfeit"))
    for cell in draw(st.lists(st.integers(0, size * size - 1), max_size=2 * size * size)):
        if outcome(board) is not None:
            break
        board = place(board, cell)
    return board


def first_line(board: Position) -> Outcome | None:
    """What `outcome` should say, by looking at every line for both marks."""
    for line in lines(board.rules.size, board.rules.win):
        for mark, own in zip(MARKS, (board.x, board.o), strict=True):
            if own & line.bits == line.bits:
                return Outcome(mark, line.cells, line.kind)
    return Outcome(None, reason="full") if "." not in drawing(board) else None


def turned(board: Position, there: Callable[[int, int, int], tuple[int, int]]) -> Position:
    """The board with the cell of each row and column moved to where `there` says."""
    size = board.rules.size

    def to(cell: int) -> int:
        row, column = there(*divmod(cell, size), size - 1)
        return row * size + column

    x, o = (
        sum(1 << to(cell) for cell in range(size * size) if own >> cell & 1)
        for own in (board.x, board.o)
    )
    return board._replace(x=x, o=o, last=None if board.last is None else to(board.last))


def test_every_game_on_the_small_board_is_counted() -> None:
    games: Counter[Mark | None] = Counter()
    reached = {(0, 0)}
    # Boards by how many ways lead to them: every game is counted without playing each alone.
    ways = Counter({Position(Rules()): 1})
    while ways:
        following: Counter[Position] = Counter()
        for board, count in ways.items():
            end = outcome(board)
            if end is not None:
                games[end.winner] += count
                continue
            for cell in range(9):
                if not (board.x | board.o) >> cell & 1:
                    following[place(board, cell)] += count
        reached |= {(board.x, board.o) for board in following}
        ways = following

    assert games == {"X": 131_184, "O": 77_904, None: 46_080}
    assert games.total() == 255_168
    assert len(reached) == 5_478


def test_x_begins_on_an_empty_board() -> None:
    assert Position(Rules()) == position("... ... ...", turn="X")


def test_the_marks_take_turns() -> None:
    board = place(place(Position(Rules()), 4), 0)

    assert drawing(board) == "O...X...."
    assert board.turn == "X"
    assert board.last == 0


def test_the_opponent_of_the_opponent_is_oneself() -> None:
    assert [other(mark) for mark in MARKS] == ["O", "X"]


@pytest.mark.parametrize("cell", [-1, 9, 10**6])
def test_a_cell_off_the_board_is_an_index_error(cell: int) -> None:
    with pytest.raises(OffBoard, match=f"no cell {cell}") as caught:
        place(position("X.. .O. ..."), cell)

    assert isinstance(caught.value, IndexError)
    assert isinstance(caught.value, BadMove)


def test_a_taken_cell_is_a_value_error() -> None:
    with pytest.raises(CellTaken, match="cell 4 is taken") as caught:
        place(position("X.. .O. ..."), 4)

    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, BadMove)


@pytest.mark.parametrize("cell", [0, 4])
def test_a_taken_cell_leaves_the_board_as_it_was(cell: int) -> None:
    board = position("X.. .O. ...")

    with pytest.raises(CellTaken):
        place(board, cell)

    assert board == position("X.. .O. ...")


@pytest.mark.parametrize("cell", [5, 0, 99])
def test_a_finished_game_takes_no_more_marks(cell: int) -> None:
    with pytest.raises(GameOver):
        place(position("XXX OO. ...", turn="O"), cell)


def test_a_full_board_takes_no_more_marks() -> None:
    with pytest.raises(GameOver):
        place(position("XOX XOO OXX", turn="O"), 0)


@pytest.mark.parametrize("cell", [0, 4])
def test_a_taken_cell_costs_the_turn_where_the_rules_say_so(cell: int) -> None:
    board = position("X.. .O. ...", turn="X", occupied="forfeit")

    assert place(board, cell) == board._replace(turn="O")


def test_a_cell_off_the_board_costs_no_turn() -> None:
    with pytest.raises(OffBoard):
        place(position("X.. .O. ...", occupied="forfeit"), 9)


def test_x_can_win_before_o_has_a_mark() -> None:
    board = Position(Rules(occupied="forfeit"))
    for cell in (0, 0, 1, 0, 2):
        board = place(board, cell)

    assert drawing(board) == "XXX......"
    assert outcome(board) == Outcome("X", (0, 1, 2), "row")


def test_o_can_win_with_more_marks_than_x() -> None:
    board = Position(Rules(occupied="forfeit"))
    for cell in (0, 2, 0, 4, 0, 6):
        board = place(board, cell)

    assert outcome(board) == Outcome("O", (2, 4, 6), "antidiagonal")


@pytest.mark.parametrize(
    ("board", "winner", "cells", "kind"),
    [
        ("... XXX OO.", "X", (3, 4, 5), "row"),
        ("XO. XO. .OX", "O", (1, 4, 7), "column"),
        ("XO. .XO ..X", "X", (0, 4, 8), "diagonal"),
        ("XXO .O. O.X", "O", (2, 4, 6), "antidiagonal"),
    ],
)
def test_a_line_says_which_way_it_runs(
    board: str, winner: Mark, cells: tuple[int, ...], kind: Kind
) -> None:
    assert outcome(position(board)) == Outcome(winner, cells, kind)


def test_two_lines_at_once_are_one_win() -> None:
    end = outcome(place(position("XX. OOX OOX"), 2))

    assert end == Outcome("X", (0, 1, 2), "row")


def test_a_line_on_a_full_board_is_a_win() -> None:
    assert outcome(place(position("XOX OXO OX."), 8)) == Outcome("X", (0, 4, 8), "diagonal")


def test_a_full_board_without_a_line_is_a_tie() -> None:
    assert outcome(position("XOX XOO OXX")) == Outcome(None, reason="full")


@pytest.mark.parametrize("board", ["... ... ...", "XX. OO. ...", "XOX XOO OX."])
def test_a_board_with_room_and_no_line_plays_on(board: str) -> None:
    assert outcome(position(board)) is None


def test_a_line_does_not_run_over_the_edge() -> None:
    assert outcome(position("..XX X... .... OOX.")) is None


def test_three_in_a_row_is_not_four() -> None:
    assert outcome(position("XXX. OOO. .... ....", win=4)) is None
    assert outcome(position("XXX. OO.. .... ....", win=3)) == Outcome("X", (0, 1, 2), "row")


@pytest.mark.parametrize(("size", "win"), [(2, 2), (16, 3), (3, 4), (5, 2), (0, 0), (-3, -3)])
def test_a_board_nobody_can_play_on_is_refused(size: int, win: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        Rules(size, win)


@pytest.mark.parametrize("size", range(3, MAX_SIZE + 1))
def test_every_size_has_as_many_lines_as_arithmetic_says(size: int) -> None:
    for win in range(3, size + 1):
        starts = size - win + 1
        found = lines(size, win)

        assert len(found) == 2 * size * starts + 2 * starts**2
        assert len({line.bits for line in found}) == len(found)


@settings(deadline=None, max_examples=40)
@given(sizes)
def test_a_line_is_on_the_board_and_has_the_cells_of_its_bits(sides: tuple[int, int]) -> None:
    size, win = sides
    for line in lines(size, win):
        assert len(set(line.cells)) == win
        assert all(0 <= cell < size * size for cell in line.cells)
        assert line.bits == sum(1 << cell for cell in line.cells)


@settings(deadline=None, max_examples=40)
@given(sizes)
def test_each_cell_knows_the_lines_through_it(sides: tuple[int, int]) -> None:
    size, win = sides
    through = lines_through(size, win)

    assert len(through) == size * size
    assert sum(map(len, through)) == win * len(lines(size, win))
    assert all(cell in line.cells for cell, some in enumerate(through) for line in some)


@settings(deadline=None, max_examples=200)
@given(played())
def test_the_lines_through_the_last_mark_are_enough(board: Position) -> None:
    assert outcome(board) == first_line(board)


@settings(deadline=None, max_examples=150)
@given(played())
def test_a_turned_or_mirrored_board_has_the_same_winner(board: Position) -> None:
    end = outcome(board)
    for there in (
        lambda row, column, edge: (column, edge - row),
        lambda row, column, edge: (edge - row, edge - column),
        lambda row, column, edge: (row, edge - column),
        lambda row, column, edge: (edge - column, edge - row),
    ):
        seen = outcome(turned(board, there))

        assert (seen is None) == (end is None)
        assert (seen and seen.winner) == (end and end.winner)


@settings(deadline=None, max_examples=150)
@given(played())
def test_no_cell_ever_holds_both_marks(board: Position) -> None:
    assert board.x & board.o == 0
    assert drawing(board).count("X") == board.x.bit_count()
    assert drawing(board).count("O") == board.o.bit_count()


@settings(deadline=None, max_examples=150)
@given(played())
def test_a_drawing_can_be_read_back(board: Position) -> None:
    size = board.rules.size
    cells = drawing(board)
    rows = " ".join(cells[start : start + size] for start in range(0, size * size, size))

    again = position(rows, board.turn, board.rules.win, "forfeit")

    assert again._replace(last=None) == board._replace(last=None)
    assert outcome(again) == outcome(board)
