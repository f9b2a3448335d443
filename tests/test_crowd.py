"""Four hundred players at once, on two servers that know nothing of each other."""

import asyncio
from random import Random

from shared.protocol import Move, State
from shared.rules import EMPTY
from tests.conftest import StartServer
from tests.talk import player

ROOMS = 100  # on each server


async def play(url: str, room: str, rng: Random) -> State:
    """Play random legal moves to the end, and return the last state."""
    async with player(url) as p:
        welcome, state = await p.join(room)
        while not all(state.players.values()):
            state = await p.until(State)
        while state.outcome is None:
            if state.turn in welcome.seats:
                empty = [cell for cell, mark in enumerate(state.cells) if mark == EMPTY]
                await p.send(Move(rng.choice(empty), state.ply))
            state = await p.until(State, lambda s, ply=state.ply: s.ply > ply)  # type: ignore[misc]
        return state


async def test_four_hundred_players_on_two_servers_each_see_their_own_game_to_the_end(
    start_server: StartServer,
) -> None:
    servers = [start_server(), start_server()]
    # The same room names on both: a room is its server's own.
    tables = [(server.url, f"room-{number}") for server in servers for number in range(ROOMS)]

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        games = [
            [group.create_task(play(url, room, Random(f"{url} {room} {i}"))) for i in range(2)]
            for url, room in tables
        ]

    finals = [(one.result(), two.result()) for one, two in games]
    assert len(finals) == 2 * ROOMS
    for one, two in finals:
        assert one.cells == two.cells
        assert one.outcome == two.outcome is not None
        assert one.ply == two.ply == len(one.cells) - one.cells.count(EMPTY)
    for server in servers:
        assert "ERROR" not in server.log()
        assert "Traceback" not in server.log()
