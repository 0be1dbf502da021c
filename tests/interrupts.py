"""Processes that a test interrupts with Ctrl-C."""

import signal
import subprocess
from typing import Any


def interruptible(command: list[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a process that heeds Ctrl-C, as `subprocess.Popen` starts one.

    Children inherit what is ignored. Under `nohup`, and in the background of a script, a shell lets everything ignore
    Ctrl-C: the tests, and so what they start.

    Args:
        command: the program and its arguments.
        **options: of `subprocess.Popen`.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the child has the system's default in its place
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)
