"""Every way to play, through the real commands: the computer, clocks, finding a game, watching."""

import json
import re

import pytest

from tests.commands import Pipe, Screen, piped
from tests.conftest import Server

LONG = "Wilhelmina Wundt"  # as wide as a name may be
ROWS, COLUMNS = 24, 80


@pytest.fixture
def at(server: Server) -> list[str]:
    """Return the flags that lead to a server of the test's own."""
    return ["--server", server.url]


@pytest.fixture
def room(at: list[str]) -> list[str]:
    """Return the flags that lead to a room there."""
    return [*at, "--room", "lunch"]


def alice_waits(room: list[str], *flags: str) -> Pipe:
    alice = Pipe(*room, "--name", "Alice", *flags)
    alice.says("Waiting for an opponent.")
    return alice


def all_end(*clients: Pipe) -> None:
    assert [client.ends()[1] for client in clients] == [0] * len(clients)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
@pytest.mark.parametrize("board", [["--size", "3"], ["--size", "4", "--win", "3"]])
def test_a_game_against_each_level_is_played_to_its_end(level: str, board: list[str]) -> None:
    cells = "".join(f"{cell}\n" for cell in range(1, 17))
    played = piped(cells, "--vs", "computer", "--level", level, *board)

    assert re.search(r"^Computer \(O\) takes \d+\.$", played.stdout, re.MULTILINE)
    assert re.search(r"wins!|Stalemate!", played.stdout)
    assert "name" not in played.stdout.lower()
    assert (played.returncode, played.stderr) == (0, "")


def test_the_hard_computer_is_asked_why_and_begins_the_next_game() -> None:
    game = Pipe("--vs", "computer", "--level", "hard")
    game.says("Move to?")
    game.type("2")  # where only 1, 3, 5 and 8 hold the draw
    game.says("Move to?")
    game.type("why")
    game.says("The game is not over yet.\nMove to?\n")
    game.type("resign")
    assert "Congratulations! Computer (O) wins!" in game.says("Play again? (y/N)\n")
    game.type("why")
    assert game.says("Play again? (y/N)\n").startswith("At the end it was a draw.\n")
    game.type("y")
    game.says("Game 2. You are X.\n")
    game.says("Computer (O) takes ")
    game.says("Move to?")
    all_end(game)


@pytest.mark.parametrize("style", ["numbers", "grid"])
@pytest.mark.parametrize("size", [9, 10, 15])
def test_a_large_board_fits_the_terminal_from_the_first_move_to_the_last(
    room: list[str], size: int, style: str
) -> None:
    flags = ["--style", style, "--quiet"]
    alice = Screen(*room, "--name", LONG, "--size", str(size), "--clock", "600", *flags)
    alice.shows("Waiting for an opponent.")
    watcher = Pipe(*room, "--watch")
    watcher.says("You are watching.")
    bob = Screen(*room, "--name", f"{LONG[:-1]}x", *flags)
    watcher.says(f"{LONG}'s turn (X)\n600 s left. 1 person is watching.\n")
    for turn in range(4):
        for row, player in enumerate((alice, bob), 1):
            player.shows("Move to?")
            player.type(f"{row},{turn + 1}")
    alice.shows("Move to?")
    alice.type("1,5")
    for player in (alice, bob):
        screen = player.shows("Play again? (y/N)")
        lines = screen.splitlines()
        assert len(lines) < ROWS
        assert all(len(line) < COLUMNS for line in lines)
        assert len(re.findall("-X-", screen)) == 5
        assert "Five in a row: " in screen
        player.type("quit")
        assert player.ends() == 0
    all_end(watcher)


def test_a_taken_cell_costs_the_turn_and_both_are_told(room: list[str]) -> None:
    alice = alice_waits(room, "--occupied", "forfeit")
    bob = Pipe(*room, "--name", "Bob", "--occupied", "forfeit")
    alice.says("Move to?")
    alice.type("5")
    bob.says("Move to?")
    bob.type("5")

    for player in (alice, bob):
        player.says("That cell is already full. Bob (O) loses the turn.\n")
        assert player.says("Alice's turn (X)\n").count("X") == 2
    all_end(alice, bob)


def test_who_runs_out_of_time_has_lost(room: list[str]) -> None:
    alice = alice_waits(room, "--clock", "0.5")
    bob = Pipe(*room, "--name", "Bob")
    bob.says("A turn has 0.5 s.")
    for player in (alice, bob):
        player.says("Alice's turn (X)\n1 s left.\n")
        player.says("Congratulations! Bob (O) wins!\nAlice (X) ran out of time.\n")
        player.says("Play again? (y/N)")
    all_end(alice, bob)


def test_who_thinks_for_long_is_called_before_the_time_is_up(room: list[str]) -> None:
    alice = Screen(*room, "--name", "Alice", "--clock", "10.2")
    alice.shows("Waiting for an opponent.")
    bob = Pipe(*room, "--name", "Bob")
    alice.is_titled("Your turn: lunch")
    alice.is_titled("10 s left: lunch")
    alice.type("5")
    alice.is_titled("lunch")
    assert alice.bells() == 2
    alice.press("d")
    assert alice.ends() == 0
    all_end(bob)


def test_who_waits_is_on_the_list_unless_the_room_is_private(at: list[str]) -> None:
    assert piped("", *at, "--list").stdout == "No room waits for an opponent.\n"
    assert json.loads(piped("", *at, "--list", "--json").stdout) == []
    alice = alice_waits([*at, "--room", "lunch"], "--size", "5", "--win", "4", "--clock", "30")
    eve = Pipe(*at, "--room", "den", "--private")
    eve.says("Waiting for an opponent.")
    watcher = Pipe(*at, "--room", "lunch", "--watch")
    watcher.says("You are watching.")

    assert piped("", *at, "--list").stdout == (
        "Room   Waiting  Board            Clock  Watching\n"
        "lunch  Alice    5x5, 4 in a row  30 s   1\n"
    )
    assert json.loads(piped("", *at, "--list", "--json").stdout) == [
        {
            "room": "lunch",
            "waiting": "Alice",
            "size": 5,
            "win": 4,
            "occupied": "retry",
            "clock": 30.0,
            "watchers": 1,
        }
    ]
    all_end(alice, eve, watcher)


def test_two_who_play_anyone_find_each_other(at: list[str]) -> None:
    alice = Pipe(*at, "--any", "--name", "Alice")
    invite = alice.says("Waiting for an opponent.\nInvite: ") and alice.says("\n")
    bob = Pipe(*at, "--any", "--name", "Bob", "--size", "4")
    name = invite.split()[-1]

    bob.says(f"Room {name}. You are O.\nThis room plays 3 by 3, 3 in a row; ")
    alice.says("Bob (O) has joined.")
    assert piped("", *at, "--list").stdout == "No room waits for an opponent.\n"
    all_end(alice, bob)


def test_the_computer_takes_the_free_seat_and_gives_it_back(room: list[str]) -> None:
    alice = alice_waits(room)
    alice.type("computer hard")
    alice.says("Computer (O) has joined.\n")
    alice.says("Move to?")
    alice.type("5")
    alice.says("Computer (O) takes ")
    alice.says("Move to?")
    bob = Pipe(*room, "--name", "Bob")
    bob.says("Room lunch. You are O.\n")
    alice.says("Computer (O) has left.\nBob (O) has joined.\n")
    alice.type("computer")
    alice.says("No seat is free.")
    bob.type("quit")
    alice.says("Bob (O) has left.\nWaiting for an opponent.\n")
    alice.type("computer")
    alice.says("Computer (O) has joined.\n")
    all_end(alice, bob)


def test_a_watcher_takes_the_seat_of_one_who_left(room: list[str]) -> None:
    alice = alice_waits(room)
    bob = Pipe(*room, "--name", "Bob")
    bob.says("Alice's turn (X)\n")
    eve = Pipe(*room, "--name", "Eve", "--watch")
    eve.says("You are watching.")
    eve.type("sit")
    eve.says("The room is full.")
    bob.type("quit")
    eve.says("Bob (O) has left.\nWaiting for players: sit takes a seat.\n")
    eve.type("sit")
    eve.says("You are O.")
    alice.says("Eve (O) has joined.")
    alice.says("Move to?")
    alice.type("5")
    eve.says("Move to?")
    all_end(alice, bob, eve)


def test_a_watcher_sees_what_each_cell_is_worth_and_players_do_not(room: list[str]) -> None:
    alice = alice_waits(room)
    eve = Pipe(*room, "--watch", "--eval")
    eve.says("Waiting for players")
    bob = Pipe(*room, "--name", "Bob")
    eve.says("X draws: 1, 2, 3, 4, 5, 6, 7, 8, 9.\n")
    alice.says("Move to?")
    alice.type("1")
    eve.says("O draws: 5; loses in ")
    bob.says("Move to?")
    bob.type("resign")
    alice.says("Play again?")
    bob.says("Play again?")
    eve.says("Bob (O) has resigned.")
    eve.type("why")
    eve.says("At the end it was a draw.\n")
    outputs = [client.ends()[0] for client in (alice, bob, eve)]
    assert not any("draws:" in output for output in outputs)


@pytest.mark.parametrize(
    "flags",
    [
        ["--clock", "0"],
        ["--clock", "nan"],
        ["--clock", "86401"],
        ["--level", "best"],
        ["--eval"],
        ["--any", "--room", "lunch"],
        ["--any", "--vs", "computer"],
        ["--any", "--private"],
        ["--json"],
        ["--list", "--host"],
    ],
)
def test_flags_that_make_no_sense_are_said_so(flags: list[str]) -> None:
    played = piped("", *flags)

    assert (played.returncode, played.stdout) == (2, "")
    assert played.stderr.startswith("usage: tictactoe-client ")
    assert "tictactoe-client: error: " in played.stderr


def test_the_menu_leads_to_a_game_of_two_at_one_terminal() -> None:
    screen = Screen("--quiet")
    screen.shows("Against a player or the computer? (P/c)")
    screen.type("p")
    screen.shows("Does the other player sit here or elsewhere? (h/E)")
    screen.type("h")
    screen.shows("Name of player X?")
    screen.type("Alice")
    screen.shows("Name of player O?")
    screen.type("Bob")
    screen.shows("Alice's turn (X)\nMove to?")
    screen.press("d")
    assert screen.ends() == 0


@pytest.mark.parametrize("key", ["c", "d"])
def test_the_menu_can_be_left(key: str) -> None:
    screen = Screen()
    screen.shows("Against a player or the computer? (P/c)")
    screen.press(key)
    assert screen.ends() == 0
    assert "Traceback" not in screen.text()
