"""How the hard computer does against the medium one: `python -m bench.levels --games 100`."""

from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from random import Random
from time import perf_counter
from typing import NamedTuple

from server.ai import THINKING_SECONDS, choose
from shared.protocol import Level
from shared.rules import MARKS, Mark, Position, Rules, outcome, place


class Game(NamedTuple):
    """Who won, and how many seconds each move of the hard side took."""

    winner: Mark | None
    seconds: list[float]


def play(rules: Rules, hard: Mark, seconds: float, seed: int) -> Game:
    """Play one game, the same every time as far as the clock allows."""
    rng = Random(seed)  # noqa: S311
    position, taken = Position(rules), []
    while (over := outcome(position)) is None:
        level: Level = "hard" if position.turn == hard else "medium"
        start = perf_counter()
        cell = choose(position, level, rng, seconds)
        if position.turn == hard:
            taken.append(perf_counter() - start)
        position = place(position, cell)
    return Game(over.winner, taken)


def report(hard: Mark, games: list[Game]) -> str:
    """Return a line about one side: `hard as X: 98 won, 2 drawn, 0 lost, …`."""
    won = sum(game.winner == hard for game in games)
    drawn = sum(game.winner is None for game in games)
    moves = [seconds for game in games for seconds in game.seconds]
    return (
        f"hard as {hard}: {won} won, {drawn} drawn, {len(games) - won - drawn} lost; "
        f"{sum(moves) / len(moves):.3f} s a move, {max(moves):.3f} s at most"
    )


def main() -> None:
    """Play half of the games from each side and print a line for each."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--win", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=THINKING_SECONDS)
    flags = parser.parse_args()
    rules, half = Rules(flags.size, flags.win), flags.games // 2
    with ProcessPoolExecutor() as pool:
        for hard in MARKS:
            games = pool.map(play, repeat(rules), repeat(hard), repeat(flags.seconds), range(half))
            print(report(hard, list(games)), flush=True)


if __name__ == "__main__":
    main()
