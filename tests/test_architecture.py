"""The parts of the project may know each other only in the directions written here."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("client", "server", "shared")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
FORBIDDEN = {"client": {"server"}, "server": {"client"}, "shared": {"client", "server"}}
PURE = (
    "shared/rules.py",
    "shared/protocol.py",
    "shared/names.py",
    "server/room.py",
    "client/view.py",
)
IMPURE = {"asyncio", "time", "random", "os", "socket"}
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "managers"}


def imported(source: str) -> Iterator[str]:
    """The packages and modules a source imports, wherever in it, by their first name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative import stays within its package: there are no packages in packages.
            assert node.level <= 1
            if node.level == 0 and node.module:
                yield node.module.split(".")[0]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_are_found_wherever_they_are() -> None:
    source = "import a.b, c\nfrom d.e import f\ndef g():\n    from h import i\n    from . import j"

    assert set(imported(source)) == {"a", "c", "d", "h"}


def test_there_is_something_to_look_at() -> None:
    assert {path.parent.name for path in SOURCES} >= set(PACKAGES)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_package_imports_only_those_below_it(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]

    assert not FORBIDDEN[package] & set(imported(path.read_text("utf-8")))


@pytest.mark.parametrize("path", [path for path in SOURCES if name(path) in PURE], ids=name)
def test_the_pure_modules_read_no_clock_and_do_no_input_or_output(path: Path) -> None:
    assert not IMPURE & set(imported(path.read_text("utf-8")))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_file_is_named_for_what_is_in_it(path: Path) -> None:
    assert path.stem not in VAGUE
