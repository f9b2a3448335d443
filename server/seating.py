"""The steps of who comes to a room, sits down, drops out and goes."""

from collections.abc import Set
from typing import Any

from msgspec.structs import replace

from server.room import (
    GRACE,
    Room,
    Seat,
    Step,
    changed,
    deadline,
    holder,
    is_on,
    new_game,
    new_room,
    ordered,
    seats_of,
    swapped,
)
from shared import names
from shared.protocol import (
    AnyNews,
    Computer,
    Dropped,
    Join,
    Joined,
    Left,
    Level,
    Options,
    Refused,
    Returned,
    Started,
)
from shared.rules import MARKS, Mark


def join(room: Room, command: Join, key: bytes, now: float) -> Step:
    """Seat a player, welcome one back to the seats of `key`, or count a watcher."""
    if command.role == "watch":
        _player_name(command.name)  # it is shown when the watcher sits down
        return changed(room, watchers=room.watchers + 1), ()
    held = seats_of(room, key)
    if held:
        return _returned(room, held, command, now)
    company = _company(room, now)
    free = [mark for mark in MARKS if mark not in company]
    if not free:
        raise Refused("room_full")
    newcomers = {free[0]: Seat(_player_name(command.name), key)}
    if company:
        return _seated(room, company, newcomers, now)
    if command.options.opponent == "self":
        newcomers["O"] = Seat(_player_name(command.opponent_name), key)
    elif command.options.opponent == "computer":
        newcomers["O"] = _computer(command.options.level)
    return _seated(_cleared(room, command.options), company, newcomers, now)


def sit(room: Room, seats: Set[Mark], command: Join, key: bytes, now: float) -> Step:
    """Take a free seat, as a watcher who came by `command`."""
    if seats:
        raise Refused("already_seated")
    return join(replace(room, watchers=room.watchers - 1), replace(command, role="play"), key, now)


def leave(room: Room, seats: Set[Mark]) -> Step:
    """Free the seats of a player who goes for good. The game waits for another."""
    if not seats:
        return changed(room, watchers=room.watchers - 1), ()
    news = tuple(Left(mark, holder(room, mark).name) for mark in ordered(seats))
    left = _with_seats(room, dict.fromkeys(seats))
    return replace(left, rematch=frozenset(), deadline=None), news


def drop(room: Room, seats: Set[Mark], now: float) -> Step:
    """Keep the seats of a player whose connection was lost."""
    if not seats:
        return leave(room, seats)
    dropped = {mark: replace(holder(room, mark), dropped=now) for mark in seats}
    return _with_seats(room, dropped), tuple(Dropped(mark) for mark in ordered(seats))


def computer(room: Room, seats: Set[Mark], command: Computer, now: float) -> Step:
    """Give the free seat to the computer."""
    if not seats:
        raise Refused("not_playing")
    company = {mark: seat for mark, seat in room.seats.items() if seat}
    free = [mark for mark in MARKS if mark not in company]
    if not free:
        raise Refused("room_full", "No seat is free.")
    return _seated(room, company, {free[0]: _computer(command.level)}, now)


def _company(room: Room, now: float) -> dict[Mark, Seat]:
    """Return who a newcomer finds at the table, or must wait for.

    One who dropped keeps the seat for as long as there is a game to come back to, and else for
    a while. The computer does not stay on its own, and where it only stands in for a human, it
    gives way to one.
    """
    on = is_on(room)
    stands_in = room.options.opponent != "computer"
    kept = {
        mark: seat
        for mark, seat in room.seats.items()
        if seat
        and (on or seat.dropped is None or now - seat.dropped < GRACE)
        and not (seat.is_computer and stands_in)
    }
    return kept if any(not seat.is_computer for seat in kept.values()) else {}


def _returned(room: Room, held: Set[Mark], command: Join, now: float) -> Step:
    """Return the room with the holder of `held` back, and the computer too, if it is called."""
    seated = {mark: holder(room, mark) for mark in ordered(held)}
    news = tuple(Returned(mark) for mark, seat in seated.items() if seat.dropped is not None)
    back = {mark: replace(seat, dropped=None) for mark, seat in seated.items()}
    room = _with_seats(room, back)
    if command.options.opponent != "computer" or None not in room.seats.values():
        return room, news
    room, more = computer(room, held, Computer(command.options.level), now)
    return room, (*news, *more)


def _computer(level: Level) -> Seat:
    return Seat(names.COMPUTER, b"", level=level)


def _player_name(text: str) -> str:
    try:
        return names.player_name(text)
    except names.BadName as error:
        raise Refused("bad_name", str(error)) from error


def _seated(room: Room, company: dict[Mark, Seat], newcomers: dict[Mark, Seat], now: float) -> Step:
    """Return the room with newcomers in it: a new pair, so a new series.

    A newcomer takes up the game of one who has left, or for whom the computer has stood in.
    """
    stood_in = [(mark, room.seats[mark]) for mark in newcomers]
    news: list[AnyNews] = [Left(mark, s.name) for mark, s in stood_in if s and s.is_computer]
    stayed = {mark: replace(seat, score=0) for mark, seat in company.items()}
    seats: dict[Mark, Seat | None] = {"X": None, "O": None, **stayed, **newcomers}
    is_fresh = room.outcome is not None or room.position.last is None
    if is_fresh and seats["X"] and seats["X"].is_computer:
        seats = swapped(seats)  # against the computer the human is X
    if room.outcome is None:
        room = changed(room, seats=seats, game=1)
        room = replace(room, deadline=deadline(room, room.position.turn, now))
    else:
        room = new_game(room, 1, seats, "X", now)
    came = newcomers.values()
    news += [Joined(mark, seat.name) for mark, seat in seats.items() if seat and seat in came]
    if is_on(room) and room.position.last is None:
        news.append(Started(room.game))
    return replace(room, draws=0), tuple(news)


def _cleared(room: Room, options: Options) -> Room:
    """Return the room as whoever finds nobody there wants it, or raise Refused."""
    made = new_room(options)
    return replace(made, watchers=room.watchers, ply=room.ply, version=room.version)


def _with_seats(room: Room, seats: dict[Mark, Any]) -> Room:
    return changed(room, seats={**room.seats, **seats})
