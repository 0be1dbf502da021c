"""A search that learns to value positions from its own games, round by round."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

from rich.progress import Progress

from kozyr.agents import roster
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.processes import interrupts_blocked, prepare_worker
from kozyr.envs import game as find
from kozyr.envs import registry
from kozyr.envs.core.rng import spread
from kozyr.envs.environments import argument_checks
from kozyr.training.run.report import draw_lessons, read_rounds, write_rounds

RECORD, RESULT, CURVE = "rounds.json", "valuation.npz", "learning_curve.png"
_GAMES = "games-{:04}.npz"
_CHUNK = 100  # games in a file
_NEWEST = 3  # rounds whose games are learned from


@dataclass(frozen=True)
class Plan:
    """Plan of the lessons.

    Attributes:
        game: its name; out: a folder, with one a round.
        start: an evaluation to begin with, None: what the search has without any.
        rounds: how many; games: that the search plays against itself in a round; nodes: positions a decision.
        epochs: how often each position is learned from; workers: processes that play.
        deals: of the match against the round before; seed: of everything.
    """

    game: str
    out: Path
    rounds: int = 3
    games: int = 20_000
    nodes: int = 0
    start: Path | None = None
    epochs: float = 8.0
    workers: int = 1
    deals: int = 200
    seed: int = 1


@dataclass(frozen=True)
class Round:
    """Result of a round.

    Attributes:
        number: from 1 on; positions: that were learned from, with those of earlier rounds.
        seconds: that the games and the lessons took.
        curve: points of the learning curve, as the game's learner tells them.
        score, low, high: against the search of the round before with the same budget in nodes, which counts shapes
            before the first round unless `start` is given, with the ends of the 95 % interval.
    """

    number: int
    positions: int
    seconds: float
    curve: list[dict[str, float]]
    score: float
    low: float
    high: float


def teacher(game: str) -> ModuleType:
    """Return the module that teaches a game's search.

    Raises:
        ValueError: for an unknown game, and one whose search learns nothing.
    """
    find(game)
    if not roster.of(game).lessons:
        able = ", ".join(one for one in registry.games() if roster.of(one).lessons)
        raise ValueError(f"no search of {game} learns to value positions: choose one of {able}")
    return import_module(roster.of(game).lessons)


def learn(plan: Plan) -> list[Round]:
    """Carry the rounds out and return them; stopped, it goes on where it was when it is called again.

    With matplotlib the folder gets a picture of the losses after each round.

    Raises:
        ValueError: for a game whose search learns nothing, numbers that are not allowed, and a folder whose rounds
            were made otherwise.
    """
    its = teacher(plan.game)
    for name in ("rounds", "games", "workers", "deals"):
        argument_checks.count(name, getattr(plan, name), 1)
    _numbers(plan, its, 0)  # which may be no evaluation
    plan.out.mkdir(parents=True, exist_ok=True)
    done = read_rounds(plan.out / RECORD, _how(plan), Round)
    while len(done) < plan.rounds:
        done.append(_round(plan, its, len(done) + 1))
        write_rounds(plan.out / RECORD, _how(plan), done)
        if find_spec("matplotlib"):  # lessons need nothing that is not in the base install
            draw_lessons(plan.out / CURVE, f"{find(plan.game).title}: what the search learned from its own games", done)
    return done


def _how(plan: Plan) -> dict[str, Any]:
    how = {name: getattr(plan, name) for name in ("game", "games", "nodes", "epochs", "seed")}
    return how | {"start": str(plan.start or "")}


def _round(plan: Plan, its: ModuleType, number: int) -> Round:
    """Play, learn, and let the new search play the one before."""
    began, before = perf_counter(), _numbers(plan, its, number - 1)
    newest: Any = None
    with Progress(transient=True) as progress:
        bar = progress.add_task(f"round {number}: games", total=plan.games)
        for games in _play_all(plan, its, number, before):
            progress.advance(bar, games)
        rounds = range(max(number - _NEWEST + 1, 1), number + 1)
        paths = [path for one in rounds for path in sorted(_folder(plan, one).glob(_GAMES.replace("{:04}", "*")))]
        lessons, curve = its.joined([its.read_games(path) for path in paths]), list[dict[str, float]]()
        bar = progress.add_task(f"round {number}: lessons", total=None)
        for point, numbers in its.fit(lessons, plan.epochs, plan.seed + number):
            curve.append({name: float(value) for name, value in point._asdict().items()})
            progress.update(bar, completed=point.positions, total=point.of)
            newest = numbers
    its.write(_folder(plan, number) / RESULT, newest)
    seconds, nodes = perf_counter() - began, plan.nodes or its.NODES
    pair = [its.player(_numbers(plan, its, number), "new", nodes), its.player(before, "old", nodes)]
    result = match(plan.game, pair, plan.deals, plan.seed, progress=True).agents[0]
    return Round(number, len(lessons[0]), seconds, curve, result.score, *result.score_interval)


def _folder(plan: Plan, number: int) -> Path:
    return plan.out / f"round-{number}"


def _numbers(plan: Plan, its: ModuleType, number: int) -> dict[str, Any]:
    """Return the evaluation of a round, or the one before the first."""
    path = _folder(plan, number) / RESULT if number else plan.start
    return its.read(path) if path else {}


def _play_all(plan: Plan, its: ModuleType, number: int, numbers: dict[str, Any]) -> Iterator[int]:
    """Play a round's games, but those whose files are there, and yield how many each file has."""
    folder, tasks = _folder(plan, number), list[tuple[str, Path, int, int, int, dict[str, Any]]]()
    folder.mkdir(exist_ok=True)
    for i, first in enumerate(range(0, plan.games, _CHUNK)):
        path, games = folder / _GAMES.format(i), min(_CHUNK, plan.games - first)
        if path.is_file():
            yield games
            continue
        seed = int(spread(int(spread(plan.seed, number)), i))
        tasks.append((its.__name__, path, games, seed, plan.nodes or its.NODES, numbers))
    if plan.workers == 1:
        yield from (play_file(*task) for task in tasks)
        return
    with ProcessPoolExecutor(plan.workers, get_context("spawn"), prepare_worker) as pool:
        try:
            with interrupts_blocked():
                running = [pool.submit(play_file, *task) for task in tasks]
            for future in as_completed(running):
                yield future.result()
        except BaseException:  # Ctrl-C too: what is not begun is left
            pool.shutdown(cancel_futures=True)
            raise


def play_file(module: str, path: Path, games: int, seed: int, nodes: int, numbers: dict[str, Any]) -> int:
    """Play some games, write their lessons to a file and return the number of games."""
    its = import_module(module)
    its.write_games(path, its.play(games, seed, nodes, numbers))
    return games
