"""The sentences a player reads."""

import pytest
from msgspec.structs import replace

from client import view
from client.view import ending, turn_line
from client.words import accepted_now
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
    Options,
    Returned,
    Started,
)
from shared.rules import Mark, Outcome, Reason
from tests.drawings import position, state


def test_the_turn_names_the_player_and_the_mark() -> None:
    assert turn_line(state(position("... ... ..."))) == "Player X's turn"
    assert turn_line(state(position("... ... ..."), x="Alice")) == "Alice's turn (X)"


def test_a_win_says_who_and_how() -> None:
    won = position("XXX OO. ...")

    assert ending(state(won))[:2] == [
        "Congratulations! Player X wins!",
        "Three in a row: 1, 2, 3 (row).",
    ]
    assert ending(state(won, x="Alice"))[0] == "Congratulations! Alice (X) wins!"


def test_a_full_board_is_a_stalemate() -> None:
    assert ending(state(position("XOX XOO OXX")))[0] == "Stalemate!"


def test_a_hostile_name_from_a_hostile_server_is_escaped() -> None:
    hostile = state(position("... ... ..."), x="Alice")
    player = hostile.players["X"]
    assert player
    hostile.players["X"] = replace(player, name="\x1b[2J\u202e\x9b")

    assert turn_line(hostile) == "\\x1b[2J\\u202e\\x9b's turn (X)"
    assert view.player(hostile, "X").isprintable()


LONG = "W" * 16  # as wide as a name may be
FULL = position("XXX OO. ...")


@pytest.mark.parametrize(
    "news",
    [
        Joined("O", LONG),
        Left("O", LONG),
        Dropped("O"),
        Returned("O"),
        Started(2),
        Moved("O", 8),
        Forfeited("O", 8),
        Accepted("O"),
        Accepted("X"),
        Declined("O"),
    ],
    ids=lambda news: type(news).__name__,
)
@pytest.mark.parametrize("wait", [None, 30.0, 0.0])
def test_every_event_is_one_line_of_a_narrow_terminal(news: AnyNews, wait: float | None) -> None:
    told = replace(state(position("... ... ..."), LONG, LONG), news=[news], claimable_in=wait)

    (line,) = view.news_lines(told, {"X"})
    assert len(line) < 80
    assert line.endswith(".")


def test_every_other_text_fits_a_narrow_terminal() -> None:
    asked = Join(1, "lunch", options=Options(size=15, win=5, opponent="self"))
    texts = [
        *(view.MOVE, view.AGAIN, view.WATCH, view.FULL, view.LOST, view.STOPPING),
        *view.HELP.splitlines(),
        *ending(state(FULL, LONG, LONG)),
        accepted_now(state(FULL)),
        *view.other_options(state(FULL, LONG, LONG), {"X"}, asked),
        *view.other_options(state(FULL, LONG, LONG), {"X", "O"}, asked),
    ]

    assert all(0 < len(text) < 80 for text in texts)


def test_who_was_not_there_to_hear_of_it_is_told_who_is_away() -> None:
    told = state(position("... ... ..."), "Alice", "Bob")
    bob = told.players["O"]
    assert bob
    told.players["O"] = replace(bob, connected=False)

    assert view.absences(told, {"X"}) == ["Bob (O) has dropped. The seat is kept."]
    assert view.absences(replace(told, claimable_in=0.0), {"X"}) == [
        "Bob (O) has dropped. You may claim the win, or wait on."
    ]


@pytest.mark.parametrize(
    ("winner", "reason", "how"),
    [
        ("X", "resigned", "Bob (O) has resigned."),
        ("O", "claimed", "Alice (X) stayed away."),
        ("O", "timeout", "Alice (X) ran out of time."),
    ],
)
def test_a_win_without_a_line_says_how(winner: Mark, reason: Reason, how: str) -> None:
    won = replace(
        state(position("... ... ..."), "Alice", "Bob"), outcome=Outcome(winner, reason=reason)
    )

    assert ending(won)[1] == how


def test_the_board_is_drawn_again_when_it_has_changed() -> None:
    empty, won = state(position("... ... ...")), state(FULL)
    alone = replace(empty, players={**empty.players, "O": None})

    assert not view.is_redrawn(None, alone)
    assert view.is_redrawn(alone, empty)
    assert not view.is_redrawn(empty, replace(empty, watchers=3))
    assert not view.is_redrawn(empty, alone)
    assert view.is_redrawn(empty, replace(empty, ply=1))
    assert view.is_redrawn(empty, won)
    assert view.is_redrawn(None, won)
