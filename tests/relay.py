"""What stands between a client and a server: TLS, a proxy, a connection that is cut."""

import socket
import ssl
import threading
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

SECONDS = 10


class Relay:
    """Passes bytes on to a port of this machine, and back.

    With `tls` it ends the encryption, and `as_proxy` it is asked by CONNECT for a host, which it
    takes for that port whatever its name is.
    """

    def __init__(
        self, port: int, *, tls: ssl.SSLContext | None = None, as_proxy: bool = False
    ) -> None:
        self.target = port
        self.tls = tls
        self.as_proxy = as_proxy
        self.asked: list[str] = []  # the hosts a proxy was asked for
        self.swallows: Literal["commands", "replies"] | None = None  # what gets lost on the way
        self.has_swallowed = threading.Event()
        self.open: list[socket.socket] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.listening.close()
        self.cut()

    def cut(self) -> None:
        """Cut every connection that stands; new ones may come, and nothing gets lost on them."""
        self.swallows = None
        while self.open:
            with suppress(OSError):
                self.open.pop().shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self.listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            client.settimeout(SECONDS)
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            if self.as_proxy:
                asked = client.recv(4096).decode()
                self.asked.append(asked.split()[1])
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            client.settimeout(None)
            server = socket.create_connection(("127.0.0.1", self.target))
            self.open += [client, server]
            back = threading.Thread(
                target=self._pass, args=("replies", server, client), daemon=True
            )
            back.start()
            self._pass("commands", client, server)

    def _pass(self, what: str, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError), source, sink:
            while chunk := source.recv(65536):
                if self.swallows == what:
                    self.has_swallowed.set()
                else:
                    sink.sendall(chunk)
            sink.shutdown(socket.SHUT_RDWR)
