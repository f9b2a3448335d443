"""What a room is, and what holds of it whatever steps are taken."""

from hypothesis import given, settings
from hypothesis import strategies as st

from server.game import claim, move, resign, run_out
from server.public import view
from server.room import GRACE, KEPT_FOR, Room, Step, is_deserted, is_on, new_room, seats_of
from server.seating import computer, drop, join, leave, sit
from shared.protocol import (
    Claim,
    Computer,
    Forfeited,
    Join,
    Move,
    Moved,
    Opponent,
    Options,
    Refused,
    Resign,
    decode_reply,
    encode,
)
from shared.rules import Occupied, outcome, place
from tests.rooms import (
    ANN,
    BOB,
    BOTH,
    EVE,
    NOBODY,
    NOW,
    O,
    X,
    again,
    alone,
    refused,
    table,
)


def test_options_that_make_no_game_are_refused() -> None:
    with refused("bad_options"):
        new_room(Options(size=3, win=4))


def test_a_room_is_deserted_when_nobody_can_be_expected_back() -> None:
    room = drop(table(), BOTH, NOW)[0]

    assert is_deserted(new_room(Options()), NOW)
    assert not is_deserted(table(), NOW + 2 * KEPT_FOR)
    assert not is_deserted(room, NOW + KEPT_FOR - 1)
    assert is_deserted(room, NOW + KEPT_FOR)
    assert is_deserted(leave(alone("computer"), X)[0], NOW)


def test_a_game_is_on_while_both_seats_are_taken_and_it_has_not_ended() -> None:
    assert is_on(table())
    assert is_on(drop(table(), O, NOW)[0])
    assert not is_on(alone())
    assert not is_on(leave(table(), O)[0])
    assert not is_on(resign(table(), X, Resign(), NOW)[0])


KINDS = ("join", "watch", "sit", "leave", "drop", "resign", "again", "decline", "claim")
KEYS = (ANN, BOB, EVE)
steps = st.lists(
    st.tuples(
        st.sampled_from([*KINDS, "computer", "run out", *["play"] * 6]),
        st.sampled_from(KEYS),
        st.integers(0, 8),
        st.sampled_from([0, 1, GRACE, KEPT_FOR]),
    ),
    max_size=80,
)


def step(room: Room, kind: str, key: bytes, command: Join, cell: int, now: float) -> Step:
    held = seats_of(room, key)
    match kind:
        case "join" | "watch":
            return join(room, command, key, now)
        case "sit":
            return sit(room, held, command, key, now)
        case "leave":
            return leave(room, held)
        case "drop":
            return drop(room, held, now)
        case "resign":
            return resign(room, held, Resign(), now)
        case "again":
            return again(room, held, now=now)
        case "decline":
            return again(room, held, accept=False, now=now)
        case "claim":
            return claim(room, held, Claim(), now)
        case "computer":
            return computer(room, held, Computer(), now)
        case "run out":
            return run_out(room)
        case _:
            seat = room.seats[room.position.turn]
            mover = {room.position.turn} if seat and seat.is_computer else held
            return move(room, mover, Move(cell, room.ply), now)


@settings(deadline=None, max_examples=300)
@given(
    steps,
    st.sampled_from([None, 20.0]),
    st.sampled_from(["retry", "forfeit"]),
    st.sampled_from(["human", "computer"]),
)
def test_whatever_they_do_nobody_who_is_there_loses_a_seat(
    steps: list[tuple[str, bytes, int, float]],
    clock: float | None,
    occupied: Occupied,
    opponent: Opponent,
) -> None:
    options = Options(clock=clock, occupied=occupied, opponent=opponent)
    room, now = new_room(options), 0.0
    playing: set[bytes] = set()
    watching: set[bytes] = set()
    for kind, key, cell, seconds in steps:
        now += seconds
        is_there = key in playing | watching
        if is_there == (kind in ("join", "watch")):
            continue  # a connection joins once, and does nothing else before
        if kind == "watch" and seats_of(room, key):
            continue  # whoever watches comes with a key that is new
        if kind == "run out" and room.deadline is None:
            continue
        before = room
        command = Join(1, "lunch", role="watch" if kind == "watch" else "play", options=options)
        try:
            room, news = step(room, kind, key, command, cell, now)
        except Refused:
            assert room is before
            continue
        if kind in ("join", "sit"):
            playing.add(key)
            watching.discard(key)
        elif kind == "watch":
            watching.add(key)
        elif kind in ("leave", "drop"):
            playing.discard(key)
            watching.discard(key)
        assert all(len(seats_of(room, one)) == 1 for one in playing)
        assert all(seats_of(room, one) == NOBODY for one in watching)
        assert room.watchers == len(watching)
        check(room)
        assert room.version > before.version
        assert room.ply == before.ply + any(isinstance(n, Moved | Forfeited) for n in news)
        assert decode_reply(encode(view(room, news, now)))


def check(room: Room) -> None:
    """Check what holds of every room."""
    seats = [seat for seat in room.seats.values() if seat]
    assert len({seat.key for seat in seats}) == len(seats)
    to_move = room.seats[room.position.turn]
    has_clock = bool(room.options.clock and to_move and not to_move.is_computer)
    assert (room.deadline is not None) == (is_on(room) and has_clock)
    at = room.position._replace(turn=room.starter, x=0, o=0, last=None)
    for cell in room.moves:
        at = place(at, cell)
    assert at == room.position
    if room.outcome and room.outcome.reason in ("line", "full"):
        assert room.outcome == outcome(room.position)
    if not room.outcome:
        assert outcome(room.position) is None
