"""`tictactoe-server`: flags, the listening socket, signals, and how they hang together."""

import argparse
import asyncio
import contextlib
import errno
import gc
import importlib.metadata
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection, serve

from server import http
from server.connection import Connection
from server.hub import Hub
from shared.names import printable
from shared.protocol import DEFAULT_PORT, MAX_FRAME, RESTART

EVERYWHERE = "0.0.0.0"  # noqa: S104
OPENING_SECONDS = 5.0  # for a client's handshake
STOPPING_SECONDS = 5.0  # for clients to say goodbye
PING_EVERY = 20.0  # seconds; a client that does not answer in as many is dropped

EXAMPLES = """\
examples:
  tictactoe-server                     for everyone who can reach this machine
  tictactoe-server --port 9000         on another port
  tictactoe-server --host 127.0.0.1    for this machine alone
"""

log = logging.getLogger("tictactoe")


def main() -> None:
    """Run a server until a signal stops it."""
    flags = parser().parse_args()
    logging.basicConfig(
        level=flags.log_level.upper(),
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    # Errors in a handler are logged by Connection; the rest is what strangers send.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    try:
        listening = listen(flags.host, flags.port)
    except (OSError, UnicodeError) as error:
        sys.exit(f"tictactoe-server: {trouble(flags.host, flags.port, error)}")
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(run(listening, flags.host or EVERYWHERE, until_eof=flags.until_eof))


def parser() -> argparse.ArgumentParser:
    """Return the flags of the command."""
    parser = argparse.ArgumentParser(
        prog="tictactoe-server",
        description="Host tic-tac-toe for players on other machines.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # a flag of tomorrow must not change what today's scripts mean
    )
    parser.add_argument("--host", help="address to listen on (default: every interface)")
    parser.add_argument(
        "--port", type=port, default=DEFAULT_PORT, help="default %(default)s; 0 takes a free one"
    )
    parser.add_argument(
        "--log-level", choices=["debug", "info", "warning", "error"], default="info"
    )
    parser.add_argument(
        "--until-eof",
        action="store_true",
        help="stop when standard input ends, as it does when the program that started this ends",
    )
    version = importlib.metadata.version("tictactoe-terminal")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version}")
    return parser


def port(text: str) -> int:
    """Return the number of a port, or raise ValueError."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise ValueError(text)
    return number


def listen(host: str | None, port: int) -> socket.socket:
    """Return a socket that listens on `host`, or on every interface, IPv4 and IPv6 alike."""
    if host is None and socket.has_dualstack_ipv6():
        # A machine may know IPv6 and yet have no address in it.
        with contextlib.suppress(OSError):
            return socket.create_server(
                ("::", port), family=socket.AF_INET6, backlog=1024, dualstack_ipv6=True
            )
    family, _, _, _, address = socket.getaddrinfo(
        host or EVERYWHERE, port, type=socket.SOCK_STREAM
    )[0]
    return socket.create_server(address[:2], family=family, backlog=1024)


def trouble(host: str | None, port: int, error: OSError | UnicodeError) -> str:
    """Return one line on why the server cannot listen, and what to do."""
    if isinstance(error, UnicodeError | socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"cannot listen on {printable(str(host))}: give --host an address of this machine."
    reason = (os.strerror(error.errno) if error.errno else str(error)).lower()
    return f"cannot listen on port {port} ({reason}): free it, or choose another with --port."


async def run(listening: socket.socket, host: str, *, until_eof: bool) -> None:
    """Serve on a socket until a signal comes, then tell the players and stop."""
    hub = Hub()
    stop = asyncio.Event()
    sockets: set[ServerConnection] = set()
    stop_on_signals(stop)
    if until_eof:
        stop_at_eof(stop)

    async def serve_one(socket: ServerConnection) -> None:
        sockets.add(socket)
        try:
            await Connection(hub, socket).run()
        finally:
            sockets.discard(socket)

    server = await serve(
        serve_one,
        sock=listening,
        compression=None,  # it costs three times the memory and half the speed
        max_size=MAX_FRAME,
        open_timeout=OPENING_SECONDS,
        ping_interval=PING_EVERY,
        ping_timeout=PING_EVERY,
        process_request=http.answer,
        server_header="tictactoe",
    )
    announce(host, listening.getsockname()[1])
    # What is loaded by now stays: the collector need not walk it, nor look so often.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    sweeping = asyncio.create_task(hub.sweep())
    await stop.wait()
    log.info("stopping")
    sweeping.cancel()
    hub.close()
    server.close(code=RESTART, reason="the server is stopping")
    try:
        async with asyncio.timeout(STOPPING_SECONDS):
            await server.wait_closed()
    except TimeoutError:
        for socket in sockets:  # a client that does not read would be waited for
            socket.transport.abort()


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the fastest event loop of this platform."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set `stop` on the first signal, and leave at once on the second."""
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, on_signal)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))


def stop_at_eof(stop: asyncio.Event) -> None:
    """Set `stop` when standard input ends."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(OSError):  # it was closed before the start
            while os.read(0, 4096):
                pass
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=read, daemon=True).start()


def announce(host: str, port: int) -> None:
    """Print where the server listens, and how people on other machines join."""
    reachable = lan_address() if host in (EVERYWHERE, "::") else host
    try:
        print(f"Listening on ws://{in_url(host)}:{port}")
        print(f"tictactoe-client --server ws://{in_url(reachable)}:{port} --room ROOM", flush=True)
    except OSError as error:  # nobody reads it, or the disk is full: that is no reason to stop
        log.warning("cannot write to standard output: %s", error.strerror)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def in_url(host: str) -> str:
    """Return an address as a URL has it."""
    return f"[{host}]" if ":" in host else host


def lan_address() -> str:
    """Return the address other machines reach this one by, as far as it can know."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing: it only chooses a route.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "localhost"
        return str(probe.getsockname()[0])


if __name__ == "__main__":
    main()
