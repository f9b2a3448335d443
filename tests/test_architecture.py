"""The parts of the project may know each other only in the directions written here."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("client", "server", "shared")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

# What each file may import besides the standard library.
MAY_IMPORT: dict[str, set[str]] = {
    "shared/__init__.py": set(),
    "shared/rules.py": set(),
    "shared/protocol.py": {"msgspec", "shared.rules"},
    "shared/names.py": {"wcwidth"},
    "server/__init__.py": set(),
    "server/room.py": {"msgspec", "shared.protocol", "shared.rules"},
    "server/seating.py": {"msgspec", "server.room", "shared"},
    "server/game.py": {"msgspec", "server.room", "shared"},
    "server/public.py": {"server.room", "shared"},
    "server/solve.py": {"shared.rules"},
    "server/search.py": {"shared.rules"},
    "server/ai.py": {"server.search", "server.solve", "shared.protocol", "shared.rules"},
    "server/review.py": {"server.solve", "shared"},
    "server/thinker.py": {"server.ai", "server.review", "shared"},
    "server/table.py": {"websockets", "server.room", "server.public", "shared"},
    "server/lesson.py": {
        *("server.room", "server.solve", "server.table", "server.thinker", "shared"),
    },
    "server/hub.py": {"websockets", "server", "shared"},
    "server/connection.py": {
        *("websockets", "server.hub", "server.table", "shared.protocol", "shared.names"),
    },
    "server/http.py": {"websockets"},
    "server/main.py": {"websockets", "uvloop", "server", "shared"},
    "client/__init__.py": set(),
    "client/session.py": {"msgspec", "websockets", "shared.protocol", "shared.names"},
    "client/board.py": {"shared.protocol", "shared.rules"},
    "client/view.py": {"client.board", "shared"},
    "client/words.py": {"shared.names", "shared.protocol"},
    "client/lesson.py": {"client.board", "client.view", "shared"},
    "client/menu.py": {"client.terminal", "shared"},
    "client/terminal.py": set(),
    "client/local.py": set(),
    "client/line.py": {
        *("msgspec", "client.session", "client.view", "client.board", "client.terminal", "shared"),
        *("client.lesson", "client.words"),
    },
    "client/main.py": {"msgspec", "client", "shared"},
}
PURE = (
    "shared/rules.py",
    "shared/protocol.py",
    "shared/names.py",
    "server/room.py",
    "server/seating.py",
    "server/game.py",
    "server/public.py",
    "server/solve.py",
    "server/review.py",
    "client/board.py",
    "client/view.py",
    "client/words.py",
    "client/lesson.py",
)
IMPURE = {"asyncio", "time", "datetime", "random", "secrets", "os", "socket", "threading"}
# What a client needs to draw a board and to read a cell. Nothing that judges a game.
RULES_FOR_CLIENTS = {"EMPTY", "MARKS", "MAX_SIZE", "MIN_SIZE", "Kind", "Mark", "other"}
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "managers"}


def imported(source: str) -> Iterator[tuple[str, str]]:
    """The modules a source imports, wherever in it, and what it takes from them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "a relative import hides where it leads"
            for name in node.names:
                if node.module in PACKAGES:
                    yield f"{node.module}.{name.name}", ""
                else:
                    yield node.module, name.name


def modules(path: Path) -> set[str]:
    return {module for module, _ in imported(path.read_text("utf-8"))}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_are_found_wherever_they_are() -> None:
    source = "import a.b, c\nfrom d.e import f\ndef g():\n    from server import i"

    assert set(imported(source)) == {("a.b", ""), ("c", ""), ("d.e", "f"), ("server.i", "")}


def test_every_file_is_written_down_here() -> None:
    assert {name(path) for path in SOURCES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_file_imports_only_what_it_may(path: Path) -> None:
    foreign = {m for m in modules(path) if m.split(".")[0] not in sys.stdlib_module_names}
    allowed = MAY_IMPORT[name(path)]

    assert not {
        module
        for module in foreign
        if not any(module == may or module.startswith(f"{may}.") for may in allowed)
    }


@pytest.mark.parametrize("path", [ROOT / name for name in PURE], ids=name)
def test_the_pure_files_read_no_clock_and_do_no_input_or_output(path: Path) -> None:
    assert not IMPURE & {module.split(".")[0] for module in modules(path)}


def test_a_client_knows_nothing_that_judges_a_game() -> None:
    taken = {
        what
        for path in SOURCES
        if name(path).startswith("client/")
        for module, what in imported(path.read_text("utf-8"))
        if module == "shared.rules"
    }

    assert taken
    assert taken <= RULES_FOR_CLIENTS


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_file_is_named_for_what_is_in_it(path: Path) -> None:
    assert path.stem not in VAGUE
