"""The client on its way to a server: proxies, TLS, lost connections, servers of another kind."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
import trustme
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, serve

from client import session
from client.session import MAX_DELAY, delays, is_here
from server.public import view
from server.room import new_room
from server.seating import join
from shared.protocol import (
    PROTOCOL,
    AnyNews,
    Join,
    Joined,
    Move,
    Options,
    Refusal,
    Rematch,
    Resign,
    State,
    Welcome,
    decode_command,
    encode,
)
from tests.commands import SECONDS, Pipe, Screen, piped
from tests.conftest import Server, StartServer
from tests.drawings import position
from tests.drawings import state as drawn
from tests.relay import Relay


def room(port: int, name: str) -> list[str]:
    return ["--server", f"ws://127.0.0.1:{port}", "--room", "lunch", "--name", name]


def pair(alices: int, bobs: int) -> tuple[Pipe, Pipe]:
    """Return Alice, asked for her first move, and Bob, each come by a port of their own."""
    alice = Pipe(*room(alices, "Alice"))
    alice.says("Waiting for an opponent.")
    bob = Pipe(*room(bobs, "Bob"))
    alice.says("Move to?")
    return alice, bob


def test_a_server_elsewhere_is_reached_through_the_proxy(server: Server) -> None:
    with Relay(server.port, as_proxy=True) as proxy:
        way = {"https_proxy": f"http://127.0.0.1:{proxy.port}", "no_proxy": ""}
        played = piped("", "--server", "game.test:8765", "--room", "a", **way)

    assert (played.returncode, played.stderr) == (0, "")
    assert "Room a. You are X." in played.stdout
    assert proxy.asked == ["game.test:8765"]


def test_a_server_on_this_machine_is_reached_without_a_proxy() -> None:
    played = piped("5\n", "--vs", "self", https_proxy="http://127.0.0.1:1", no_proxy="")

    assert (played.returncode, played.stderr) == (0, "")


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_said_in_a_line(proxy: str) -> None:
    played = piped("", "--server", "game.test", "--room", "a", https_proxy=proxy, no_proxy="")

    assert played.returncode == 1
    assert played.stderr.startswith("tictactoe-client: cannot connect to ws://game.test:8765: ")
    assert played.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("ws://localhost:8765", True),
        ("ws://127.1.2.3", True),
        ("ws://[::1]:1", True),
        ("ws://192.168.1.20:8765", False),
        ("wss://localhost.example", False),
    ],
)
def test_which_servers_are_on_this_machine(url: str, here: bool) -> None:
    assert is_here(url) == here


def test_a_game_over_tls(server: Server, tmp_path: Path) -> None:
    authority = trustme.CA()
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)

    with Relay(server.port, tls=context) as door:
        flags = ["--server", f"wss://localhost:{door.port}", "--room", "a"]
        stranger = piped("", *flags)
        played = piped("5\n", *flags, "--vs", "self", SSL_CERT_FILE=str(trusted))

    assert (played.returncode, played.stderr) == (0, "")
    assert "4 | X | 6\n" in played.stdout
    assert stranger.returncode == 1
    assert "certificate" in stranger.stderr.lower()
    assert stranger.stderr.count("\n") == 1


def test_a_player_whose_connection_is_cut_comes_back_to_the_same_game(server: Server) -> None:
    with Relay(server.port) as relay:
        alice, bob = pair(relay.port, server.port)
        alice.type("5")
        bob.says("Move to?")
        relay.cut()
        bob.says("Alice (X) has dropped.")
        alice.says("The connection is lost. Reconnecting...\n")
        alice.says("Room lunch. You are X.\n1 | 2 | 3\n--- --- ---\n4 | X | 6\n")
        bob.says("Alice (X) is back.")
        bob.type("1")
        alice.says("Bob (O) takes 1.")

        assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


@pytest.mark.parametrize("lost", ["commands", "replies"])
def test_a_move_whose_answer_was_lost_is_played_once(
    server: Server, lost: Literal["commands", "replies"]
) -> None:
    with Relay(server.port) as relay:
        alice, bob = pair(relay.port, server.port)
        bob.says("Alice's turn (X)")
        relay.swallows = lost
        alice.type("5")
        if lost == "replies":
            bob.says("Alice (X) takes 5.")
        else:
            assert relay.has_swallowed.wait(SECONDS)
        relay.cut()
        alice.says("The connection is lost. Reconnecting...\n")
        bob.says("Alice (X) is back.")
        assert "4 | X | 6\n--- --- ---\n7 | 8 | 9\nBob's turn (O)\n" in alice.says(
            "Bob's turn (O)\n"
        )
        if lost == "commands":
            bob.says("Alice (X) takes 5.")
        bob.type("1")
        assert "O | 2 | 3\n--- --- ---\n4 | X | 6\n" in alice.says("Move to?")

        assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_who_comes_back_to_a_full_room_may_watch(start_server: StartServer) -> None:
    one, other = start_server(), start_server()
    bob = Pipe(*room(other.port, "Bob"))
    bob.says("Waiting for an opponent.")
    carol = Pipe(*room(other.port, "Carol"))
    carol.says("Bob's turn (X)")
    with Relay(one.port) as relay:
        alice = Screen(*room(relay.port, "Alice"))
        alice.shows("Waiting for an opponent.")
        relay.target = other.port
        relay.cut()
        alice.shows("The room is full. Watch? (y/N)")
        alice.type("y")
        alice.shows("Room lunch. You are watching.\n1 | 2 | 3\n")
        alice.type("quit")
        assert alice.ends() == 0
    assert (bob.ends()[1], carol.ends()[1]) == (0, 0)


def test_who_found_an_opponent_comes_back_to_that_room_and_not_to_another(server: Server) -> None:
    with Relay(server.port) as relay:
        alice = Pipe("--server", f"127.0.0.1:{relay.port}", "--any", "--name", "Alice")
        *_, found = alice.says("Waiting for an opponent.\nInvite: ").split("Room ")
        name = found.split(".")[0]
        bob = Pipe("--server", server.url, "--room", name, "--name", "Bob")
        bob.says("Alice's turn (X)\n")
        carol = Pipe(*room(server.port, "Carol"))
        carol.says("Waiting for an opponent.")
        relay.cut()
        bob.says("Alice (X) is back.")
        alice.says("The connection is lost. Reconnecting...\n")
        alice.says(f"Room {name}. You are X.\n")

        assert [player.ends()[1] for player in (alice, bob, carol)] == [0, 0, 0]


def test_a_watcher_who_found_no_free_seat_comes_back_to_watch(server: Server) -> None:
    alice, bob = pair(server.port, server.port)
    bob.says("Alice's turn (X)\n")
    with Relay(server.port) as relay:
        eve = Pipe(*room(relay.port, "Eve"), "--watch")
        eve.says("You are watching.")
        eve.type("sit")
        eve.says("The room is full.")
        relay.cut()
        eve.says("The connection is lost. Reconnecting...\n")
        eve.says("Room lunch. You are watching.\n")

        assert [client.ends()[1] for client in (alice, bob, eve)] == [0, 0, 0]


def test_a_watcher_whose_answer_was_lost_has_sat_down_once(server: Server) -> None:
    alice = Pipe(*room(server.port, "Alice"))
    alice.says("Waiting for an opponent.")
    with Relay(server.port) as relay:
        eve = Pipe(*room(relay.port, "Eve"), "--watch")
        eve.says("You are watching.")
        relay.swallows = "replies"
        eve.type("sit")
        alice.says("Eve (O) has joined.")
        relay.cut()
        eve.says("The connection is lost. Reconnecting...\n")
        eve.says("Room lunch. You are O.\n")
        alice.says("Eve (O) is back.")

        assert [player.ends()[1] for player in (alice, eve)] == [0, 0]


def test_players_come_back_to_a_server_that_was_killed(start_server: StartServer) -> None:
    server = start_server()
    alice, bob = pair(server.port, server.port)
    bob.says("Alice's turn (X)")
    server.process.kill()
    server.process.wait()
    alice.says("The connection is lost.")
    bob.says("The connection is lost.")
    start_server("--port", str(server.port))

    for player in (alice, bob):
        player.says("The server has forgotten your seat: this is a new one.\nRoom lunch. You are ")
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_the_delays_grow_and_are_never_in_step() -> None:
    one, two = delays(), delays()
    waits = [(next(one), next(two)) for _ in range(20)]

    assert all(0 < wait <= 1.5 * MAX_DELAY for pair in waits for wait in pair)
    assert waits[0] < (1, 1) < waits[-1]
    assert any(first != second for first, second in waits)


def room_state(name: str, news: list[AnyNews], **fields: object) -> State:
    """Return the state of a room where O waits."""
    made, _ = join(new_room(Options()), Join(PROTOCOL, "lunch"), b"key", 0.0)
    shown = view(made, tuple(news), 0.0)
    player = shown.players["X"]
    assert player
    players = {"X": None, "O": replace(player, name=name)}
    return replace(shown, players=players, **fields)


def test_who_leaves_does_not_wait_for_a_lookup() -> None:
    answer = threading.Event()
    looked_up = threading.Event()

    def look_up() -> None:
        answer.wait(SECONDS)
        looked_up.set()

    async def leave() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(session.Lookups())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await loop.run_in_executor(None, look_up)

    asyncio.run(leave())
    assert not looked_up.is_set()
    answer.set()
    assert looked_up.wait(SECONDS)


@asynccontextmanager
async def stranger(
    speak: Callable[[ServerConnection], Awaitable[None]],
) -> AsyncIterator[list[str]]:
    """Run a server of another kind, and return the flags that lead to it."""
    async with serve(speak, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield ["--server", f"127.0.0.1:{port}", "--room", "a"]


@pytest.mark.parametrize(
    "frame",
    ["hello", "{}", b"\x00", '{"type":"welcome"}', '{"type":"state"}', "[" * 10_000, '"\x1b[2J"'],
)
async def test_a_server_that_speaks_another_language_is_said_in_a_line(frame: str | bytes) -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send(frame)
        await socket.wait_closed()

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "", *flags)

    assert played.returncode == 1
    assert played.stderr.startswith("tictactoe-client: This is not a server of the game")
    assert played.stderr.count("\n") == 1


@pytest.mark.parametrize("code", [1000, 1001, 1011, 1012, 4999])
async def test_a_server_that_closes_without_an_answer_is_said_in_a_line(code: int) -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.close(code)

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "", *flags)

    assert played.returncode == 1
    assert played.stderr.endswith(": the server closed the connection\n")
    assert played.stderr.count("\n") == 1


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ANSWER_TIMEOUT", 0.01)

    async def speak(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with stranger(speak) as (_, address, *_):
        with pytest.raises(TimeoutError):
            await session.Session(f"ws://{address}", Join(PROTOCOL, "a")).open()


@pytest.mark.parametrize("code", [1008, 1009, 4001, 1003])
async def test_who_was_closed_for_good_does_not_come_back(code: int) -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.close(code, "enough\x1b[2J")

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "", *flags)

    assert played.returncode == 1
    assert played.stderr == (
        "tictactoe-client: The server closed the connection: enough\\x1b[2J.\n"
    )


async def test_a_player_leaves_a_server_that_stops_answering() -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send(encode(Welcome(PROTOCOL, "\x1b[2J", ["X"], "secret")), text=True)
        alone = room_state("Bob", [])
        players = {"X": alone.players["O"], "O": alone.players["O"]}
        await socket.send(encode(replace(alone, players=players)), text=True)
        await socket.wait_closed()

    def play(*flags: str) -> Screen:
        screen = Screen(*flags, "--name", "Alice")
        screen.shows("Move to?")
        screen.type("5")
        screen.type("")
        screen.shows("The server has yet to answer. Type quit to leave.")
        screen.press("d")
        assert screen.ends() == 0
        return screen

    async with stranger(speak) as flags:
        screen = await asyncio.to_thread(play, *flags)

    assert "\x1b]0;Your turn: \\x1b[2J\a" in screen.raw


async def test_a_hostile_server_reaches_no_terminal() -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send(encode(Welcome(PROTOCOL, "\x1b[2J", ["X"], "secret")), text=True)
        state = room_state("\x1b[2J\u202e", [Joined("O", "\x1b[2J")])
        await socket.send(encode(state), text=True)
        await socket.send(encode(Refusal("\x1b", "\x1b[2J")), text=True)
        await socket.wait_closed()

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "", *flags)

    assert "\\x1b[2J (O) has joined." in played.stdout
    assert "\x1b" not in played.stdout + played.stderr


async def test_a_state_older_than_the_last_is_passed_over() -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send(encode(Welcome(PROTOCOL, "a", ["X"], "secret")), text=True)
        for version, name in ((5, "Five"), (4, "Four"), (6, "Six")):
            state = room_state(name, [Joined("O", name)], version=version)
            await socket.send(encode(state), text=True)
        await socket.close(1008, "enough")

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "5\n", *flags)

    assert "Five (O) has joined." in played.stdout
    assert "Six (O) has joined." in played.stdout
    assert "Four" not in played.stdout


async def test_a_late_refusal_is_of_the_command_it_names_and_of_no_other() -> None:
    heard = []

    async def speak(socket: ServerConnection) -> None:
        async def tell(state: State, version: int) -> None:
            await socket.send(encode(replace(state, version=version)), text=True)

        async def hear() -> None:
            heard.append(decode_command(await socket.recv()))

        await hear()
        await socket.send(encode(Welcome(PROTOCOL, "a", ["X"], "secret")), text=True)
        await tell(drawn(position("... ... ...")), 1)
        await hear()
        await tell(drawn(position("OOO XX. ...")), 2)  # the other has won meanwhile
        await hear()
        await socket.send(encode(Refusal("game_over", "The game is over.", "resign")), text=True)
        await tell(drawn(position("... ... ...")), 3)
        await hear()
        await socket.close(1008, "enough")

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "resign\ny\n7\n", *flags)

    assert heard[1:] == [Resign(), Rematch(accept=True), Move(6, 0)]
    assert played.stdout.count("Play again?") == 1
