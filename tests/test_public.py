import pytest
from msgspec.structs import replace

from server.public import open_room, view
from server.room import GRACE, Room, new_room
from server.seating import computer, drop, join, leave
from shared.protocol import Computer, Join, OpenRoom, Options, encode
from tests.rooms import ANN, NOW, WATCH, X, alone, play, table


def test_nobody_sees_a_key() -> None:
    assert b"key-of" not in encode(view(table(), (), NOW))


def test_the_players_see_what_is_left_of_a_turn() -> None:
    room = table(clock=20.0)

    for seconds, left in [(0, 20.0), (12.5, 7.5), (25, 0.0)]:
        state = view(room, (), NOW + seconds)
        assert (state.clock, state.deadline, state.time_left) == (20.0, NOW + 20, left)
    state = view(play(table(), X, 4)[0], (), NOW)
    assert (state.clock, state.deadline, state.time_left) == (None, None, None)


def test_the_players_see_how_well_the_computer_plays() -> None:
    state = view(computer(alone(), X, Computer("hard"), NOW)[0], (), NOW)

    assert state.players["O"]
    assert (state.players["O"].computer, state.players["O"].level) == (True, "hard")
    assert state.players["X"]
    assert (state.players["X"].computer, state.players["X"].level) == (False, None)


def test_the_players_see_when_a_win_may_be_claimed() -> None:
    assert view(drop(table(), X, NOW)[0], (), NOW + 10).claimable_in == GRACE - 10
    assert view(table(), (), NOW).claimable_in is None


def test_a_room_is_open_while_one_waits() -> None:
    options = Options(size=5, win=4, occupied="forfeit", clock=30.0)
    room = join(new_room(Options()), Join(1, "a", "Ann", options=options), ANN, NOW)[0]
    room = join(room, WATCH, b"eve", NOW)[0]

    assert open_room("a", room) == OpenRoom("a", "Ann", 5, 4, "forfeit", 30.0, 1)


@pytest.mark.parametrize(
    "room",
    [
        new_room(Options()),
        join(new_room(Options()), WATCH, b"eve", NOW)[0],
        table(),
        drop(alone(), X, NOW)[0],
        alone("computer"),
        alone("self"),
        leave(alone("computer"), X)[0],
        replace(alone(), options=Options(private=True)),
    ],
    ids=["empty", "watched", "full", "dropped", "computer", "self", "left", "private"],
)
def test_a_room_where_nobody_waits_to_be_found_is_not_open(room: Room) -> None:
    assert open_room("a", room) is None
