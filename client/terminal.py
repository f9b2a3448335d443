"""The player's terminal, or the pipe in its place: lines in, lines out."""

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator

MAX_LINE = 1000  # characters of a line that are kept
MAX_LINES = 1000  # lines that are read ahead
CLEAR = "\x1b[H\x1b[2J"
SAVE_TITLE, RESTORE_TITLE = "\x1b[22;0t", "\x1b[23;0t"


class Terminal:
    """Prints whole lines, keeps a prompt at the bottom, and reads lines in a thread."""

    def __init__(self, *, plain: bool, quiet: bool) -> None:
        # A stream that was closed before the start is None.
        self.is_interactive = all(s and s.isatty() for s in (sys.stdin, sys.stdout))
        self.is_plain = plain or not self.is_interactive or is_dumb()
        self.is_quiet = quiet or not self.is_interactive
        self.is_prompting = False
        self.has_title = False
        self.has_ended = False  # no more lines will come than are in `lines`
        self.typed = typed_lines() if sys.stdin else iter(())
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.ahead = threading.Semaphore(MAX_LINES)  # an endless pipe must not fill the memory

    def ask(self, question: str) -> str:
        """Ask for a line before the game, and wait for it, or raise EOFError."""
        self.prompt(question)
        line = next(self.typed, None)
        if line is None:
            raise EOFError
        self.answered()
        return line

    def read(self) -> None:
        """Start to read lines for `next_line`."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(RuntimeError):  # the game is gone
                with contextlib.suppress(OSError):  # the terminal is
                    for line in self.typed:
                        self.ahead.acquire()
                        loop.call_soon_threadsafe(self.lines.put_nowait, line)
                self.has_ended = True
                loop.call_soon_threadsafe(self.lines.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()

    async def next_line(self) -> str | None:
        """Wait for a line and return it, or None when there are no more."""
        line = await self.lines.get()
        self.ahead.release()
        return line

    def show(self, text: str) -> None:
        """Print lines, below a prompt that stands open."""
        if text:
            self._break_prompt()
            print(text, flush=True)

    def clear(self) -> None:
        """Begin on an empty screen, where there is one."""
        if self.is_plain:
            self._break_prompt()
        else:
            self.is_prompting = False
            print(CLEAR, end="")

    def prompt(self, text: str) -> None:
        """Ask for a line."""
        self._break_prompt()
        if self.is_interactive:
            forget_typed()
            print(text, end=" ", flush=True)
            self.is_prompting = True
        else:
            print(text, flush=True)

    def answered(self) -> None:
        """Note that the player has ended the prompt's line."""
        self.is_prompting = False

    def alert(self, title: str) -> None:
        """Ring the bell and say in the window's title why."""
        if not self.is_quiet:
            print("\a", end="", flush=True)
            self.entitle(title)

    def entitle(self, title: str) -> None:
        """Say something in the window's title."""
        if not self.is_quiet and not self.is_plain:
            if not self.has_title:
                print(SAVE_TITLE, end="")
                self.has_title = True
            print(f"\x1b]0;{title}\x07", end="", flush=True)

    def restore(self) -> None:
        """Leave the terminal as it was."""
        self._break_prompt()
        if self.has_title:
            print(RESTORE_TITLE, end="", flush=True)

    def _break_prompt(self) -> None:
        if self.is_prompting:
            self.is_prompting = False
            print(flush=True)


def is_dumb() -> bool:
    """Whether the terminal knows no escape sequences."""
    return os.environ.get("TERM", "dumb") in ("", "dumb") and sys.platform != "win32"


def forget_typed() -> None:
    """Forget half a line that was typed at an earlier prompt: nobody sees it any more."""
    if sys.platform != "win32":
        import termios

        # What can be read is no half line: it is a whole one, or Ctrl-D, and on its way.
        if not select.select([sys.stdin], [], [], 0)[0]:
            # Not by tcflush: it also takes a Ctrl-C that the system has yet to look at.
            with contextlib.suppress(termios.error):  # a signal came in the middle
                termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, termios.tcgetattr(sys.stdin))


def typed_lines() -> Iterator[str]:
    """Yield the lines of standard input as they come, whatever bytes they are made of."""
    # Not sys.stdin: a thread that waits in its buffer cannot be left behind at the end.
    rest = b""
    while chunk := os.read(0, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[:MAX_LINE]
        for line in lines:
            yield line.decode(errors="replace")[:MAX_LINE]
    if rest:
        yield rest.decode(errors="replace")
