"""One WebSocket: decode what comes, submit it, answer what is refused.

A client can break nothing here but its own connection.
"""

import logging

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from server.hub import Hub
from server.table import Member, tell
from shared.names import printable
from shared.protocol import (
    AnyCommand,
    Join,
    Leave,
    List,
    Refusal,
    Refused,
    Rooms,
    decode_command,
    kind,
)

log = logging.getLogger("tictactoe")


class Connection:
    """What one client has asked for so far, and what it may ask for now."""

    def __init__(self, hub: Hub, socket: ServerConnection) -> None:
        self.hub = hub
        self.socket = socket
        self.member: Member | None = None

    async def run(self) -> None:
        """Serve the client until it leaves or is lost."""
        try:
            async for frame in self.socket:
                # What a client says before it has heard that its seats are gone counts no more.
                if not (self.member and self.member.is_gone):
                    self.receive(frame)
        except ConnectionClosed:
            pass
        except Exception:
            log.exception("%s: an error of ours", address(self.socket))
            raise
        finally:
            if self.member:
                self.hub.drop(self.member)

    def receive(self, frame: str | bytes) -> None:
        """Carry out the command in a frame, or answer why not."""
        command = None
        try:
            if isinstance(frame, bytes):
                raise Refused("bad_message", "Messages are JSON in text frames.")
            command = decode_command(frame)
            self.obey(command)
        except Refused as refused:
            re = kind(command) if command else None
            log.info("%s: refused %s: %s", address(self.socket), re, refused.code)
            tell(self.socket, Refusal(refused.code, refused.message, re))
            if refused.code == "stale" and self.member:
                self.hub.tell_state(self.member)

    def obey(self, command: AnyCommand) -> None:
        """Carry out a command, or raise Refused."""
        if isinstance(command, List):
            tell(self.socket, Rooms(self.hub.open_rooms()))
        elif isinstance(command, Join):
            if self.member:
                raise Refused("already_joined")
            self.member = self.hub.join(self.socket, command)
        elif self.member is None:
            raise Refused("not_joined")
        elif isinstance(command, Leave):
            self.hub.leave(self.member)
            self.member = None
        else:
            self.hub.submit(self.member, command)


def address(socket: ServerConnection) -> str:
    """Return where a client is, for the log."""
    host, port = socket.remote_address[:2]
    return f"{printable(str(host))}:{port}"
