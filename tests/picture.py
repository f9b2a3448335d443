"""The picture in the README: a real game between two real clients, drawn as SVG.

`make picture` plays it and writes docs/game.svg.
"""

from html import escape
from pathlib import Path

from tests.commands import Screen
from tests.conftest import running

PICTURE = Path(__file__).parent.parent / "docs" / "game.svg"
COLUMNS, ROWS = 46, 10  # of a window in the picture
CELL_WIDTH, CELL_HEIGHT = 8.4, 18
MARGIN, BAR = 14, 26
WINDOW_WIDTH = COLUMNS * CELL_WIDTH + 2 * MARGIN
WINDOW_HEIGHT = ROWS * CELL_HEIGHT + BAR + 2 * MARGIN

Look = tuple[str, list[str]]  # a window's title, and the lines in it


def look(screen: Screen) -> Look:
    """Return what a person sees of a terminal."""
    lines = screen.text().splitlines()
    assert len(lines) <= ROWS
    assert max(map(len, lines)) <= COLUMNS
    return screen.display.title, lines


def play() -> list[Look]:
    """Play a game, and return what both players see in the middle and at the end of it."""
    with running() as server:
        room = ["--server", server.url, "--room", "lunch"]
        alice = Screen(*room, "--name", "Alice")
        alice.shows("Waiting for an opponent.")
        bob = Screen(*room, "--name", "Bob")
        players = [alice, bob]
        for ply, cell in enumerate("13572"):
            mover, other = players[ply % 2], players[1 - ply % 2]
            mover.shows("Move to?")
            mover.type(cell)
            other.shows(f"takes {cell}.")
        alice.shows("Bob's turn (O)")
        bob.shows("Move to?")
        looks = [look(screen) for screen in players]
        bob.type("4")
        alice.shows("Move to?")
        alice.type("9")
        for screen in players:
            screen.shows("Play again? (y/N)")
        looks += [look(screen) for screen in players]
        for screen in players:
            screen.press("c")
            screen.ends()
        return looks


def window(seen: Look, x: float, y: float) -> str:
    """Return a terminal's window as SVG."""
    title, lines = seen
    middle = WINDOW_WIDTH / 2
    parts = [
        f'<g transform="translate({x:g} {y:g})">',
        f'<rect width="{WINDOW_WIDTH:g}" height="{WINDOW_HEIGHT}" rx="8" class="window"/>',
        *(f'<circle cx="{14 + 16 * i}" cy="13" r="5" class="button"/>' for i in range(3)),
        f'<text x="{middle:g}" y="17.5" text-anchor="middle" class="title">{escape(title)}</text>',
    ]
    for row, line in enumerate(lines):
        top = BAR + MARGIN + (row + 0.75) * CELL_HEIGHT
        length = len(line) * CELL_WIDTH
        parts.append(
            f'<text x="{MARGIN}" y="{top:g}" textLength="{length:g}">{escape(line)}</text>'
        )
    return "\n".join([*parts, "</g>"])


def picture(looks: list[Look]) -> str:
    """Return the windows as one SVG, two by two."""
    gap = 16
    width, height = 2 * WINDOW_WIDTH + gap, 2 * WINDOW_HEIGHT + gap
    windows = [
        window(seen, (i % 2) * (WINDOW_WIDTH + gap), (i // 2) * (WINDOW_HEIGHT + gap))
        for i, seen in enumerate(looks)
    ]
    style = (
        "text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        "fill:#d6deeb;white-space:pre}"
        ".window{fill:#171c26;stroke:#3a4252}.button{fill:#3a4252}.title{fill:#8b97ad;font-size:12px}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            f' width="{width:g}" height="{height:g}" role="img" xml:space="preserve">',
            "<title>Alice and Bob play, each in a terminal of their own</title>",
            f"<style>{style}</style>",
            *windows,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(play()), "utf-8")
