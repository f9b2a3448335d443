import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.names import (
    MAX_NAME_COLUMNS,
    MAX_ROOM_LENGTH,
    BadName,
    player_name,
    printable,
    room_name,
    spoken,
)

HOSTILE = [
    "\x1b[2J",  # clears the screen
    "a\x07",
    "a\nb",
    "a\tb",
    "\x9b31m",  # the one-byte form of ESC [
    "\x7f",
    "\u202eevil",  # right-to-left override
    "a\u2066b",
    "a\u200bb",  # zero-width space
    "a\u200db",
    "\ufeffa",
    "a\u00adb",  # soft hyphen
    "a\u00a0b",
    "\ud800",
    "a\udfff",
    "\u115f",  # blank Hangul fillers
    "a\u1160",
    "\u3164",
    "\uffa0\uffa0",
    "\u1161" * 20,  # halves of syllables, which take no column
    "Computer\ufe0f",  # a variation selector
    "a\u034f",
    "a\u180b",
    "a\U000e0100",
    "\u2800",  # blank braille
    "\U000e0041",  # a tag
    "<b>",
    "a/b",
    "🙂",
]


@pytest.mark.parametrize(
    "name", ["Ann", "Ann B.", "O'Neil", "a-b_c", "7", "Zoë", "Иван", "漢字", "שלום", "हिन्दी"]
)
def test_a_name_people_have_is_kept(name: str) -> None:
    assert player_name(name) == unicodedata.normalize("NFC", name)


def test_no_name_is_a_name() -> None:
    assert player_name("") == ""


def test_two_spellings_of_a_name_are_one() -> None:
    assert player_name("Zoe\u0308") == player_name("Zo\u00eb") == "Zo\u00eb"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_could_trick_a_terminal_is_refused(name: str) -> None:
    with pytest.raises(BadName, match="letters, digits, spaces"):
        player_name(name)


@pytest.mark.parametrize("name", ["e" + "\u0301" * 3, "x\u0336\u0336", "a" + "\u0300\u0316" * 9])
def test_marks_stacked_on_a_letter_are_refused(name: str) -> None:
    with pytest.raises(BadName):
        player_name(name)


@pytest.mark.parametrize("name", ["\u0301", "\u0301a", "7\u0301", "a \u0301", "-\u0301"])
def test_a_mark_needs_a_letter_to_stand_on(name: str) -> None:
    with pytest.raises(BadName):
        player_name(name)


@pytest.mark.parametrize("name", [" ", " Ann", "Ann ", "  "])
def test_a_name_has_no_spaces_around_it(name: str) -> None:
    with pytest.raises(BadName, match="space"):
        player_name(name)


@pytest.mark.parametrize("letter", ["a", "é", "x\u0302"])
def test_a_name_is_as_wide_as_its_column_and_no_wider(letter: str) -> None:
    assert player_name(letter * MAX_NAME_COLUMNS)
    with pytest.raises(BadName, match="columns wide"):
        player_name(letter * (MAX_NAME_COLUMNS + 1))


def test_a_wide_letter_counts_as_two_columns() -> None:
    assert player_name("漢" * 8) == "漢" * 8
    with pytest.raises(BadName, match="columns wide"):
        player_name("漢" * 9)


@pytest.mark.parametrize("name", ["Computer", "computer", "COMPUTER", "Player X", "player o"])
def test_nobody_is_called_what_the_game_calls_its_players(name: str) -> None:
    with pytest.raises(BadName, match="the game itself"):
        player_name(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("lunch", "lunch"),
        ("Lunch", "lunch"),
        ("LUNCH_2-b", "lunch_2-b"),
        ("Straße", "strasse"),
        ("CAFE\u0301", "caf\u00e9"),
        ("漢字", "漢字"),
    ],
)
def test_rooms_are_compared_without_case(text: str, name: str) -> None:
    assert room_name(text) == name


@pytest.mark.parametrize("name", [*HOSTILE, "a b", " a", "a.b", "../a", "a?b", "a%20", "it's"])
def test_a_room_name_that_needs_quoting_is_refused(name: str) -> None:
    with pytest.raises(BadName, match="letters, digits, - and _"):
        room_name(name)


def test_a_room_name_has_a_length() -> None:
    assert room_name("a" * MAX_ROOM_LENGTH)
    for name in ("", "a" * (MAX_ROOM_LENGTH + 1), "ß" * MAX_ROOM_LENGTH):
        with pytest.raises(BadName, match="1 to 32"):
            room_name(name)


def test_the_least_and_the_greatest_number_can_be_spoken() -> None:
    assert spoken(0) == "babab-babab"
    assert spoken(2**32 - 1) == "zuzuz-zuzuz"


def test_the_example_in_the_docstring_is_a_spoken_number() -> None:
    # The words are those of the "proquint" scheme: this is 127.0.0.1 in it.
    assert spoken(0x7F000001) == "lusab-babad"


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_two_numbers_are_spoken_differently(one: int, two: int) -> None:
    assert (spoken(one) == spoken(two)) == (one == two)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_a_spoken_number_is_a_room_name(number: int) -> None:
    assert room_name(spoken(number)) == spoken(number)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zoë 漢字 🙂", "Zoë 漢字 🙂"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("a\r\nb", "a\\r\\nb"),
        ("\u202eevil", "\\u202eevil"),
        ("\u2066", "\\u2066"),
        ("a\u200bb", "a\\u200bb"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("", ""),
    ],
)
def test_what_a_terminal_might_act_on_is_printed_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters()))
def test_anything_printed_is_one_harmless_line(text: str) -> None:
    shown = printable(text)

    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert printable(shown) == shown


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=20))
def test_a_name_that_was_allowed_is_allowed_again_and_needs_no_escape(text: str) -> None:
    for allowed in (player_name, room_name):
        try:
            name = allowed(text)
        except BadName:
            continue
        assert allowed(name) == name
        assert printable(name) == name
