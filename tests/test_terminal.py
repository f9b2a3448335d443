"""What a player's terminal does with keys at the wrong moment."""

import sys
from typing import Any

import pexpect

from tests.commands import SECONDS


def test_ctrl_c_is_not_forgotten_with_what_was_half_typed() -> None:
    program = """
import signal
from client.terminal import forget_typed

caught = []
signal.signal(signal.SIGINT, lambda *_: caught.append(1))
for presses in range(100):
    print("press", flush=True)
    while len(caught) <= presses:
        forget_typed()
"""
    child: Any = pexpect.spawn(sys.executable, ["-c", program], timeout=SECONDS)
    for _ in range(100):
        child.expect_exact("press")
        child.sendcontrol("c")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
