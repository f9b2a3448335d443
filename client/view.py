"""Every sentence a player reads. Pure: a state in, text out.

Whether a move is legal, whose turn it is and who has won is the server's to say.
"""

import math
from collections.abc import Iterable, Set

from client.board import Style, board, cell_name, is_numbered
from shared.names import columns, printable
from shared.protocol import (
    Accepted,
    AnyNews,
    Declined,
    Dropped,
    Forfeited,
    Join,
    Joined,
    Left,
    Moved,
    OpenRoom,
    Returned,
    Started,
    State,
    Welcome,
)
from shared.rules import MARKS, Mark, other

NUMBERS = (
    *("Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"),
    *("Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen"),
)
LOSSES = {"resigned": "has resigned", "claimed": "stayed away", "timeout": "ran out of time"}
HURRY = 10  # seconds before the end of a turn that its player is called again

MOVE = "Move to?"
AGAIN = "Play again? (y/N)"
WATCH = "The room is full. Watch? (y/N)"
FULL = "The room is full. Add --watch to watch, or choose another room."
LOST = "The connection is lost. Reconnecting..."
ANEW = "The server has forgotten your seat: this is a new one."
WAIT = "The server has yet to answer. Type quit to leave."
STOPPING = "The server is stopping. Reconnecting when it is back..."
HELP = """\
A move is a cell's number, or its row and column. On a board of 3 by 3, 2 and
1,2 and 1 2 are the same cell.
board     draw the board again
resign    give the game up
claim     take the win, when your opponent has been away for 30 seconds
computer  let the computer take the free seat (computer easy, medium or hard)
sit       take a free seat, when you are watching
why       after a game on a small board: where it changed hands
quit      leave the room
After a game, y or n answers whether you play again."""
NO_ROOMS = "No room waits for an opponent."


def called(mark: Mark, name: str) -> str:
    """Return a player's name and mark: "Alice (X)", or "Player X" for one who gave no name."""
    return f"{printable(name)} ({mark})" if name else f"Player {mark}"


def player(state: State, mark: Mark) -> str:
    """Return what the holder of a seat is called."""
    seat = state.players[mark]
    return called(mark, seat.name if seat else "")


def turn_line(state: State) -> str:
    """Return whose turn it is: "Alice's turn (X)"."""
    seat = state.players[state.turn]
    name = printable(seat.name) if seat else ""
    return f"{name}'s turn ({state.turn})" if name else f"Player {state.turn}'s turn"


def has_free_seat(state: State) -> bool:
    """Whether the room waits for a player."""
    return None in state.players.values()


def is_on(state: State) -> bool:
    """Whether a game is being played."""
    return state.outcome is None and not has_free_seat(state)


def has_joined(state: State, seats: Set[Mark]) -> bool:
    """Whether one of these seats has just been taken by a newcomer."""
    return any(isinstance(n, Joined) and n.mark in seats for n in state.news)


def has_played(state: State, seats: Set[Mark]) -> bool:
    """Whether it was one of these seats that took the last turn."""
    return any(isinstance(n, Moved | Forfeited) and n.mark in seats for n in state.news)


def is_complete(state: State) -> bool:
    """Whether everyone who plays is there."""
    return all(seat and seat.connected for seat in state.players.values())


def is_struck(state: State) -> bool:
    """Whether a line is drawn through cells of the board."""
    return bool(state.outcome and state.outcome.line)


def is_redrawn(before: State | None, state: State) -> bool:
    """Whether there is more to see than when the board was last drawn, if it was."""
    if before is None:
        return is_on(state) or state.outcome is not None
    began = is_on(state) and not is_on(before)
    return began or (state.ply, state.outcome) != (before.ply, before.outcome)


def news_lines(state: State, seats: Set[Mark]) -> list[str]:
    """Return what has just happened, as far as this player does not know it already."""
    return [text for item in state.news if (text := _sentence(item, state, seats))]


def absences(state: State, seats: Set[Mark]) -> list[str]:
    """Return who is not there, for one who was not there to hear of it."""
    away = [mark for mark, seat in state.players.items() if seat and not seat.connected]
    return [_sentence(Dropped(mark), state, seats) for mark in away]


def _sentence(item: AnyNews, state: State, seats: Set[Mark]) -> str:
    match item:
        case Joined(mark, name) if mark not in seats:
            return f"{called(mark, name)} has joined."
        case Left(mark, name):
            return f"{called(mark, name)} has left."
        case Dropped(mark) if seats and state.claimable_in is not None:
            wait = round(state.claimable_in)
            when = f"In {wait} s you may" if wait else "You may"
            return f"{player(state, mark)} has dropped. {when} claim the win, or wait on."
        case Dropped(mark):
            return f"{player(state, mark)} has dropped. The seat is kept."
        case Returned(mark) if mark not in seats:
            return f"{player(state, mark)} is back."
        case Started(game) if game > 1:
            return f"Game {game}.{you_are(seats)}"
        case Moved(mark, cell) if mark not in seats:
            return f"{player(state, mark)} takes {cell_name(cell, state.size)}."
        case Forfeited(mark):
            return f"That cell is already full. {player(state, mark)} loses the turn."
        case Accepted(mark) if mark in seats:
            return f"Waiting for {player(state, other(mark))} to answer."
        case Accepted(mark):
            return f"{player(state, mark)} wants to play again."
        case Declined(mark) if mark not in seats:
            return f"{player(state, mark)} does not want to play again."
    return ""


def welcome(reply: Welcome) -> str:
    """Return where the player has come to sit; two at one terminal know that."""
    if len(reply.seats) == len(MARKS):
        return ""
    place = you_are(frozenset(reply.seats)) if reply.seats else " You are watching."
    return f"Room {printable(reply.room)}.{place}"


def room(reply: Welcome | None) -> str:
    """Return the room's name, fit for a window's title."""
    return printable(reply.room) if reply else ""


def waiting(seats: Set[Mark]) -> str:
    """Return who is awaited while a seat is free."""
    return "Waiting for an opponent." if seats else "Waiting for players: sit takes a seat."


def you_are(seats: Set[Mark]) -> str:
    """Return which mark is this player's, where it is just one."""
    return f" You are {min(seats)}." if len(seats) == 1 else ""


def new_seat(state: State, sat: Set[Mark], sits: Set[Mark]) -> str:
    """Return which mark has become this player's, unless the news of a new game says it."""
    is_told = any(isinstance(item, Started) and item.game > 1 for item in state.news)
    return "" if sat == sits or is_told else you_are(sits).strip()


def picture(state: State, style: Style) -> list[str]:
    """Return the board, and under it whose turn it is or how the game ended."""
    if state.outcome:
        return [board(state, style, struck=True), *ending(state)]
    if is_on(state):
        return [board(state, style), turn_line(state), remarks(state)]
    return [board(state, style), watching(state)]


def remarks(state: State) -> str:
    """Return how long the turn has yet to go, where there is a clock, and how many watch."""
    time_left = "" if state.time_left is None else f"{math.ceil(state.time_left)} s left."
    return f"{time_left} {watching(state)}".strip()


def watching(state: State) -> str:
    """Return how many are watching, if any are."""
    number = state.watchers
    return f"{number} {'person is' if number == 1 else 'people are'} watching." if number else ""


def ending(state: State) -> list[str]:
    """Return how the game ended, and the score of the series."""
    outcome = state.outcome
    lines = []
    if outcome and outcome.winner:
        lines.append(f"Congratulations! {player(state, outcome.winner)} wins!")
        if outcome.line:
            names = [cell_name(cell, state.size) for cell in outcome.line]
            cells = ", ".join(names) if is_numbered(state.size) else f"{names[0]} to {names[-1]}"
            lines.append(f"{NUMBERS[state.win - 3]} in a row: {cells} ({outcome.kind}).")
        else:
            loser = player(state, other(outcome.winner))
            lines.append(f"{loser} {LOSSES.get(outcome.reason, 'has lost')}.")
    else:
        lines.append("Stalemate!")
    scores = [f"{player(state, mark)} {seat.score}" for mark, seat in state.players.items() if seat]
    lines.append(f"Score: {', '.join(scores)}, draws {state.draws}.")
    return lines


def other_options(state: State, seats: Set[Mark], asked: Join) -> list[str]:
    """Return what the room plays, as far as it is not what was asked for."""
    options = asked.options
    lines = []
    if options.opponent != "human" and len(seats) == 1 and not has_computer(state):
        lines.append(f"You play against {player(state, other(min(seats)))}, who was here before.")
    if (state.size, state.win, state.occupied) != (options.size, options.win, options.occupied):
        board = f"{state.size} by {state.size}, {state.win} in a row"
        cost = "costs the turn" if state.occupied == "forfeit" else "is asked again"
        lines.append(f"This room plays {board}; a taken cell {cost}.")
    if state.clock != options.clock:
        lines.append(f"A turn has {state.clock:g} s." if state.clock else "There is no clock.")
    return lines


def has_computer(state: State) -> bool:
    """Whether the computer plays."""
    return any(seat and seat.computer for seat in state.players.values())


def rooms(found: list[OpenRoom]) -> str:
    """Return the open rooms as a table."""
    if not found:
        return NO_ROOMS
    rows = [("Room", "Waiting", "Board", "Clock", "Watching")]
    rows += [
        (
            printable(room.room),
            printable(room.waiting) or "a player",
            f"{room.size}x{room.size}, {room.win} in a row",
            f"{room.clock:g} s" if room.clock else "none",
            str(room.watchers),
        )
        for room in found
    ]
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text + " " * (width - columns(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def lines_of(texts: Iterable[str]) -> str:
    """Return texts as lines, the empty ones left out."""
    return "\n".join(text for text in texts if text)
