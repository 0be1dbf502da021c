"""What is attacked: sections, their parts, and how a child process attacks a part."""

import importlib
import json
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from kozyr import envs
from tests.fuzz.log import Log

FAULTS = ("clocks", "disk", "folders", "memory", "restart", "small", "store")
COUNTS = "counts"  # no section: a part of it is one target
_NEEDS = {"faults": "resource", "views": "tests.fuzz.views"}  # modules without which there is no such section
SHARES = {"faults": 1.2, "machines": 3.0, "parsers": 4.0, "play": 1.5, "views": 1.5}  # of the time
RATES = {  # inputs that one core tries in a second, roughly; of games, hundreds; of faults, commands and evenings
    "faults": {
        "clocks": 20,
        "disk": 3,
        "folders": 0.1,
        "memory": 1,
        "restart": 20,
        "small": 2,
        "store": 3,
        "training": 1,
    },
    "machines": {"ATable": 700, "Aec": 1400, "Seat": 750, "Tables": 550, "Vector": 650},
    "parsers": {
        "daifugo": 550,
        "draw_poker": 2500,
        "durak": 1300,
        "mnk": 3000,
        "war": 1800,
        "documents": 900,
        "files": 600,
        "lines": 450,
        "models": 1500,
        "sessions": 20,
        "wires": 400,
        "words": 500,
    },
    "play": {"daifugo": 26, "draw_poker": 55, "durak": 130, "mnk": 80, "war": 75},
    "views": {"views": 450},
}


def parts(section: str) -> list[str]:
    """Return the parts of a section, each attacked by a process of its own."""
    if section == "machines":
        from tests.fuzz.machines.all import MACHINES

        return list(MACHINES)
    if section == "parsers":
        from tests.fuzz.targets.all import GROUPS

        return list(GROUPS)
    if section == "faults":
        return list(FAULTS)
    return envs.games() if section == "play" else ["views"] if section in sections() else []


def sections() -> list[str]:
    """Return the sections that there are."""
    return [name for name in SHARES if find_spec(_NEEDS.get(name, "tests.fuzz"))]


def attack(section: str, part: str, until: float, seed: int, log: Log) -> None:
    """Attack a part of a section until a time by `time.time`, and tell what is found."""
    run: Callable[..., Any]
    if section == "machines":
        from tests.fuzz.machines.all import run
    elif section == "parsers":
        from tests.fuzz.parsers import run
    elif section == "play":
        from tests.fuzz.play import run
    elif section == "faults":
        from tests.fuzz.faults.all import run
    elif section == COUNTS:
        from tests.fuzz.counts import run
    else:
        _views(until - time.time(), seed, log)
        return
    run(part, max(1.0, until - time.time()), seed, log)
    log.tell()


def _views(seconds: float, seed: int, log: Log) -> None:
    """Ask agents about views that contradict themselves; that section watches processes of its own."""
    module: Any = importlib.import_module("tests.fuzz.views")
    counts, wrong = module.run(seconds, seed, most=log.most)
    for name, number in counts.items():
        log.count(name, int(number))
    for one in wrong:
        log.found(
            f"views-{one.get('agent', '')}".replace(":", "-"),
            json.dumps(one).encode(),
            str(one.get("said")),
            str(one)[:500],
        )
    log.tell()
