"""The steps of a game: its turns, its end, and the next one."""

import math
from collections.abc import Set

from msgspec.structs import replace

from server.room import (
    Room,
    Step,
    changed,
    claimable_in,
    deadline,
    holder,
    is_on,
    new_game,
    ordered,
    swapped,
)
from shared import rules
from shared.protocol import (
    Accepted,
    Claim,
    Declined,
    Finished,
    Forfeited,
    Move,
    Moved,
    Refused,
    Rematch,
    Resign,
    Started,
)
from shared.rules import MARKS, Mark, Outcome, other


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
    # Not by changed: passing the fields on costs a quarter of this step, the most frequent one.
    moved = replace(
        room,
        version=room.version + 1,
        ply=room.ply + 1,
        position=position,
        moves=(*room.moves, cell),
        deadline=deadline(room, position.turn, now),
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
    return _finished(changed(room), outcome), (Finished(outcome),)


def claim(room: Room, seats: Set[Mark], command: Claim, now: float) -> Step:
    """Win against an opponent who dropped GRACE seconds ago or earlier."""
    _check_game(room, seats)
    wait = claimable_in(room, now)
    if wait is None:
        raise Refused("too_early", "Your opponent is there.")
    if wait > 0:
        raise Refused("too_early", f"You may claim the win in {math.ceil(wait)} s.")
    outcome = Outcome(min(seats), reason="claimed")
    return _finished(changed(room), outcome), (Finished(outcome),)


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
        return changed(room, rematch=room.rematch - seats), news
    computers = {mark for mark in MARKS if holder(room, mark).is_computer}
    accepted = room.rematch | seats | computers
    if len(accepted) < len(MARKS):
        return changed(room, rematch=accepted), tuple(Accepted(mark) for mark in marks)
    game = room.game + 1
    players, starter = swapped(room.seats), room.starter
    if computers == {"O"}:  # the human stays X, so it is the mark that begins that changes
        players, starter = room.seats, other(starter)
    return new_game(room, game, players, starter, now), (Started(game),)


def run_out(room: Room) -> Step:
    """End the game of a player whose time is up."""
    outcome = Outcome(other(room.position.turn), reason="timeout")
    return _finished(changed(room), outcome), (Finished(outcome),)


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
    winner = holder(room, outcome.winner)
    seats = {**room.seats, outcome.winner: replace(winner, score=winner.score + 1)}
    return replace(room, seats=seats)
