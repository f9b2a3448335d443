"""Which names players and rooms may have, and how any text is made safe to print.

A name is shown on other people's terminals and in logs. What is not a letter, a digit or one
of a few signs is refused when it comes in, and escaped again whenever it is printed.
"""

import re
import unicodedata

from wcwidth import wcswidth, wcwidth

MAX_NAME_COLUMNS = 16
MAX_ROOM_LENGTH = 32
COMPUTER = "Computer"
RESERVED = ("computer", "player x", "player o")
NAME_SIGNS = " -_.'"
# Unicode calls these letters or marks, but nobody sees them: fillers, variation selectors.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
STACKED = re.compile("(?<!L)M")  # in the categories of a name: a mark that stands on no letter
CONSONANTS = "bdfghjklmnprstvz"
VOWELS = "aiou"


class BadName(ValueError):
    """A name that is not allowed; the text says why, in a sentence for the player."""


def player_name(text: str) -> str:
    """Return the name in composed form, or raise BadName. Empty means no name."""
    name = unicodedata.normalize("NFC", text)
    if name != name.strip(" "):
        raise BadName("A name cannot begin or end with a space.")
    if not _is_name(name):
        raise BadName("A name may have letters, digits, spaces and - _ . ' only.")
    if STACKED.search("".join(unicodedata.category(c)[0] for c in name)):
        raise BadName("A name may have one accent on a letter, not more.")
    if wcswidth(name) > MAX_NAME_COLUMNS:
        raise BadName(f"A name may be at most {MAX_NAME_COLUMNS} columns wide.")
    if name.casefold() in RESERVED:
        raise BadName(f"{name} is what the game itself calls a player.")
    return name


def room_name(text: str) -> str:
    """Return the room's name as it is compared, casefolded, or raise BadName."""
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    if not 1 <= len(name) <= MAX_ROOM_LENGTH:
        raise BadName(f"A room name must have 1 to {MAX_ROOM_LENGTH} characters.")
    if BLANK.search(name) or not all(_is_letter_or_digit(c) or c in "-_" for c in name):
        raise BadName("A room name may have letters, digits, - and _ only.")
    return name


def columns(text: str) -> int:
    """Return how many columns of a terminal a printable text takes."""
    return max(0, wcswidth(text))


def spoken(number: int) -> str:
    """Return 32 bits as two words that are easy to say over a telephone: "lusab-babad"."""
    return f"{_word(number >> 16 & 0xFFFF)}-{_word(number & 0xFFFF)}"


def printable(text: str) -> str:
    """Return the text with everything a terminal might act on written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _word(bits: int) -> str:
    return (
        CONSONANTS[bits >> 12]
        + VOWELS[bits >> 10 & 3]
        + CONSONANTS[bits >> 6 & 15]
        + VOWELS[bits >> 4 & 3]
        + CONSONANTS[bits & 15]
    )


def _is_letter(character: str) -> bool:
    # Half a Korean syllable is a letter, too, but one that takes no column of its own.
    return unicodedata.category(character)[0] == "L" and wcwidth(character) > 0


def _is_letter_or_digit(character: str) -> bool:
    return _is_letter(character) or unicodedata.category(character) == "Nd"


def _is_name(text: str) -> bool:
    return not BLANK.search(text) and all(
        _is_letter_or_digit(c) or c in NAME_SIGNS or unicodedata.category(c)[0] == "M" for c in text
    )
