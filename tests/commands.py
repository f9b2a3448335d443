"""The client's command as scripts and people run it: in a pipe, on a terminal.

Every wait is for something that is said, and bounded.
"""

import os
import select
import signal
import subprocess
import sys
from typing import Any

import pexpect
import pyte

SECONDS = 20
CLIENT = [sys.executable, "-P", "-m", "client.main"]


def piped(typed: str | bytes, *flags: str | bytes, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a client to its end on lines from a pipe."""
    done = subprocess.run(
        [*CLIENT, *flags],
        input=typed.encode() if isinstance(typed, str) else typed,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, **env},
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


class Pipe:
    """A client whose lines come from a pipe: one at a time, or all that it will ever get."""

    def __init__(self, *flags: str, typed: str | None = None) -> None:
        self.process = subprocess.Popen(
            [*CLIENT, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.unread = ""
        if typed is not None:
            assert self.process.stdin
            self.process.stdin.write(typed.encode())
            self.process.stdin.close()

    def says(self, text: str) -> str:
        """Read up to the end of `text`, and return what was read."""
        while text not in self.unread:
            got = self._read()
            assert got, f"{text!r} is not in {self.unread!r}"
            self.unread += got
        end = self.unread.index(text) + len(text)
        read, self.unread = self.unread[:end], self.unread[end:]
        return read

    def type(self, text: str) -> None:
        """Write a line."""
        assert self.process.stdin
        self.process.stdin.write(f"{text}\n".encode())

    def ends(self) -> tuple[str, int]:
        """Close the pipe, and return the rest of the output and the exit code."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        while got := self._read():
            self.unread += got
        self.process.stdout.close()
        return self.unread, self.process.wait(SECONDS)

    def _read(self) -> str:
        assert self.process.stdout
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        if not ready:
            self.process.kill()
            raise AssertionError(f"nothing came in {SECONDS} s after {self.unread!r}")
        return self.process.stdout.read(65536).decode()


class Screen:
    """A client on a terminal of 80 by 24."""

    def __init__(self, *flags: str, **env: str) -> None:
        self.display = pyte.Screen(80, 24)
        self.stream = pyte.Stream(self.display)
        self.raw = ""
        self.child: Any = pexpect.spawn(
            CLIENT[0],
            [*CLIENT[1:], *flags],
            env={**os.environ, "TERM": "xterm-256color", **env},
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=SECONDS,
            # Tests that run in the background hand on that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def shows(self, text: str) -> str:
        """Wait until the screen shows `text`, and return the screen."""
        while text not in self.text():
            self._read(text)
        return self.text()

    def is_titled(self, text: str) -> None:
        """Wait until the title of the window is `text`."""
        while text != self.display.title:
            self._read(text)

    def text(self) -> str:
        """Return what is on the screen now."""
        return "\n".join(line.rstrip() for line in self.display.display).rstrip()

    def bells(self) -> int:
        """Return how often the bell has rung; it also ends a window's title."""
        return self.raw.count("\a") - self.raw.count("\x1b]0;")

    def type(self, text: str) -> None:
        """Type a line."""
        self.child.send(f"{text}\r")

    def press(self, letter: str) -> None:
        """Press a letter with the control key."""
        self.child.sendcontrol(letter)

    def ends(self) -> int:
        """Wait for the end, and return the exit code."""
        self.child.expect(pexpect.EOF)
        self.raw += self.child.before
        self.stream.feed(self.child.before)
        self.child.close()
        assert self.child.exitstatus is not None
        return int(self.child.exitstatus)

    def _read(self, awaited: str) -> None:
        try:
            got = self.child.read_nonblocking(4096, timeout=SECONDS)
        except (pexpect.EOF, pexpect.TIMEOUT) as error:
            raise AssertionError(f"{awaited!r} is not in {self.text()!r}") from error
        self.raw += got
        self.stream.feed(got)
