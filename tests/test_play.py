"""Whole games through the real commands: pipes, terminals, servers that stop."""

import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.commands import CLIENT, SECONDS, Pipe, Screen, piped
from tests.conftest import Server

EMPTY = "1 | 2 | 3\n--- --- ---\n4 | 5 | 6\n--- --- ---\n7 | 8 | 9\n"


@pytest.fixture
def room(server: Server) -> list[str]:
    """Return the flags that lead to a room of a server of the test's own."""
    return ["--server", server.url, "--room", "lunch"]


def pair(room: list[str], *flags: str) -> tuple[Pipe, Pipe]:
    alice = Pipe(*room, "--name", "Alice", *flags)
    alice.says("Waiting for an opponent.")
    return alice, Pipe(*room, "--name", "Bob")


def at_a_terminal(room: list[str]) -> tuple[Screen, Pipe]:
    """Return Alice at a terminal, asked for her first move, and Bob behind a pipe."""
    alice = Screen(*room, "--name", "Alice")
    alice.shows("Waiting for an opponent.")
    bob = Pipe(*room, "--name", "Bob")
    alice.shows("Move to?")
    return alice, bob


def test_the_wireframes_line_for_line() -> None:
    played = piped("2\n5\n", "--vs", "self")

    assert f"{EMPTY}Player X's turn\nMove to?\n" in played.stdout
    assert f"{EMPTY.replace('2', 'X')}Player O's turn\nMove to?\n" in played.stdout
    last = EMPTY.replace("2", "X").replace("5", "O")
    assert played.stdout.endswith(f"{last}Player X's turn\nMove to?\n")
    assert (played.returncode, played.stderr) == (0, "")


def test_a_won_game_in_a_pipe() -> None:
    played = piped("1\n4\n2\n5\n3\nn\n", "--vs", "self", "--name", "Alice", "--name", "Bob")

    assert played.stdout.endswith(
        "-X-|-X-|-X-\n--- --- ---\n O | O | 6\n--- --- ---\n 7 | 8 | 9\n"
        "Congratulations! Alice (X) wins!\nThree in a row: 1, 2, 3 (row).\n"
        "Score: Alice (X) 1, Bob (O) 0, draws 0.\nPlay again? (y/N)\n"
    )
    assert played.returncode == 0


def test_a_drawn_game_in_a_pipe() -> None:
    played = piped("1\n2\n3\n5\n4\n6\n8\n7\n9\n", "--vs", "self", "--style", "grid")

    assert "  1 2 3\n1 X O X\n2 X O O\n3 O X X\nStalemate!\n" in played.stdout


def test_wrong_input_is_answered_and_loses_nothing() -> None:
    wrong = b"five\n\n12\n" + b"y" * 10_000 + b"\n\xff\xfe\n" + b"9" * 10_000 + b"\n1\n1\n"
    played = piped(wrong, "--vs", "self")

    assert played.stdout.count("Type a cell from 1 to 9") == 4
    assert "There is no cell 12 on this board.\nMove to?\n" in played.stdout
    assert "There is no cell 999999999999... on this board.\nMove to?\n" in played.stdout
    assert "That cell is already full.\nX | 2 | 3\n" in played.stdout
    assert played.stdout.endswith("Player O's turn\nMove to?\n")
    assert (played.returncode, played.stderr) == (0, "")


def test_a_taken_cell_costs_the_turn_where_the_rules_say_so() -> None:
    played = piped("1\n1\n", "--vs", "self", "--occupied", "forfeit")

    assert "That cell is already full. Player O loses the turn.\n" in played.stdout
    assert played.stdout.endswith("Player X's turn\nMove to?\n")


def test_a_game_against_the_computer() -> None:
    played = piped("1\n", "--vs", "computer")

    assert "Computer (O) takes " in played.stdout
    assert played.stdout.endswith("Player X's turn\nMove to?\n")


def test_two_people_play_and_play_again(room: list[str]) -> None:
    alice, bob = pair(room)
    for first, second in [("1", "4"), ("2", "5")]:
        alice.says("Move to?")
        alice.type(first)
        bob.says("Move to?")
        bob.type(second)
    alice.says("Move to?")
    alice.type("3")
    assert "Congratulations! Alice (X) wins!" in bob.says("Play again? (y/N)")
    alice.says("Play again? (y/N)")
    alice.type("y")
    bob.says("Alice (X) wants to play again.")
    bob.type("y")
    alice.says("Game 2. You are O.")
    assert "Bob's turn (X)" in bob.says("Move to?")
    bob.type("resign")
    alice.says("Congratulations! Alice (O) wins!\nBob (X) has resigned.\n")
    assert "Score: Bob (X) 0, Alice (O) 2, draws 0." in alice.says("Play again?")
    bob.type("n")
    assert bob.ends()[1] == 0
    alice.says("Bob (X) does not want to play again.")
    output, code = alice.ends()
    assert "Play again?" not in output
    assert code == 0


def test_whole_games_can_be_piped_in_on_both_sides(room: list[str]) -> None:
    alice = Pipe(*room, "--name", "Alice", typed="1\n2\n3\n")
    alice.says("Waiting for an opponent.")
    bob = Pipe(*room, "--name", "Bob", typed="4\n5\n")
    bob_output, bob_code = bob.ends()
    alice_output, alice_code = alice.ends()

    assert "Congratulations! Alice (X) wins!" in alice_output
    assert "Congratulations! Alice (X) wins!" in bob_output
    assert (alice_code, bob_code) == (0, 0)


def test_the_end_of_input_leaves_at_once_even_when_another_is_to_move(room: list[str]) -> None:
    alice, bob = pair(room)
    alice.says("Move to?")
    alice.type("5")
    alice.says("Bob's turn (O)\n")

    assert alice.ends() == ("", 0)
    assert "Alice (X) has left.\nWaiting for an opponent.\n" in bob.says("opponent.\n")
    assert bob.ends() == ("", 0)


def test_the_end_of_input_leaves_a_room_where_one_waits(room: list[str]) -> None:
    played = piped("", *room)

    assert played.stdout.endswith(
        f"Waiting for an opponent.\nInvite: tictactoe-client {' '.join(room)}\n"
    )
    assert (played.returncode, played.stderr) == (0, "")


def test_a_later_joiner_is_told_what_the_room_plays(room: list[str]) -> None:
    alice, bob = pair(room, "--size", "4", "--occupied", "forfeit")

    bob.says("This room plays 4 by 4, 4 in a row; a taken cell costs the turn.")
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_a_full_room_can_be_watched(room: list[str]) -> None:
    alice, bob = pair(room)
    alice.says("Move to?")

    refused = piped("", *room)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "--watch" in refused.stderr

    watcher = Pipe(*room, "--watch")
    watcher.says("Alice's turn (X)")
    alice.type("5")
    watcher.says("Alice (X) takes 5.")
    watcher.type("1")
    watcher.says("You are only watching.")
    assert [pipe.ends()[1] for pipe in (watcher, bob, alice)] == [0, 0, 0]


def test_a_player_who_is_killed_has_dropped(room: list[str]) -> None:
    alice, bob = pair(room)
    alice.says("Move to?")
    bob.process.kill()
    bob.ends()

    alice.says("Bob (O) has dropped. In 30 s you may claim the win, or wait on.\n")
    alice.type("claim")
    alice.says("You may claim the win in ")
    assert alice.ends()[1] == 0


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--room", "not a room"], 1),
        (["--room", b"\xff"], 1),
        (["--room", "a" * 10_000], 1),
        (["--name", "\x1b[2J"], 1),
        (["--name", b"\xff"], 1),
        (["--name", "a" * 10_000], 1),
        (["--name", "Computer"], 1),
        (["--name", "Alice", "--name", "Bob"], 2),
        (["--watch"], 2),
        (["--local", "--host"], 2),
        (["--size", "99"], 2),
        (["--win", "4"], 2),
        (["--server", "http://localhost"], 2),
        (["--server", "localhost:99999"], 2),
        (["--server", "ws://localhost:99999"], 2),
        (["--server", "ws://localhost:abc"], 2),
        (["--server", "localhost:"], 2),
        (["--server", "localhost/den"], 2),
        (["--room", ""], 1),
        (["--local"], 2),
        (["--server", "ws://[::1"], 2),
        (["--server", "ws://a..b"], 1),
        (["--server", "ws://" + "a" * 300], 1),
        (["--server", "ws://\x1b[2J"], 2),
        (["--no-such-flag"], 2),
    ],
)
def test_what_cannot_be_is_said_in_a_line(
    server: Server, flags: list[str | bytes], code: int
) -> None:
    played = piped("", "--server", server.url, *flags)

    assert played.returncode == code
    assert "Traceback" not in played.stderr
    assert "\x1b" not in played.stderr + played.stdout
    if code == 1:
        assert played.stderr.count("\n") == 1


def test_no_server_is_said_in_a_line() -> None:
    played = piped("", "--server", "127.0.0.1:1", "--room", "lunch")

    assert played.returncode == 1
    assert played.stderr == (
        "tictactoe-client: cannot connect to ws://127.0.0.1:1: connection refused."
        " Start a server with tictactoe-server, or add --host.\n"
    )


def test_who_closes_our_output_gets_no_complaint() -> None:
    client = subprocess.Popen(
        [*CLIENT, "--vs", "self"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    with client:
        assert client.stdin
        assert client.stdout
        assert client.stderr
        client.stdout.read(1)
        client.stdout.close()
        client.stdin.write(b"5\n")

        assert client.wait(SECONDS) == 0
        assert client.stderr.read() == b""


@pytest.mark.parametrize(
    ("redirection", "code", "complaint"),
    [
        ("<&-", 0, ""),
        pytest.param(
            ">/dev/full",
            1,
            "tictactoe-client: cannot write: No space left on device\n",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="not on this system"),
        ),
    ],
)
def test_streams_that_are_closed_or_full_are_no_riddle(
    redirection: str, code: int, complaint: str
) -> None:
    command = f"{shlex.join(CLIENT)} --vs self {redirection}"
    done = subprocess.run(
        ["bash", "-c", command],  # noqa: S607
        input="5\n",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert (done.returncode, done.stderr) == (code, complaint)


def test_the_server_may_be_named_by_the_environment(server: Server) -> None:
    played = piped("", "--room", "lunch", TICTACTOE_SERVER=server.url)

    assert f"Connecting to {server.url}...\nRoom lunch. You are X.\n" in played.stdout


def test_who_wanted_to_play_alone_is_told_of_the_one_who_waits(room: list[str]) -> None:
    alice = Pipe(*room, "--name", "Alice")
    alice.says("Waiting for an opponent.")
    bob = Pipe(*room, "--vs", "self")

    bob.says("You play against Alice (X), who was here before.")
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_host_starts_a_server_for_others_and_plays_on_it() -> None:
    alice = Pipe("--host", "--server", "localhost:0", "--room", "lunch", "--name", "Alice")
    alice.says("Waiting for an opponent.\nInvite: tictactoe-client --server ws://")
    port = alice.says(" --room lunch\n").removesuffix(" --room lunch\n").rpartition(":")[2]
    bob = Pipe("--server", f"127.0.0.1:{port}", "--room", "lunch", "--name", "Bob")
    bob.says("Alice's turn (X)")
    taken = piped("", "--host", "--server", f"localhost:{port}")
    assert (taken.returncode, taken.stderr.count("\n")) == (1, 1)
    assert f"cannot listen on port {port}" in taken.stderr

    assert alice.ends()[1] == 0
    bob.says("Alice (X) has left.")
    bob.says("The server is stopping.")
    assert bob.ends()[1] == 0


def test_a_terminal_asks_for_names_and_clears_the_screen() -> None:
    screen = Screen("--vs", "self")
    screen.shows("Name of player X?")
    screen.type("Alice\x1b[2J")
    screen.shows("A name may have letters, digits, spaces and - _ . ' only.\nName of player X?")
    screen.type("Alice")
    screen.shows("Name of player O?")
    screen.type("Bob")
    assert screen.shows("Alice's turn (X)\nMove to?").startswith("1 | 2 | 3\n")
    screen.type("2")
    assert screen.shows("Bob's turn (O)\nMove to?").startswith("1 | X | 3\n")
    assert screen.bells() == 0
    screen.press("d")
    assert screen.ends() == 0


def test_a_terminal_asks_against_whom_to_play() -> None:
    screen = Screen()
    screen.shows("Against a player or the computer? (P/c)")
    screen.type("me")
    screen.shows("Type p for a player, c for the computer.")
    screen.type("c")
    screen.shows("Easy, medium or hard? (E/m/h)")
    screen.type("h")
    screen.shows("Player X's turn\nMove to?")
    screen.type("quit")
    assert screen.ends() == 0


def test_a_bell_and_the_title_say_when_it_is_your_turn(room: list[str]) -> None:
    alice, bob = at_a_terminal(room)
    assert alice.bells() == 1
    assert alice.raw.count("\x1b]0;Your turn: lunch\a") == 1
    alice.type("five")
    alice.shows("help tells the other words.\nMove to?")
    alice.type("5")
    bob.says("Move to?")
    bob.type("1")
    alice.shows("Bob (O) takes 1.")
    alice.shows("Move to?")
    assert alice.bells() == 2
    assert "\x1b]0;lunch\a" in alice.raw
    bob.type("quit")
    assert bob.ends()[1] == 0
    alice.press("c")
    assert alice.ends() == 0
    assert alice.raw.endswith("\x1b[23;0t\r\n")


def test_who_presses_ctrl_c_has_left_and_not_dropped(room: list[str]) -> None:
    alice = Pipe(*room, "--name", "Alice")
    alice.says("Waiting for an opponent.")
    bob = Screen(*room, "--name", "Bob")
    assert bob.shows("Alice's turn (X)").startswith("Room lunch. You are O.\n1 | 2 | 3\n")
    bob.press("c")
    assert bob.ends() == 0
    alice.says("Bob (O) has left.")
    assert alice.ends()[1] == 0


def test_a_plain_quiet_terminal_gets_no_escape() -> None:
    screen = Screen("--vs", "self", "--plain", "--quiet", "--name", "Alice")
    screen.shows("Move to?")
    screen.type("2")
    screen.shows("Player O's turn")
    screen.press("c")
    assert screen.ends() == 0
    assert "\x1b" not in screen.raw
    assert "\a" not in screen.raw


def test_a_full_room_offers_to_watch(room: list[str]) -> None:
    alice, bob = pair(room)
    alice.says("Move to?")
    screen = Screen(*room, "--name", "Eve")
    screen.shows("The room is full. Watch? (y/N)")
    screen.type("perhaps")
    screen.shows("Watch? (y/N) perhaps\nThe room is full. Watch? (y/N)")
    screen.type("y")
    screen.shows("Alice's turn (X)")
    alice.type("resign")
    screen.shows("Alice (X) has resigned.")
    screen.type("")  # who is not asked whether to play again has not said no
    screen.shows("Type quit to leave; help tells the other words.")
    screen.type("quit")
    assert screen.ends() == 0
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_who_does_not_want_to_watch_leaves(room: list[str]) -> None:
    alice, bob = pair(room)
    alice.says("Move to?")
    screen = Screen(*room, "--name", "Eve")
    screen.shows("The room is full. Watch? (y/N)")
    screen.type("")
    assert screen.ends() == 0
    assert (alice.ends()[1], bob.ends()[1]) == (0, 0)


def test_who_waits_for_the_others_answer_does_not_leave_by_an_empty_line(room: list[str]) -> None:
    alice, bob = at_a_terminal(room)
    alice.type("resign")
    alice.shows("Play again? (y/N)")
    alice.type("y")
    alice.shows("Waiting for Bob (O) to answer.")
    alice.type("")
    alice.shows("Type quit to leave; help tells the other words.")
    bob.says("Play again? (y/N)")
    bob.type("y")
    alice.shows("Game 2. You are O.")
    alice.press("d")
    assert alice.ends() == 0
    assert bob.ends()[1] == 0


def test_what_was_half_typed_at_an_earlier_prompt_is_forgotten(room: list[str]) -> None:
    alice, bob = at_a_terminal(room)
    alice.type("1")
    alice.shows("Bob's turn (O)")
    alice.child.send("9")  # and no Enter
    bob.says("Move to?")
    bob.type("2")
    alice.shows("Bob (O) takes 2.")
    alice.shows("Move to?")
    alice.type("3")
    assert alice.shows("Bob's turn (O)").startswith("X | O | X\n")
    alice.press("c")
    assert alice.ends() == 0
    assert "\x1b[3J" not in alice.raw, "what stood above is the player's"
    assert bob.ends()[1] == 0


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_gets_no_escape(term: str) -> None:
    screen = Screen("--vs", "self", "--name", "Alice", TERM=term)
    screen.shows("Move to?")
    screen.press("d")
    assert screen.ends() == 0
    assert "\x1b" not in screen.raw
    assert screen.text().endswith("Move to?")


def test_a_player_whose_server_stops_is_told_and_can_leave(server: Server) -> None:
    screen = Screen("--server", server.url, "--room", "lunch", "--name", "Alice")
    screen.shows("Waiting for an opponent.")
    server.process.send_signal(signal.SIGINT)
    screen.shows("The server is stopping. Reconnecting when it is back...")
    assert server.process.wait(SECONDS) == 0
    screen.press("c")
    assert screen.ends() == 0
