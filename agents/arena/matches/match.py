"""Matches: duplicate deals, every one played with all rotations of the seats."""

import pickle
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from kozyr import envs
from kozyr.agents.agent import Act, Agent, Scripted
from kozyr.agents.arena.matches.batch import Batch, BatchResult, DealRange, Job
from kozyr.agents.arena.matches.console import with_bar
from kozyr.agents.arena.matches.openings import Openings, load
from kozyr.agents.arena.matches.processes import interrupts_blocked, prepare_worker
from kozyr.agents.arena.matches.result import MatchResult, result
from kozyr.agents.arena.results.escape import short
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops.single_table import RANDOM
from kozyr.envs.table import file_output

_LARGEST = 256  # deals in a batch
_BATCHES = 16  # at least so many, if there are deals enough, to keep the workers busy


def match(
    game: str,
    agents: Sequence[str | Agent | Act],
    deals: int = 1000,
    seed: int = 0,
    workers: int = 1,
    progress: bool = False,
    record: str | Path | None = None,
    opening: int | None = None,
    move_limit: float | None = None,
    openings: str | Path | Openings | None = None,
    clock: str = "auto",
    **variant: Any,
) -> MatchResult:
    """Play a match and return its result, with intervals.

    Every deal is played once for each rotation of the seats, so that the chance of the deal cancels. The result depends
    on the seed and not on the number of workers. An agent that raises or plays illegally loses that game, which is
    counted and reported.

    Args:
        game: name of the game.
        agents: agents, functions act(view, mask) or names, at most one a seat; the last one fills the remaining seats.
        deals: number of deals; each makes as many games as there are seats.
        seed: fixes the deals and all random choices.
        workers: processes that share the deals; more than one needs agents that pickle, and in a script the usual
            `if __name__ == "__main__":`.
        progress: show a bar on stderr.
        record: a file to write the games to, one JSON line each.
        opening: random plies that every game of a deal begins with, the same in all rotations, so that players
            without chance do not repeat a game; None: 4 in the m,n,k-game (fewer on small boards), 0 in the others.
        move_limit: seconds that an agent outside the compiled loop has for each decision; a late one loses the
            game. Each such agent plays in a process of its own (`kozyr.agents.arena.sandbox.sandboxed_agent`), so that
            one that hangs can be ended. Scripted players need no limit.
        openings: a file of openings, one a line, with which the deals begin in turn, the same in all rotations; None:
            random plies, as `opening` says.
        clock: that limits programs: "wall"; "processor", which counts the time of processors only, and five times the
            limit by the wall; or "auto", for which it is enough to be in time by one of them.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for unknown names, impossible variants and numbers, agents that cannot be sent to workers, and a
            file of openings with what is none, naming the line.
        RuntimeError: if a worker dies.

    Example:
        >>> result = match("durak", ["low", "random"], deals=50, seed=1)
        >>> result.games
        100
        >>> result.agents[0].score_interval[0] > 0.5
        True
    """
    deals, workers = argument_checks.count("deals", deals), argument_checks.count("workers", workers)
    players = [agents] if isinstance(agents, str) else list(agents)
    first = load(openings, *_kind(game, variant)) if isinstance(openings, (str, Path)) else openings
    recording = record is not None
    job = Job(game, variant, players, argument_checks.seed(seed), opening, recording, move_limit, first, clock)
    ranges = split_deals(deals)
    with ExitStack() as stack:
        stack.callback(job.close)
        if record is not None:
            file_output.write(record, "")
        payload = _payload(game, variant, players, job) if workers > 1 else b""
        _compile(job)
        began = time.perf_counter()
        results = _in_processes(payload, ranges, workers) if workers > 1 else (Batch(job, one).play() for one in ranges)
        words = " v ".join(short(job.names))
        batches = _write_records(with_bar(results, len(ranges), words) if progress else results, record)
    return result(job, batches, time.perf_counter() - began)


def _write_records(results: Iterator[BatchResult], record: str | Path | None) -> list[BatchResult]:
    """Write the records of the batches to the file, if any, as they come, and return the batches without them."""
    batches: list[BatchResult] = []
    for batch in results:
        if record is not None:
            file_output.append(record, "".join(line + "\n" for line in batch.records))
        batch.records.clear()
        batches.append(batch)
    return batches


def _kind(game: str, variant: dict[str, Any]) -> tuple[Game, Any]:
    """Return a game and its variant."""
    spec = envs.game(game)
    return spec, spec.make_variant(**variant)


def split_deals(deals: int) -> list[DealRange]:
    """Split the deals of a match into batches; the split depends only on their number."""
    size = min(_LARGEST, -(-deals // _BATCHES))
    firsts = range(0, deals, size)
    return [DealRange(number, first, min(size, deals - first)) for number, first in enumerate(firsts)]


def _payload(game: str, variant: dict[str, Any], players: list[Any], job: Job) -> bytes:
    """Return the pickled arguments of a worker's job, or raise ValueError for an agent that cannot be pickled."""
    for name, agent in zip(job.names, players, strict=True):
        try:
            pickle.dumps(agent)
        except Exception as error:  # pickle raises whatever the object's own methods do
            raise ValueError(
                f"agent {quote(name)} cannot be sent to worker processes: {error}. Give it as a name "
                "(package.module:Class) or play with workers=1"
            ) from error
    how = (job.seed, None if job.openings else job.opening, job.recording, job.limit, job.openings, job.clock)
    return pickle.dumps((registry.carried(job.game.name), game, variant, players, *how))


def _in_processes(payload: bytes, ranges: list[DealRange], workers: int) -> Iterator[BatchResult]:
    """Play the batches in worker processes and yield their results in order."""
    context = get_context("spawn")
    stop: Any = context.Event()
    with ProcessPoolExecutor(min(workers, len(ranges)), context, _prepare_worker, (payload, stop)) as pool:
        try:
            with interrupts_blocked():
                results = pool.map(_work, ranges)
            yield from results
        except BrokenProcessPool as error:
            raise RuntimeError(
                "a worker of the match died: it was killed, ran out of memory, or was started by a script without "
                'if __name__ == "__main__":'
            ) from error
        except BaseException:  # Ctrl-C too: no worker may go on
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _compile(job: Job) -> None:
    """Compile the code of the match, so that neither its time nor that of a worker includes the compiler."""
    player = Scripted(job.game, job.variant, RANDOM, "random")
    options = job.game.options(job.variant)
    opening = None if job.openings else job.opening
    first = Job(job.game.name, options, [player], job.seed, opening, job.recording, None, job.openings)
    Batch(first, DealRange(0, 0, 1)).play()
    job.warm_up()


class _Worker:
    """State of a worker process; its job is made with its first batch, whose errors are sent back."""

    payload = b""
    stop: Any = None
    job: Job | None = None


def _prepare_worker(payload: bytes, stop: Any) -> None:
    """Prepare a worker process."""
    prepare_worker()
    _Worker.payload, _Worker.stop = payload, stop


def _work(one: DealRange) -> BatchResult:
    """Play a batch in a worker process."""
    if _Worker.job is None:
        registered, *rest = pickle.loads(_Worker.payload)
        registry.restore(registered)
        _Worker.job = Job(*rest)
        _Worker.job.warm_up()
    return Batch(_Worker.job, one, _Worker.stop.is_set).play()
