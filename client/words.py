"""What a typed line means. Pure: a line in, a command out."""

import re
from typing import Literal, get_args

from shared.names import printable
from shared.protocol import (
    AnyCommand,
    Claim,
    Computer,
    Level,
    Move,
    Rematch,
    Resign,
    Review,
    Sit,
    State,
)

Word = Literal["help", "board", "computer"]

WORDS: dict[str, AnyCommand | Word] = {
    "help": "help",
    "?": "help",
    "board": "board",
    "resign": Resign(),
    "claim": Claim(),
    "computer": "computer",  # of the level the flags say
    **{f"computer {level}": Computer(level) for level in get_args(Level)},
    "sit": Sit(),
    "why": Review(),
}
QUIT = ("quit", "exit")
ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False}
CELL = re.compile(r"(-?\d+)(?:\s*[,\s]\s*(-?\d+))?")
MAX_ECHO = 12  # characters of a typed cell that are said back


class Unclear(ValueError):
    """A line that means nothing; the text says what would."""


def accepted_now(state: State) -> str:
    """Return what may be typed for a move."""
    cells = state.size * state.size
    return f"Type a cell from 1 to {cells}, or row,col; help tells the other words."


def parse_cell(text: str, state: State) -> AnyCommand | Word:
    """Return what a line typed during a game means, or raise Unclear."""
    words = _words(text)
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


def parse_answer(text: str) -> AnyCommand | Word:
    """Return what a line typed after a game means, or raise Unclear."""
    answer = yes_or_no(text)
    if answer is not None:
        return Rematch(answer)
    if is_word(text):
        return parse_word(text)
    raise Unclear("Type y to play again, n to leave, why for what the game taught.")


def parse_word(text: str) -> AnyCommand | Word:
    """Return what a line means that answers no question, or raise Unclear."""
    words = _words(text)
    if words in WORDS:
        return WORDS[words]
    raise Unclear("Type quit to leave; help tells the other words.")


def is_quit(text: str) -> bool:
    """Whether a line says to leave."""
    return _words(text) in QUIT


def is_word(text: str) -> bool:
    """Whether a line is a word that may be said at any time."""
    return _words(text) in (*WORDS, *QUIT)


def yes_or_no(text: str) -> bool | None:
    """Return whether a line says yes, or None if it says neither yes nor no."""
    return ANSWERS.get(_words(text))


def _words(text: str) -> str:
    return " ".join(text.lower().split())


def _cell(numbers: list[int], size: int) -> int:
    if len(numbers) == 1 and 1 <= numbers[0] <= size * size:
        return numbers[0] - 1
    if len(numbers) == 2 and all(1 <= number <= size for number in numbers):
        return (numbers[0] - 1) * size + numbers[1] - 1
    raise ValueError(numbers)
