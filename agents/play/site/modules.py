"""WebAssembly modules of games, which come with the package, from the cache of compiled code, or from the compiler.

Those that come with the package are named after their sources, so that an edit is never missed.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kozyr import envs
from kozyr.agents import roster
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.play.site import policy as trained
from kozyr.envs import registry
from kozyr.envs.compile import cache_files, sources
from kozyr.envs.compile.cache_files import inside, unkept
from kozyr.envs.core.game import Game
from kozyr.envs.table import file_output

EMIT = "kozyr.agents.play.site.emit"  # the process that compiles
INTERPRETING = "NUMBA_DISABLE_JIT"  # a variable that lets this process compile nothing, but not that one
_SOURCES = (*sources.OF_EVERY_GAME, "kozyr.envs.pictures", "kozyr.agents")  # of every game's module
FORWARD = "forward"  # the module of networks
_FORWARD_JOB, _FORWARD_SOURCES = json.dumps({FORWARD: True}), "kozyr.agents.nets.forward"
SHIPPED = Path(__file__).parent / "shipped"  # filled when a wheel is built
_cores = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


def compiled(game: Game, variant: Any, policy: CondensedPolicy | None = None, only: Collection[str] = ()) -> bytes:
    """Return a game's module; one that is not there yet is made by a process of its own in some 10 to 40 seconds.

    Args:
        game: the game; variant: its options.
        policy: for whose network there is a function, too.
        only: names of functions; all by default.

    Raises:
        ValueError: if the game cannot be imported there.
        RuntimeError: if something of it cannot be compiled.
    """
    if registry.carried(game.name):
        raise ValueError(f"{game.name!r} was registered by hand: only games of installed packages become WebAssembly")
    job = _job(game, variant, policy, only)
    return _module(_file_name(game, job), _home(game), game.name, job)


def forward() -> bytes:
    """Return the module that runs the programs of all networks.

    Raises:
        RuntimeError: if it cannot be compiled.
    """
    return _module(_forward_name(), FORWARD, FORWARD, _FORWARD_JOB)


def _forward_name() -> str:
    return f"{FORWARD}-{_hash(_FORWARD_JOB, sources.hashes(*sources.OF_EVERY_GAME, _FORWARD_SOURCES))}.wasm"


def _module(name: str, home: str, whose: str, job: str) -> bytes:
    """Return a module that came with the package, or from the cache, or compile and keep it.

    Args:
        name: of its file; home: the package that it belongs to; whose: for messages; job: of the compiler.
    """
    with suppress(OSError):
        return (SHIPPED / name).read_bytes()
    cached = inside(home) / f"{_hash(name, version('numba'), version('llvmlite'))}-{name}"
    with suppress(OSError, cache_files.Damaged):
        code = bytes(cache_files.read(cached))
        with suppress(OSError):
            cached.touch()  # in use
        return code
    code = _compile(whose, job)
    try:
        cache_files.write(cached, code)
    except OSError as error:
        unkept(cached.parent, error)
    return code


def _job(game: Game, variant: Any, policy: CondensedPolicy | None, only: Collection[str]) -> str:
    """Return the job of the compiler, as JSON."""
    net = None if policy is None else trained.shapes(policy.net)
    return json.dumps({"game": game.name, "options": game.options(variant), "net": net, "only": list(only)})


def _file_name(game: Game, job: str) -> str:
    """Return the name of a module's file, another one whenever its sources are others."""
    its = roster.of(game.name)
    also = [one for one in (its.bots, its.worlds) if one]  # of other people's games
    for one in also:
        import_module(one)
    return f"{game.name}-{_hash(job, sources.hashes(*_SOURCES, _home(game), *also))}.wasm"


def _home(game: Game) -> str:
    """Return the package of a game, or its module."""
    return game.package or game.variant.__module__


def _hash(*words: str) -> str:
    return blake2b(repr(words).encode(), digest_size=8).hexdigest()


def _compile(name: str, job: str) -> bytes:
    """Return the compiler's output; as many run at once as there are cores, and at least two."""
    environment = {key: value for key, value in os.environ.items() if key != INTERPRETING}
    with _cores, tempfile.TemporaryDirectory(prefix="kozyr-wasm-") as folder:
        path = Path(folder, "module.wasm")
        command = [sys.executable, "-m", EMIT, str(path)]
        done = subprocess.run(command, input=job, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"its compiler ended with exit code {done.returncode}"]
            raise RuntimeError(f"{name} cannot be compiled to WebAssembly: {lines[-1]}")
        return path.read_bytes()


def ship(folder: Path) -> Iterator[Path]:
    """Write the module of networks and those of all games with their usual options, and name each."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.wasm"):
        old.unlink()
    path = folder / _forward_name()
    file_output.write(path, forward())
    yield path
    for name in envs.games():
        game = envs.game(name)
        variant = game.make_variant()
        policy = trained.condensed(game, variant)
        path = folder / _file_name(game, _job(game, variant, policy, ()))
        file_output.write(path, compiled(game, variant, policy))
        yield path
