"""What a score costs beyond its matches: `arena.score`, and the same matches by `match`, in turn in one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from statistics import median

from kozyr.agents.arena import scores
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.scores import play

from .timing import ROUNDS, Row

CASES = (  # agents, tasks, --quick
    (("policy",), ("durak_36",), True),
    (("high_first",), ("war_20",), True),
    (("policy",), ("mnk_15",), False),
)


def rows(seconds: float) -> Iterator[Row]:
    """Give a row for each case: how many times the processor time of the matches a score takes.

    Args:
        seconds: rounds go on for so long, and there are five of each at least.
    """
    for names, tasks, quick in CASES:
        both = [_scoring(names, tasks, quick), _playing(names, tasks, quick)]
        ratios = _in_turn(both, seconds)
        name = f"score / matches, {' '.join(names)}, {' '.join(tasks)}{', --quick' if quick else ''}"
        counts, library = "goal: at most 1.05", f"kozyr {version('kozyr')}"
        low, middle, high = min(ratios), median(ratios), max(ratios)
        yield Row(name, library, counts, middle, low, high, True, True, "process CPU", "times")


def _in_turn(both: list[Callable[[], object]], seconds: float) -> list[float]:
    """Return the ratio of the first one's processor time to the second's, after a round that compiles."""
    for one in both:
        one()
    ratios, began = list[float](), time.perf_counter()
    while len(ratios) < ROUNDS or time.perf_counter() - began < seconds:
        first, second = (_seconds(one) for one in both)
        ratios.append(first / second)
    return ratios


def _seconds(one: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    began = time.process_time()
    one()
    return time.process_time() - began


def _scoring(names: tuple[str, ...], tasks: tuple[str, ...], quick: bool) -> Callable[[], object]:
    """Return a function that scores."""
    return lambda: scores.score(list(names), tasks=tasks, quick=quick)


def _playing(names: tuple[str, ...], tasks: tuple[str, ...], quick: bool) -> Callable[[], object]:
    """Return a function that plays the same matches."""
    suite = scores.load()
    lineup = play.line_up(list(names), suite, tasks)
    matches = [
        (task, [agent, opponent.agent], deals, seed)
        for task in suite.tasks
        if (agent := lineup.get(task.name)) is not None
        for opponent, deals, seed in suite.matches(task, suite.seed, quick)
    ]

    def run() -> object:
        return [
            match(task.game, players, deals, seed, opening=task.opening, **task.options)
            for task, players, deals, seed in matches
        ]

    return run
