"""What is told of a board's worth: of each cell to watchers, and the post-mortem after a game.

It takes thinking, so it comes later than the state it is about. Nothing here changes a room.
"""

from collections.abc import Iterable

from server.room import Room, is_on
from server.solve import is_solvable
from server.table import Member, Table, tell, tell_each
from server.thinker import NoThought, Thinker
from shared.protocol import MESSAGES, PostMortem, Refusal, Refused, Values
from shared.rules import Position


def has_values(room: Room) -> bool:
    """Whether a game is on of which it can be told what each cell is worth."""
    return is_on(room) and is_solvable(room.position.rules)


def check_review(room: Room) -> None:
    """Raise Refused if the room has no game whose post-mortem can be told."""
    if room.outcome is None:
        raise Refused("game_not_over")
    if not is_solvable(room.position.rules):
        raise Refused("not_solvable")


async def tell_values(
    thinker: Thinker, table: Table, room: Room, watchers: Iterable[Member]
) -> None:
    """Tell watchers what each cell of a room is worth, unless it has moved on by then."""
    try:
        values = await thinker.values(room.position)
    except NoThought:
        return
    if table.room.position == room.position and is_on(table.room):
        sockets = [watcher.socket for watcher in watchers if watcher.sees_values]
        tell_each(sockets, Values(room.ply, room.position.turn, values))


async def tell_review(thinker: Thinker, room: Room, member: Member) -> None:
    """Tell a member the post-mortem of the room's last game, or that it failed."""
    start = Position(room.position.rules, turn=room.starter)
    reply: PostMortem | Refusal
    try:
        reply = await thinker.review(start, room.moves, room.game)
    except NoThought:
        reply = Refusal("try_again", MESSAGES["try_again"], "review")
    tell(member.socket, reply)
