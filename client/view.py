"""Every sentence a player reads, and what a typed line means.

Pure: a state in, text out; a line in, a command out. Whether a move is legal, whose turn it is
and who has won is the server's to say.
"""

import re
from collections.abc import Iterable, Set
from typing import Literal

from client.board import Style, board
from shared.names import printable
from shared.protocol import (
    Accepted,
    AnyCommand,
    AnyNews,
    Claim,
    Computer,
    Declined,
    Dropped,
    Forfeited,
    Join,
    Joined,
    Left,
    Move,
    Moved,
    Rematch,
    Resign,
    Returned,
    Review,
    Sit,
    Started,
    State,
    Welcome,
)
from shared.rules import MARKS, Mark, other

Word = Literal["help", "board"]

NUMBERS = (
    *("Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"),
    *("Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen"),
)
WORDS: dict[str, AnyCommand | Word] = {
    "help": "help",
    "?": "help",
    "board": "board",
    "resign": Resign(),
    "claim": Claim(),
    "computer": Computer(),
    "sit": Sit(),
    "why": Review(),
}
QUIT = ("quit", "exit")
ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False}
CELL = re.compile(r"(-?\d+)(?:\s*[,\s]\s*(-?\d+))?")
LOSSES = {"resigned": "has resigned", "claimed": "stayed away", "timeout": "ran out of time"}
MAX_ECHO = 12  # characters of a typed cell that are said back

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
board   draw the board again
resign  give the game up
claim   take the win, when your opponent has been away for 30 seconds
quit    leave the room
After a game, y or n answers whether you play again."""


class Unclear(ValueError):
    """A line that means nothing; the text says what would."""


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
            return f"{player(state, mark)} takes {cell + 1}."
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
    return "Waiting for an opponent." if seats else "Waiting for players."


def you_are(seats: Set[Mark]) -> str:
    """Return which mark is this player's, where it is just one."""
    return f" You are {min(seats)}." if len(seats) == 1 else ""


def picture(state: State, style: Style) -> list[str]:
    """Return the board, and under it whose turn it is or how the game ended."""
    if state.outcome:
        return [board(state, style, struck=True), *ending(state)]
    return [board(state, style), turn_line(state) if is_on(state) else ""]


def ending(state: State) -> list[str]:
    """Return how the game ended, and the score of the series."""
    outcome = state.outcome
    lines = []
    if outcome and outcome.winner:
        lines.append(f"Congratulations! {player(state, outcome.winner)} wins!")
        if outcome.line:
            cells = ", ".join(str(cell + 1) for cell in outcome.line)
            lines.append(f"{NUMBERS[state.win - 3]} in a row: {cells} ({outcome.kind}).")
        else:
            loser = player(state, other(outcome.winner))
            lines.append(f"{loser} {LOSSES.get(outcome.reason, 'has lost')}.")
    else:
        lines.append("Stalemate!")
    scores = [f"{player(state, mark)} {seat.score}" for mark, seat in state.players.items() if seat]
    lines.append(f"Score: {', '.join(scores)}, draws {state.draws}.")
    return lines


def other_options(state: State, seats: Set[Mark], asked: Join) -> str:
    """Return what the room plays, if it is not what was asked for."""
    options = asked.options
    if options.opponent != "human" and len(seats) == 1 and not _has_computer(state):
        return f"You play against {player(state, other(min(seats)))}, who was here before you."
    if (state.size, state.win, state.occupied) == (options.size, options.win, options.occupied):
        return ""
    cost = "costs the turn" if state.occupied == "forfeit" else "is asked again"
    return (
        f"This room plays {state.size} by {state.size}, {state.win} in a row; a taken cell {cost}."
    )


def _has_computer(state: State) -> bool:
    return any(seat and seat.computer for seat in state.players.values())


def accepted_now(state: State) -> str:
    """Return what may be typed for a move."""
    cells = state.size * state.size
    return f"Type a cell from 1 to {cells}, or row,col; help tells the other words."


def parse_cell(text: str, state: State) -> AnyCommand | Word:
    """Return what a line typed during a game means, or raise Unclear."""
    words = text.strip().lower()
    if words in WORDS:
        return WORDS[words]
    match = CELL.fullmatch(words)
    if not match:
        raise Unclear(accepted_now(state))
    try:
        cell = _cell([int(number) for number in match.groups() if number], state.size)
    except ValueError as error:  # int() refuses thousands of digits
        shown = words if len(words) <= MAX_ECHO else f"{words[:MAX_ECHO]}..."
        raise Unclear(f"There is no cell {printable(shown)} on this board.") from error
    return Move(cell, state.ply)


def _cell(numbers: list[int], size: int) -> int:
    if len(numbers) == 1 and 1 <= numbers[0] <= size * size:
        return numbers[0] - 1
    if len(numbers) == 2 and all(1 <= number <= size for number in numbers):
        return (numbers[0] - 1) * size + numbers[1] - 1
    raise ValueError(numbers)


def parse_answer(text: str) -> AnyCommand | Word:
    """Return what a line typed after a game means, or raise Unclear."""
    answer = yes_or_no(text)
    if answer is not None:
        return Rematch(answer)
    if is_word(text):
        return parse_word(text)
    raise Unclear("Type y to play again, n to leave.")


def parse_word(text: str) -> AnyCommand | Word:
    """Return what a line means that answers no question, or raise Unclear."""
    words = text.strip().lower()
    if words in WORDS:
        return WORDS[words]
    raise Unclear("Type quit to leave; help tells the other words.")


def is_quit(text: str) -> bool:
    """Whether a line says to leave."""
    return text.strip().lower() in QUIT


def is_word(text: str) -> bool:
    """Whether a line is a word that may be said at any time."""
    return text.strip().lower() in (*WORDS, *QUIT)


def yes_or_no(text: str) -> bool | None:
    """Return whether a line says yes, or None if it says neither yes nor no."""
    return ANSWERS.get(text.strip().lower())


def lines_of(texts: Iterable[str]) -> str:
    """Return texts as lines, the empty ones left out."""
    return "\n".join(text for text in texts if text)
