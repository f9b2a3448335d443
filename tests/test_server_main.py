import asyncio
import importlib.metadata
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shared.names import printable
from shared.protocol import PROTOCOL, RESTART, Join
from tests.commands import piped
from tests.conftest import SECONDS, Server, StartServer, command
from tests.talk import deaf, player


def run(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*flags), capture_output=True, text=True, timeout=SECONDS, check=False
    )


def test_the_first_line_says_where_it_listens_and_the_second_how_to_join(server: Server) -> None:
    first, second = server.lines

    assert re.fullmatch(r"Listening on ws://127\.0\.0\.1:[1-9]\d*", first)
    assert second == f"tictactoe-client --server {server.url} --room ROOM"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_closes_the_players_connections_with_1012_and_exits_0(
    server: Server, number: signal.Signals
) -> None:
    async with player(server.url) as p:
        await p.join("den")
        server.process.send_signal(number)

        assert await p.close_code() == RESTART == 1012
    assert await asyncio.to_thread(server.process.wait, SECONDS) == 0
    assert "Traceback" not in server.log()


def test_a_client_that_reads_nothing_cannot_keep_the_server_from_stopping(server: Server) -> None:
    with deaf(server.port, Join(PROTOCOL, "den")):
        server.process.terminate()

        assert server.process.wait(SECONDS) == 0
    assert "Traceback" not in server.log()


def test_a_second_signal_stops_it_at_once(server: Server) -> None:
    with deaf(server.port, Join(PROTOCOL, "den")) as client:
        server.process.terminate()
        # The welcome, the state and then the close frame, which tells that the first one came.
        heard = b""
        while b"the server is stopping" not in heard:
            heard += client.recv(4096)
        server.process.terminate()

        assert server.process.wait(SECONDS) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such files")
def test_no_process_outlives_a_server_that_was_killed(server: Server) -> None:
    piped("2\n", "--server", server.url, "--vs", "computer", "--level", "hard")
    pid = server.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert children
    ends = [os.pidfd_open(int(child)) for child in children]
    server.process.kill()
    for end in ends:
        assert select.select([end], [], [], SECONDS)[0]
        os.close(end)


def test_a_port_that_is_taken_is_one_line_of_trouble_and_exit_1(server: Server) -> None:
    done = run("--host", "127.0.0.1", "--port", str(server.port))

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("tictactoe-server: cannot listen on port ")
    assert str(server.port) in done.stderr
    assert "--port" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("host", ["192.0.2.1", "a..b", "no such host", "\x1b[2J"])
def test_an_address_of_another_machine_is_one_line_of_trouble_and_exit_1(host: str) -> None:
    done = run("--host", host, "--port", "0")

    assert done.returncode == 1
    assert done.stderr == (
        f"tictactoe-server: cannot listen on {printable(host)}: "
        "give --host an address of this machine.\n"
    )


def test_a_server_whose_output_nobody_reads_goes_on_all_the_same() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        command("--host", "127.0.0.1", "--port", "0", "--until-eof"),
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(writer)
        assert process.stdin
        assert process.stderr
        assert "cannot write to standard output: Broken pipe" in process.stderr.readline()
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(SECONDS) == 0
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    "flags",
    [
        ["--port", "65536"],
        ["--port", "-1"],
        ["--port", "den"],
        ["--log-level", "loud"],
        ["--nonsense"],
        ["surplus"],
        ["--log", "info"],
    ],
)
def test_flags_that_make_no_sense_are_refused_with_exit_2(flags: list[str]) -> None:
    done = run(*flags)

    assert done.returncode == 2
    assert done.stderr.startswith("usage: tictactoe-server")
    assert "Traceback" not in done.stderr


def test_with_until_eof_it_stops_when_its_standard_input_ends(start_server: StartServer) -> None:
    server = start_server("--until-eof")
    assert server.process.stdin
    server.process.stdin.close()

    assert server.process.wait(SECONDS) == 0


async def test_without_until_eof_the_end_of_standard_input_means_nothing(server: Server) -> None:
    assert server.process.stdin
    server.process.stdin.close()

    async with player(server.url) as p:
        await p.join("den")
    assert server.process.poll() is None


def test_the_version_is_that_of_the_package() -> None:
    done = run("--version")

    assert done.returncode == 0
    assert done.stdout == f"tictactoe-server {importlib.metadata.version('tictactoe-terminal')}\n"


def test_help_shows_an_example_and_exits_0() -> None:
    done = run("--help")

    assert done.returncode == 0
    assert "examples:" in done.stdout
