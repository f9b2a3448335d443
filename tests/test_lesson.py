"""What the server's reviews and values are in words."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from client.lesson import post_mortem, worths
from server.review import cell_values, review
from shared.protocol import State, Values
from shared.rules import Mark, Outcome, Position, Reason, Rules, place
from tests.drawings import position, state

THREE = Rules(3, 3)
WIDE = "Wilhelmina Wundt"


def worth(at: Position) -> str:
    return worths(Values(0, at.turn, cell_values(at)), at.rules.size)


def played(rules: Rules, cells: Sequence[int], x: str = "Alice", o: str = "Bob") -> State:
    at = Position(rules)
    for cell in cells:
        at = place(at, cell - 1)
    return state(at, x, o)


def taught(rules: Rules, cells: Sequence[int], told: State | None = None) -> str:
    """Return the post-mortem of a game whose cells are given by their numbers."""
    reply = review(Position(rules), [cell - 1 for cell in cells], 1)
    return post_mortem(reply, told or played(rules, cells))


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (position("... ... ..."), "X draws: 1, 2, 3, 4, 5, 6, 7, 8, 9."),
        (position("XX. OO. ..."), "X wins in 1: 3; draws: 6; loses in 2: 7, 8, 9."),
        (position("XX. OO. X..", turn="O"), "O wins in 1: 6; draws: 3; loses in 2: 8, 9."),
        (position(".X. ... ...", turn="O"), "O draws: 1, 3, 5, 8; loses in 6: 4, 6, 7, 9."),
        (position("XOX .O. ..."), "X draws: 8; loses in 2: 4, 6, 7, 9."),
        (position("XOX XOO O.X"), "X draws: 8."),
    ],
    ids=lambda value: "" if isinstance(value, str) else value.turn,
)
def test_a_cell_is_told_with_all_that_are_worth_the_same(at: Position, said: str) -> None:
    assert worth(at) == said


def test_quick_wins_come_first_and_lines_are_no_wider_than_a_terminal() -> None:
    assert worth(position(".... .... .... ....")) == (
        "X wins in 5: 6, 7, 10, 11; wins in 7: 2, 3, 5, 8, 9, 12, 14, 15; wins in 11: 1,\n"
        "4, 13, 16."
    )


def test_quick_losses_come_last_and_lines_are_no_wider_than_a_terminal() -> None:
    assert worth(position("X... .O.. .... ....")) == (
        "X wins in 9: 2, 5; loses in 6: 3, 9; loses in 4: 4, 7, 8, 10, 11, 12, 13, 14,\n15, 16."
    )


@pytest.mark.parametrize(
    "cells",
    [
        (1, 5, 9, 2, 8, 7, 3, 6, 4),
        (5, 1, 9, 3, 2, 8, 4, 6, 7),
    ],
)
def test_a_game_without_a_mistake_is_told_as_one(cells: Sequence[int]) -> None:
    assert taught(THREE, cells) == "Nobody went wrong: best play on both sides leads here."


@pytest.mark.parametrize(
    ("rules", "cells", "said"),
    [
        (
            THREE,
            (5, 2, 1, 9, 7, 3, 4),
            ["Turn 2: Bob (O) chose 2 and gave the draw away; held by 1, 3, 7, 9."],
        ),
        (
            THREE,
            (1, 2, 3, 5, 8, 4, 6, 9, 7),
            [
                "Turn 2: Bob (O) chose 2 and gave the draw away; held by 5.",
                "Turn 3: Alice (X) chose 3 and gave the win away; held by 4, 5, 7.",
            ],
        ),
        (
            THREE,
            (1, 2, 4, 7, 9, 3, 8, 5),
            [
                "Turn 2: Bob (O) chose 2 and gave the draw away; held by 5.",
                "Turn 5: Alice (X) chose 9 and gave the win away; held by 5.",
                "Turn 6: Bob (O) chose 3 and gave the win away; held by 5.",
                "Turn 7: Alice (X) chose 8 and gave the win away; held by 5.",
            ],
        ),
        (
            Rules(4, 4),
            (1, 5, 2, 6, 3, 7, 10, 8),
            [
                "Turn 6: Bob (O) chose 7 and gave the draw away; held by 4.",
                "Turn 7: Alice (X) chose 10 and gave the win away; held by 4.",
            ],
        ),
        (
            Rules(3, 3, "forfeit"),
            (5, 5, 1, 9, 3, 2, 7),
            ["Turn 2: Bob (O) chose 5 and gave the draw away; held by 1, 3, 7, 9."],
        ),
    ],
)
def test_each_turn_that_gave_something_away_is_a_line(
    rules: Rules, cells: Sequence[int], said: list[str]
) -> None:
    assert taught(rules, cells).splitlines() == said


def test_a_player_without_a_name_or_who_has_left_goes_by_the_mark() -> None:
    cells = (5, 2, 1, 9, 7, 3, 4)
    told = played(THREE, cells)
    left = replace(told, players={**told.players, "O": None})

    for nameless in (played(THREE, cells, "", ""), left):
        assert taught(THREE, cells, nameless).startswith("Turn 2: Player O chose 2 and gave ")


@pytest.mark.parametrize("reason", ["resigned", "timeout", "claimed"])
@pytest.mark.parametrize(
    ("cells", "winner", "said"),
    [
        ((), "O", "At the end it was a draw."),
        ((1, 5), "X", "At the end it was a draw."),
        (
            (1, 2),
            "O",
            "Turn 2: Bob (O) chose 2 and gave the draw away; held by 5.\n"
            "At the end it was won for Alice (X).",
        ),
        ((1, 2), "X", "Turn 2: Bob (O) chose 2 and gave the draw away; held by 5."),
    ],
)
def test_who_gave_up_too_early_is_told_so(
    cells: Sequence[int], winner: Mark, reason: Reason, said: str
) -> None:
    told = replace(played(THREE, cells), outcome=Outcome(winner, reason=reason))

    assert taught(THREE, cells, told) == said


def test_a_long_line_is_broken_where_a_terminal_ends() -> None:
    rules, cells = Rules(4, 3), (6, 1, 4)
    told = replace(played(rules, cells, WIDE, WIDE), outcome=Outcome("X", reason="resigned"))

    lines = taught(rules, cells, told).splitlines()
    assert len(lines) > 1
    assert all(len(line) < 80 for line in lines)
