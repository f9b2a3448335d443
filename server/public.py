"""What everyone may see of a room. Built field by field, so that no secret can slip in."""

from server.room import Room, Seat, claimable_in, ordered
from shared import rules
from shared.protocol import AnyNews, OpenRoom, Player, State


def view(room: Room, news: tuple[AnyNews, ...], now: float) -> State:
    """Return the public room: all but the keys of the seats."""
    board = room.position.rules
    deadline = room.deadline
    return State(
        version=room.version,
        ply=room.ply,
        size=board.size,
        win=board.win,
        occupied=board.occupied,
        cells=rules.drawing(room.position),
        turn=room.position.turn,
        starter=room.starter,
        game=room.game,
        players={mark: _player(seat) for mark, seat in room.seats.items()},
        draws=room.draws,
        watchers=room.watchers,
        outcome=room.outcome,
        deadline=deadline,
        claimable_in=claimable_in(room, now),
        rematch=ordered(room.rematch),
        news=list(news),
        clock=room.options.clock,
        time_left=None if deadline is None else max(0.0, deadline - now),
    )


def open_room(name: str, room: Room) -> OpenRoom | None:
    """Return the room as a list of open rooms shows it, or None if it is not for that list.

    It is if somebody waits there who wants to be found.
    """
    seats = [seat for seat in room.seats.values() if seat]
    waiting = [seat for seat in seats if seat.dropped is None and not seat.is_computer]
    if len(seats) != 1 or not waiting or room.options.private:
        return None
    options = room.options
    return OpenRoom(
        name,
        waiting[0].name,
        options.size,
        options.win,
        options.occupied,
        options.clock,
        room.watchers,
    )


def _player(seat: Seat | None) -> Player | None:
    if seat is None:
        return None
    return Player(seat.name, seat.dropped is None, seat.score, seat.is_computer, seat.level)
