"""Learning curves: the evaluations that runs have recorded, each point over all seeds of a run."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import msgspec

from kozyr.agents.arena.results.escape import plain
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.interquartile import over_seeds, over_seeds_text
from kozyr.envs.table import files

CHECKPOINT, RECORD = "checkpoint.pt", "run.json"  # of a run's folder; `kozyr.training.run.checkpoint` loads torch
_SEED = re.compile(r"seed-(0|[1-9]\d{0,9})")
_LARGEST = 1 << 26  # bytes of a record
_FLATTEST, _ROOM, _BEYOND = 0.1, 0.1, 0.01  # scores that a panel shows at least, room around them, and beyond 0 and 1
_UNITS = (("seconds", 1.0, 120.0), ("minutes", 60.0, 10_800.0), ("hours", 3600.0, inf))  # with the time they are for
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Evaluation(msgspec.Struct, frozen=True):
    """An evaluation of a run, as far as it is drawn; see `kozyr.training.run.evaluation.measure`."""

    timesteps: Count
    trained_seconds: Annotated[float, msgspec.Meta(ge=0)]
    against: str
    score: Share
    low: Share
    high: Share


class Run(msgspec.Struct, frozen=True):
    """A run, as far as it is drawn."""

    game: str
    options: dict[str, Any]
    seed: Count
    evaluations: list[Evaluation]

    def against(self, name: str) -> list[Evaluation]:
        """Return the evaluations against an agent, the first one first; of two after as many decisions the last."""
        return sorted(
            {one.timesteps: one for one in self.evaluations if one.against == name}.values(),
            key=lambda one: one.timesteps,
        )


@dataclass(frozen=True)
class Point:
    """A point of a curve.

    Attributes:
        decisions: of the learner; seconds: that it has trained, without evaluations; both are means over the seeds.
        score: share of points, a draw counting half.
    """

    decisions: float
    seconds: float
    score: Estimate

    def at(self, by: str) -> float:
        """Return the place by "decisions" or by "time"."""
        return self.decisions if by == "decisions" else self.seconds


@dataclass(frozen=True)
class Curve:
    """Score of one run, or of the seeds of one, against one agent.

    Attributes:
        name: of the run; against: the agent.
        points: over all seeds, as far as all of them have come.
        seeds: the points of each seed by its number.
    """

    name: str
    against: str
    points: list[Point]
    seeds: dict[int, list[Point]]

    @property
    def text(self) -> str:
        """Return the meaning of the curve and of the ends beside it."""
        return over_seeds_text(len(self.seeds))


def seed_folder(folder: Path, seed: int) -> Path:
    """Return the folder of one seed in the folder of all."""
    return folder / f"seed-{seed}"


def seed_folders(folder: Path) -> dict[int, Path]:
    """Return the folders of seeds in a folder, by the seeds' numbers, in their order."""
    if not folder.is_dir():
        return {}
    numbers = {seed: path for path in folder.iterdir() if (seed := seed_of(path)) is not None}
    return dict(sorted(numbers.items()))


def seed_of(folder: Path) -> int | None:
    """Return the seed in the name of a folder, None if it has another name."""
    name = _SEED.fullmatch(folder.name)
    return None if name is None else int(name[1])


def is_run(folder: Path) -> bool:
    """Return True if there is a run in a folder."""
    return any((folder / name).is_file() for name in (CHECKPOINT, RECORD))


def read(folder: Path) -> Run:
    """Return the run in a folder: its record, or the checkpoint of a run that goes on.

    Raises:
        ValueError: if what is there is damaged.
    """
    record, checkpoint = folder / RECORD, folder / CHECKPOINT
    if record.is_file() and not (checkpoint.is_file() and checkpoint.stat().st_mtime_ns > record.stat().st_mtime_ns):
        path, content = record, _record(record)
    else:
        from kozyr.training.run import checkpoint as checkpoints

        saved = checkpoints.load(folder)
        path, content = checkpoint, {**saved, "seed": saved["settings"]["seed"]}
        content = {key: content[key] for key in Run.__struct_fields__}
    try:
        return msgspec.convert(content, Run)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def _record(path: Path) -> Any:
    """Return the content of a record."""
    try:
        return files.parsed(files.content(path, _LARGEST))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def read_seeds(folder: Path) -> list[Run]:
    """Return the run in a folder, or the seeds in it that have evaluations.

    Raises:
        ValueError: if there is none, none has evaluations, or something in it is damaged.
    """
    if is_run(folder):
        runs = [read(folder)]
    else:
        runs = [read(path) for path in seed_folders(folder).values() if is_run(path)]
    if not runs:
        raise ValueError(
            f"there is no run in {folder}: name the folder of a run, or one of several seeds as `kozyr train --seeds` "
            "makes it"
        )
    evaluated = [one for one in runs if one.evaluations]
    if not evaluated:
        raise ValueError(
            f"the run in {folder} has no evaluations yet: wait for the first, after as many decisions as "
            "`evaluation.every` of its settings says"
        )
    if len({one.seed for one in evaluated}) < len(evaluated):
        raise ValueError(f"two runs in {folder} have the same seed: such a folder holds one run of each")
    return evaluated


def curves(folders: Sequence[Path]) -> list[Curve]:
    """Return the curves of runs, opponent by opponent, in the order of the folders.

    Args:
        folders: of runs, or of the seeds of one.

    Raises:
        ValueError: as `read_seeds`, or if two folders are the same, or train different games or variants.
    """
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ValueError("a folder is named twice: name each one once")
    runs = [read_seeds(folder) for folder in folders]
    places = [(folder, run) for folder, seeds in zip(folders, runs, strict=True) for run in seeds]
    for folder, run in places:
        _require_same(places[0][0], places[0][1], folder, run)
    names = short_names(folders)
    opponents = dict.fromkeys(one.against for seeds in runs for run in seeds for one in run.evaluations)
    every = (_curve(name, against, seeds) for against in opponents for name, seeds in zip(names, runs, strict=True))
    return [one for one in every if one.points]


def _require_same(folder: Path, run: Run, other_folder: Path, other: Run) -> None:
    """Raise ValueError if two runs train different games or variants, which cannot be compared."""
    if run.game != other.game:
        raise ValueError(
            f"{folder} trains {plain(run.game)} and {other_folder} {plain(other.game)}: compare runs of one game"
        )
    for name in run.options | other.options:
        values = run.options.get(name), other.options.get(name)
        if values[0] != values[1]:
            raise ValueError(
                f"{folder} trains {plain(name)}={plain(repr(values[0]))} and {other_folder} {plain(repr(values[1]))}: "
                "compare runs of one variant"
            )


def _curve(name: str, against: str, runs: Iterable[Run]) -> Curve:
    """Return a curve: point k is over the k-th evaluations of all seeds."""
    rows = {run.seed: its for run in runs if (its := run.against(against))}
    points = [_point(at) for at in zip(*rows.values(), strict=False)]
    return Curve(name, against, points, {seed: [_point([one]) for one in its] for seed, its in rows.items()})


def _point(rows: Sequence[Evaluation]) -> Point:
    """Return the point of one evaluation of each seed."""
    score = over_seeds([Estimate(one.score, one.low, one.high) for one in rows])
    return Point(mean(one.timesteps for one in rows), mean(one.trained_seconds for one in rows), score)


def remarks(every: Sequence[Curve]) -> list[str]:
    """Return a sentence for each run whose seeds have not come equally far."""
    sentences = list[str]()
    for one in every:
        lengths = {seed: len(points) for seed, points in one.seeds.items()}
        behind = min(lengths, key=lambda seed: lengths[seed])
        if lengths[behind] < max(lengths.values()):
            sentences.append(
                f"{one.name}: seed {behind} has {lengths[behind]} evaluations and others have up to "
                f"{max(lengths.values())}, so the line ends with its last one"
            )
    return list(dict.fromkeys(sentences))


def captions(every: Sequence[Curve]) -> list[str]:
    """Return the meaning of lines and bands; where it is not the same for all, of which run."""
    texts = dict[str, list[str]]()
    for one in every:
        texts.setdefault(one.text, []).append(one.name)
    if len(texts) == 1:
        return [f"Line and band: {text}." for text in texts]
    return [f"{', '.join(dict.fromkeys(names))}: {text}." for text, names in texts.items()]


def limits(every: Sequence[Curve]) -> tuple[float, float]:
    """Return the least and the largest score that the panel of these curves shows."""
    scores = [point.score for one in every for its in (one.points, *one.seeds.values()) for point in its]
    low, high = min(min(one) for one in scores), max(max(one) for one in scores)
    room = max(_FLATTEST - (high - low), _ROOM * (high - low)) / 2
    return max(low - room, -_BEYOND), min(high + room, 1 + _BEYOND)


def time_unit(every: Sequence[Curve]) -> tuple[str, float]:
    """Return the words for the axis of time, and the seconds of its unit."""
    longest = max(points[-1].seconds for one in every for points in one.seeds.values())
    name, seconds = next((name, seconds) for name, seconds, most in _UNITS if longest < most)
    return f"{name} of training, without evaluations", seconds


def short_names(folders: Sequence[Path]) -> list[str]:
    """Return as much of each folder's end as tells it from the others, in one line each."""
    paths = [folder.resolve() for folder in folders]
    for parts in range(1, max((len(path.parts) for path in paths), default=0) + 1):
        names = [plain("/".join(path.parts[-parts:])) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [plain(str(path)) for path in paths]
