"""Workers for the blocks of a league: this process, several of this machine, or a Ray cluster."""

import multiprocessing
import socket
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.openings import Openings
from kozyr.agents.arena.matches.processes import interrupts_blocked, prepare_worker
from kozyr.agents.arena.tournaments.store import Block, Outcome
from kozyr.envs import registry
from kozyr.envs.core import install_hint
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import spread

Task = tuple[Block, str, Sequence[str], float | None, dict[str, Any], Openings | None, str]  # of `play_block`


def play_block(
    block: Block,
    game: str,
    players: Sequence[str],
    move_limit: float | None,
    variant: dict[str, Any],
    openings: Openings | None = None,
    clock: str = "auto",
) -> Outcome:
    """Play one block, whose deals begin with these openings; the same block gives the same returns everywhere."""
    seed = int(spread(block.seed, block.number))
    how: dict[str, Any] = {"opening": block.opening, "move_limit": move_limit, "openings": openings, "clock": clock}
    result = match(game, players, block.deals, seed, **how, **variant)
    return Outcome(
        tuple(map(tuple, result.returns.T.tolist())),
        tuple(one.errors for one in result.agents),
        tuple(one.first_error for one in result.agents),
        tuple(one.ms_per_move for one in result.agents),
        result.draws / result.games,
        result.plies,
    )


def _play_remotely(registered: bytes, task: Task) -> Outcome:
    """Play one block in another process, in which the game may not be registered yet."""
    registry.restore(registered)
    return play_block(*task)


def in_processes(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Block, Outcome]]:
    """Play blocks here or in worker processes and yield each as it is done."""
    if workers == 1:
        yield from ((task[0], play_block(*task)) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, prepare_worker) as pool:
        try:
            with interrupts_blocked():
                running: dict[Future[Outcome], Block] = {
                    pool.submit(_play_remotely, registry.carried(task[1]), task): task[0] for task in tasks
                }
            for future in as_completed(running):
                yield running[future], future.result()
        except BrokenProcessPool as error:
            raise RuntimeError("a worker of the league died: it was killed or ran out of memory") from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def in_cluster(tasks: Sequence[Task], address: str) -> Iterator[tuple[Block, Outcome]]:
    """Play blocks on a Ray cluster and yield each as it is done.

    Args:
        tasks: the blocks.
        address: as for `cluster`.

    Raises:
        ImportError: naming the extra to install, without Ray.
        ValueError: if no cluster answers at the address.
        RuntimeError: if a block could not be played there.
    """
    with cluster(address) as ray:
        try:
            play = ray.remote(_play_remotely).options(max_retries=0)
            running = {play.remote(registry.carried(task[1]), task): task[0] for task in tasks}
            while running:
                done, _ = ray.wait(list(running))
                for one in done:
                    yield running.pop(one), ray.get(one)
        except ray.exceptions.RayError as error:
            raise RuntimeError(f"a block could not be played on the Ray cluster: {error}") from error


@contextmanager
def cluster(address: str) -> Generator[Any]:
    """Use a Ray cluster while the block runs, and yield the library; a program's own connection stays open.

    Args:
        address: "auto" joins the cluster that runs here, "local" starts one, anything else is a cluster's address.

    Raises:
        ImportError: naming the extra to install, without Ray.
        ValueError: if no cluster answers at the address.
    """
    try:
        import ray as library  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(f"a Ray cluster needs ray: {install_hint.command('ray')}") from error
    ray: Any = library
    connected = ray.is_initialized()
    try:
        _require_reachable(address)
        if not connected:
            ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(
            f"no Ray cluster answers at {quote(address)}: {error}. Start one with: ray start --head"
        ) from None
    try:
        yield ray
    finally:
        if not connected:
            ray.shutdown()


def _require_reachable(address: str) -> None:
    """Raise OSError or ValueError if nothing answers at a cluster's address; Ray itself would wait minutes."""
    if address not in ("auto", "local"):
        host, _, port = address.removeprefix("ray://").rpartition(":")
        socket.create_connection((host, int(port)), timeout=5).close()
