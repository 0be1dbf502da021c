"""The faults, and how they are tried for a time.

Whatever fails below, nothing that a client was told is lost, and a command ends with its result or with one line.
"""

import logging
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.errors import place
from tests.fuzz.faults.clocks import clocks
from tests.fuzz.faults.disk import disk, small
from tests.fuzz.faults.folders import folders
from tests.fuzz.faults.memory import memory
from tests.fuzz.faults.restart import restart
from tests.fuzz.faults.store import store
from tests.fuzz.faults.training import training
from tests.fuzz.log import Log

PARTS: dict[str, Callable[[int, Path], int]] = {
    "clocks": clocks,
    "disk": disk,
    "folders": folders,
    "memory": memory,
    "restart": restart,
    "small": small,
    "store": store,
    "training": training,
}


def run(part: str, seconds: float, seed: int, log: Log) -> None:
    """Try a fault for so many seconds; an input is a number that all choices follow from."""
    until, rng = time.monotonic() + seconds, random.Random(seed)
    logging.disable(logging.ERROR)
    while time.monotonic() < until and not log.full:
        number = rng.randrange(2**31)
        log.now(part, str(number).encode())
        try:
            with tempfile.TemporaryDirectory(prefix="kozyr-faults-") as folder:
                log.count(part, PARTS[part](number, Path(folder)))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            log.found(part, str(number).encode(), f"{place(error)}: {said[:100]}", said)
