"""Real servers for the tests: each is the command, as a child process on a free port."""

import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

SECONDS = 10  # for a server to start or to stop


class Server:
    """A running `tictactoe-server`: where it listens, its process and what it has logged."""

    def __init__(self, process: subprocess.Popen[str], stderr: Path) -> None:
        assert process.stdout
        self.process = process
        self.stderr = stderr
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        assert ready, f"the server printed nothing in {SECONDS} s: {self.log()}"
        # Both lines are flushed at once.
        self.lines = [process.stdout.readline().rstrip("\n") for _ in range(2)]
        assert self.lines[0].startswith("Listening on ws://"), self.log()
        self.url = self.lines[0].removeprefix("Listening on ")
        self.port = int(self.url.rpartition(":")[2])

    def log(self) -> str:
        """Return what the server has written to its standard error so far."""
        return self.stderr.read_text()


StartServer = Callable[..., Server]


def command(*flags: str) -> list[str]:
    """Return the command of a server, as the installed script would run it."""
    return [sys.executable, "-P", "-m", "server.main", *flags]


@contextmanager
def running(*flags: str) -> Iterator[Server]:
    """Run a server on a free port of this machine, and stop it at the end."""
    with (
        tempfile.TemporaryDirectory() as directory,
        (Path(directory) / "stderr").open("w+") as stderr,
        subprocess.Popen(
            command("--host", "127.0.0.1", "--port", "0", *flags),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        try:
            yield Server(process, Path(stderr.name))
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Return a function that starts a server with more flags; all stop after the test."""
    with ExitStack() as stack:
        yield lambda *flags: stack.enter_context(running(*flags))


@pytest.fixture
def server(start_server: StartServer) -> Server:
    """Return a server of the test's own."""
    return start_server()
