"""`tictactoe-client`: flags, the questions before a game, and which server it is played on."""

import argparse
import asyncio
import contextlib
import importlib.metadata
import json
import os
import secrets
import sys
from typing import get_args
from urllib.parse import urlsplit

from msgspec import to_builtins

from client.board import Style
from client.line import Game
from client.local import Addresses, CannotServe, local_server
from client.menu import ask_rest
from client.session import TROUBLE, Ended, Lookups, Session, no_way, open_rooms
from client.terminal import Terminal
from client.view import rooms
from shared.names import BadName, player_name, printable, room_name, spoken
from shared.protocol import DEFAULT_PORT, MAX_CLOCK, PROTOCOL, Join, Level, Options
from shared.rules import MAX_SIZE, MIN_SIZE

DEFAULT_SERVER = f"ws://localhost:{DEFAULT_PORT}"
USUAL_WIN = 5  # marks in a row on a large board

EXAMPLES = """\
examples:
  tictactoe-client --room lunch                        join a room
  tictactoe-client --server 192.168.1.20 --room lunch  on another machine
  tictactoe-client --host --room lunch                 host a game and play it
  tictactoe-client --vs self                           two people at one screen
  tictactoe-client --vs computer --level hard          the computer at its best
  tictactoe-client --any                               whoever waits for a game
  tictactoe-client --list                              see who waits

"""


def main() -> None:
    """Play, and exit with 0 left or finished, 1 refused or not connected, 2 bad flags."""
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = flags()
    chosen = parser.parse_args()
    try:
        check(chosen)
        if not chosen.local:
            chosen.server = chosen.server or os.environ.get("TICTACTOE_SERVER")
        url = server_url(chosen.server or DEFAULT_SERVER)
    except ValueError as error:
        parser.error(str(error))
    try:
        sys.exit(start(chosen, url))
    except (KeyboardInterrupt, EOFError):
        print()
    except (BadName, Ended) as error:
        sys.exit(fail(str(error)))
    except CannotServe:
        sys.exit(1)
    except OSError as error:  # whoever read our output has gone, or the disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            sys.exit(fail(f"cannot write: {error.strerror}"))


def flags() -> argparse.ArgumentParser:
    """Return the flags of the command."""
    parser = argparse.ArgumentParser(
        prog="tictactoe-client",
        usage="tictactoe-client [--room NAME] [--server URL] [flags]",
        description=EXAMPLES + "Play tic-tac-toe in the terminal, with people on other machines.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # a flag of tomorrow must not change what today's scripts mean
    )
    add = parser.add_argument
    add("--room", metavar="NAME", help="the room; made if it does not exist (default: a new code)")
    add(
        "--server",
        metavar="URL",
        help="ws://, wss://, host or host:port "
        f"(default: $TICTACTOE_SERVER, else {DEFAULT_SERVER})",
    )
    add("--name", action="append", default=[], help="shown to everyone; with --vs self, twice")
    add("--vs", choices=["human", "computer", "self"], help="who plays the other side")
    add("--level", choices=get_args(Level), help="how well the computer plays (default easy)")
    add("--size", type=int, default=MIN_SIZE, metavar="N", help="board side, 3 to 15 (default 3)")
    add("--win", type=int, metavar="K", help="marks in a row to win (default: N, at most 5)")
    add(
        "--occupied",
        choices=["retry", "forfeit"],
        default="retry",
        help="choosing a taken cell: ask again, or lose the turn (default retry)",
    )
    add(
        "--clock",
        type=float,
        metavar="SECONDS",
        help="time for each turn; running out loses the game (default: no clock)",
    )
    add("--watch", action="store_true", help="watch the room without a seat")
    add(
        "--eval",
        action="store_true",
        help="with --watch: what each free cell is worth, where the board can be solved",
    )
    add("--any", action="store_true", help="a public room that waits for an opponent, or a new one")
    add("--private", action="store_true", help="keep the room off the list")
    add("--list", action="store_true", help="print the rooms that wait for an opponent, and leave")
    add("--json", action="store_true", help="with --list: as JSON, for scripts")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--local", action="store_true", help="on a private server, for this game")
    where.add_argument(
        "--host",
        action="store_true",
        help="start a server others can join, on the port of --server",
    )
    add("--plain", action="store_true", help="lines only: no cursor movement, no colour")
    add("--style", choices=["numbers", "grid"], default="numbers", help="how the board is drawn")
    add("--quiet", action="store_true", help="no bell, no window title")
    version = importlib.metadata.version("tictactoe-terminal")
    add("--version", action="version", version=f"%(prog)s {version}")
    return parser


def check(chosen: argparse.Namespace) -> None:
    """Raise ValueError for flags that make no sense together."""
    options_of(chosen)
    if len(chosen.name) > (2 if chosen.vs == "self" else 1):
        raise ValueError("--name is given once, or twice with --vs self")
    if chosen.watch and chosen.room is None:
        raise ValueError("--watch needs a --room to watch")
    if chosen.eval and not chosen.watch:
        raise ValueError("--eval is for watchers: add --watch")
    if chosen.any and (chosen.room or chosen.private or chosen.vs not in (None, "human")):
        raise ValueError("--any finds an opponent: leave --room, --private and --vs out")
    if chosen.json and not chosen.list:
        raise ValueError("--json goes with --list")
    if (chosen.list or chosen.any) and (chosen.local or chosen.host):
        raise ValueError("--list and --any need a server that others are on")
    if chosen.local and chosen.server:
        raise ValueError("--local has a server of its own: leave --server out")


def options_of(chosen: argparse.Namespace) -> Options:
    """Return the options of the room, or raise ValueError."""
    size, clock = chosen.size, chosen.clock
    win = min(size, USUAL_WIN) if chosen.win is None else chosen.win
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"--size must be {MIN_SIZE} to {MAX_SIZE}")
    if not MIN_SIZE <= win <= size:
        raise ValueError(f"--win must be {MIN_SIZE} to the size of the board")
    if clock is not None and not 0 < clock <= MAX_CLOCK:
        raise ValueError(f"--clock must be more than 0 and at most {MAX_CLOCK} seconds")
    return Options(
        size=size,
        win=win,
        occupied=chosen.occupied,
        opponent=chosen.vs or "human",
        level=chosen.level or "easy",
        clock=clock,
        private=chosen.private,
    )


def server_url(text: str) -> str:
    """Return the URL of `ws://…`, `wss://…`, `host` or `host:port`, or raise ValueError."""
    is_bare = "://" not in text
    try:
        parts = urlsplit(f"ws://{text}" if is_bare else text)
        port = parts.port  # one that is none raises ValueError, too
        if parts.scheme not in ("ws", "wss") or not parts.hostname or parts.netloc.endswith(":"):
            raise ValueError
        if is_bare and parts.path:
            raise ValueError
    except ValueError as error:
        wanted = "ws://, wss://, host or host:port"
        raise ValueError(f"the server cannot be {printable(text)}: give {wanted}") from error
    return f"{parts.geturl()}:{DEFAULT_PORT}" if is_bare and port is None else parts.geturl()


def start(chosen: argparse.Namespace, url: str) -> int:
    """Ask what is still open, find the server and play. Return the exit code."""
    if chosen.list:
        return asyncio.run(show_rooms(url, is_json=chosen.json))
    terminal = Terminal(plain=chosen.plain, quiet=chosen.quiet)
    if terminal.is_interactive and not chosen.watch:
        ask_rest(chosen, terminal)
    options = options_of(chosen)
    x_name, o_name, *_ = [*map(player_name, chosen.name), "", ""]
    join = Join(
        PROTOCOL,
        room_name(spoken(secrets.randbits(32)) if chosen.room is None else chosen.room),
        name=x_name,
        opponent_name=o_name,
        role="watch" if chosen.watch else "play",
        options=options,
        any=chosen.any,
        eval=chosen.eval,
    )
    alone = options.opponent != "human"
    with contextlib.ExitStack() as stack:
        addresses = Addresses(url, f"tictactoe-client --server {printable(url)} --room ")
        if chosen.host:
            port = urlsplit(url).port
            flags = ["--port", str(DEFAULT_PORT if port is None else port)]
            addresses = stack.enter_context(local_server(*flags))
        elif chosen.local or (alone and not chosen.server):
            addresses = stack.enter_context(local_server("--host", "127.0.0.1", "--port", "0"))
        invite = "" if alone else addresses.invite
        try:
            return asyncio.run(play(Session(addresses.here, join), terminal, chosen.style, invite))
        finally:
            terminal.restore()


async def play(session: Session, terminal: Terminal, style: Style, invite: str) -> int:
    """Connect and play, and return the exit code, or raise Ended."""
    asyncio.get_running_loop().set_default_executor(Lookups())
    terminal.show(f"Connecting to {printable(session.url)}...")
    try:
        await session.open()
    except TROUBLE as error:
        return fail(no_way(session.url, error))
    await Game(session, terminal, style, invite).run()
    return 0


async def show_rooms(url: str, *, is_json: bool) -> int:
    """Print the rooms that wait for an opponent, and return the exit code, or raise Ended."""
    try:
        found = await open_rooms(url)
    except TROUBLE as error:
        return fail(no_way(url, error))
    # What another has chosen is not shown as it is, and JSON has escapes of its own.
    print(json.dumps(to_builtins(found), indent=2) if is_json else rooms(found), flush=True)
    return 0


def fail(reason: str) -> int:
    """Say in one line what went wrong, and return the exit code for it."""
    print(f"tictactoe-client: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
