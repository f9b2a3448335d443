from collections.abc import Set

import pytest

from server.game import claim, move, resign, run_out
from server.public import view
from server.room import GRACE, Room
from server.seating import drop, leave
from shared.protocol import (
    Accepted,
    Claim,
    Code,
    Declined,
    Finished,
    Forfeited,
    Move,
    Moved,
    Resign,
    Started,
    encode,
)
from shared.rules import Mark, Outcome, drawing
from tests.rooms import (
    BOTH,
    NOBODY,
    NOW,
    O,
    X,
    again,
    alone,
    named,
    play,
    refused,
    scores,
    table,
    won,
)

CLOCK = 20.0


def test_a_move_places_the_mark_and_passes_the_turn() -> None:
    before = table()
    room, news = play(before, X, 4)

    assert drawing(room.position) == "....X...."
    assert (room.position.turn, room.ply, news) == ("O", 1, (Moved("X", 4),))
    assert room.version > before.version


@pytest.mark.parametrize(
    ("room", "seats", "command", "code"),
    [
        (table("X.. ... ...", "O"), O, Move(4, 0), "stale"),
        (table("X.. ... ...", "O"), X, Move(4, 1), "not_your_turn"),
        (table("X.. ... ...", "O"), O, Move(0, 1), "cell_taken"),
        (table("X.. ... ...", "O"), O, Move(9, 1), "off_board"),
        (alone(), X, Move(0, 0), "no_opponent"),
        (won(), O, Move(8, 5), "game_over"),
        (table(), NOBODY, Move(0, 0), "not_playing"),
    ],
)
def test_a_refused_move_leaves_the_room_as_it_was(
    room: Room, seats: Set[Mark], command: Move, code: Code
) -> None:
    before = encode(view(room, (), NOW))
    with refused(code):
        move(room, seats, command, NOW)
    assert encode(view(room, (), NOW)) == before


def test_a_taken_cell_can_cost_the_turn() -> None:
    room, news = play(table("X.. ... ...", "O", "forfeit"), O, 0)

    assert news == (Forfeited("O", 0),)
    assert (room.position.turn, room.ply) == ("X", 2)


def test_the_moves_of_a_game_are_kept_in_order() -> None:
    room = table(occupied="forfeit")
    for seats, cell in [(X, 4), (O, 4), (X, 0), (O, 8)]:
        room, _ = play(room, seats, cell)

    assert room.moves == (4, 4, 0, 8)


def test_turns_that_both_lose_are_not_kept_for_ever() -> None:
    room, _ = play(table(occupied="forfeit"), X, 4)
    for _ in range(50):
        room, _ = play(room, O, 4)
        room, _ = play(room, X, 4)

    assert (room.moves, room.ply, room.position.turn) == ((4,), 101, "O")
    room, _ = play(room, O, 4)
    room, _ = play(room, X, 0)
    assert room.moves == (4, 4, 0)


def test_the_third_in_a_row_ends_the_game() -> None:
    room, news = play(table("XX. OO. ..."), X, 2)

    assert news == (Moved("X", 2), Finished(Outcome("X", (0, 1, 2), "row")))
    assert scores(room) == {"Ann": 1, "Bob": 0}


def test_a_full_board_is_a_draw() -> None:
    room, news = play(table("XOX XOO OX."), X, 8)

    assert news[-1] == Finished(Outcome(None, reason="full"))
    assert room.draws == 1
    assert scores(room) == {"Ann": 0, "Bob": 0}


def test_who_resigns_loses() -> None:
    room, news = resign(table(), X, Resign(), NOW)

    assert news == (Finished(Outcome("O", reason="resigned")),)
    assert scores(room) == {"Ann": 0, "Bob": 1}


def test_of_two_at_one_terminal_the_one_to_move_resigns() -> None:
    room, _ = play(alone("self"), BOTH, 0)

    assert resign(room, BOTH, Resign(), NOW)[1] == (Finished(Outcome("X", reason="resigned")),)


def test_each_turn_has_the_whole_time_of_the_clock() -> None:
    room = table(clock=CLOCK)
    assert room.deadline == NOW + CLOCK
    room, _ = play(room, X, 4, NOW + 15)
    assert room.deadline == NOW + 15 + CLOCK

    refusals = [Move(4, 1), Move(0, 0)]
    for command in refusals:
        with refused("cell_taken" if command.ply else "stale"):
            move(room, O, command, NOW + 30)
    assert room.deadline == NOW + 15 + CLOCK


def test_a_lost_turn_starts_the_clock_of_the_next() -> None:
    room, _ = play(table("X.. ... ...", "O", "forfeit", CLOCK), O, 0, NOW + 5)

    assert room.deadline == NOW + 5 + CLOCK


def test_who_runs_out_of_time_loses() -> None:
    room, news = run_out(play(table(clock=CLOCK), X, 4)[0])

    assert news == (Finished(Outcome("X", reason="timeout")),)
    assert scores(room) == {"Ann": 1, "Bob": 0}
    assert room.deadline is None


@pytest.mark.parametrize(
    "room",
    [
        alone(clock=CLOCK),
        leave(table(clock=CLOCK), O)[0],
        play(table("XX. OO. ...", clock=CLOCK), X, 2)[0],
        resign(table(clock=CLOCK), X, Resign(), NOW)[0],
        play(alone("computer", CLOCK), X, 4)[0],
        table(),
    ],
    ids=["waiting", "left", "won", "resigned", "computer-to-move", "no-clock"],
)
def test_no_clock_runs_where_nobody_is_to_move(room: Room) -> None:
    assert room.deadline is None


def test_the_clock_runs_on_for_one_who_drops() -> None:
    assert drop(table(clock=CLOCK), X, NOW + 5)[0].deadline == NOW + CLOCK


def test_the_clock_runs_again_after_the_computers_move() -> None:
    room, _ = play(alone("computer", CLOCK), X, 4)

    assert play(room, O, 0, NOW + 3)[0].deadline == NOW + 3 + CLOCK


def test_a_rematch_starts_the_clock() -> None:
    room = resign(table(clock=CLOCK), X, Resign(), NOW)[0]
    room = again(room, X)[0]
    assert room.deadline is None

    assert again(room, O, now=NOW + 7)[0].deadline == NOW + 7 + CLOCK


def test_a_rematch_swaps_the_marks_and_keeps_the_score() -> None:
    with refused("game_not_over"):
        again(table(), X)
    room, news = again(won(), X)
    assert news == (Accepted("X"),)
    room, news = again(room, O)

    assert news == (Started(2),)
    assert named(room) == ["Bob", "Ann"]
    assert scores(room) == {"Ann": 1, "Bob": 0}
    assert (drawing(room.position), room.moves) == (".........", ())


def test_a_rematch_can_be_declined() -> None:
    room, news = again(again(won(), X)[0], X, accept=False)

    assert news == (Declined("X"),)
    assert room.rematch == NOBODY


def test_a_watcher_takes_no_part_in_a_rematch() -> None:
    with refused("not_playing"):
        again(won(), NOBODY)


def test_against_the_computer_the_human_stays_x_and_the_starter_alternates() -> None:
    room = alone("computer")
    for starter in ("O", "X"):
        room, _ = again(resign(room, X, Resign(), NOW)[0], X)
        assert named(room) == ["Ann", "Computer"]
        assert room.starter == room.position.turn == starter


def test_a_win_can_be_claimed_only_after_a_while() -> None:
    with refused("too_early"):
        claim(table(), X, Claim(), NOW)
    room = drop(table(), O, NOW)[0]
    with refused("too_early"):
        claim(room, X, Claim(), NOW + GRACE - 1)
    news = claim(room, X, Claim(), NOW + GRACE)[1]
    assert GRACE == 30
    assert news == (Finished(Outcome("X", reason="claimed")),)
