"""What typed lines mean."""

from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from client.words import (
    QUIT,
    WORDS,
    Unclear,
    Word,
    accepted_now,
    is_quit,
    is_word,
    parse_answer,
    parse_cell,
    parse_word,
    yes_or_no,
)
from shared.names import columns
from shared.protocol import (
    AnyCommand,
    Claim,
    Computer,
    Move,
    Rematch,
    Resign,
    Review,
    Sit,
    decode_command,
    encode,
)
from shared.rules import Position, Rules
from tests.drawings import state

Parse = Callable[[str], AnyCommand | Word]

BOARDS = {size: state(Position(Rules(size, 3))) for size in (3, 10, 15)}
ACCEPTED = "Type a cell from 1 to 9, or row,col; help tells the other words."
SPOKEN = [
    ("help", "help"),
    ("?", "help"),
    ("board", "board"),
    ("resign", Resign()),
    ("claim", Claim()),
    ("computer", "computer"),
    ("computer easy", Computer("easy")),
    ("computer medium", Computer("medium")),
    ("computer hard", Computer("hard")),
    ("sit", Sit()),
    ("why", Review()),
]


def parse_on(size: int) -> Parse:
    return lambda text: parse_cell(text, BOARDS[size])


@pytest.mark.parametrize(
    "text", ["2", "1,2", "1 2", " 1 , 2 ", "1, 2", "1 ,2", "1\t2", "02", "01,002", "\uff12", "2\r"]
)
def test_a_cell_has_a_number_or_a_row_and_a_column(text: str) -> None:
    assert parse_cell(text, BOARDS[3]) == Move(1, 0)


@pytest.mark.parametrize(
    ("size", "text", "cell"),
    [
        (3, "1", 0),
        (3, "9", 8),
        (3, "3,1", 6),
        (3, "1,3", 2),
        (10, "100", 99),
        (10, "11", 10),
        (10, "1,10", 9),
        (10, "10 1", 90),
        (10, "7,3", 62),
        (15, "225", 224),
        (15, "15,15", 224),
        (15, "2,1", 15),
        (15, "1 15", 14),
    ],
)
def test_the_rows_are_as_long_as_the_board(size: int, text: str, cell: int) -> None:
    assert parse_cell(text, BOARDS[size]) == Move(cell, 0)


def test_a_move_is_one_on_the_board_that_was_seen() -> None:
    assert parse_cell("5", replace(BOARDS[3], ply=7)) == Move(4, 7)


@pytest.mark.parametrize(
    ("size", "text", "shown"),
    [
        (3, "12", "12"),
        (3, "10", "10"),
        (3, "0", "0"),
        (3, "-1", "-1"),
        (3, "4,1", "4,1"),
        (3, " 1  4 ", "1 4"),
        (3, "0,1", "0,1"),
        (3, "1,0", "1,0"),
        (3, "-1,-1", "-1,-1"),
        (10, "101", "101"),
        (10, "11,1", "11,1"),
        (15, "226", "226"),
        (15, "1,16", "1,16"),
        (3, "123456789012", "123456789012"),
        (3, "1234567890123", "123456789012..."),
        (15, "9" * 10_000, "999999999999..."),
        (15, "1," + "9" * 10_000, "1,9999999999..."),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_number_off_the_board_is_said_so(size: int, text: str, shown: str) -> None:
    with pytest.raises(Unclear) as unclear:
        parse_cell(text, BOARDS[size])
    assert str(unclear.value) == f"There is no cell {shown} on this board."


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "five", "y", "no", "1,2,3", "1 2 3", "1.5", "1-2", "+1", "- 1", "1,", ",1"),
        *("²", "\x00", "\x1b[2J", "1\x1b[2J", "2\u202e", "\ud800", "x" * 10_000, "1," * 10_000),
        *("computer best", "helpme", "board 2", "resign!", "quit now"),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_anything_else_is_answered_with_what_is_accepted(text: str) -> None:
    with pytest.raises(Unclear) as unclear:
        parse_cell(text, BOARDS[3])
    assert str(unclear.value) == ACCEPTED


def test_what_is_accepted_is_what_is_on_the_board() -> None:
    assert accepted_now(BOARDS[3]) == ACCEPTED
    assert "from 1 to 225," in accepted_now(BOARDS[15])


def test_every_word_is_known_here() -> None:
    assert dict(SPOKEN) == WORDS


@pytest.mark.parametrize("parse", [parse_on(3), parse_on(15), parse_answer, parse_word])
@pytest.mark.parametrize(("word", "meaning"), SPOKEN)
def test_a_word_means_the_same_at_any_time_and_in_any_case(
    parse: Parse, word: str, meaning: AnyCommand | Word
) -> None:
    assert parse(word) == meaning
    assert parse(f"\t {word.upper().replace(' ', '   ')} \r") == meaning
    assert is_word(word.title())
    assert not is_quit(word)


@pytest.mark.parametrize("text", ["quit", "exit", " QUIT ", "Exit\r"])
def test_who_says_quit_leaves(text: str) -> None:
    assert is_quit(text)
    assert is_word(text)


@pytest.mark.parametrize("text", ["", "q", "quit now", "1", "1,2", "y", "no", "computer best"])
def test_neither_an_answer_nor_a_cell_is_a_word_for_any_time(text: str) -> None:
    assert not is_word(text)
    assert not is_quit(text)
    with pytest.raises(Unclear, match=r"^Type quit to leave; help tells the other words\.$"):
        parse_word(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("y", True),
        ("Y", True),
        ("yes", True),
        (" Yes ", True),
        ("n", False),
        ("N", False),
        ("no", False),
        ("NO\r", False),
        ("", False),
        ("  ", False),
    ],
)
def test_no_is_what_an_empty_answer_means(text: str, answer: bool) -> None:
    assert yes_or_no(text) is answer
    assert parse_answer(text) == Rematch(answer)


@pytest.mark.parametrize("text", ["maybe", "5", "1,2", "yy", "y y", "\x1b[2J", "why not"])
def test_an_answer_that_is_none_is_asked_for_again(text: str) -> None:
    assert yes_or_no(text) is None
    with pytest.raises(Unclear) as unclear:
        parse_answer(text)
    assert str(unclear.value) == ("Type y to play again, n to leave, why for what the game taught.")


# Any text at all, surrogates and all; and such as looks like cells and words.
TYPED = st.one_of(
    st.text(st.characters()),
    st.text("0123456789 ,-\t\u0663\uff19²"),
    st.lists(st.sampled_from([*WORDS, *QUIT, "y", "no", "1", "16", "225", ","])).map(" ".join),
)


def understood(parse: Parse, text: str) -> AnyCommand | Word | Unclear:
    try:
        return parse(text)
    except Unclear as unclear:
        return unclear


@given(TYPED, st.sampled_from([3, 10, 15]), st.integers(0, 2**31 - 1))
def test_whatever_is_typed_is_a_command_of_the_protocol_or_unclear(
    text: str, size: int, ply: int
) -> None:
    seen = replace(BOARDS[size], ply=ply)
    for parse in (lambda line: parse_cell(line, seen), parse_answer, parse_word):
        match understood(parse, text):
            case Unclear() as unclear:
                assert str(unclear).isprintable()
                assert columns(str(unclear)) < 80
            case str(word):
                assert word in get_args(Word)
            case command:
                assert decode_command(encode(command)) == command
                if isinstance(command, Move):
                    assert command.cell < size * size


@given(st.integers(3, 15).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n * n - 1))))
def test_a_cell_is_the_same_by_its_number_and_by_its_row_and_column(where: tuple[int, int]) -> None:
    size, cell = where
    seen = state(Position(Rules(size, 3)))

    for text in (f"{cell + 1}", f"{cell // size + 1},{cell % size + 1}"):
        assert parse_cell(text, seen) == Move(cell, 0)
