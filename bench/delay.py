"""Whether a hard computer delays the moves of other rooms: `python -m bench.delay`.

Rooms of two play 3×3 without a pause on a real server, by turns without and with a 15×15 game
against the hard computer. A move takes from when it is sent until the state that shows it is
received. At full speed most of that is queueing, in the server and here, and the machine has no
core to spare for thinking; with `--pace 0.05` it has, and what thinking costs is seen alone.
"""

import asyncio
import gc
import sys
from argparse import ArgumentParser
from random import Random
from subprocess import PIPE, Popen
from time import perf_counter

import msgspec
import uvloop
from msgspec import Struct
from websockets.asyncio.client import connect

from shared.protocol import PROTOCOL, Join, Move, Options, Rematch, encode
from shared.rules import EMPTY, Mark, Outcome

SERVER = ["-P", "-m", "server.main", "--host", "127.0.0.1", "--port", "0", "--log-level", "error"]
HARD = Options(size=15, win=5, opponent="computer", level="hard")
SETTLE_SECONDS = 1.0  # between phases, for a last thought to end
HEADER = (
    "            moves  moves/s   p50 ms   p99 ms   max ms | answers of hard  mean s  longest s"
)


class Somebody(Struct):
    """A player, of whom nothing is needed."""


class Frame(Struct):
    """As much of a message as a player here needs: most have no use for the rest."""

    type: str
    seats: list[Mark] = []
    ply: int = -1
    turn: Mark = "X"
    cells: str = ""
    players: dict[Mark, Somebody | None] = {}
    outcome: Outcome | None = None


_frames = msgspec.json.Decoder(Frame)


async def play(url: str, join: Join, times: list[float], plies: int, pace: float = 0.0) -> None:
    """Play random moves, game after game, and note how long each takes to be `plies` turns old.

    A move is 1 turn old when it is shown, and 2 when it is answered.
    """
    rng, mark, due, asked, sent = Random(), "X", -1, -1, 0.0  # noqa: S311
    async with connect(url, compression=None, proxy=None) as socket:
        await socket.send(encode(join), text=True)
        while True:
            frame = _frames.decode(await socket.recv(decode=False))
            if frame.type == "welcome":
                mark = frame.seats[0]
                continue
            if frame.type != "state":
                raise RuntimeError(f"{frame.type} in {join.room}")
            if frame.ply == due:
                times.append(perf_counter() - sent)
                due = -1
            if frame.outcome:
                if frame.ply != asked:  # the same end is shown again when the other one has asked
                    asked = frame.ply
                    await socket.send(encode(Rematch(accept=True)), text=True)
            elif frame.turn == mark and None not in frame.players.values():
                if pace:  # not all rooms in step
                    await asyncio.sleep(pace * rng.uniform(0.5, 1.5))
                cell = rng.choice([i for i, drawn in enumerate(frame.cells) if drawn == EMPTY])
                sent, due = perf_counter(), frame.ply + plies
                await socket.send(encode(Move(cell, frame.ply)), text=True)


async def measure(url: str, rooms: int, rounds: int, seconds: float, pace: float) -> None:
    """Have all rooms play, and print a line for each phase."""
    moves: list[float] = []
    async with asyncio.TaskGroup() as group:
        players = [
            group.create_task(play(url, Join(PROTOCOL, f"room{i // 2}"), moves, 1, pace))
            for i in range(2 * rooms)
        ]
        for i in range(2 * rounds):
            await asyncio.sleep(SETTLE_SECONDS)
            answers: list[float] = []
            moves.clear()
            start = perf_counter()
            if i % 2:
                join = Join(PROTOCOL, f"hard{i}", options=HARD)
                players.append(group.create_task(play(url, join, answers, 2)))
            await asyncio.sleep(seconds)
            print(report("with" if i % 2 else "without", moves, perf_counter() - start, answers))
            if i % 2:
                players.pop().cancel()
        for player in players:
            player.cancel()


def report(phase: str, moves: list[float], seconds: float, answers: list[float]) -> str:
    """Return the line of a phase, as the header has it."""
    moves = sorted(moves)
    p50, p99, longest = (moves[int(part * (len(moves) - 1))] * 1000 for part in (0.5, 0.99, 1))
    line = f"{phase:8}{len(moves):9}{len(moves) / seconds:9.0f}{p50:9.2f}{p99:9.2f}{longest:9.2f}"
    if not answers:
        return line
    return f"{line} |{len(answers):16}{sum(answers) / len(answers):8.3f}{max(answers):11.3f}"


def main() -> None:
    """Start a server, measure and stop it."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="of a phase without and one with")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each phase")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds before each move, about")
    flags = parser.parse_args()
    gc.disable()  # a collection here would look like a delay there
    with Popen([sys.executable, *SERVER], stdout=PIPE, text=True) as server:
        try:
            url = server.stdout.readline().split()[-1] if server.stdout else ""
            print(HEADER)
            uvloop.run(measure(url, flags.rooms, flags.rounds, flags.seconds, flags.pace))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
