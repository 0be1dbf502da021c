"""Points of the bundled agents beside the stored matches of the same agents, as the ladders' are: who is stronger?

python -m tests.benchmarks.ranks
"""

import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from docs.results import store
from kozyr import envs
from kozyr.agents.arena.scores import load, report
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs import registry
from kozyr.training.cli.terminal import options
from tests.benchmarks.markdown import markdown
from tests.reports import REPORTS

MATCH = ["kozyr", "match"]
SCORE, EVEN = "agents/0/score", 50.0  # where a match's result has its first number; percent


class Pair(NamedTuple):
    """Two agents that a stored match and a task compare.

    Attributes:
        task: its name; first, second: of the match, in this order.
        match: score of the first in percent; points: of both in the task.
    """

    task: str
    first: str
    second: str
    match: Estimate
    points: tuple[Estimate, Estimate]

    @property
    def by_match(self) -> int:
        """Return 1 if the first one wins the match, −1 if the second one does, 0 if nobody does for sure."""
        return _sign(self.match.low - EVEN, self.match.high - EVEN)

    @property
    def by_points(self) -> int:
        """Return the same by the points of the task: 0 where the intervals overlap."""
        one, other = self.points
        return _sign(one.low - other.high, one.high - other.low)

    @property
    def verdict(self) -> str:
        """Return whether both say the same, in words."""
        if not self.by_match or not self.by_points:
            return "not apart"
        return "agree" if self.by_match == self.by_points else "disagree"


def _sign(low: float, high: float) -> int:
    """Return the sign of a number that lies between two, 0 if it may be both."""
    return (low > 0) - (high < 0)


def pairs() -> Iterator[Pair]:
    """Yield all pairs, in the order of the tasks."""
    points = _points()
    matches = list(_matches())
    for task in load().tasks:
        spec = envs.game(task.game)
        variant = spec.make_variant(**task.options)
        for game, first, second, given, score in matches:
            known = points[task.name]
            if game == spec.name and {first, second} <= known.keys() and spec.make_variant(**given) == variant:
                yield Pair(task.name, first, second, score, (known[first], known[second]))


def _points() -> dict[str, dict[str, Estimate]]:
    """Return the points of the bundled agents by task and name."""
    points: dict[str, dict[str, Estimate]] = {task.name: {} for task in load().tasks}
    for path in REPORTS:
        for one in report.read(path).tasks:
            points[one.task][one.agent] = one.points.estimate
    return points


def _matches() -> Iterator[tuple[str, str, str, dict[str, Any], Estimate]]:
    """Yield the stored matches of two players: game, both, options and the score of the first."""
    for row in store.read().values():
        words = shlex.split(row.command or "")
        if words[:2] == MATCH and row.read == SCORE and row.low is not None and row.high is not None:
            game, first, second, *rest = words[2:]
            given = [rest[k + 1] for k, word in enumerate(rest) if word == "--set"]
            yield registry.known(game), first, second, options(given), Estimate(row.value, row.low, row.high)


def table() -> str:
    """Return all pairs as Markdown."""
    rows = [["Task", "Match", "Score", "Points of the first", "Points of the second", "They"]]
    for one in pairs():
        points = [each.text() for each in one.points]
        rows.append([one.task, f"`{one.first}` v `{one.second}`", one.match.text(), *points, one.verdict])
    return markdown(rows)


if __name__ == "__main__":
    print(table())
