"""The rooms of a server over time: the clock is the test's, the sockets are real."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import serve

from server.connection import Connection
from server.hub import Hub
from server.room import GRACE, KEPT_FOR
from shared.protocol import (
    Claim,
    Dropped,
    Finished,
    Leave,
    Left,
    Moved,
    Options,
    Resign,
    Started,
    State,
)
from shared.rules import Outcome
from tests.commands import Pipe
from tests.talk import player


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def serving(clock: Clock) -> AsyncIterator[tuple[Hub, str]]:
    """Run a hub of this clock behind a port, and return it and its address."""
    hub = Hub(clock)
    async with serve(lambda socket: Connection(hub, socket).run(), "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield hub, f"ws://127.0.0.1:{port}"


async def test_a_room_is_forgotten_as_soon_as_all_have_left() -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann, player(url) as bob:
        await ann.join("den")
        await bob.join("den")
        await bob.send(Leave())
        await ann.news(Left)
        assert list(hub.tables) == ["den"]

        await ann.send(Leave())
        await ann.join("attic")
        assert list(hub.tables) == ["attic"]


async def test_a_room_that_all_dropped_from_is_kept_for_a_while() -> None:
    clock = Clock()
    async with serving(clock) as (hub, url):
        async with player(url) as ann:
            async with player(url) as bob:
                welcome, _ = await ann.join("den")
                await bob.join("den")
            await ann.news(Dropped)
        async with player(url) as eve:
            _, state = await eve.join("den", role="watch")
            while any(seat and seat.connected for seat in state.players.values()):
                state = await eve.until(State)
            await eve.send(Leave())
            await eve.join("attic")
            clock.now += KEPT_FOR - 1
            hub.forget_deserted()
            assert list(hub.tables) == ["den", "attic"]
            clock.now += 1
            hub.forget_deserted()
            assert list(hub.tables) == ["attic"]

            async with player(url) as back:  # to a room made anew
                again, state = await back.join("den", token=welcome.token)
                assert again.token != welcome.token
                assert state.version == 1


async def test_a_room_with_a_watcher_is_not_forgotten() -> None:
    clock = Clock()
    async with serving(clock) as (hub, url), player(url) as eve:
        await eve.join("den", role="watch")
        clock.now += 10 * KEPT_FOR
        hub.forget_deserted()

        assert list(hub.tables) == ["den"]


async def test_the_win_is_claimed_from_one_who_stays_away() -> None:
    clock = Clock()
    async with serving(clock) as (_, url), player(url) as ann:
        await ann.join("den")
        async with player(url) as bob:
            await bob.join("den")
        assert (await ann.news(Dropped)).claimable_in == GRACE
        clock.now += GRACE - 1
        assert (await ann.refusal(Claim())).message == "You may claim the win in 1 s."
        clock.now += 1
        await ann.send(Claim())

        state = await ann.news(Finished)
        assert state.outcome == Outcome("X", reason="claimed")


async def test_a_player_claims_the_win_through_the_client() -> None:
    clock = Clock()
    async with serving(clock) as (_, url):
        ann = Pipe("--server", url, "--room", "den", "--name", "Ann")
        async with player(url) as bob:
            await asyncio.to_thread(ann.says, "Waiting for an opponent.")
            await bob.join("den", "Bob")
            await asyncio.to_thread(ann.says, "Move to?")
        await asyncio.to_thread(ann.says, "Bob (O) has dropped. In 30 s you may claim the win")
        clock.now += GRACE
        ann.type("5")
        # The board that is drawn anew says that the time is up.
        drawn = "Bob (O) has dropped. You may claim the win, or wait on.\n1 | 2 | 3\n"
        await asyncio.to_thread(ann.says, drawn)
        ann.type("claim")
        await asyncio.to_thread(
            ann.says, "Congratulations! Ann (X) wins!\nBob (O) stayed away.\nScore: Ann (X) 1"
        )
        assert (await asyncio.to_thread(ann.ends))[1] == 0


@pytest.mark.parametrize("options", [Options(size=5, win=4), Options(opponent="self")], ids=repr)
async def test_the_options_are_those_of_the_first_who_sits_down(options: Options) -> None:
    async with serving(Clock()) as (_, url), player(url) as eve, player(url) as ann:
        await eve.join("den", role="watch")
        _, state = await ann.join("den", options=options)

        assert (state.size, state.win) == (options.size, options.win)
        assert bool(state.players["O"]) == (options.opponent == "self")


async def test_against_the_computer_every_turn_is_answered() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann:
        _, state = await ann.join("den", options=Options(opponent="computer"))
        while state.outcome is None:
            free = state.cells.index(".")
            state = await ann.move(free, state.ply)
            if state.outcome is None:
                assert state.turn == "O"
                state = await ann.news(Moved)
                assert state.turn == "X"
        assert state.cells.count("X") - state.cells.count("O") in (0, 1)


async def test_the_computer_begins_the_second_game() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann:
        await ann.join("den", options=Options(opponent="computer"))
        await ann.send(Resign())
        await ann.news(Finished)
        await ann.send({"type": "rematch", "accept": True})
        assert (await ann.news(Started)).turn == "O"

        state = await ann.news(Moved)
        assert (state.turn, state.cells.count("O")) == ("X", 1)
