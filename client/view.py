"""Every sentence a player reads, every board, and what a typed line means.

Pure: a state in, text out; a line in, a command out. Whether a move is legal, whose turn it is
and who has won is the server's to say.
"""

import re
from collections.abc import Iterable, Set
from typing import Literal

from shared.names import printable
from shared.protocol import (
    Accepted,
    AnyCommand,
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
from shared.rules import EMPTY, Kind, Mark, other

Style = Literal["numbers", "grid"]
Word = Literal["help", "board", "quit"]

STROKES: dict[Kind, str] = {"row": "-", "column": "|", "diagonal": "\\", "antidiagonal": "/"}
NUMBERS = (
    *("Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"),
    *("Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen"),
)
WORDS: dict[str, AnyCommand | Word] = {
    "help": "help",
    "?": "help",
    "board": "board",
    "quit": "quit",
    "exit": "quit",
    "resign": Resign(),
    "claim": Claim(),
    "computer": Computer(),
    "sit": Sit(),
    "why": Review(),
}
ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False}
CELL = re.compile(r"(-?\d+)(?:\s*[,\s]\s*(-?\d+))?")
MAX_ECHO = 12  # characters of a typed cell that are said back

MOVE = "Move to?"
AGAIN = "Play again? (y/N)"
WATCH = "The room is full. Watch? (y/N)"
FULL = "The room is full. Add --watch to watch, or choose another room."
WAITING = "Waiting for an opponent."
MAY_CLAIM = "After 30 seconds you may claim the win, or keep waiting."
LOST = "The connection is lost. Reconnecting..."
STOPPING = "The server is stopping. Reconnecting when it is back..."
HELP = """\
A move is a cell's number, or its row and column: 2, 1,2 and 1 2 are the same cell.
board   draw the board again
resign  give the game up
claim   take the win, when your opponent has been away for 30 seconds
quit    leave the room
After a game, y or n answers whether you play again."""


class Unclear(ValueError):
    """A line that means nothing; the text says what would."""


def board(state: State, style: Style, *, struck: bool = False) -> str:
    """Return the board, with a line through the winning cells if `struck`.

    1 | X | 3      the same,        1 | X | 3         the grid:   1 2 3
    --- --- ---    struck:         --- --- ---                  1   X
    4 | X | 6                       4 ||X|| 6                   2   X
    """
    outcome = state.outcome
    won = outcome.line if struck and outcome and outcome.line else ()
    stroke = STROKES[outcome.kind] if won and outcome and outcome.kind else " "
    drawn = [
        f"{stroke}{mark}{stroke}" if cell in won else f" {mark} "
        for cell, mark in enumerate(state.cells)
    ]
    return (_numbers if style == "numbers" else _grid)(state, drawn, bool(won))


def _numbers(state: State, drawn: list[str], struck: bool) -> str:
    size = state.size
    width = len(str(size * size)) + 2
    texts = [
        (f" {cell + 1} " if state.cells[cell] == EMPTY else text).rjust(width)
        for cell, text in enumerate(drawn)
    ]
    rows = ["|".join(texts[first : first + size]) for first in range(0, size * size, size)]
    if not struck:  # nothing stands left of the first column
        rows = [row[1:] for row in rows]
    rule = " ".join(["-" * width] * size)
    return f"\n{rule}\n".join(row.rstrip() for row in rows)


def _grid(state: State, drawn: list[str], struck: bool) -> str:
    size = state.size
    width = len(str(size))
    pad = 1 if struck else 0
    texts = [text.replace(EMPTY, " ") if pad else text[1].replace(EMPTY, " ") for text in drawn]
    head = [" " * width] + [f"{column + 1}".rjust(width) + " " * pad for column in range(size)]
    lines = [" ".join(text.rjust(width + 2 * pad) if i else text for i, text in enumerate(head))]
    for row in range(size):
        cells = texts[row * size : (row + 1) * size]
        padded = [text.rjust(width + 2 * pad) for text in cells]
        lines.append(" ".join([f"{row + 1}".rjust(width), *padded]))
    return "\n".join(line.rstrip() for line in lines)


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


def is_on(state: State) -> bool:
    """Whether a game is being played."""
    return state.outcome is None and None not in state.players.values()


def news_lines(state: State, seats: Set[Mark]) -> list[str]:
    """Return what has just happened, as far as this player does not know it already."""
    lines = []
    for item in state.news:
        text = _sentence(item, state, seats)
        if text:
            lines.append(text)
    return lines


def _sentence(item: AnyNews, state: State, seats: Set[Mark]) -> str:
    match item:
        case Joined(mark, name) if mark not in seats:
            return f"{called(mark, name)} has joined."
        case Left(mark, name):
            return f"{called(mark, name)} has left."
        case Dropped(mark):
            return f"{player(state, mark)} has lost the connection. The seat is kept."
        case Returned(mark) if mark not in seats:
            return f"{player(state, mark)} is back."
        case Started(game) if game > 1:
            return f"Game {game}.{you_are(seats)}"
        case Moved(mark, cell) if mark not in seats:
            return f"{player(state, mark)} takes {cell + 1}."
        case Forfeited(mark, cell):
            return f"Cell {cell + 1} is already full: {player(state, mark)} loses the turn."
        case Accepted(mark) if mark not in seats:
            return f"{player(state, mark)} wants to play again."
        case Declined(mark) if mark not in seats:
            return f"{player(state, mark)} does not want to play again."
        case Finished(outcome) if outcome.winner and outcome.reason == "resigned":
            return f"{player(state, other(outcome.winner))} resigns."
        case Finished(outcome) if outcome.winner and outcome.reason == "claimed":
            return f"{player(state, outcome.winner)} claims the win."
    return ""


def welcome(reply: Welcome) -> str:
    """Return where the player has come to sit."""
    place = you_are(frozenset(reply.seats)) if reply.seats else " You are watching."
    return f"Room {printable(reply.room)}.{place}"


def you_are(seats: Set[Mark]) -> str:
    """Return which mark is this player's, where it is just one."""
    return f" You are {min(seats)}." if len(seats) == 1 else ""


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
        lines.append("Stalemate!")
    scores = [f"{player(state, mark)} {seat.score}" for mark, seat in state.players.items() if seat]
    lines.append(f"Score: {', '.join(scores)}, draws {state.draws}.")
    return lines


def other_options(state: State, asked: Join) -> str:
    """Return which options the room has, if they are not those that were asked for."""
    options = asked.options
    if (state.size, state.win, state.occupied) == (options.size, options.win, options.occupied):
        return ""
    cost = "costs the turn" if state.occupied == "forfeit" else "is asked again"
    return (
        f"This room plays {state.size} by {state.size}, {state.win} in a row; a taken cell {cost}."
    )


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
        raise Unclear(f"There is no cell {shown} on this board.") from error
    return Move(cell, state.ply)


def _cell(numbers: list[int], size: int) -> int:
    if len(numbers) == 1 and 1 <= numbers[0] <= size * size:
        return numbers[0] - 1
    if len(numbers) == 2 and all(1 <= number <= size for number in numbers):
        return (numbers[0] - 1) * size + numbers[1] - 1
    raise ValueError(numbers)


def parse_answer(text: str, state: State) -> AnyCommand | Word:
    """Return what a line typed after a game means, or raise Unclear."""
    words = text.strip().lower()
    if words in ANSWERS:
        return Rematch(ANSWERS[words])
    if words in WORDS:
        return WORDS[words]
    raise Unclear("Type y to play again, n to leave.")


def is_quit(text: str) -> bool:
    """Whether a line says to leave."""
    return WORDS.get(text.strip().lower()) == "quit"


def is_yes(text: str) -> bool:
    """Whether a line says yes."""
    return ANSWERS.get(text.strip().lower(), False)


def is_word(text: str) -> bool:
    """Whether a line is a word that may be said at any time."""
    return text.strip().lower() in WORDS


def lines_of(texts: Iterable[str]) -> str:
    """Return texts as lines, the empty ones left out."""
    return "\n".join(text for text in texts if text)
