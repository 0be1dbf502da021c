"""Attack parsers: with Atheris, which keeps inputs that reach new code, or by changing valid inputs at random.

An input of Atheris is a byte, which chooses the target of the group, and what the target reads.
"""

import importlib
import inspect
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.fuzz import mutate
from tests.fuzz.log import CORPUS, Log
from tests.fuzz.targets import all as every
from tests.fuzz.targets.target import Find, Target, judge

LONGEST = 1 << 17  # bytes of an input
THREADS = 50  # that a target may leave behind: more are a find, for each takes memory until there is none
_left = Counter[str]()  # threads that each target has left behind, less those of others that ended meanwhile
_OWN_CHANGES = 0.7  # share of Atheris' inputs that are changed by `mutate`


def attempt(target: Target, data: bytes, log: Log, keep: Path = CORPUS) -> None:
    """Let a target read an input, and tell if that finds something."""
    log.now(target.name, data)
    before = threading.active_count()
    find = judge(target, data)
    log.count(target.name)
    running = threading.active_count()
    _left[target.name] += running - before
    if find is None and min(_left[target.name], running) > THREADS:
        find = Find("threads", f"{running} threads run once the inputs so far are read")
    if find is not None:
        log.found(target.name, data, find.key, find.said, keep)


def run(group: str, seconds: float, seed: int, log: Log, guided: bool = True) -> None:
    """Attack the targets of a group for so many seconds, beginning with the valid inputs and the corpus."""
    until, targets = time.monotonic() + seconds, every.group(group)
    valid = {target.name: [*target.seeds(), *corpus(target)] for target in targets}
    if guided and every.guided():
        _guided(group, targets, valid, until, seed, log)
    else:
        _unguided(targets, valid, until, seed, log)


def corpus(target: Target) -> list[bytes]:
    """Return what was found before."""
    return [path.read_bytes() for path in sorted((CORPUS / target.name).glob("*"))]


def _unguided(targets: Sequence[Target], valid: dict[str, list[bytes]], until: float, seed: int, log: Log) -> None:
    """Change valid inputs at random, once each has been read as it is."""
    rng = random.Random(seed)
    for target in targets:
        for data in valid[target.name]:
            attempt(target, data, log)
    while time.monotonic() < until and not log.full:
        target = rng.choice(targets)
        seeds = valid[target.name]
        attempt(target, mutate.mutated(rng.choice(seeds), target.form, rng, seeds)[:LONGEST], log)


def _guided(
    group: str, targets: Sequence[Target], valid: dict[str, list[bytes]], until: float, seed: int, log: Log
) -> None:
    """Let Atheris look for inputs that reach new code; it ends the process."""
    atheris: Any = importlib.import_module("atheris")
    for name in dict.fromkeys(name for target in targets for name in target.modules):
        _watch(atheris, name)

    def one(data: bytes) -> None:
        if data:
            attempt(targets[data[0] % len(targets)], data[1:], log)
        if log.full:
            log.tell()
            os._exit(0)  # Atheris takes an exit for a crash

    def changed(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if not data or rng.random() >= _OWN_CHANGES:
            return atheris.Mutate(data, most)
        target = targets[data[0] % len(targets)]
        return (data[:1] + mutate.mutated(data[1:], target.form, rng, valid[target.name]))[:most]

    with tempfile.TemporaryDirectory(prefix="kozyr-fuzz-") as folder:
        for i, target in enumerate(targets):
            for j, data in enumerate(valid[target.name]):
                Path(folder, f"{i}-{j}").write_bytes(bytes([i]) + data[:LONGEST])
        left = max(1, round(until - time.monotonic()))
        limits = [f"-max_total_time={left}", f"-max_len={LONGEST + 1}", f"-seed={seed % 2**31 or 1}"]
        quiet = [
            "-print_final_stats=0",
            "-timeout=100000",
            "-rss_limit_mb=0",
            f"-artifact_prefix={folder}/",
            "-verbosity=0",
            "-reduce_inputs=0",
            "-reload=0",
        ]
        atheris.Setup([group, *limits, *quiet, folder], one, custom_mutator=changed)
        atheris.Fuzz()


def _watch(atheris: Any, name: str) -> None:
    """Let Atheris see which code of a module is reached."""
    if find_spec(name.rpartition(".")[0]) is None or find_spec(name) is None:
        return
    module = importlib.import_module(name)
    owners = [module, *(one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__ == name)]
    seen = set[int]()
    for owner in owners:
        for function in vars(owner).values():
            for one in _functions(function):
                if one.__module__ == name and id(one) not in seen:
                    seen.add(id(one))
                    atheris.instrument_func(one)


def _functions(held: Any) -> list[Callable[..., Any]]:
    """Return the plain Python functions that a name of a module or class stands for."""
    if isinstance(held, property):
        return [one for one in (held.fget, held.fset) if isinstance(one, FunctionType)]
    inner = getattr(held, "__func__", held)
    return [inner] if isinstance(inner, FunctionType) else []
