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
    Computer,
    Declined,
    Dropped,
    Finished,
    Forfeited,
    Join,
    Joined,
    Left,
    Level,
    Move,
    Moved,
    Options,
    Refused,
    Rematch,
    Resign,
    Returned,
    Started,
)
from shared.rules import MARKS, Mark, Outcome, Position, Rules, other

GRACE = 30.0  # seconds a dropped player has before the win may be claimed, or a seat taken
KEPT_FOR = 900.0  # seconds a room is kept for players who have all dropped


class Seat(Struct, frozen=True):
    """Who plays a mark. It belongs to whoever has the token whose hash is `key`."""

    name: str
    key: bytes
    score: int = 0
    level: Level | None = None  # how well the computer plays, or None for a human
    dropped: float | None = None  # since when, or None while connected

    @property
    def is_computer(self) -> bool:
        """Whether the computer holds the seat."""
        return self.level is not None


class Room(Struct, frozen=True):
    """A table for two, the game on it and the series it is part of.

    The options are those of whoever sat down where nobody was. Times are in seconds, of the
    clock whose `now` every step is given.
    """

    options: Options
    position: Position
    seats: dict[Mark, Seat | None] = field(default_factory=lambda: {"X": None, "O": None})
    starter: Mark = "X"
    game: int = 1
    moves: tuple[int, ...] = ()  # the cells of this game, in order
    deadline: float | None = None  # when the turn is up, if there is a clock and a game is on
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
    players = [seat for seat in room.seats.values() if seat and not seat.is_computer]
    return not room.watchers and all(
        seat.dropped is not None and now - seat.dropped >= KEPT_FOR for seat in players
    )


def join(room: Room, command: Join, key: bytes, now: float) -> Step:
    """Seat a player, welcome one back to the seats of `key`, or count a watcher."""
    if command.role == "watch":
        _player_name(command.name)  # it is shown when the watcher sits down
        return _changed(room, watchers=room.watchers + 1), ()
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
        return _changed(room, watchers=room.watchers - 1), ()
    news = tuple(Left(mark, _seat(room, mark).name) for mark in ordered(seats))
    left = _with_seats(room, dict.fromkeys(seats))
    return replace(left, rematch=frozenset(), deadline=None), news


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
    moved = replace(
        room,
        version=room.version + 1,
        ply=room.ply + 1,
        position=position,
        moves=(*room.moves, cell),
        deadline=_deadline(room, position.turn, now),
    )
    if position.last == room.position.last:
        return _without_idling(moved), (Forfeited(mark, cell),)
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
    wait = claimable_in(room, now)
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
    computers = {mark for mark in MARKS if _seat(room, mark).is_computer}
    accepted = room.rematch | seats | computers
    if len(accepted) < len(MARKS):
        return _changed(room, rematch=accepted), tuple(Accepted(mark) for mark in marks)
    game = room.game + 1
    swapped = _swapped(room.seats)
    if not computers:
        return _new_game(room, game, swapped, "X", now), (Started(game),)
    # The human stays X, or becomes it, so who begins is the other one.
    if "X" in computers:
        return _new_game(room, game, swapped, room.starter, now), (Started(game),)
    return _new_game(room, game, room.seats, other(room.starter), now), (Started(game),)


def computer(room: Room, seats: Set[Mark], command: Computer, now: float) -> Step:
    """Give the free seat to the computer."""
    if not seats:
        raise Refused("not_playing")
    company = {mark: seat for mark, seat in room.seats.items() if seat}
    free = [mark for mark in MARKS if mark not in company]
    if not free:
        raise Refused("room_full", "No seat is free.")
    return _seated(room, company, {free[0]: _computer(command.level)}, now)


def run_out(room: Room) -> Step:
    """End the game of a player whose time is up."""
    outcome = Outcome(other(room.position.turn), reason="timeout")
    return _finished(_changed(room), outcome), (Finished(outcome),)


# The steps that who is in a room takes by a command. Each takes a command of its own type.
STEPS: dict[type, Callable[[Room, Set[Mark], Any, float], Step]] = {
    Move: move,
    Resign: resign,
    Claim: claim,
    Rematch: rematch,
    Computer: computer,
}


def claimable_in(room: Room, now: float) -> float | None:
    """Return the seconds until a dropped player's game may be claimed, or None."""
    dropped = [seat.dropped for seat in room.seats.values() if seat and seat.dropped is not None]
    if not dropped or not is_on(room):
        return None
    return max(0.0, min(dropped) + GRACE - now)


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
    seated = {mark: _seat(room, mark) for mark in ordered(held)}
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
        seats = _swapped(seats)  # against the computer the human is X
    if room.outcome is None:
        room = _changed(room, seats=seats, game=1)
        room = replace(room, deadline=_deadline(room, room.position.turn, now))
    else:
        room = _new_game(room, 1, seats, "X", now)
    came = newcomers.values()
    news += [Joined(mark, seat.name) for mark, seat in seats.items() if seat and seat in came]
    if is_on(room) and room.position.last is None:
        news.append(Started(room.game))
    return replace(room, draws=0), tuple(news)


def _swapped(seats: dict[Mark, Seat | None]) -> dict[Mark, Seat | None]:
    return {mark: seats[other(mark)] for mark in MARKS}


def _cleared(room: Room, options: Options) -> Room:
    """Return the room as whoever finds nobody there wants it, or raise Refused."""
    made = new_room(options)
    return replace(made, watchers=room.watchers, ply=room.ply, version=room.version)


def _new_game(
    room: Room, game: int, seats: dict[Mark, Seat | None], starter: Mark, now: float
) -> Room:
    room = _changed(
        room,
        position=Position(room.position.rules, turn=starter),
        seats=seats,
        starter=starter,
        game=game,
        moves=(),
        outcome=None,
        rematch=frozenset(),
    )
    return replace(room, deadline=_deadline(room, starter, now))


def _deadline(room: Room, turn: Mark, now: float) -> float | None:
    """Return when a turn that begins now is up. The computer needs no clock."""
    clock = room.options.clock
    if clock is None or not is_on(room) or _seat(room, turn).is_computer:
        return None
    return now + clock


def _without_idling(room: Room) -> Room:
    """Return a room whose last turn was lost, without the one before it if that was lost, too.

    Together they leave the board as it was, and a game of such turns must not fill the memory.
    """
    *before, last, _ = room.moves
    return replace(room, moves=tuple(before)) if last in before else room


def _check_game(room: Room, seats: Set[Mark]) -> None:
    if not seats:
        raise Refused("not_playing")
    if room.outcome is not None:
        raise Refused("game_over")
    if not is_on(room):
        raise Refused("no_opponent")


def _finished(room: Room, outcome: Outcome) -> Room:
    room = replace(room, outcome=outcome, deadline=None)
    if outcome.winner is None:
        return replace(room, draws=room.draws + 1)
    winner = _seat(room, outcome.winner)
    seats = {**room.seats, outcome.winner: replace(winner, score=winner.score + 1)}
    return replace(room, seats=seats)
