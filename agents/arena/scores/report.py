"""Reports of scores: files of results that can be played again, with the points that follow from them."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from kozyr.agents.arena.results.escape import plain
from kozyr.agents.arena.scores.minis import MiniScore, wrong_number
from kozyr.agents.arena.scores.reproducible_result import (
    Digest,
    Finding,
    ReproducibleResult,
    Verdict,
    Word,
    check,
)
from kozyr.agents.arena.scores.suite import Count, Name, Suite, Task, load
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import combined
from kozyr.envs import registry
from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output, files

__all__ = ["Points", "Report", "TaskScore", "Verdict", "build", "check", "read", "verify", "write"]

FORMAT = 1
_LONGEST = 1 << 22  # bytes of a file
_ROUNDING = 1e-9  # points
Real = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]


class Points(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Points: 0 is random play, 100 the task's reference; low, high: ends of the 95 % interval over deals."""

    points: Real
    low: Real
    high: Real

    @property
    def estimate(self) -> Estimate:
        """Return the number with its interval."""
        return Estimate(self.points, self.low, self.high)


class TaskScore(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Points of an agent in a task.

    Attributes:
        task: its name; agent: who played; points: with their interval.
        matches: against each opponent of the task, the agent first.
    """

    task: Name
    agent: Word
    points: Points
    matches: Annotated[list[ReproducibleResult], msgspec.Meta(min_length=1, max_length=32)]

    @property
    def errors(self) -> int:
        """Return the number of games that the agent lost by an error."""
        return sum(one.scores[0].errors for one in self.matches)

    @property
    def ms(self) -> float | None:
        """Return the milliseconds of a decision, a mean over the matches, or None inside the compiled loop."""
        known = [one.scores[0].ms for one in self.matches if one.scores[0].ms is not None]
        return sum(known) / len(known) if known else None


class Report(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Report of a score.

    Attributes:
        report: the format; name: of the agent, as people should read it.
        suite: its name; digest: of all that it fixes; seed: of the deals; quick: fewer deals were match.
        tasks: those that were played; points: of all tasks of the suite, None unless all were match.
        sha256: of all else.
        minis: exploitability in mini variants, unset if nobody asked for it.
    """

    report: int
    name: Word
    suite: Name
    digest: Digest
    seed: Count
    quick: bool
    tasks: Annotated[list[TaskScore], msgspec.Meta(max_length=256)]
    points: Points | None
    sha256: str = ""
    minis: Annotated[list[MiniScore], msgspec.Meta(max_length=64)] | msgspec.UnsetType = msgspec.UNSET

    @property
    def title(self) -> str:
        """Return the agent's name in one printable line, whatever the file has."""
        return plain(self.name)

    @property
    def mini_scores(self) -> list[MiniScore]:
        """Return the exploitability in mini variants, nothing if nobody asked for it."""
        return [] if self.minis is msgspec.UNSET else self.minis


def build(
    name: str, suite: Suite, seed: int, quick: bool, by_task: Mapping[str, tuple[str, Sequence[ReproducibleResult]]]
) -> Report:
    """Return the report of matches that were played: the agent and its matches by the name of the task."""
    tasks = [
        TaskScore(task.name, agent, task_points(task, matches), list(matches))
        for task in suite.tasks
        if task.name in by_task
        for agent, matches in [by_task[task.name]]
    ]
    report = Report(FORMAT, name, suite.suite, suite.digest, seed, quick, tasks, suite_points(suite, tasks))
    return msgspec.structs.replace(report, sha256=_digest(report))


def with_minis(report: Report, minis: Sequence[MiniScore]) -> Report:
    """Return a report with exploitability in mini variants."""
    more = msgspec.structs.replace(report, minis=list(minis))
    return msgspec.structs.replace(more, sha256=_digest(more))


def task_points(task: Task, matches: Sequence[ReproducibleResult]) -> Points:
    """Return the points of a task from its matches."""
    return Points(*points_of([one.scores[0].estimate for one in matches], task))


def suite_points(suite: Suite, tasks: Sequence[TaskScore]) -> Points | None:
    """Return the points of a whole suite, or None unless all of its tasks were match."""
    names = [one.task for one in tasks]
    if names != [one.name for one in suite.tasks]:
        return None
    return Points(*points_of_all([one.points.estimate for one in tasks], suite))


def points_of(scores: Sequence[Estimate], task: Task) -> Estimate:
    """Return the points of a task: linear in the mean of the scores against its opponents, which count the same."""
    return task.points(combined(scores))


def points_of_all(points: Sequence[Estimate], suite: Suite) -> Estimate:
    """Return the points of a suite from those of all its tasks: games weigh the same, and in each its tasks."""
    return combined(points, suite.weights([one.name for one in suite.tasks]))


def _digest(report: Report) -> str:
    """Return the SHA-256 of all of a report but its own digest."""
    return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(report, sha256=""))).hexdigest()


def write(path: Path, report: Report) -> None:
    """Write a report.

    Raises:
        OSError: if it cannot be written.
    """
    file_output.write(path, msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n")


def read(path: Path) -> Report:
    """Return the report in a file; whether its numbers hold is another question.

    Raises:
        ValueError: saying what is wrong, for a file that is no report, or was changed since it was written.
        OSError: if the file cannot be read.
    """
    try:
        report = msgspec.convert(files.parsed(files.content(path, _LONGEST)), Report)
        if report.report != FORMAT:
            raise ValueError(f"format {report.report}, not {FORMAT}")
        msgspec.json.encode(report)
    except UnicodeEncodeError:
        raise ValueError(f"{path} is no report of a score: half a character is in it") from None
    except ValueError as error:  # msgspec's are, too
        raise ValueError(f"{path} is no report of a score ({files.cut(str(error))})") from None
    if report.sha256 != _digest(report):
        raise ValueError(f"{path} was changed since `kozyr score` wrote it: its own digest is another one")
    return report


def check_numbers(report: Report, suite: Suite) -> str:
    """Return the first number that does not follow from the matches, in words, or ""; nothing is played."""
    if report.digest != suite.digest:
        return f"{quote(report.suite)} is another suite here: its digest is {suite.digest}"
    if not report.tasks and not report.mini_scores:
        return "the report says nothing: it has neither tasks nor mini variants"
    wrong = [words for one in report.tasks if (words := _wrong_task(report, suite, one))]
    if not wrong and not _same(report.points, suite_points(suite, report.tasks)):
        return f"the points of all tasks are {suite_points(suite, report.tasks)}, and the report says {report.points}"
    return wrong[0] if wrong else wrong_number(report.mini_scores)


def _wrong_task(report: Report, suite: Suite, one: TaskScore) -> str:
    """Return the first thing wrong with a task, in words, or ""."""
    task = suite.task(one.task)
    terms = list(suite.matches(task, report.seed, report.quick))
    if len(terms) != len(one.matches):
        return f"{task.name} has {len(terms)} opponents, and the report {len(one.matches)}"
    for (opponent, deals, seed), match in zip(terms, one.matches, strict=True):
        names = [score.agent for score in match.scores]
        if (match.game, names, match.deals, match.seed) != (task.game, [one.agent, opponent.agent], deals, seed):
            return f"{task.name} is {deals} deals of seed {seed} against {opponent.agent}, and the report has others"
        options = {name: match.variant.get(name) for name in task.variant}
        spec = registry.game(task.game)
        usual = spec.options(spec.make_variant(**task.options))
        if options != dict(task.variant) or any(usual.get(name) != value for name, value in match.variant.items()):
            return f"{task.name} has other options than those reported"
        if task.opening is not None and match.opening != task.opening:
            return f"{task.name} begins with {task.opening} random plies, and not with {match.opening}"
    points = task_points(task, one.matches)
    return (
        "" if _same(points, one.points) else f"the points of {task.name} are {points}, and the report says {one.points}"
    )


def _same(points: Points | None, other: Points | None) -> bool:
    """Return True for points that differ by no more than another processor's rounding of sums."""
    if points is None or other is None:
        return points is other
    return all(abs(a - b) <= _ROUNDING for a, b in zip(points.estimate, other.estimate, strict=True))


def matches_of(report: Report) -> list[tuple[str, ReproducibleResult]]:
    """Return all matches of a report with the names of their tasks, in order."""
    return [(one.task, match) for one in report.tasks for match in one.matches]


def match_text(task: str, match: ReproducibleResult) -> str:
    """Return a match in words."""
    first, *others = match.scores
    against = f" against {', '.join(dict.fromkeys(plain(one.agent) for one in others))}" if others else ""
    return f"{task}, {plain(first.agent)} {first.estimate.percent()}{against}"


def policies_by_digest(paths: Sequence[Path]) -> dict[str, str]:
    """Return files of trained policies by the SHA-256 of their contents."""
    return {hashlib.sha256(path.read_bytes()).hexdigest(): str(path) for path in paths}


def verify(report: Report, suite: Suite | None = None) -> Finding:
    """Check that a report's numbers follow from its matches, which are not played.

    Args:
        report: the report; suite: None: the bundled one of that name.
    """
    try:
        words = check_numbers(report, load(report.suite) if suite is None else suite)
    except ValueError as error:
        return Finding(Verdict.UNCHECKED, str(error))
    return Finding(Verdict.DIFFERS, words) if words else Finding(Verdict.HOLDS)
