"""A program and all that it has started, halted and ended together: also children in sessions of their own (Linux).

A process group ends at the first child that leaves it. Here the children are looked up in /proc. A program that adopts
orphans, as `bot_runner` does, keeps those whose own parent has ended; others are lost then.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

TELLS_TIME = sys.platform == "linux"
_PROC = Path("/proc")
_BEGAN = 19  # place of the time of a process's start in its `stat`, behind its name
_OF_CHILDREN = slice(13, 15)  # place of the time of children that were waited for
_SCHEDULED = 2  # of Linux's clocks of a process: the time for which it has run
_WALKS = 100  # looks for children that were started meanwhile; one that forks faster is left to the next look


def members(root: int) -> list[int]:
    """Return the numbers of a process and its descendants, parents first; where there is no /proc, of itself alone."""
    family = [root]
    for one in family:
        family += [child for child in _children(one) if child not in family]
    return family


def _children(process: int) -> list[int]:
    """Return the numbers of a process's children."""
    numbers = list[int]()
    with contextlib.suppress(OSError):
        for thread in (_PROC / str(process) / "task").iterdir():
            numbers += map(int, (thread / "children").read_text().split())
    return numbers


def began(process: int) -> str:
    """Return when a process was started, so that another one of the same number is told apart; "" where it is gone."""
    try:
        return (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()[_BEGAN]
    except (OSError, IndexError):
        return ""


def processor_time(root: int) -> float:
    """Return the seconds for which processors have worked for a process, its descendants, and those that have ended.

    A child that has ended counts once its parent has waited for it.
    """
    return sum(map(_processor_time, members(root)))


def _processor_time(process: int) -> float:
    """Return the seconds of a process and of the children that it has waited for."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        own = time.clock_gettime(~process << 3 | _SCHEDULED)
        words = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
        return own + sum(map(int, words[_OF_CHILDREN])) / os.sysconf("SC_CLK_TCK")
    return 0.0  # it is gone


def known(root: int) -> dict[int, str]:
    """Return a process and its descendants, with the times of their start."""
    return {one: began(one) for one in members(root)}


def halt(root: int) -> list[int]:
    """Halt a process and its descendants, also those that are started meanwhile.

    Returns:
        Their numbers.
    """
    halted = dict[int, None]()
    for _ in range(_WALKS):
        more = [one for one in members(root) if one not in halted]
        if not more:
            break
        send(more, signal.SIGSTOP)
        halted |= dict.fromkeys(more)
    return list(halted)


def wake(root: int) -> None:
    """Let a process and its descendants go on, the youngest first."""
    send(reversed(members(root)), signal.SIGCONT)


def end(root: int) -> None:
    """End a process and its descendants at once."""
    send(halt(root), signal.SIGKILL)


def end_known(processes: dict[int, str]) -> None:
    """End those of some processes that are still the same, with their descendants."""
    for one, when in processes.items():
        if when and began(one) == when:
            end(one)


def send(processes: Iterable[int], number: int) -> None:
    """Send a signal to those of some processes that are still there."""
    for one in processes:
        with contextlib.suppress(OSError):
            os.kill(one, number)
