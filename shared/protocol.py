"""Every message on the wire, version 1: what clients send, what the server answers.

JSON text frames, tagged by `type`. Unknown fields and numbers out of range are refused here,
so that the rest of the server only meets messages that make sense. docs/protocol.md describes
the same for people who write other clients; `python -m shared.protocol` prints the schema.
"""

import inspect
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from shared.rules import EMPTY, MARKS, MAX_CELLS, MAX_SIZE, MIN_SIZE, Mark, Occupied, Outcome

PROTOCOL = 1
DEFAULT_PORT = 8765
MAX_FRAME = 8 * 1024  # bytes of a frame to the server
MAX_STATE = 64 * 1024  # bytes of a frame to a client
MAX_LISTED = 100  # rooms of a list, so that it fits in a frame to a client
MAX_CLOCK = 86400  # seconds of a turn
MAX_TEXT = 256  # characters of a name or token, before it is looked at

# Close codes. 1012 and 1008 are the standard's, 4000 and up the game's own.
RESTART = 1012
MISCONDUCT = 1008
TAKEN_OVER = 4001

Text = Annotated[str, Meta(max_length=MAX_TEXT)]
Side = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Cell = Annotated[int, Meta(ge=0, lt=MAX_CELLS)]
Count = Annotated[int, Meta(ge=0, lt=2**31)]
Seconds = Annotated[float, Meta(ge=0, le=MAX_CLOCK)]
Role = Literal["play", "watch"]
Opponent = Literal["human", "computer", "self"]
Level = Literal["easy", "medium", "hard"]
Result = Literal["win", "draw", "loss"]
Code = Literal[
    "already_joined",
    "already_seated",
    "bad_message",
    "bad_name",
    "bad_options",
    "bad_room",
    "cell_taken",
    "game_not_over",
    "game_over",
    "no_opponent",
    "not_joined",
    "not_playing",
    "not_solvable",
    "not_your_turn",
    "off_board",
    "protocol_version",
    "room_full",
    "server_full",
    "stale",
    "too_early",
    "too_fast",
    "try_again",
]

MESSAGES: dict[Code, str] = {
    "already_joined": "You are in a room already.",
    "already_seated": "You have a seat already.",
    "bad_message": "The server did not understand that message.",
    "bad_name": "That name is not allowed.",
    "bad_options": "A room cannot have those options.",
    "bad_room": "That room name is not allowed.",
    "cell_taken": "That cell is already full.",
    "game_not_over": "The game is not over yet.",
    "game_over": "The game is over.",
    "no_opponent": "There is no opponent yet.",
    "not_joined": "Join a room first.",
    "not_playing": "You are only watching.",
    "not_solvable": "This board is too large to be played out to the end.",
    "not_your_turn": "It is not your turn.",
    "off_board": "There is no such cell on this board.",
    "protocol_version": f"This server speaks version {PROTOCOL} of the protocol.",
    "room_full": "The room is full.",
    "server_full": "The server is full.",
    "stale": "The board has changed since.",
    "too_early": "Your opponent may still come back.",
    "too_fast": "Too many messages.",
    "try_again": "That did not work; please try again.",
}


class Refused(Exception):
    """A command that was not carried out. Nothing has changed."""

    def __init__(self, code: Code, message: str = "") -> None:
        super().__init__(code)
        self.code: Code = code
        self.message = message or MESSAGES[code]


class Command(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """Something a client asks for. A field the server does not know is refused."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What a room plays. Those of whoever made the room hold.

    `clock` is the seconds of each turn; a `private` room is on no list.
    """

    size: Side = 3
    win: Side = 3
    occupied: Occupied = "retry"
    opponent: Opponent = "human"
    level: Level = "easy"
    clock: Annotated[float, Meta(gt=0, le=MAX_CLOCK)] | None = None
    private: bool = False


class Join(Command, frozen=True):
    """Enter a room, which is made if it does not exist.

    `opponent_name` is the second player's at the same terminal, with opponent "self". With `any`,
    a public room that waits for an opponent comes before `room`. With `eval`, a watcher is told
    what each free cell is worth.
    """

    protocol: int
    room: Text
    name: Text = ""
    opponent_name: Text = ""
    role: Role = "play"
    token: Text | None = None
    options: Options = Options()
    any: bool = False
    eval: bool = False


class Version(Struct, frozen=True, tag_field="type", tag="join"):
    """What a join says in every version of the protocol."""

    protocol: int


class Move(Command, frozen=True):
    """Play a cell of the board the client saw after `ply` turns."""

    cell: Cell
    ply: Count


class Resign(Command, frozen=True):
    """Give the game up."""


class Claim(Command, frozen=True):
    """Take the win from an opponent who dropped and stayed away."""


class Rematch(Command, frozen=True):
    """Answer whether to play again."""

    accept: bool


class Leave(Command, frozen=True):
    """Give the seat up and go."""


class Sit(Command, frozen=True):
    """Take a free seat, as a watcher."""


class Computer(Command, frozen=True):
    """Give the free seat to the computer."""

    level: Level = "easy"


class Review(Command, frozen=True):
    """Ask for the post-mortem of a finished game."""


class List(Command, frozen=True):
    """Ask for the open rooms, instead of a join."""


class News(Struct, frozen=True, tag_field="type", tag=str.lower):
    """Something that has just happened in a room."""


class Joined(News, frozen=True):
    """A player took a seat."""

    mark: Mark
    name: str


class Left(News, frozen=True):
    """A player gave the seat up."""

    mark: Mark
    name: str


class Dropped(News, frozen=True):
    """A player's connection was lost; the seat is kept."""

    mark: Mark


class Returned(News, frozen=True):
    """A player who had dropped is back."""

    mark: Mark


class Started(News, frozen=True):
    """A game began."""

    game: Count


class Moved(News, frozen=True):
    """A mark was placed."""

    mark: Mark
    cell: Cell


class Forfeited(News, frozen=True):
    """A taken cell was chosen, and the turn is lost."""

    mark: Mark
    cell: Cell


class Finished(News, frozen=True):
    """The game ended."""

    outcome: Outcome


class Accepted(News, frozen=True):
    """A player wants to play again."""

    mark: Mark


class Declined(News, frozen=True):
    """A player does not want to play again."""

    mark: Mark


AnyNews = (
    Joined
    | Left
    | Dropped
    | Returned
    | Started
    | Moved
    | Forfeited
    | Finished
    | Accepted
    | Declined
)


class Reply(Struct, frozen=True, tag_field="type", tag=str.lower):
    """Something the server tells a client. A field the client does not know is passed over."""


class Welcome(Reply, frozen=True):
    """Which seats this connection holds. Comes again, without a token, when they change."""

    protocol: int
    room: str
    seats: list[Mark]
    token: str | None = None


class Player(Struct, frozen=True):
    """Who holds a seat. The name is empty for one who gave none, the level the computer's."""

    name: str
    connected: bool
    score: Count
    computer: bool
    level: Level | None = None


class State(Reply, frozen=True):
    """The whole public room, and what has just happened in it.

    `clock` is the seconds of each turn, `deadline` the server's time at which this one is up, and
    `time_left` how long that is from now.
    """

    version: Count
    ply: Count
    size: Side
    win: Side
    occupied: Occupied
    cells: str
    turn: Mark
    starter: Mark
    game: Count
    players: dict[Mark, Player | None]
    draws: Count
    watchers: Count
    outcome: Outcome | None
    deadline: float | None
    claimable_in: Seconds | None
    rematch: list[Mark]
    news: list[AnyNews]
    clock: Seconds | None = None
    time_left: Seconds | None = None


class CellValue(Struct, frozen=True):
    """What a free cell is worth to the mark to play, and in how many turns with best play."""

    cell: Cell
    result: Result
    plies: Count


class Values(Reply, frozen=True):
    """For a watcher who asked for it: the worth of each free cell after `ply` turns."""

    ply: Count
    turn: Mark
    values: list[CellValue]


class TurningPoint(Struct, frozen=True):
    """A turn that gave something away: who won with best play before it, and who after it.

    `held` are the cells that would have given nothing away. The turn counts from 1.
    """

    turn: Count
    mark: Mark
    cell: Cell
    before: Mark | None
    after: Mark | None
    held: list[Cell]


class PostMortem(Reply, frozen=True):
    """The answer to Review: where the game changed hands.

    `start` and `end` say who won with best play from the first board and from the last one.
    """

    game: Count
    start: Mark | None
    turning_points: list[TurningPoint]
    end: Mark | None


class Refusal(Reply, frozen=True, tag="refused"):
    """Why a command was not carried out; `re` is the command's type."""

    code: str
    message: str
    re: str | None = None


class OpenRoom(Struct, frozen=True):
    """A room that waits for an opponent."""

    room: str
    waiting: str
    size: int
    win: int
    occupied: Occupied
    clock: float | None
    watchers: int


class Rooms(Reply, frozen=True):
    """The answer to List: at most MAX_LISTED rooms."""

    rooms: list[OpenRoom]


AnyCommand = Join | Move | Resign | Claim | Rematch | Leave | Sit | Computer | Review | List
AnyReply = Welcome | State | Refusal | Rooms | Values | PostMortem

_encoder = msgspec.json.Encoder()
_commands: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
_versions = msgspec.json.Decoder(Version)
_replies: msgspec.json.Decoder[AnyReply] = msgspec.json.Decoder(AnyReply)

# A deeply nested message exhausts the decoder's stack, and a lone surrogate its UTF-8.
UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeError)

FOREIGN = "the server sent something that is not of the protocol"

encode = _encoder.encode


def kind(command: AnyCommand) -> str:
    """Return the type of a command, as it is on the wire."""
    return str(command.__struct_config__.tag)


def decode_command(frame: str | bytes) -> AnyCommand:
    """Return the command in a frame from a client, or raise Refused."""
    try:
        return _commands.decode(frame)
    except UNREADABLE as error:
        if _is_another_version(frame):
            raise Refused("protocol_version") from error
        raise Refused("bad_message", f"{MESSAGES['bad_message']} {error}"[:MAX_TEXT]) from error


def _is_another_version(frame: str | bytes) -> bool:
    """Whether a frame is a join of another version, which may have fields of its own."""
    try:
        return _versions.decode(frame).protocol != PROTOCOL
    except UNREADABLE:
        return False


def decode_reply(frame: str | bytes) -> AnyReply:
    """Return the message in a frame from the server, or raise ValueError."""
    try:
        reply = _replies.decode(frame)
    except UNREADABLE as error:
        raise ValueError(FOREIGN) from error
    if isinstance(reply, State) and not _is_drawable(reply):
        raise ValueError(FOREIGN)
    return reply


def _is_drawable(state: State) -> bool:
    """Whether a state has something for each cell and each mark, and its line is on the board."""
    cells = state.size**2
    won = state.outcome.line if state.outcome else None
    return (
        len(state.cells) == cells
        and set(state.cells) <= {*MARKS, EMPTY}
        and state.players.keys() == set(MARKS)
        and all(0 <= cell < cells for cell in won or ())
    )


def schema() -> dict[str, Any]:
    """Return the JSON Schema of every message."""
    (commands, replies), definitions = msgspec.json.schema_components(
        [AnyCommand, AnyReply], ref_template="#/$defs/{name}"
    )
    for definition in definitions.values():  # Python 3.13 takes the indent from docstrings
        definition["description"] = inspect.cleandoc(definition.get("description", ""))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The tic-tac-toe wire, version {PROTOCOL}",
        "description": "A frame to the server is a `command`, a frame to a client a `reply`.",
        "$defs": {"command": commands, "reply": replies, **definitions},
    }


def main() -> None:
    """Print the schema, for docs/protocol.schema.json."""
    print(msgspec.json.format(encode(schema()), indent=2).decode())


if __name__ == "__main__":
    main()
