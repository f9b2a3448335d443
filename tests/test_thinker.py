"""Thinking in processes of its own: real ones, that are killed and that outlive nobody."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from subprocess import PIPE

import pytest

from server.ai import THINKING_SECONDS
from server.review import cell_values, review
from server.thinker import LEAST_SECONDS, WORKERS, NoThought, Thinker
from shared.rules import Position, Rules
from tests.drawings import position


@asynccontextmanager
async def thinking() -> AsyncIterator[Thinker]:
    made = Thinker()
    yield made
    made.close()


async def test_the_thoughts_are_those_of_the_computer() -> None:
    board = position("XX. OO. ...")
    async with thinking() as one:
        assert await one.choose(board, "hard") == 2
        assert await one.values(board) == cell_values(board)
        moves = (0, 1, 4, 2, 8)
        start = Position(Rules())
        assert await one.review(start, moves, 3) == review(start, moves, 3)
        assert one.waiting == 0


async def test_who_asks_for_what_is_being_thought_about_waits_for_the_same() -> None:
    board = position("XX. OO. ...")
    async with thinking() as one:
        asked = [asyncio.create_task(one.values(board)) for _ in range(50)]
        other = asyncio.create_task(one.values(Position(Rules())))
        await asyncio.wait([*asked, other], timeout=0)
        assert one.waiting == 2

        asked.pop(0).cancel()
        assert await asyncio.gather(*asked) == [cell_values(board)] * 49
        assert await other == cell_values(Position(Rules()))
        assert (one.waiting, one.shared) == (0, {})


async def test_no_process_is_started_before_there_is_something_to_think_about() -> None:
    async with thinking() as one:
        assert one.pool is None
        assert not multiprocessing.active_children()


async def test_a_process_that_dies_is_replaced() -> None:
    board = position("XX. OO. ...")
    async with thinking() as one:
        await one.values(board)
        for process in multiprocessing.active_children():
            process.kill()
            process.join()

        assert await one.choose(board, "hard") == 2


async def test_a_thought_that_kills_its_process_every_time_is_given_up() -> None:
    async with thinking() as one:
        with pytest.raises(NoThought):
            await one._run(os._exit, 1)
        assert one.waiting == 0


async def test_a_thought_that_fails_is_logged_and_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with thinking() as one:
        with pytest.raises(NoThought):
            await one._run(int, "five")
        assert one.waiting == 0
    assert "an error of ours" in caplog.text


async def test_who_has_closed_thinks_no_more() -> None:
    one = Thinker()
    await one.values(position("XX. OO. ..."))
    processes = multiprocessing.active_children()
    one.close()

    with pytest.raises(NoThought):
        await one.choose(position("XX. OO. ..."), "hard")
    assert processes
    assert not any(process.is_alive() for process in processes)


async def test_with_many_to_think_about_each_gets_a_shorter_while() -> None:
    board = Position(Rules(15, 5), "O", x=1 << 112, last=112)
    async with thinking() as one:
        assert one.seconds == THINKING_SECONDS
        asked = [asyncio.create_task(one.choose(board, "hard")) for _ in range(8 * WORKERS - 1)]
        await asyncio.wait(asked, timeout=0)
        assert one.seconds == THINKING_SECONDS / 8

        assert 112 not in await asyncio.gather(*asked)
        assert one.seconds == THINKING_SECONDS
        one.waiting = 1000 * WORKERS
        assert one.seconds == LEAST_SECONDS


def stood_back(before: str, shown: str) -> str:
    """What a process of its own prints after it has stood back."""
    lines = ["import os", "from server.thinker import stand_back", before, "stand_back()", shown]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], stdout=PIPE, check=True)
    return done.stdout.decode().strip()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such class")
def test_a_thought_gives_way_to_whatever_else_wants_the_processor() -> None:
    assert stood_back("", "print(os.sched_getscheduler(0) == os.SCHED_IDLE)") == "True"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no nice")
def test_a_thought_is_nice_where_a_sandbox_allows_no_more() -> None:
    forbidden = "def no(*_): raise PermissionError\nos.sched_setscheduler = no"

    assert stood_back(forbidden, "print(os.nice(0))") == "19"
