"""The client on its way to a server: proxies, TLS, lost connections, servers of another kind."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme
from websockets.asyncio.server import ServerConnection, serve

from client.session import MAX_DELAY, delays, is_here
from tests.commands import Pipe, piped
from tests.conftest import Server, StartServer
from tests.relay import Relay


def room(port: int, name: str) -> list[str]:
    return ["--server", f"ws://127.0.0.1:{port}", "--room", "lunch", "--name", name]


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
        alice = Pipe(*room(relay.port, "Alice"))
        alice.says("Waiting for an opponent.")
        bob = Pipe(*room(server.port, "Bob"))
        alice.says("Move to?")
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


def test_players_come_back_to_a_server_that_was_killed(start_server: StartServer) -> None:
    server = start_server()
    alice = Pipe(*room(server.port, "Alice"))
    alice.says("Waiting for an opponent.")
    bob = Pipe(*room(server.port, "Bob"))
    alice.says("Move to?")
    server.process.kill()
    server.process.wait()
    alice.says("The connection is lost.")
    bob.says("The connection is lost.")
    start_server("--port", str(server.port))

    alice.says("Room lunch. You are ")
    bob.says("Room lunch. You are ")
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_the_delays_grow_and_are_never_in_step() -> None:
    one, two = delays(), delays()
    waits = [(next(one), next(two)) for _ in range(20)]

    assert all(0 < wait <= 1.5 * MAX_DELAY for pair in waits for wait in pair)
    assert waits[0] < (1, 1) < waits[-1]
    assert any(first != second for first, second in waits)


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


async def test_a_hostile_server_reaches_no_terminal() -> None:
    async def speak(socket: ServerConnection) -> None:
        await socket.send(
            '{"type":"welcome","protocol":1,"room":"\\u001b[2J","seats":["X"],"token":"t"}'
        )
        player = '{"name":"\\u001b[2J\\u202e","connected":true,"score":0,"computer":false}'
        await socket.send(
            '{"type":"state","version":1,"ply":0,"size":3,"win":3,"occupied":"retry",'
            '"cells":".........","turn":"O","starter":"X","game":1,"players":{"X":null,"O":'
            + player
            + '},"draws":0,"watchers":0,"outcome":null,"deadline":null,"claimable_in":null,'
            '"rematch":[],"news":[{"type":"joined","mark":"O","name":"\\u001b[2J"}]}'
        )
        await socket.send('{"type":"refused","code":"\\u001b","message":"\\u001b[2J"}')
        await socket.wait_closed()

    async with stranger(speak) as flags:
        played = await asyncio.to_thread(piped, "", *flags)

    assert "\\x1b[2J (O) has joined." in played.stdout
    assert "\x1b" not in played.stdout + played.stderr
