import pytest

from client.board import board
from shared.rules import Position, Rules
from tests.drawings import position, state


def test_an_empty_board_shows_its_numbers() -> None:
    assert board(state(position("... ... ...")), "numbers") == (
        "1 | 2 | 3\n--- --- ---\n4 | 5 | 6\n--- --- ---\n7 | 8 | 9"
    )


def test_a_mark_takes_the_place_of_its_number() -> None:
    assert board(state(position(".X. .O. ...")), "numbers").splitlines()[0::2] == [
        "1 | X | 3",
        "4 | O | 6",
        "7 | 8 | 9",
    ]


def test_the_numbers_of_a_large_board_line_up() -> None:
    lines = board(state(Position(Rules(4, 4), x=1)), "numbers").splitlines()

    assert lines[0] == " X |  2 |  3 |  4"
    assert lines[1] == "---- ---- ---- ----"
    assert lines[6] == "13 | 14 | 15 | 16"


@pytest.mark.parametrize(
    ("drawing", "grid"),
    [
        ("... ... ...", "  1 2 3\n1\n2\n3"),
        (".OX XXX O.O", "  1 2 3\n1   O X\n2 X X X\n3 O   O"),
        ("XOX XOO OXX", "  1 2 3\n1 X O X\n2 X O O\n3 O X X"),
    ],
)
def test_the_grid_has_headers_and_no_trailing_spaces(drawing: str, grid: str) -> None:
    assert board(state(position(drawing)), "grid") == grid


def test_the_headers_of_a_large_grid_line_up() -> None:
    lines = board(state(Position(Rules(10, 5), x=1 << 99)), "grid").splitlines()

    assert lines[0] == "    1  2  3  4  5  6  7  8  9 10"
    assert lines[10].startswith("10")
    assert lines[10].endswith(" X")
    assert len(lines[10]) == len(lines[0])


@pytest.mark.parametrize(
    ("drawing", "rows"),
    [
        ("XXX OO. ...", ["-X-|-X-|-X-", " O | O | 6", " 7 | 8 | 9"]),
        ("XO. XO. X..", ["|X|| O | 3", "|X|| O | 6", "|X|| 8 | 9"]),
        ("XO. OX. ..X", ["\\X\\| O | 3", " O |\\X\\| 6", " 7 | 8 |\\X\\"]),
        ("XXO XO. O..", [" X | X |/O/", " X |/O/| 6", "/O/| 8 | 9"]),
    ],
)
def test_a_line_is_drawn_through_the_winning_cells(drawing: str, rows: list[str]) -> None:
    assert board(state(position(drawing)), "numbers", struck=True).splitlines()[0::2] == rows


def test_a_line_is_drawn_through_the_grid_too() -> None:
    assert board(state(position(".OX XXX O.O")), "grid", struck=True) == (
        "   1   2   3\n1      O   X\n2 -X- -X- -X-\n3  O       O"
    )
