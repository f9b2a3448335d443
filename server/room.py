"""What a room is and how it changes.

Everything that may change a room is in this file. Nothing here reads a clock, draws a random
number or waits, so a step can be retried, replayed and tested without a server. A step returns
the new room and the news of it, or raises Refused and has changed nothing.
"""

import hmac
import math
from collections.abc import Callable, Set
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from shared import names, rules
from shared.protocol import (
    Accepted,
    AnyNews,
    Claim,
    Declined,
    Dropped,
    Finished,
    Forfeited,
    Join,
    Joined,
    Left,
    Move,
    Moved,
    OpenRoom,
    Options,
    Player,
    Refused,
    Rematch,
    Resign,
    Returned,
    Started,
    State,
)
from shared.rules import MARKS, Mark, Outcome, Position, Rules, other

GRACE = 30.0  # seconds a dropped player has before the win may be claimed, or a seat taken
KEPT_FOR = 900.0  # seconds a room is kept for players who have all dropped


class Seat(Struct, frozen=True):
    """Who plays a mark. It belongs to whoever has the token whose hash is `key`."""

    name: str
    key: bytes
    score: int = 0
    computer: bool = False
    dropped: float | None = None  # since when, or None while connected


class Room(Struct, frozen=True):
    """A table for two, the game on it and the series it is part of.

    The options are those of whoever sat down where nobody was.
    """

    options: Options
    position: Position
    seats: dict[Mark, Seat | None] = field(default_factory=lambda: {"X": None, "O": None})
    starter: Mark = "X"
    game: int = 1
    outcome: Outcome | None = None
    rematch: frozenset[Mark] = frozenset()
    draws: int = 0
    watchers: int = 0
    ply: int = 0  # never goes back, not even with a new game
    version: int = 0


Step = tuple[Room, tuple[AnyNews, ...]]


def new_room(options: Options) -> Room:
    """Return an empty room that plays by `options`, or raise Refused."""
    try:
        board = Rules(options.size, options.win, options.occupied)
    except ValueError as error:
        raise Refused("bad_options", f"The {error}.") from error
    if options.clock is not None:
        raise Refused("unsupported", "This server has no clock.")
    if options.opponent == "computer" and options.level != "easy":
        raise Refused("unsupported", "The computer of this server is an easy one.")
    return Room(options, Position(board))


def seats_of(room: Room, key: bytes) -> frozenset[Mark]:
    """Return the seats that belong to the token whose hash is `key`."""
    return frozenset(
        mark for mark, seat in room.seats.items() if seat and hmac.compare_digest(seat.key, key)
    )


def ordered(marks: Set[Mark]) -> list[Mark]:
    """Return marks as they are told: X before O."""
    return [mark for mark in MARKS if mark in marks]


def is_on(room: Room) -> bool:
    """Whether both seats are taken and the game has not ended."""
    return room.outcome is None and None not in room.seats.values()


def is_deserted(room: Room, now: float) -> bool:
    """Whether nobody is in the room and nobody can be expected back."""
    players = [seat for seat in room.seats.values() if seat and not seat.computer]
    return not room.watchers and all(
        seat.dropped is not None and now - seat.dropped >= KEPT_FOR for seat in players
    )


def join(room: Room, command: Join, key: bytes, now: float) -> Step:
    """Seat a player, welcome one back to the seats of `key`, or count a watcher."""
    if command.role == "watch":
        return _changed(room, watchers=room.watchers + 1), ()
    held = seats_of(room, key)
    if held:
        seated = {mark: _seat(room, mark) for mark in ordered(held)}
        news = tuple(Returned(mark) for mark, seat in seated.items() if seat.dropped is not None)
        back = {mark: replace(seat, dropped=None) for mark, seat in seated.items()}
        return _with_seats(room, back), news
    company = _company(room, now)
    free = [mark for mark in MARKS if mark not in company]
    if not free:
        raise Refused("room_full")
    newcomers = {free[0]: Seat(_player_name(command.name), key)}
    if company:
        return _seated(room, company, newcomers)
    if command.options.opponent == "self":
        newcomers["O"] = Seat(_player_name(command.opponent_name), key)
    elif command.options.opponent == "computer":
        newcomers["O"] = Seat(names.COMPUTER, b"", computer=True)
    return _seated(_cleared(room, command.options), company, newcomers)


def leave(room: Room, seats: Set[Mark]) -> Step:
    """Free the seats of a player who goes for good. The game waits for another."""
    if not seats:
        return _changed(room, watchers=room.watchers - 1), ()
    news = tuple(Left(mark, _seat(room, mark).name) for mark in ordered(seats))
    left = _with_seats(room, dict.fromkeys(seats))
    return replace(left, rematch=frozenset()), news


def drop(room: Room, seats: Set[Mark], now: float) -> Step:
    """Keep the seats of a player whose connection was lost."""
    if not seats:
        return leave(room, seats)
    dropped = {mark: replace(_seat(room, mark), dropped=now) for mark in seats}
    return _with_seats(room, dropped), tuple(Dropped(mark) for mark in ordered(seats))


def move(room: Room, seats: Set[Mark], command: Move, now: float) -> Step:
    """Play a move for whoever holds `seats`: one mark, both (one terminal) or none."""
    if command.ply != room.ply:
        raise Refused("stale")  # a double key press must not play the next turn too
    _check_game(room, seats)
    mark, cell = room.position.turn, command.cell
    if mark not in seats:
        raise Refused("not_your_turn")
    try:
        position = rules.place(room.position, cell)
    except rules.OffBoard as error:
        raise Refused("off_board") from error
    except rules.CellTaken as error:
        raise Refused("cell_taken") from error
    # Not by _changed: passing the fields on costs a quarter of this step, the most frequent one.
    moved = replace(room, version=room.version + 1, ply=room.ply + 1, position=position)
    if position.last == room.position.last:
        return moved, (Forfeited(mark, cell),)
    outcome = rules.outcome(position)
    if outcome is None:
        return moved, (Moved(mark, cell),)
    return _finished(moved, outcome), (Moved(mark, cell), Finished(outcome))


def resign(room: Room, seats: Set[Mark], command: Resign, now: float) -> Step:
    """Give the game up; of two at one terminal, for the one whose turn it is."""
    _check_game(room, seats)
    mark = room.position.turn if len(seats) == 2 else min(seats)
    outcome = Outcome(other(mark), reason="resigned")
    return _finished(_changed(room), outcome), (Finished(outcome),)


def claim(room: Room, seats: Set[Mark], command: Claim, now: float) -> Step:
    """Win against an opponent who dropped GRACE seconds ago or earlier."""
    _check_game(room, seats)
    wait = _claimable_in(room, now)
    if wait is None:
        raise Refused("too_early", "Your opponent is there.")
    if wait > 0:
        raise Refused("too_early", f"You may claim the win in {math.ceil(wait)} s.")
    outcome = Outcome(min(seats), reason="claimed")
    return _finished(_changed(room), outcome), (Finished(outcome),)


def rematch(room: Room, seats: Set[Mark], command: Rematch, now: float) -> Step:
    """Note who wants to play again; when both do, begin the next game."""
    if not seats:
        raise Refused("not_playing")
    if room.outcome is None:
        raise Refused("game_not_over")
    if None in room.seats.values():
        raise Refused("no_opponent")
    marks = ordered(seats)
    if not command.accept:
        news = tuple(Declined(mark) for mark in marks)
        return _changed(room, rematch=room.rematch - seats), news
    computers = {mark for mark in MARKS if _seat(room, mark).computer}
    accepted = room.rematch | seats | computers
    if len(accepted) < len(MARKS):
        return _changed(room, rematch=accepted), tuple(Accepted(mark) for mark in marks)
    game = room.game + 1
    if computers:  # the human stays X, so the other one begins
        return _new_game(room, game, room.seats, other(room.starter)), (Started(game),)
    swapped = {mark: room.seats[other(mark)] for mark in MARKS}
    return _new_game(room, game, swapped, "X"), (Started(game),)


# The steps that who is in a room takes by a command. Each takes a command of its own type.
STEPS: dict[type, Callable[[Room, Set[Mark], Any, float], Step]] = {
    Move: move,
    Resign: resign,
    Claim: claim,
    Rematch: rematch,
}


def view(room: Room, news: tuple[AnyNews, ...], now: float) -> State:
    """Return what everyone may see of the room: all but the keys of the seats."""
    board = room.position.rules
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
        deadline=None,
        claimable_in=_claimable_in(room, now),
        rematch=ordered(room.rematch),
        news=list(news),
    )


def open_room(name: str, room: Room) -> OpenRoom | None:
    """Return the room as a list of open rooms shows it, or None if nobody waits there."""
    seats = [seat for seat in room.seats.values() if seat]
    waiting = [seat for seat in seats if seat.dropped is None and not seat.computer]
    if len(seats) != 1 or not waiting:
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


def _changed(room: Room, **fields: Any) -> Room:  # noqa: ANN401
    return replace(room, version=room.version + 1, **fields)


def _with_seats(room: Room, seats: dict[Mark, Any]) -> Room:
    return _changed(room, seats={**room.seats, **seats})


def _seat(room: Room, mark: Mark) -> Seat:
    seat = room.seats[mark]
    if seat is None:
        raise LookupError(f"nobody holds {mark}")
    return seat


def _company(room: Room, now: float) -> dict[Mark, Seat]:
    """Return who a newcomer finds at the table, or must wait for.

    One who dropped keeps the seat for as long as there is a game to come back to, and else for
    a while. The computer does not stay on its own.
    """
    seats = {mark: seat for mark, seat in room.seats.items() if seat}
    if is_on(room):
        return seats
    kept = {
        mark: seat
        for mark, seat in seats.items()
        if seat.dropped is None or now - seat.dropped < GRACE
    }
    return kept if any(not seat.computer for seat in kept.values()) else {}


def _player_name(text: str) -> str:
    try:
        return names.player_name(text)
    except names.BadName as error:
        raise Refused("bad_name", str(error)) from error


def _seated(room: Room, company: dict[Mark, Seat], newcomers: dict[Mark, Seat]) -> Step:
    """Return the room with newcomers in it: a new pair, so a new series.

    A newcomer takes up the game of one who has left.
    """
    seats = {mark: newcomers.get(mark) or company.get(mark) for mark in MARKS}
    seats = {mark: seat and replace(seat, score=0) for mark, seat in seats.items()}
    if room.outcome is None:
        room = _changed(room, seats=seats, game=1)
    else:
        room = _new_game(room, 1, seats, "X")
    news: list[AnyNews] = [Joined(mark, seat.name) for mark, seat in newcomers.items()]
    if is_on(room) and room.position.last is None:
        news.append(Started(room.game))
    return replace(room, draws=0), tuple(news)


def _cleared(room: Room, options: Options) -> Room:
    """Return the room as whoever finds nobody there wants it, or raise Refused."""
    made = new_room(options)
    return replace(made, watchers=room.watchers, ply=room.ply, version=room.version)


def _new_game(room: Room, game: int, seats: dict[Mark, Seat | None], starter: Mark) -> Room:
    return _changed(
        room,
        position=Position(room.position.rules, turn=starter),
        seats=seats,
        starter=starter,
        game=game,
        outcome=None,
        rematch=frozenset(),
    )


def _check_game(room: Room, seats: Set[Mark]) -> None:
    if not seats:
        raise Refused("not_playing")
    if room.outcome is not None:
        raise Refused("game_over")
    if not is_on(room):
        raise Refused("no_opponent")


def _finished(room: Room, outcome: Outcome) -> Room:
    if outcome.winner is None:
        return replace(room, outcome=outcome, draws=room.draws + 1)
    winner = _seat(room, outcome.winner)
    seats = {**room.seats, outcome.winner: replace(winner, score=winner.score + 1)}
    return replace(room, outcome=outcome, seats=seats)


def _claimable_in(room: Room, now: float) -> float | None:
    """Return the seconds until a dropped player's game may be claimed, or None."""
    dropped = [seat.dropped for seat in room.seats.values() if seat and seat.dropped is not None]
    if not dropped or not is_on(room):
        return None
    return max(0.0, min(dropped) + GRACE - now)


def _player(seat: Seat | None) -> Player | None:
    if seat is None:
        return None
    return Player(seat.name, seat.dropped is None, seat.score, seat.computer)
