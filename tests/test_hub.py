"""The rooms of a server over time: the clock is the test's, the sockets are real."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from websockets.asyncio.server import serve

from server.connection import Connection
from server.hub import Hub
from server.room import GRACE, KEPT_FOR
from shared.protocol import (
    MAX_LISTED,
    PROTOCOL,
    Accepted,
    AnyCommand,
    Claim,
    Computer,
    Dropped,
    Finished,
    Join,
    Joined,
    Leave,
    Left,
    List,
    Move,
    Moved,
    Options,
    PostMortem,
    Rematch,
    Resign,
    Returned,
    Review,
    Rooms,
    Sit,
    Started,
    State,
    Values,
    Welcome,
)
from shared.rules import Outcome
from tests.commands import Pipe
from tests.talk import SECONDS, Talk, player

HARD = Options(opponent="computer", level="hard")
LARGE = Options(size=15, win=5, opponent="computer", level="hard")


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
        hub.close()


def signal_thinkers(number: signal.Signals) -> None:
    """Send a signal to the processes that think."""
    for process in multiprocessing.active_children():
        assert process.pid
        os.kill(process.pid, number)


@asynccontextmanager
async def thinkers_held() -> AsyncIterator[None]:
    """Let no thought come to an end."""
    signal_thinkers(signal.SIGSTOP)
    try:
        yield
    finally:
        signal_thinkers(signal.SIGCONT)


@asynccontextmanager
async def answer_held(p: Talk, state: State) -> AsyncIterator[None]:
    """Play a turn, and let the computer come to no answer."""
    async with thinkers_held():
        await p.send(Move(state.cells.index("."), state.ply))
        await p.news(Moved)
        yield


async def valued(watcher: Talk) -> int:
    """Return how many turns had been taken when all earlier thoughts had come to their end."""
    await watcher.enter(Join(PROTOCOL, "den", role="watch", eval=True))
    return (await watcher.until(Values)).ply


async def first_answer(p: Talk, options: Options) -> State:
    """Join and play a first turn against the computer, which answers it."""
    _, state = await p.join("den", options=options)
    await p.send(Move(0, state.ply))
    await p.news(Moved)
    return await p.news(Moved)


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


async def test_the_computer_at_its_best_answers_every_turn_and_does_not_lose() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann:
        _, state = await ann.join("den", options=HARD)
        while state.outcome is None:
            await ann.send(Move(state.cells.index("."), state.ply))
            state = await ann.until(State, lambda s: s.turn == "X" or s.outcome is not None)
        assert state.outcome.winner != "X"


async def test_no_room_waits_while_the_computer_thinks() -> None:
    async with serving(Clock()) as (hub, url), AsyncExitStack() as stack:
        ann, bob, eve = [await stack.enter_async_context(player(url)) for _ in range(3)]
        state = await first_answer(ann, LARGE)
        await bob.join("attic")
        await eve.join("attic")
        async with answer_held(ann, state):
            assert hub.tables["den"].thinking is not None
            for cell, (p, other) in enumerate([(bob, eve), (eve, bob)] * 3):
                await p.send(Move(cell, cell))
                await p.news(Moved)
                await other.news(Moved)

        assert (await ann.news(Moved)).turn == "X"
        assert hub.tables["den"].thinking is None


async def test_a_thinking_process_that_is_killed_costs_nobody_a_turn() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann:
        state = await first_answer(ann, LARGE)
        async with answer_held(ann, state):
            signal_thinkers(signal.SIGKILL)
            state = await ann.news(Moved)

        assert (state.turn, state.cells.count("O")) == ("X", 2)


async def test_a_computer_that_cannot_think_plays_all_the_same() -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann:
        await ann.join("den", options=HARD)
        hub.thinker.close()
        await ann.send(Move(4, 0))
        await ann.news(Moved)

        assert (await ann.news(Moved)).cells.count("O") == 1


async def test_a_thought_that_comes_too_late_is_not_played() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann, player(url) as eve:
        state = await first_answer(ann, HARD)
        async with answer_held(ann, state):
            await ann.send(Resign())
            await ann.news(Finished)
            await ann.send(Rematch(accept=True))
            await ann.news(Started)

        state = await ann.news(Moved)
        assert (state.turn, state.cells.count("O")) == ("X", 1)
        assert await valued(eve) == state.ply


@pytest.mark.parametrize("command", [Leave(), Resign()])
async def test_a_game_that_is_given_up_is_thought_about_no_more(command: AnyCommand) -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann:
        state = await first_answer(ann, LARGE)
        async with answer_held(ann, state):
            assert hub.thinker.waiting == 1
            await ann.send(command)
            await ann.send(List())
            await ann.until(Rooms)
            assert hub.thinker.waiting == 0


async def test_whoever_takes_the_seat_of_a_thinking_computer_plays_the_turn() -> None:
    async with serving(Clock()) as (_, url), AsyncExitStack() as stack:
        ann, bob, eve = [await stack.enter_async_context(player(url)) for _ in range(3)]
        await ann.join("den", "Ann")
        await ann.send(Computer("hard"))
        state = await ann.news(Started)
        await ann.send(Move(4, state.ply))
        await ann.news(Moved)
        state = await ann.news(Moved)
        async with answer_held(ann, state):
            welcome, state = await bob.join("den", "Bob")
            assert state.news == [Left("O", "Computer"), Joined("O", "Bob")]
        assert (welcome.seats, state.turn) == (["O"], "O")
        assert await valued(eve) == state.ply
        state = await bob.move(state.cells.index("."), state.ply)
        assert (state.turn, state.cells.count("O")) == ("X", 2)


async def test_who_waits_may_call_the_computer() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann:
        await ann.join("den", "Ann")
        await ann.send(Computer("medium"))
        state = await ann.news(Started)
        assert state.players["O"]
        assert state.players["O"].level == "medium"
        await ann.send(Move(4, 0))
        await ann.news(Moved)

        assert (await ann.news(Moved)).turn == "X"


async def test_a_turn_ends_when_its_time_is_up() -> None:
    clock = Clock()
    async with serving(clock) as (_, url), player(url) as ann, player(url) as bob:
        await ann.join("den", options=Options(clock=0.01))
        _, state = await bob.join("den")
        assert state.deadline == clock.now + 0.01
        await ann.send(Move(4, 0))
        await bob.news(Moved)
        clock.now += 1

        assert (await ann.news(Finished)).outcome == Outcome("X", reason="timeout")


async def test_a_timer_that_rings_too_early_ends_no_turn() -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann, player(url) as bob:
        await ann.join("den", options=Options(clock=20.0))
        await bob.join("den")
        table = hub.tables["den"]
        rung = table.timer
        hub._end_turn(table)

        assert table.room.outcome is None
        assert table.timer
        assert table.timer is not rung


async def test_a_turn_that_ends_in_time_stops_its_clock() -> None:
    clock = Clock()
    async with serving(clock) as (hub, url), player(url) as ann, player(url) as bob:
        await ann.join("den", options=Options(clock=20.0))
        await bob.join("den")
        timer = hub.tables["den"].timer
        assert timer
        clock.now += 1
        await ann.send(Move(4, 0))
        await bob.news(Moved)
        assert timer.cancelled()
        assert hub.tables["den"].timer
        await bob.send(Resign())
        await ann.news(Finished)

        assert hub.tables["den"].timer is None


async def test_a_move_that_comes_too_late_does_not_count() -> None:
    clock = Clock()
    async with serving(clock) as (_, url), player(url) as ann, player(url) as bob:
        await ann.join("den", options=Options(clock=20.0))
        await bob.join("den")
        clock.now += 20
        assert (await ann.refusal(Move(4, 0))).code == "game_over"

        state = await bob.news(Finished)
        assert (state.outcome, state.cells) == (Outcome("O", reason="timeout"), ".........")


async def test_the_clock_runs_while_a_player_is_away() -> None:
    clock = Clock()
    async with serving(clock) as (_, url), player(url) as bob:
        async with player(url) as ann:
            welcome, _ = await ann.join("den", options=Options(clock=20.0))
            await bob.join("den")
        await bob.news(Dropped)
        clock.now += 15
        async with player(url) as back:
            _, state = await back.join("den", token=welcome.token)
            assert (state.news, state.time_left) == ([Returned("X")], 5.0)


async def test_two_who_look_for_anyone_find_each_other() -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann, player(url) as bob:
        mine, _ = await ann.enter(Join(PROTOCOL, "attic", "Ann", any=True))
        theirs, state = await bob.enter(Join(PROTOCOL, "cellar", "Bob", any=True))

        assert (mine.room, theirs.room, list(hub.tables)) == ("attic", "attic", ["attic"])
        assert (mine.seats, theirs.seats, state.game) == (["X"], ["O"], 1)


async def test_anyone_is_best_one_who_wants_the_same_game() -> None:
    same = Options(size=5, win=4, clock=30.0)
    async with serving(Clock()) as (_, url), AsyncExitStack() as stack:
        p = [await stack.enter_async_context(player(url)) for _ in range(5)]
        await p[0].join("private", options=Options(size=5, win=4, clock=30.0, private=True))
        await p[1].join("other")
        await p[2].join("same", options=same)
        for looking, found in zip(p[3:], ["same", "other"], strict=True):
            welcome, _ = await looking.enter(Join(PROTOCOL, "new", any=True, options=same))
            assert (welcome.room, welcome.seats) == (found, ["O"])


async def test_the_list_is_as_long_as_fits_and_begins_with_the_oldest_room() -> None:
    async with serving(Clock()) as (_, url), AsyncExitStack() as stack:
        for number in range(MAX_LISTED + 1):
            p = await stack.enter_async_context(player(url))
            await p.join(f"room-{number}")
        await p.send(List())

        rooms = (await p.until(Rooms)).rooms
        assert [room.room for room in rooms] == [f"room-{n}" for n in range(MAX_LISTED)]


async def test_a_watcher_is_told_what_each_cell_is_worth_and_a_player_is_not() -> None:
    async with serving(Clock()) as (_, url), AsyncExitStack() as stack:
        ann, bob, eve = [await stack.enter_async_context(player(url)) for _ in range(3)]
        await ann.enter(Join(PROTOCOL, "den", eval=True))
        await eve.enter(Join(PROTOCOL, "den", role="watch", eval=True))
        await bob.join("den")
        values = await eve.until(Values)
        assert (values.ply, values.turn, len(values.values)) == (0, "X", 9)
        assert {value.result for value in values.values} == {"draw"}
        await ann.send(Move(0, 0))
        values = await eve.until(Values, lambda values: values.ply == 1)
        assert [v.cell for v in values.values if v.result == "draw"] == [4]
        await bob.send(Resign())
        await ann.news(Finished)

        assert not any('"values"' in heard for heard in (*ann.frames, *bob.frames))


async def test_a_watcher_is_not_told_what_a_board_was_worth_that_is_gone() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann, player(url) as eve:
        await ann.join("den", options=Options(opponent="self"))
        await eve.enter(Join(PROTOCOL, "den", role="watch", eval=True))
        await eve.until(Values)
        async with thinkers_held():
            await ann.move(0, 0)
            await ann.move(1, 1)
            await eve.until(State, lambda state: state.ply == 2)

        assert (await eve.until(Values)).ply == 2


async def test_a_watcher_reads_once_what_a_board_is_worth() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann, player(url) as fay:
        await fay.enter(Join(PROTOCOL, "den", role="watch", eval=True))
        eve = Pipe("--server", url, "--room", "den", "--watch", "--eval")
        await asyncio.to_thread(eve.says, "Waiting for players")
        await ann.join("den")
        async with player(url) as bob:
            await bob.join("den", "Bob")
            await fay.until(Values)
            await asyncio.to_thread(eve.says, "X draws: ")
        await asyncio.to_thread(eve.says, "Bob (O) has dropped. The seat is kept.\n")
        await fay.until(Values)  # sent to both again
        await ann.move(0, 0)
        assert "X draws: " not in await asyncio.to_thread(eve.says, "O draws: 5; loses in ")
        assert (await asyncio.to_thread(eve.ends))[1] == 0


async def test_a_watcher_who_sits_down_is_told_no_more_what_cells_are_worth() -> None:
    async with serving(Clock()) as (_, url), AsyncExitStack() as stack:
        ann, bob, eve = [await stack.enter_async_context(player(url)) for _ in range(3)]
        await ann.join("den", "Ann")
        await bob.join("den", "Bob")
        await eve.enter(Join(PROTOCOL, "den", "Eve", role="watch", eval=True))
        await eve.until(Values)
        await bob.send(Leave())
        await eve.news(Left)
        await eve.send(Sit())
        welcome = await eve.until(Welcome)
        assert (welcome.seats, welcome.token) == (["O"], None)
        assert (await eve.news(Joined)).watchers == 0
        heard = len(eve.frames)
        await ann.send(Move(4, 0))
        await eve.news(Moved)
        await eve.send(Resign())
        await eve.news(Finished)
        await eve.send(Review())
        await eve.until(PostMortem)  # thought about after the values would have been

        assert not any('"values"' in frame for frame in eve.frames[heard:])


async def test_a_large_board_has_neither_values_nor_a_post_mortem() -> None:
    async with serving(Clock()) as (hub, url), player(url) as ann, player(url) as eve:
        await eve.enter(Join(PROTOCOL, "den", role="watch", eval=True))
        await ann.join("den", options=Options(size=15, win=5, opponent="self"))
        await ann.send(Resign())
        await ann.news(Finished)

        assert (await ann.refusal(Review())).code == "not_solvable"
        assert hub.thinker.pool is None


async def test_what_a_game_taught_is_told_after_it_and_not_before() -> None:
    async with serving(Clock()) as (_, url), player(url) as ann, player(url) as eve:
        await ann.join("den", options=Options(opponent="self"))
        await eve.join("den", role="watch")
        for ply, cell in enumerate([0, 1, 4, 2]):
            assert (await eve.refusal(Review())).code == "game_not_over"
            await ann.move(cell, ply)
        await ann.move(8, 4)
        for p in (ann, eve):
            await p.send(Review())
            lesson = await p.until(PostMortem)
            assert (lesson.game, lesson.start, lesson.end) == (1, None, "X")
            assert [(point.turn, point.mark, point.cell) for point in lesson.turning_points] == [
                (2, "O", 1)
            ]
            assert lesson.turning_points[0].held == [4]


async def test_a_post_mortem_that_comes_in_the_next_game_is_of_the_one_before() -> None:
    async with serving(Clock()) as (hub, url), player(url) as bob:
        ann = Pipe("--server", url, "--room", "den", "--name", "Ann")
        await asyncio.to_thread(ann.says, "Waiting for an opponent.")
        await bob.join("den", "Bob")
        ann.type("1")
        await bob.news(Moved)
        await bob.move(1, 1)
        await bob.send(Resign())
        lesson = "Turn 2: Bob (O) chose 2 and gave the draw away; held by 5.\n"
        ann.type("why")
        await asyncio.to_thread(ann.says, lesson)
        async with thinkers_held():
            ann.type("y")
            ann.type("why")
            await bob.news(Accepted)
            async with asyncio.timeout(SECONDS):
                while not hub.thinker.waiting:  # noqa: ASYNC110 - nobody is told of it
                    await asyncio.sleep(0)
            await bob.send(Rematch(accept=True))
            await bob.news(Started)
            await asyncio.to_thread(ann.says, "Game 2. You are O.\n")
        await asyncio.to_thread(ann.says, lesson)
        assert (await asyncio.to_thread(ann.ends))[1] == 0
