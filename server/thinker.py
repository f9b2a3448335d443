"""Thinking that takes its time, in processes of its own, so that no other room waits for it."""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from random import SystemRandom
from typing import Any, TypeVar, TypeVarTuple

from server import ai, review
from shared.protocol import CellValue, Level, PostMortem
from shared.rules import Position

Asked = TypeVarTuple("Asked")
T = TypeVar("T")

# A core is left for the rooms, and Windows waits for no more than 61 processes.
WORKERS = min(max(1, (os.cpu_count() or 1) - 1), 61)
TRIES = 2  # for a thought whose process dies
LEAST_SECONDS = 0.02  # for a move, however many are waiting

log = logging.getLogger("tictactoe")


class NoThought(Exception):
    """Nothing came of a thought: it fails, its processes die, or the server is stopping."""


class Thinker:
    """Some processes that think, started when there is something to think about.

    Each thought may raise NoThought.
    """

    def __init__(self) -> None:
        self.pool: ProcessPoolExecutor | None = None
        self.is_closed = False
        self.waiting = 0  # thoughts that are not finished
        self.shared: dict[Hashable, asyncio.Task[Any]] = {}  # of these, by what was asked

    @property
    def seconds(self) -> float:
        """How long the next move may be thought about. With many waiting, each gets less."""
        share = max(1.0, (self.waiting + 1) / WORKERS)
        return max(LEAST_SECONDS, ai.THINKING_SECONDS / share)

    async def choose(self, position: Position, level: Level) -> int:
        """Return the computer's cell."""
        return await self._run(choose, position, level, self.seconds)

    async def values(self, position: Position) -> list[CellValue]:
        """Return what each free cell is worth to the side to move."""
        return await self._share(review.cell_values, position)

    async def review(self, start: Position, moves: tuple[int, ...], game: int) -> PostMortem:
        """Return the post-mortem of a game."""
        return await self._share(review.review, start, moves, game)

    def close(self) -> None:
        """Think no more, and wait until no process does."""
        self.is_closed = True
        for task in self.shared.values():
            task.cancel()
        if self.pool:
            for process in multiprocessing.active_children():
                process.kill()
            # Python may stumble over a pool that is still being shut down when it exits.
            self.pool.shutdown(wait=True, cancel_futures=True)

    async def _share(self, thought: Callable[[*Asked], T], *asked: *Asked) -> T:
        """Return what a thought comes to. Who asks for the same meanwhile waits for the same."""
        question = (thought, asked)
        task: asyncio.Task[T] | None = self.shared.get(question)
        if task is None:
            task = asyncio.create_task(self._run(thought, *asked))
            self.shared[question] = task
            task.add_done_callback(lambda _: self.shared.pop(question))
        return await asyncio.shield(task)

    async def _run(self, thought: Callable[[*Asked], T], *asked: *Asked) -> T:
        self.waiting += 1
        try:
            for _ in range(TRIES):
                pool = self._running_pool()
                try:
                    return await asyncio.wrap_future(pool.submit(thought, *asked))
                except BrokenProcessPool:
                    log.warning("a thinking process has died, another is started")
                    if self.pool is pool:
                        self.pool = None
                except Exception as error:
                    log.exception("an error of ours, in a thought")
                    raise NoThought from error
            raise NoThought
        finally:
            self.waiting -= 1

    def _running_pool(self) -> ProcessPoolExecutor:
        if self.is_closed:
            raise NoThought
        if self.pool is None:
            # Not forked: this process has threads, and sockets that a child must not keep open.
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(WORKERS, context, set_up)
        return self.pool


def set_up() -> None:
    """Prepare a process for thinking: it is in nobody's way, and ends with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    stand_back()
    threading.Thread(target=end_with_server, daemon=True).start()


def stand_back() -> None:
    """Leave the processor to whoever else wants it: the rooms come first."""
    if sys.platform == "linux":
        # Unlike a nice process, this one gives way as soon as another wakes up.
        with contextlib.suppress(PermissionError):  # a sandbox may forbid it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            return
    if sys.platform != "win32":
        os.nice(19)


def end_with_server() -> None:
    """End this process when the server has ended, even if it was killed."""
    server = multiprocessing.parent_process()
    if server:
        server.join()
        os._exit(0)


def choose(position: Position, level: Level, seconds: float) -> int:
    """Return the computer's cell, by the system's random numbers."""
    return ai.choose(position, level, SystemRandom(), seconds)
