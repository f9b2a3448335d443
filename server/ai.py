"""How the computer chooses a cell."""

from random import Random

from shared.rules import EMPTY, Position, drawing


def choose(position: Position, rng: Random) -> int:
    """Return an empty cell, each as likely as the others."""
    return rng.choice([cell for cell, mark in enumerate(drawing(position)) if mark == EMPTY])
