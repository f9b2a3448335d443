"""Plain HTTP on the game's port: whoever asks without an upgrade is not a player."""

from http import HTTPStatus

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response


def answer(socket: ServerConnection, request: Request) -> Response | None:
    """Return the answer to a plain request, or None to let a WebSocket through."""
    if "Upgrade" in request.headers:
        return None
    if request.path == "/healthz":
        return socket.respond(HTTPStatus.OK, "ok\n")
    return socket.respond(
        HTTPStatus.NOT_FOUND, "This is a tic-tac-toe server. Play with tictactoe-client.\n"
    )
