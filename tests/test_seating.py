import pytest

from server.game import resign
from server.room import GRACE, KEPT_FOR, Room, new_room, seats_of
from server.seating import computer, drop, join, leave, sit
from shared.protocol import (
    Computer,
    Dropped,
    Join,
    Joined,
    Left,
    Options,
    Resign,
    Returned,
    Started,
)
from shared.rules import Mark, drawing
from tests.rooms import (
    ANN,
    BOB,
    BOTH,
    EVE,
    NOBODY,
    NOW,
    WATCH,
    O,
    X,
    again,
    alone,
    named,
    play,
    player,
    refused,
    scores,
    table,
    won,
)

CLOCK = 20.0


def called_in(room: Room, seats: frozenset[Mark] = X) -> Room:
    """The computer has taken the free seat, asked by whoever holds `seats`."""
    return computer(room, seats, Computer("medium"), NOW)[0]


def watched(room: Room) -> Room:
    """Eve is watching."""
    return join(room, WATCH, EVE, NOW)[0]


def test_the_first_plays_x_the_second_o_and_the_third_finds_the_room_full() -> None:
    room, news = join(new_room(Options()), player("Ann"), ANN, NOW)
    assert news == (Joined("X", "Ann"),)
    room, news = join(room, player("Bob"), BOB, NOW)
    assert news == (Joined("O", "Bob"), Started(1))
    assert (seats_of(room, ANN), seats_of(room, BOB), seats_of(room, EVE)) == (X, O, NOBODY)
    with refused("room_full"):
        join(room, player("Eve"), EVE, NOW)


def test_a_watcher_is_counted_and_cannot_play() -> None:
    room, news = join(table(), WATCH, EVE, NOW)

    assert (room.watchers, news) == (1, ())
    with refused("not_playing"):
        play(room, NOBODY, 0)
    assert leave(room, NOBODY)[0].watchers == 0
    assert drop(room, NOBODY, NOW)[0].watchers == 0


@pytest.mark.parametrize("name", ["\x1b[2J", "Computer", " Ann"])
def test_a_name_that_is_not_allowed_is_refused(name: str) -> None:
    for command in (
        player(name),
        player("Ann", "self", name),
        Join(1, "lunch", name, role="watch"),
    ):
        with refused("bad_name"):
            join(new_room(Options()), command, ANN, NOW)


def test_who_leaves_frees_the_seat_and_the_game_goes_on_with_another() -> None:
    room, news = leave(table("X.. ... ...", "O"), O)
    assert news == (Left("O", "Bob"),)
    room, news = join(room, player("Eve"), EVE, NOW)

    assert news == (Joined("O", "Eve"),)
    assert drawing(play(room, O, 4)[0].position) == "X...O...."


def test_who_drops_keeps_the_seat_and_returns_by_key() -> None:
    room, news = drop(table(), O, NOW)
    assert news == (Dropped("O"),)
    with refused("room_full"):
        join(room, player("Eve"), EVE, NOW)
    room, news = join(room, player(), BOB, NOW)

    assert news == (Returned("O"),)
    assert named(room) == ["Ann", "Bob"]


def test_who_drops_from_a_finished_game_keeps_the_seat_for_a_while() -> None:
    room = drop(won(), O, NOW)[0]
    with refused("room_full"):
        join(room, player("Eve"), EVE, NOW + GRACE - 1)
    later, news = join(room, player("Eve"), EVE, NOW + GRACE)

    assert news == (Joined("O", "Eve"), Started(1))
    assert scores(later) == {"Ann": 0, "Eve": 0}
    assert seats_of(later, BOB) == NOBODY


def test_who_drops_while_waiting_finds_the_opponent_who_came_meanwhile() -> None:
    room, news = join(drop(alone(), X, NOW)[0], player("Bob"), BOB, NOW + GRACE - 1)
    assert news == (Joined("O", "Bob"), Started(1))
    room, news = join(room, player("Ann"), ANN, NOW + KEPT_FOR)

    assert news == (Returned("X"),)
    assert (seats_of(room, ANN), seats_of(room, BOB)) == (X, O)


@pytest.mark.parametrize(
    "room",
    [
        drop(won(), BOTH, NOW)[0],
        drop(leave(table("XX. OO. ..."), O)[0], X, NOW)[0],
        leave(table("XX. OO. ..."), BOTH)[0],
        leave(play(alone("computer"), X, 0)[0], X)[0],
        leave(called_in(alone()), X)[0],
    ],
    ids=["finished", "one-left", "both-left", "computer", "stand-in"],
)
def test_who_finds_nobody_waits_at_an_empty_board(room: Room) -> None:
    after, news = join(room, player("Eve"), EVE, NOW + GRACE)

    assert named(after) == ["Eve", None]
    assert drawing(after.position) == "........."
    assert (after.outcome, after.ply) == (None, room.ply)
    assert Joined("X", "Eve") in news


def test_two_at_one_terminal_hold_both_seats() -> None:
    room = alone("self")

    assert seats_of(room, ANN) == BOTH
    assert play(play(room, BOTH, 0)[0], BOTH, 1)[0].ply == 2


def test_the_computer_is_seated_as_o_with_the_level_that_was_asked_for() -> None:
    options = Options(opponent="computer", level="hard")
    room, news = join(new_room(Options()), Join(1, "lunch", options=options), ANN, NOW)

    assert news == (Joined("X", ""), Joined("O", "Computer"), Started(1))
    assert room.seats["O"]
    assert room.seats["O"].level == "hard"
    assert seats_of(room, b"") == O  # no token has an empty hash


def test_the_computer_takes_the_free_seat_when_it_is_called() -> None:
    room, news = computer(alone(), X, Computer("medium"), NOW)

    assert news == (Joined("O", "Computer"), Started(1))
    assert room.seats["O"]
    assert room.seats["O"].level == "medium"


def test_the_computer_takes_up_the_game_of_one_who_left() -> None:
    room, news = computer(leave(table("X.. ... ...", "O"), O)[0], X, Computer(), NOW)

    assert news == (Joined("O", "Computer"),)
    assert drawing(play(room, O, 4)[0].position) == "X...O...."
    room, news = computer(leave(table("X.. ... ...", "O"), X)[0], O, Computer(), NOW)
    assert (named(room), news) == (["Computer", "Bob"], (Joined("X", "Computer"),))


@pytest.mark.parametrize("room", [leave(table(), X)[0], leave(won(), X)[0]], ids=["fresh", "over"])
def test_at_the_beginning_of_a_game_the_human_becomes_x(room: Room) -> None:
    room, news = computer(room, O, Computer(), NOW)

    assert named(room) == ["Bob", "Computer"]
    assert (seats_of(room, BOB), room.position.turn) == (X, "X")
    assert news == (Joined("O", "Computer"), Started(1))


def test_who_plays_o_against_the_computer_is_x_in_the_next_game() -> None:
    room = called_in(leave(table("X.. ... ...", "O"), X)[0], O)
    room, _ = again(resign(room, O, Resign(), NOW)[0], O)

    assert named(room) == ["Bob", "Computer"]
    assert room.position.turn == "X"  # the computer began the game before


def test_the_computer_is_called_by_players_and_only_to_a_free_seat() -> None:
    with refused("room_full"):
        computer(table(), X, Computer(), NOW)
    with refused("room_full"):
        computer(drop(table(), O, NOW)[0], X, Computer(), NOW)
    with refused("not_playing"):
        computer(watched(alone()), NOBODY, Computer(), NOW)


def test_a_human_takes_the_seat_back_from_a_computer_that_stands_in() -> None:
    room = play(called_in(alone()), X, 4)[0]
    room, news = join(room, player("Bob"), BOB, NOW)

    assert news == (Left("O", "Computer"), Joined("O", "Bob"))
    assert named(room) == ["Ann", "Bob"]
    assert drawing(play(room, O, 0)[0].position) == "O...X...."
    with refused("room_full"):
        join(room, player("Eve"), EVE, NOW)


def test_nobody_takes_the_seat_of_a_computer_that_was_wanted_from_the_start() -> None:
    with refused("room_full"):
        join(alone("computer"), player("Bob"), BOB, NOW)
    with refused("room_full"):
        sit(watched(alone("computer")), NOBODY, WATCH, EVE, NOW)


def test_who_comes_back_and_wants_the_computer_gets_it() -> None:
    room = drop(leave(table(), O)[0], X, NOW)[0]
    room, news = join(room, player("Ann", "computer"), ANN, NOW)

    assert news == (Returned("X"), Joined("O", "Computer"), Started(1))
    assert named(room) == ["Ann", "Computer"]


def test_who_comes_back_to_a_full_table_gets_no_computer() -> None:
    room, news = join(drop(table(), X, NOW)[0], player("Ann", "computer"), ANN, NOW)

    assert (named(room), news) == (["Ann", "Bob"], (Returned("X"),))


def test_a_watcher_takes_a_free_seat() -> None:
    room, news = sit(watched(leave(table("X.. ... ...", "O"), O)[0]), NOBODY, WATCH, EVE, NOW)

    assert news == (Joined("O", "Eve"),)
    assert (seats_of(room, EVE), room.watchers) == (O, 0)


def test_a_watcher_who_finds_nobody_has_the_room() -> None:
    command = Join(1, "lunch", "Eve", role="watch", options=Options(size=5, win=4))
    room, _ = sit(watched(new_room(Options())), NOBODY, command, EVE, NOW)

    assert (named(room), room.position.rules.size) == (["Eve", None], 5)


def test_a_watcher_takes_the_seat_of_a_computer_that_stands_in() -> None:
    news = sit(watched(called_in(alone())), NOBODY, WATCH, EVE, NOW)[1]

    assert news == (Left("O", "Computer"), Joined("O", "Eve"), Started(1))


def test_sitting_needs_a_free_seat_and_someone_without_one() -> None:
    room = watched(table())
    with refused("room_full"):
        sit(room, NOBODY, WATCH, EVE, NOW)
    with refused("already_seated"):
        sit(room, X, player("Ann"), ANN, NOW)
    assert room.watchers == 1


def test_whoever_sits_down_last_starts_the_clock() -> None:
    waiting = alone(clock=CLOCK)
    assert waiting.deadline is None

    assert join(waiting, player("Bob"), BOB, NOW + 9)[0].deadline == NOW + 9 + CLOCK
    assert computer(waiting, X, Computer(), NOW + 9)[0].deadline == NOW + 9 + CLOCK


def test_who_leaves_and_is_replaced_stops_the_clock_and_starts_it_again() -> None:
    room = leave(table("X.. ... ...", "O", clock=CLOCK), O)[0]
    assert room.deadline is None

    assert join(room, player("Eve"), EVE, NOW + 50)[0].deadline == NOW + 50 + CLOCK
