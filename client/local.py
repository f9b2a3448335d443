"""A server of one's own: `tictactoe-server` as a child process, for as long as the game lasts."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

STOP_SECONDS = 8.0


class Addresses(NamedTuple):
    """Where a server is: for this machine, and for people on others."""

    here: str
    invite: str


class CannotServe(Exception):
    """The server did not start; it has said why on standard error."""


@contextmanager
def local_server(*flags: str) -> Iterator[Addresses]:
    """Run a server with some flags of its own."""
    # -P: a folder called `server` where the player happens to be must not be taken for ours.
    # It stops when its standard input ends, so even a killed client leaves no server behind.
    command = [sys.executable, "-P", "-m", "server.main", "--until-eof", "--log-level", "error"]
    server = subprocess.Popen(
        [*command, *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the client
    )
    with server:
        try:
            yield _addresses(server)
        finally:
            if server.stdin:
                server.stdin.close()
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()


def _addresses(server: subprocess.Popen[str]) -> Addresses:
    listening = server.stdout.readline() if server.stdout else ""
    if not listening.startswith("Listening on "):
        raise CannotServe
    invite = server.stdout.readline() if server.stdout else ""
    port = listening.strip().rpartition(":")[2]
    return Addresses(f"ws://127.0.0.1:{port}", invite.strip().removesuffix("ROOM"))
