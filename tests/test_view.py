"""The boards and sentences a player reads, and what typed lines mean."""

import pytest
from msgspec.structs import replace

from client import view
from client.view import Unclear, board, ending, parse_answer, parse_cell, turn_line
from server import room
from shared.protocol import Join, Move, Options, Rematch, Resign, State
from shared.rules import Position, Rules, outcome
from tests.drawings import position


def state(at: Position, x: str = "", o: str = "") -> State:
    options = Options(size=at.rules.size, win=at.rules.win)
    made = room.new_room(options)
    made, _ = room.join(made, Join(1, "lunch", name=x), b"x" * 32, 0.0)
    made, _ = room.join(made, Join(1, "lunch", name=o), b"o" * 32, 0.0)
    return room.view(replace(made, position=at, outcome=outcome(at)), (), 0.0)


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


def test_the_turn_names_the_player_and_the_mark() -> None:
    assert turn_line(state(position("... ... ..."))) == "Player X's turn"
    assert turn_line(state(position("... ... ..."), x="Alice")) == "Alice's turn (X)"


def test_a_win_says_who_and_how() -> None:
    won = position("XXX OO. ...")

    assert ending(state(won))[:2] == [
        "Congratulations! Player X wins!",
        "Three in a row: 1, 2, 3 (row).",
    ]
    assert ending(state(won, x="Alice"))[0] == "Congratulations! Alice (X) wins!"


def test_a_full_board_is_a_stalemate() -> None:
    assert ending(state(position("XOX XOO OXX")))[0] == "Stalemate!"


@pytest.mark.parametrize("text", ["2", "1,2", "1 2", " 1 , 2 ", "1, 2", "02"])
def test_a_cell_has_a_number_or_a_row_and_a_column(text: str) -> None:
    assert parse_cell(text, state(position("... ... ..."))) == Move(1, 0)


@pytest.mark.parametrize("text", ["12", "0", "-1", "4,1", "1 4", "9" * 10_000])
def test_a_number_off_the_board_is_said_so(text: str) -> None:
    with pytest.raises(Unclear, match=r"^There is no cell .{1,15} on this board\.$"):
        parse_cell(text, state(position("... ... ...")))


@pytest.mark.parametrize("text", ["", "five", "1,2,3", "x" * 10_000, "\x1b[2J", "1.5", "²", "\x00"])
def test_anything_else_is_answered_with_what_is_accepted(text: str) -> None:
    with pytest.raises(Unclear, match="from 1 to 9") as unclear:
        parse_cell(text, state(position("... ... ...")))
    assert len(str(unclear.value)) < 80


def test_words_are_commands_in_any_case() -> None:
    assert parse_cell(" RESIGN ", state(position("... ... ..."))) == Resign()


def test_no_is_what_an_empty_answer_means() -> None:
    over = state(position("XXX OO. ..."))

    assert parse_answer("", over) == Rematch(accept=False)
    assert parse_answer("Y", over) == Rematch(accept=True)
    with pytest.raises(Unclear):
        parse_answer("maybe", over)


def test_a_hostile_name_from_a_hostile_server_is_escaped() -> None:
    hostile = state(position("... ... ..."), x="Alice")
    player = hostile.players["X"]
    assert player
    hostile.players["X"] = replace(player, name="\x1b[2J\u202e\x9b")

    assert turn_line(hostile) == "\\x1b[2J\\u202e\\x9b's turn (X)"
    assert view.player(hostile, "X").isprintable()
