"""What has used threads goes on in a child process, can be copied, and is closed."""

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs.environments.threads import Pool
from kozyr.envs.loops.tables import PORTION

PATIENCE = 300.0  # seconds until something counts as hung
ROWS = 2 * PORTION + 7
STEPS = 30
DURAK: dict[str, Any] = {"deck": 36}
MNK: dict[str, Any] = {"m": 5, "n": 5, "k": 4}


class Outside:
    """An opponent from outside, which takes the last legal action."""

    def reset(self, seat: int, seed: int) -> None: ...

    def act(self, view: Any, mask: Any) -> int:
        return int(np.flatnonzero(mask)[-1])

    def act_batch(self, views: Any, masks: Any) -> Any:
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def vector() -> Any:
    return envs.make_vec("durak", ROWS, {"low": 1.0, Outside(): 1.0}, seed=2, threads=2, **DURAK)


MADE: dict[str, Callable[[], Any]] = {
    "tables": lambda: envs.make_tables("durak", ROWS, seed=2, threads=2, **DURAK),
    "vector": vector,
    "random": lambda: agents.load("durak:random", threads=2, **DURAK),
    "scripted": lambda: agents.load("durak:low", threads=2, **DURAK),
    "solver": lambda: agents.load("durak:solver@200", threads=2, **DURAK),
    "search": lambda: agents.load("durak:pimc@2", threads=3, **DURAK),
    "policy": lambda: pytest.importorskip("onnxruntime") and agents.load("durak:policy", **DURAK),
    "tree": lambda: agents.load("mnk:ismcts-kept@50", **MNK),
}


def positions(rows: int, game: str = "durak") -> tuple[Any, Any]:
    """Views and masks some moves into their games."""
    tables = envs.make_tables(game, rows, seed=5, **(DURAK if game == "durak" else MNK))
    for _ in range(STEPS):
        tables.step(tables.masks.argmax(1))
    return tables.views, tables.masks


def future(it: Any) -> str:
    """Return a digest of all that an object does next."""
    told = sha256()
    if hasattr(it, "act_batch"):
        views, masks = positions(12 if hasattr(it, "twins") else ROWS, it.game.name)
        for _ in range(3):
            told.update(it.act_batch(views, masks).tobytes())
        return told.hexdigest()
    tables = getattr(it, "tables", it)
    for _ in range(STEPS):
        it.step(tables.masks.argmax(1))
        for array in (tables.views, tables.masks, tables.ends):
            told.update(array.tobytes())
    return told.hexdigest()


def tell(sender: Any, it: Any) -> None:
    sender.send(future(it))


def in_child(method: str, it: Any) -> str:
    """Return what an object does next in another process."""
    context: Any = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=tell, args=(sender, it))
    child.start()
    sender.close()  # so that the end of the child is the end of the pipe
    try:
        assert receiver.poll(PATIENCE), f"a child by {method} hangs"
        return receiver.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of Python, about forks beside threads
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_has_used_threads_goes_on_in_a_child(method: str, kind: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    it = MADE[kind]()
    future(it)
    due = future(copy.deepcopy(it))
    assert in_child(method, it) == due
    assert future(it) == due  # and in this process


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["copy", "pickle"])
@pytest.mark.parametrize("kind", MADE)
def test_what_has_used_threads_can_be_copied(kind: str, copied: Callable[[Any], Any]) -> None:
    it = MADE[kind]()
    future(it)
    twin = copied(it)
    assert [future(twin) for _ in range(2)] == [future(it) for _ in range(2)]


def threads_left(before: set[Any]) -> set[Any]:
    """Return the threads that are new and do not end."""
    end = time.monotonic() + PATIENCE
    while (left := set(threading.enumerate()) - before) and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    return left


@pytest.mark.parametrize("kind", ["tables", "vector"])
def test_close_ends_the_threads_and_a_later_step_starts_them_again(kind: str) -> None:
    before, it = set(threading.enumerate()), MADE[kind]()
    assert set(threading.enumerate()) == before  # until the first step
    twin = copy.deepcopy(it)
    future(it)
    assert set(threading.enumerate()) > before
    it.close()
    assert set(threading.enumerate()) == before
    future(twin)
    assert future(it) == future(twin)
    for one in (it, twin, it):
        one.close()
    assert set(threading.enumerate()) == before


def test_the_training_s_tables_close() -> None:
    vec_env: Any = pytest.importorskip("kozyr.training.learners.vec_env")
    before = set(threading.enumerate())
    env = vec_env.TablesVecEnv(envs.game("mnk"), 8, agents.load("mnk:easy"), threads=2)
    env.reset()
    env.step(env.action_masks().argmax(1))
    assert set(threading.enumerate()) > before
    env.close()
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("kind", ["tables", "vector"])
def test_threads_end_with_their_owner(kind: str) -> None:
    before, it = set(threading.enumerate()), MADE[kind]()
    future(it)
    del it
    assert not threads_left(before)


def test_nothing_runs_any_more_when_shared_work_has_failed() -> None:
    begun, ended = threading.Event(), list[int]()

    def work(part: int) -> None:
        if part == 0:
            begun.wait(PATIENCE)
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.05)
        ended.append(part)

    with pytest.raises(KeyboardInterrupt):
        Pool(2).share(work, [0, 1])
    assert ended == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
def test_workers_end_with_a_match_that_is_killed() -> None:
    code = (
        "import multiprocessing, threading, time\n"
        "from kozyr.agents.arena import match\n"
        "def tell():\n"
        "    while len(multiprocessing.active_children()) < 2:\n"
        "        time.sleep(0.05)\n"
        "    print(*(one.pid for one in multiprocessing.active_children()), flush=True)\n"
        'if __name__ == "__main__":\n'
        "    threading.Thread(target=tell, daemon=True).start()\n"
        '    match("mnk", ["search@3000", "hard"], 5000, workers=2)\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.py"
        path.write_text(code)
        with subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            workers = [int(one) for one in process.stdout.readline().split()]
            time.sleep(1)  # so that they have arrived
            process.kill()
    assert len(workers) == 2
    until = time.monotonic() + 60
    while any(alive(one) for one in workers):
        assert time.monotonic() < until
        time.sleep(0.1)


def alive(pid: int) -> bool:
    """Tell whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
