"""Playing of a suite: all matches of its tasks, here or in worker processes, each kept as soon as it is done."""

import multiprocessing
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from kozyr import agents as players
from kozyr import envs
from kozyr.agents.agent import Act, Agent
from kozyr.agents.arena.matches.console import with_bar
from kozyr.agents.arena.matches.processes import interrupts_blocked, prepare_worker
from kozyr.agents.arena.sandbox.sandboxed_agent import called
from kozyr.agents.arena.scores import reproducible_result
from kozyr.agents.arena.scores.report import Report, build
from kozyr.agents.arena.scores.reproducible_result import ReproducibleResult, code
from kozyr.agents.arena.scores.suite import LATEST, Suite, Task, load
from kozyr.agents.arena.tournaments.store import trained_digest
from kozyr.envs import registry
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table import file_output, files

_LONGEST = 1 << 16  # bytes of a kept match
AnyAgent = str | Agent | Act


class Match(NamedTuple):
    """A match that is to be played: the agent's task, its opponent and their deals."""

    task: Task
    agent: AnyAgent
    opponent: str
    deals: int
    seed: int

    @property
    def players(self) -> list[AnyAgent]:
        """Return the agent, and the one in all other seats."""
        return [self.agent, self.opponent]


def score(
    agent: AnyAgent | Sequence[AnyAgent] | Mapping[str, AnyAgent],
    suite: str | Path | Suite = LATEST,
    *,
    name: str | None = None,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    seed: int | None = None,
    workers: int = 1,
    progress: bool = False,
    keep: Path | None = None,
) -> Report:
    """Measure an agent in a suite of tasks and return the report.

    In each task the agent plays duplicate deals against each opponent, which fills all other seats.
    0 points are random play, 100 those of a strong search; points are linear in the mean score.

    Args:
        agent: an agent, a function act(view, mask), or a name as `kozyr.agents.load` takes it, which plays all tasks
            that it fits; several, of which the first that fits plays a task; or one for each task, by its name.
        suite: name of a bundled suite, a file of TOML, or a suite.
        name: of the agent in the report; None: its own.
        tasks: names of the tasks to play; None: all that an agent fits.
        quick: play a sixteenth of the deals, for a first impression.
        seed: of other deals than the suite's own; None: those.
        workers: processes that share the matches; more than one needs agents that pickle.
        progress: show a bar on stderr.
        keep: a file to which each match is added as soon as it is done, and from which a stopped score goes on.

    Raises:
        ValueError: for unknown names, tasks that no agent plays, and agents that cannot be sent to workers.
        RuntimeError: if a worker dies.

    Example:
        >>> from kozyr.agents.arena.scores import score
        >>> report = score("random", tasks=["war_20"], quick=True)
        >>> report.tasks[0].points.low < 0 < report.tasks[0].points.high
        True
    """
    whole = suite if isinstance(suite, Suite) else load(suite)
    argument_checks.count("workers", workers)
    number = whole.seed if seed is None else argument_checks.seed(seed)
    lineup = line_up(agent, whole, tasks)
    matches = [
        Match(task, lineup[task.name], opponent.agent, deals, one_seed)
        for task in whole.tasks
        if task.name in lineup
        for opponent, deals, one_seed in whole.matches(task, number, quick)
    ]
    done = {} if keep is None else _read_matches(keep, matches)
    missing = [k for k in range(len(matches)) if k not in done]
    results = _in_processes(matches, missing, workers) if workers > 1 else _here(matches, missing)
    for k, one in with_bar(results, len(missing), "scoring") if progress else results:
        done[k] = one
        if keep is not None:
            file_output.append(keep, msgspec.json.encode(one) + b"\n")
    by_task = {
        task: (_called(who), [done[k] for k, one in enumerate(matches) if one.task.name == task])
        for task, who in lineup.items()
    }
    return build(name or _name(lineup), whole, number, quick, by_task)


def line_up(
    agent: AnyAgent | Sequence[AnyAgent] | Mapping[str, AnyAgent], suite: Suite, tasks: Sequence[str] | None = None
) -> dict[str, AnyAgent]:
    """Return the agents by the names of their tasks, in the suite's order, without tasks that no agent fits.

    Raises:
        ValueError: for unknown tasks, and if nobody plays one that was named, or any.
    """
    for task in tasks or ():
        suite.task(task)
    if isinstance(agent, Mapping):
        of_tasks = dict(cast("Mapping[str, AnyAgent]", agent))
        lineup = {suite.task(task).name: one for task, one in of_tasks.items()}
        for task, one in lineup.items():
            _load(one, suite.task(task))
    elif isinstance(agent, Sequence) and not isinstance(agent, str):
        lineup = _fitting(cast("Sequence[AnyAgent]", agent), suite, tasks)
    else:
        lineup = _fitting([agent], suite, tasks)
    if tasks is not None:
        if lost := next((task for task in tasks if task not in lineup), None):
            raise ValueError(f"no agent plays the task {lost}: name one for it, as {lost}=path/to/policy.onnx")
        lineup = {task: one for task, one in lineup.items() if task in tasks}
    return {task.name: lineup[task.name] for task in suite.tasks if task.name in lineup}


def parse_line_up(names: Sequence[str], suite: Suite) -> dict[str, AnyAgent]:
    """Return the agents by the names of their tasks: of "task=agent" that one, and of other names the first that fits.

    Raises:
        ValueError: as `line_up`.
    """
    tasks = {one.name for one in suite.tasks}
    of_tasks = {task: agent for task, sign, agent in (name.partition("=") for name in names) if sign and task in tasks}
    others = [name for name in names if name.partition("=")[0] not in of_tasks]
    lineup = line_up(others, suite) if others else {}
    return line_up({**lineup, **of_tasks}, suite)


def plays_some_task(name: str, suite: Suite) -> bool:
    """Return True if an agent, or an agent named for a task, plays some task of a suite."""
    try:
        return bool(parse_line_up([name], suite))
    except ValueError:
        return False


def _fitting(several: Sequence[AnyAgent], suite: Suite, tasks: Sequence[str] | None) -> dict[str, AnyAgent]:
    """Return the first agent that plays each task, or raise ValueError for one that plays none.

    To load an agent may take longer than a short match: tasks that nobody asks for are tried only if no other fits.
    """
    lineup: dict[str, AnyAgent] = {}
    rest = set[str]() if tasks is None else {one.name for one in suite.tasks} - set(tasks)
    for one in several:
        why, added = "", 0
        for task in sorted(suite.tasks, key=lambda task: task.name in rest):
            if added and task.name in rest:
                break
            try:
                _load(one, task)
            except ValueError as error:
                why = why or str(error)
            else:
                why = "those before it play the tasks that it fits"
                added += lineup.setdefault(task.name, one) is one
        if not added:
            raise ValueError(f"{quote(_called(one))} plays no task of {suite.suite}: {why}")
    return lineup


def _load(agent: AnyAgent, task: Task) -> Any:
    """Return an agent of a task, or raise ValueError if it does not play there."""
    if isinstance(agent, str):
        return players.load(agent, game=registry.known(task.game), **task.options)
    spec = envs.game(task.game)
    variant, plays = spec.make_variant(**task.options), getattr(agent, "plays", None)
    if not (plays(spec, variant) if plays else getattr(agent, "variant", variant) == variant):
        raise ValueError(f"{_called(agent)} was made for other rules than those of {task.name}")
    return agent


def _called(agent: AnyAgent) -> str:
    """Return the name of an agent as a match has it."""
    return agent if isinstance(agent, str) else called(agent)


def _name(lineup: Mapping[str, AnyAgent]) -> str:
    """Return the names of the agents, each once."""
    return ", ".join(dict.fromkeys(_called(one) for one in lineup.values()))


def _play(one: Match) -> ReproducibleResult:
    """Play a match."""
    task = one.task
    return reproducible_result.play(task.game, one.players, one.deals, one.seed, task.opening, **task.options)


def _here(matches: Sequence[Match], missing: Sequence[int]) -> Iterator[tuple[int, ReproducibleResult]]:
    """Play matches in this process and yield each with its number."""
    yield from ((k, _play(matches[k])) for k in missing)


def _in_processes(
    matches: Sequence[Match], missing: Sequence[int], workers: int
) -> Iterator[tuple[int, ReproducibleResult]]:
    """Play matches in worker processes and yield each with its number as it is done."""
    payloads = {k: _payload(matches[k]) for k in missing}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, prepare_worker) as pool:
        try:
            with interrupts_blocked():
                running = {pool.submit(_play_remotely, *payload): k for k, payload in payloads.items()}
            for future in as_completed(running):
                yield running[future], future.result()
        except BrokenProcessPool as error:
            raise RuntimeError(
                "a worker of the score died: it was killed, ran out of memory, or was started by a script without "
                'if __name__ == "__main__":'
            ) from error
        except BaseException:  # Ctrl-C too: no worker may go on
            pool.shutdown(cancel_futures=True)
            raise


def _payload(one: Match) -> tuple[bytes, bytes]:
    """Return the registered game and the match for another process."""
    try:
        return registry.carried(one.task.game), pickle.dumps(one)
    except Exception as error:  # pickle raises whatever the object's own methods do
        raise ValueError(
            f"agent {quote(_called(one.agent))} cannot be sent to worker processes: {error}. Give it as a name "
            "(package.module:Class) or score with workers=1"
        ) from error


def _play_remotely(registered: bytes, pickled: bytes) -> ReproducibleResult:
    """Play a match in another process, in which the game may not be registered yet."""
    registry.restore(registered)
    return _play(pickle.loads(pickled))


def _read_matches(path: Path, matches: Sequence[Match]) -> dict[int, ReproducibleResult]:
    """Return the matches in a file by their numbers, without those of other code or other weights."""
    if not path.exists():
        return {}
    results = dict[int, ReproducibleResult]()
    there = [_read_match(path, number, line) for number, line in enumerate(files.lines(path, _LONGEST), 1)]
    terms = [_terms(one) for one in there]
    for k, one in enumerate(matches):
        if (key := _terms_of(one)) in terms:
            results[k] = there[terms.index(key)]
    if there:
        print(f"{len(results)} of {len(matches)} matches are in {path} already", file=sys.stderr)
    return results


def _terms(one: ReproducibleResult) -> Any:
    """Return all that a result depends on."""
    trained = [score.trained for score in one.scores]
    return one.game, one.variant, one.agents, trained, one.deals, one.seed, one.code


def _terms_of(one: Match) -> Any:
    """Return all that the result of a match will depend on."""
    spec, names = envs.game(one.task.game), [_called(player) for player in one.players]
    trained = [trained_digest(_load(player, one.task)) or None for player in one.players]
    options = spec.options(spec.make_variant(**one.task.options))
    return spec.id, options, names, trained, one.deals, one.seed, code(spec)


def _read_match(path: Path, number: int, line: bytes) -> ReproducibleResult:
    """Return the match in a line."""
    try:
        return msgspec.convert(files.parsed(line), ReproducibleResult)
    except ValueError as error:
        why = files.cut(str(error))
        raise ValueError(f"{path}, line {number} is no match of a score: remove the file ({why})") from None
