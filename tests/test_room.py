from collections.abc import Iterator, Set
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from server.public import open_room, view
from server.room import (
    GRACE,
    KEPT_FOR,
    Room,
    Step,
    claim,
    drop,
    is_deserted,
    join,
    leave,
    move,
    new_room,
    rematch,
    resign,
    seats_of,
)
from shared.protocol import (
    Accepted,
    Claim,
    Code,
    Declined,
    Dropped,
    Finished,
    Forfeited,
    Join,
    Joined,
    Left,
    Move,
    Moved,
    OpenRoom,
    Opponent,
    Options,
    Refused,
    Rematch,
    Resign,
    Returned,
    Started,
    decode_reply,
    encode,
)
from shared.rules import MARKS, Mark, Occupied, Outcome, drawing, outcome
from tests.drawings import position

ANN, BOB, EVE = b"key-of-ann", b"key-of-bob", b"key-of-eve"
X: frozenset[Mark] = frozenset({"X"})
O: frozenset[Mark] = frozenset({"O"})  # noqa: E741
BOTH = X | O
NOBODY: frozenset[Mark] = frozenset()
NOW = 1000.0


def player(name: str = "", opponent: Opponent = "human", opponent_name: str = "") -> Join:
    return Join(1, "lunch", name, opponent_name, options=Options(opponent=opponent))


def alone(opponent: Opponent = "human") -> Room:
    """Ann has come in, to play against `opponent`."""
    return join(new_room(Options()), player("Ann", opponent, "Bob"), ANN, NOW)[0]


def table(drawn: str = "... ... ...", turn: Mark = "X", occupied: Occupied = "retry") -> Room:
    """Ann plays X and Bob plays O, on a board that looks so."""
    room = join(alone(), player("Bob"), BOB, NOW)[0]
    board = position(drawn, turn, occupied=occupied)
    moves = tuple(cell for cell, c in enumerate("".join(drawn.split())) if c in MARKS)
    return replace(room, position=board, moves=moves, ply=len(moves))


def play(room: Room, seats: Set[Mark], cell: int) -> Step:
    return move(room, seats, Move(cell, room.ply), NOW)


def won(room: Room | None = None) -> Room:
    """Ann has won as X, if not told of another room."""
    return play(room or table("XX. OO. ..."), X, 2)[0]


def again(room: Room, seats: Set[Mark], accept: bool = True) -> Step:
    return rematch(room, seats, Rematch(accept), NOW)


def scores(room: Room) -> dict[str, int]:
    return {seat.name: seat.score for seat in room.seats.values() if seat}


def named(room: Room) -> list[str | None]:
    return [seat.name if seat else None for seat in (room.seats["X"], room.seats["O"])]


@contextmanager
def refused(code: Code) -> Iterator[None]:
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.code == code


def test_the_first_plays_x_the_second_o_and_the_third_finds_the_room_full() -> None:
    room, news = join(new_room(Options()), player("Ann"), ANN, NOW)
    assert news == (Joined("X", "Ann"),)
    room, news = join(room, player("Bob"), BOB, NOW)
    assert news == (Joined("O", "Bob"), Started(1))
    assert (seats_of(room, ANN), seats_of(room, BOB), seats_of(room, EVE)) == (X, O, NOBODY)
    with refused("room_full"):
        join(room, player("Eve"), EVE, NOW)


def test_a_watcher_is_counted_and_cannot_play() -> None:
    room, news = join(table(), Join(1, "lunch", role="watch"), EVE, NOW)

    assert (room.watchers, news) == (1, ())
    with refused("not_playing"):
        play(room, NOBODY, 0)
    with refused("not_playing"):
        again(won(), NOBODY)
    assert leave(room, NOBODY)[0].watchers == 0
    assert drop(room, NOBODY, NOW)[0].watchers == 0


@pytest.mark.parametrize("name", ["\x1b[2J", "Computer", " Ann"])
def test_a_name_that_is_not_allowed_is_refused(name: str) -> None:
    with refused("bad_name"):
        join(new_room(Options()), player(name), ANN, NOW)
    with refused("bad_name"):
        join(new_room(Options()), player("Ann", "self", name), ANN, NOW)


def test_options_that_make_no_game_are_refused() -> None:
    with refused("bad_options"):
        new_room(Options(size=3, win=4))


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


def test_a_rematch_swaps_the_marks_and_keeps_the_score() -> None:
    with refused("game_not_over"):
        again(table(), X)
    room, news = again(won(), X)
    assert news == (Accepted("X"),)
    room, news = again(room, O)

    assert news == (Started(2),)
    assert named(room) == ["Bob", "Ann"]
    assert scores(room) == {"Ann": 1, "Bob": 0}
    assert drawing(room.position) == "........."


def test_a_rematch_can_be_declined() -> None:
    room, news = again(again(won(), X)[0], X, accept=False)

    assert news == (Declined("X"),)
    assert room.rematch == NOBODY


def test_against_the_computer_the_human_stays_x_and_the_starter_alternates() -> None:
    room = alone("computer")
    for starter in ("O", "X"):
        room, _ = again(resign(room, X, Resign(), NOW)[0], X)
        assert named(room) == ["Ann", "Computer"]
        assert room.starter == room.position.turn == starter


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
    ],
    ids=["finished", "one-left", "both-left", "computer"],
)
def test_who_finds_nobody_waits_at_an_empty_board(room: Room) -> None:
    after, news = join(room, player("Eve"), EVE, NOW + GRACE)

    assert named(after) == ["Eve", None]
    assert drawing(after.position) == "........."
    assert (after.outcome, after.ply, news) == (None, room.ply, (Joined("X", "Eve"),))


def test_a_win_can_be_claimed_only_after_a_while() -> None:
    with refused("too_early"):
        claim(table(), X, Claim(), NOW)
    room = drop(table(), O, NOW)[0]
    with refused("too_early"):
        claim(room, X, Claim(), NOW + GRACE - 1)
    news = claim(room, X, Claim(), NOW + GRACE)[1]
    assert GRACE == 30
    assert news == (Finished(Outcome("X", reason="claimed")),)


def test_a_room_is_deserted_when_nobody_can_be_expected_back() -> None:
    room = drop(table(), BOTH, NOW)[0]

    assert is_deserted(new_room(Options()), NOW)
    assert not is_deserted(table(), NOW + 2 * KEPT_FOR)
    assert not is_deserted(room, NOW + KEPT_FOR - 1)
    assert is_deserted(room, NOW + KEPT_FOR)
    assert is_deserted(leave(alone("computer"), X)[0], NOW)


def test_two_at_one_terminal_hold_both_seats() -> None:
    room = alone("self")

    assert seats_of(room, ANN) == BOTH
    assert play(play(room, BOTH, 0)[0], BOTH, 1)[0].ply == 2


def test_nobody_sees_a_key() -> None:
    assert b"key-of" not in encode(view(table(), (), NOW))


def test_a_room_is_open_while_one_waits() -> None:
    assert open_room("a", alone()) == OpenRoom("a", "Ann", 3, 3, "retry", None, 0)
    assert open_room("a", table()) is None
    assert open_room("a", drop(alone(), X, NOW)[0]) is None
    assert open_room("a", leave(alone("computer"), X)[0]) is None


KINDS = ("join", "leave", "drop", "resign", "again", "decline", "claim", *["play"] * 5)
steps = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from([ANN, BOB, EVE]),
        st.integers(0, 8),
        st.sampled_from([0, 1, GRACE, KEPT_FOR]),
    ),
    max_size=80,
)


def step(room: Room, kind: str, key: bytes, cell: int, now: float) -> Step:
    held = seats_of(room, key)
    match kind:
        case "join":
            return join(room, player(), key, now)
        case "leave":
            return leave(room, held)
        case "drop":
            return drop(room, held, now)
        case "resign":
            return resign(room, held, Resign(), now)
        case "again":
            return again(room, held)
        case "decline":
            return again(room, held, accept=False)
        case "claim":
            return claim(room, held, Claim(), now)
        case _:
            return move(room, held, Move(cell, room.ply), now)


@settings(deadline=None, max_examples=200)
@given(steps)
def test_whatever_they_do_nobody_who_is_there_loses_a_seat(
    steps: list[tuple[str, bytes, int, float]],
) -> None:
    room, now = new_room(Options()), 0.0
    there: set[bytes] = set()
    for kind, key, cell, seconds in steps:
        now += seconds
        if (kind == "join") == (key in there) or (kind in ("leave", "drop") and key not in there):
            continue  # a connection joins once, and only one that joined can go
        before = room
        try:
            room, news = step(room, kind, key, cell, now)
        except Refused:
            assert room is before
            continue
        if kind == "join":
            there.add(key)
        elif kind in ("leave", "drop"):
            there.discard(key)
        assert all(len(seats_of(room, one)) == 1 for one in there)
        assert len({seat.key for seat in room.seats.values() if seat}) == sum(
            seat is not None for seat in room.seats.values()
        )
        assert room.version > before.version
        assert room.ply == before.ply + any(isinstance(item, Moved) for item in news)
        assert decode_reply(encode(view(room, news, now)))
        if room.outcome and room.outcome.reason in ("line", "full"):
            assert room.outcome == outcome(room.position)
        if not room.outcome:
            assert outcome(room.position) is None
