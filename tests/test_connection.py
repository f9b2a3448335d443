"""One client against a real server: what it may say when, and what it cannot break."""

from typing import Any

import pytest

from shared.protocol import (
    MAX_FRAME,
    PROTOCOL,
    TAKEN_OVER,
    Claim,
    Code,
    Dropped,
    Finished,
    Join,
    Joined,
    Leave,
    Left,
    List,
    Move,
    OpenRoom,
    Options,
    Refusal,
    Rematch,
    Resign,
    Returned,
    Review,
    Rooms,
    Sit,
    Started,
    State,
    Welcome,
)
from tests.conftest import Server
from tests.talk import Talk, deaf, frame, player

COMMANDS = [Move(0, 0), Resign(), Claim(), Rematch(accept=True), Leave(), Sit(), Review()]


async def seat(ann: Talk, bob: Talk, room: str = "den", options: Options | None = None) -> State:
    """Seat Ann as X and Bob as O, and return the state in which their game begins."""
    await ann.join(room, "Ann", options=options)
    await bob.join(room, "Bob")
    return await ann.news(Started)


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
async def test_who_has_not_joined_is_told_to(server: Server, command: Any) -> None:  # noqa: ANN401
    async with player(server.url) as p:
        refusal = await p.refusal(command)

        assert (refusal.code, refusal.re) == ("not_joined", type(command).__name__.lower())


@pytest.mark.parametrize(
    ("command", "code"),
    [(Sit(), "already_seated"), (Review(), "game_not_over"), (List(), None)],
    ids=repr,
)
async def test_what_cannot_be_done_now_is_refused(
    server: Server,
    command: Any,  # noqa: ANN401
    code: Code | None,
) -> None:
    async with player(server.url) as p:
        await p.join("den")
        await p.send(command)

        assert getattr(await p.receive(), "code", None) == code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"protocol": 2}, "protocol_version"),
        ({"protocol": 2, "avatar": "cat"}, "protocol_version"),
        ({"room": "a b"}, "bad_room"),
        ({"name": "\x1b[2J"}, "bad_name"),
        ({"name": "a" * 300}, "bad_message"),
        ({"options": {"size": 3, "win": 4}}, "bad_options"),
    ],
)
async def test_a_join_that_is_refused_can_be_tried_again(
    server: Server, fields: dict[str, Any], code: Code
) -> None:
    async with player(server.url) as p:
        refusal = await p.refusal({"type": "join", "protocol": PROTOCOL, "room": "den", **fields})

        assert refusal.code == code
        assert (await p.join("den"))[0].seats == ["X"]


@pytest.mark.parametrize(
    "frame", ["", "nonsense", "[" * 8000, '{"type":"cheat"}', '{"type":"move","cell":-1,"ply":0}']
)
async def test_nonsense_is_answered_and_the_game_goes_on(server: Server, frame: str) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        await seat(ann, bob)
        await ann.send_raw(frame)

        refusal = await ann.until(Refusal)
        assert (refusal.code, refusal.re) == ("bad_message", None)
        assert (await ann.move(4, 0)).cells == "....X...."
    assert "Traceback" not in server.log()


async def test_a_binary_frame_is_answered_and_the_game_goes_on(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        await seat(ann, bob)
        await ann.send_raw(b'{"type":"resign"}')

        assert (await ann.until(Refusal)).code == "bad_message"
        assert (await ann.move(4, 0)).outcome is None


async def test_a_frame_that_is_too_big_ends_only_its_own_connection(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        await seat(ann, bob)
        await bob.send_raw(" " * (MAX_FRAME + 1))

        assert await bob.close_code() == 1009
        assert (await ann.news(Dropped)).players["O"]


async def test_a_connection_is_in_one_room_at_a_time(server: Server) -> None:
    async with player(server.url) as p:
        await p.join("den")
        assert (await p.refusal(Join(PROTOCOL, "attic"))).code == "already_joined"

        await p.send(Leave())
        welcome, _ = await p.join("attic")
        assert (welcome.room, welcome.seats) == ("attic", ["X"])


async def test_rooms_are_found_in_any_case_and_know_nothing_of_each_other(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob, player(server.url) as eve:
        await seat(ann, bob, "Den")
        _, alone = await eve.join("Attic")
        await ann.move(4, 0)

        assert alone.players["O"] is None
        assert (await eve.refusal(Move(4, 0))).code == "no_opponent"


async def test_the_list_shows_who_waits(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob, player(server.url) as eve:
        await seat(ann, bob, "den")
        await eve.join("attic", "Eve", options=Options(size=5, win=4))
        async with player(server.url) as p:
            await p.send(List())

            assert await p.receive() == Rooms([OpenRoom("attic", "Eve", 5, 4, "retry", None, 0)])


async def test_a_move_of_an_older_board_is_refused_and_the_board_follows(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        await seat(ann, bob)
        await ann.move(4, 0)

        assert (await ann.refusal(Move(5, 0))).code == "stale"
        state = await ann.receive()
        assert isinstance(state, State)
        assert state.cells == "....X...."


async def test_a_watcher_sees_everything_and_moves_nothing(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob, player(server.url) as eve:
        await seat(ann, bob)
        assert (await eve.refusal(Join(PROTOCOL, "den"))).code == "room_full"
        welcome, state = await eve.join("den", role="watch")
        assert (welcome.seats, state.watchers) == ([], 1)

        assert (await eve.refusal(Move(4, 0))).code == "not_playing"
        await ann.send(Move(4, 0))
        assert (await eve.until(State)).cells == "....X...."


async def test_a_rematch_tells_each_player_the_new_mark_before_the_state(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        await seat(ann, bob)
        await ann.send(Resign())
        await bob.news(Finished)
        await ann.send(Rematch(accept=True))
        await bob.send(Rematch(accept=True))

        for p, mark in ((ann, "O"), (bob, "X")):
            welcome = await p.until(Welcome)
            assert (welcome.seats, welcome.token) == ([mark], None)
            state = await p.receive()
            assert isinstance(state, State)
            assert state.news == [Started(2)]
        assert (await ann.refusal(Move(4, 0))).code == "not_your_turn"


async def test_who_leaves_is_announced_and_makes_room(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob, player(server.url) as eve:
        await seat(ann, bob)
        await bob.send(Leave())
        assert (await ann.news(Left)).players["O"] is None

        assert (await eve.join("den", "Eve"))[0].seats == ["O"]


async def test_who_drops_is_announced_and_has_the_seat_back_with_the_token(server: Server) -> None:
    async with player(server.url) as ann:
        async with player(server.url) as bob:
            await ann.join("den", "Ann")
            welcome, _ = await bob.join("den", "Bob")
        state = await ann.news(Dropped)
        assert state.claimable_in is not None

        async with player(server.url) as guess, player(server.url) as back:
            guessed = Join(PROTOCOL, "den", token=f"{welcome.token}A")
            assert (await guess.refusal(guessed)).code == "room_full"
            again, state = await back.join("den", token=welcome.token)
            assert (again.seats, state.news) == (["O"], [Returned("O")])
            assert state.players["O"]
            assert state.players["O"].name == "Bob"


async def test_a_newer_connection_takes_the_seat_over(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        welcome, _ = await ann.join("den", "Ann")
        await bob.join("den", "Bob")
        async with player(server.url) as newer:
            await newer.join("den", token=welcome.token)

            assert await ann.close_code() == TAKEN_OVER == 4001
            state = await newer.move(4, 0)
            assert state.players["X"]
            assert state.players["X"].connected


@pytest.mark.parametrize("late", [Leave(), Move(4, 0), Resign(), Join(PROTOCOL, "attic")], ids=repr)
async def test_what_an_older_connection_says_too_late_counts_for_nothing(
    server: Server,
    late: Any,  # noqa: ANN401
) -> None:
    async with player(server.url) as bob:
        async with player(server.url) as ann:
            welcome, _ = await ann.join("den", "Ann")
        await bob.join("den", "Bob")
        # It never hears that it is closed, and goes on talking.
        with deaf(server.port, Join(PROTOCOL, "den", token=welcome.token)) as older:
            await bob.news(Returned)
            async with player(server.url) as newer:
                await newer.join("den", token=welcome.token)
                older.sendall(frame(late))
                state = await newer.move(0, 0)

                assert (state.cells, state.outcome) == ("X........", None)
                await newer.send(List())
                assert await newer.receive() == Rooms([])
    assert "Traceback" not in server.log()


async def test_a_client_that_does_not_read_is_cut_off_and_delays_nobody(server: Server) -> None:
    async with player(server.url) as ann:
        await ann.join("den", "Ann")
        with deaf(server.port, Join(PROTOCOL, "den", "Bob")):
            await ann.news(Joined)
            await ann.send(Resign())
            state = await ann.news(Finished)
            for _ in range(100_000):
                if any(isinstance(item, Dropped) for item in state.news):
                    break
                await ann.send(Rematch(accept=False))
                state = await ann.until(State)

            assert state.news == [Dropped("O")]
    assert "cut off, it does not read" in server.log()
    assert "Traceback" not in server.log()


async def test_nobody_hears_or_reads_anybody_elses_token(server: Server) -> None:
    async with player(server.url) as ann, player(server.url) as bob:
        welcome, _ = await ann.join("den", "Ann")
        await bob.join("den", "Bob")
        await ann.send(Resign())
        await bob.news(Finished)

        assert welcome.token
        assert not any(welcome.token in heard for heard in bob.frames)
        assert welcome.token not in server.log()


async def test_names_are_escaped_in_the_log(server: Server) -> None:
    async with player(server.url) as ann:
        await ann.refusal(Join(PROTOCOL, "den\x1b[2J\u202e", "Ann"))
        await ann.refusal(Join(PROTOCOL, "den", "Ann\x1b[2J\u202e"))
        await ann.join("den", "Zoë")

    assert "\x1b" not in server.log()
    assert "\u202e" not in server.log()
