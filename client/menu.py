"""The questions before a game: what a terminal asks as far as the flags do not say it."""

import argparse

from client.terminal import Terminal
from shared.names import BadName, player_name
from shared.rules import MARKS

# The words that mean a choice; the empty one is what a mere Enter chooses.
OPPONENTS = {
    "human": ("", "p", "player"),
    "computer": ("c", "computer"),
}
PLACES = {
    "human": ("", "e", "elsewhere"),
    "self": ("h", "here"),
}
LEVELS = {
    "easy": ("", "e", "easy"),
    "medium": ("m", "medium"),
    "hard": ("h", "hard"),
}


def ask_rest(chosen: argparse.Namespace, terminal: Terminal) -> None:
    """Ask at the terminal who plays, as far as the flags do not say."""
    if chosen.room is None and not (chosen.vs or chosen.host or chosen.any):
        ask_opponent(chosen, terminal)
    if not chosen.name and chosen.vs == "self":
        chosen.name = [ask_name(terminal, f"Name of player {mark}?") for mark in MARKS]
    elif not chosen.name and chosen.vs != "computer":
        chosen.name = [ask_name(terminal, "Your name?")]


def ask_opponent(chosen: argparse.Namespace, terminal: Terminal) -> None:
    """Ask who plays the other side, and how well or where."""
    chosen.vs = ask(
        terminal,
        "Against a player or the computer? (P/c)",
        OPPONENTS,
        "Type p for a player, c for the computer.",
    )
    if chosen.vs == "computer":
        chosen.level = chosen.level or ask(
            terminal,
            "Easy, medium or hard? (E/m/h)",
            LEVELS,
            "Type e for easy, m for medium, h for hard.",
        )
    elif not chosen.private:
        chosen.vs = ask(
            terminal,
            "Does the other player sit here or elsewhere? (h/E)",
            PLACES,
            "Type h for someone at this terminal, e for someone on another machine.",
        )


def ask(terminal: Terminal, question: str, choices: dict[str, tuple[str, ...]], advice: str) -> str:
    """Ask until the answer is one of some choices, and return that."""
    while True:
        answer = terminal.ask(question).strip().lower()
        for choice, words in choices.items():
            if answer in words:
                return choice
        terminal.show(advice)


def ask_name(terminal: Terminal, question: str) -> str:
    """Ask for a name, until it is one that is allowed."""
    while True:
        try:
            return player_name(terminal.ask(question).strip())
        except BadName as error:
            terminal.show(str(error))
