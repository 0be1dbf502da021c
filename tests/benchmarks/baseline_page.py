"""Page of the baselines from scratch: tables and curves of the rows that `tests.benchmarks.baselines` has written."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from kozyr.agents.arena.scores import load
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.interquartile import over_seeds, stratified_bootstrap
from kozyr.agents.statistics.intervals import combined
from kozyr.envs import registry
from kozyr.envs.table import file_output
from kozyr.training.plots import curves, figure
from kozyr.training.settings import run_settings
from tests.benchmarks.baselines import ALGORITHMS, OF_OPENSPIEL, RESULTS, SCORED, SETTINGS, read
from tests.benchmarks.markdown import markdown

PICTURES = RESULTS.parents[1] / "pictures"
SCHEMES = {"light": "default", "dark": "dark_background"}  # styles of Matplotlib
LEAST_SEEDS = 2  # of a task in the means over tasks
KEYS = ("algorithm", "advantage", "entropy", "entropy_end", "num_tables", "n_steps", "batch_size", "n_epochs")

Rows = Sequence[dict[str, Any]]


def of(rows: Rows, task: str, algorithm: str) -> list[dict[str, Any]]:
    """Return the runs of a task by an algorithm, the first seed first."""
    its = [one for one in rows if (one["task"], one["algorithm"]) == (task, algorithm)]
    return sorted(its, key=lambda one: one["seed"])


def of_kozyr(rows: Rows) -> Rows:
    """Return the runs of kozyr's own learners."""
    return [one for one in rows if one["algorithm"] in ALGORITHMS]


def estimate(point: dict[str, Any]) -> Estimate:
    """Return the points after some of the decisions."""
    return Estimate(point["points"], point["low"], point["high"])


def tasks(rows: Rows) -> list[str]:
    """Return the tasks that have runs, in the suite's order."""
    known = {one["task"] for one in rows}
    return [one.name for one in load().tasks if one.name in known]


def points(rows: Rows) -> str:
    """Return the points of every task and algorithm after all decisions, as Markdown."""
    table = [["Task", "Seeds", *ALGORITHMS.values()]]
    for task in tasks(rows):
        seeds = _seeds(rows, task)
        its = [[run for run in of(rows, task, name) if run["seed"] in seeds] for name in ALGORITHMS]
        cells = [over_seeds([estimate(run["points"][-1]) for run in one]).text() if one else "–" for one in its]
        table.append([task, str(len(seeds)), *cells])
    return markdown(table)


def shared(rows: Rows) -> tuple[list[str], list[int]]:
    """Return the tasks whose runs have several seeds by every algorithm, and the seeds that all of them have."""
    seeds = {task: _seeds(rows, task) for task in tasks(rows)}
    several = [task for task, its in seeds.items() if len(its) >= LEAST_SEEDS]
    return several, sorted(set.intersection(*(seeds[task] for task in several))) if several else []


def _seeds(rows: Rows, task: str) -> set[int]:
    """Return the seeds that every algorithm has in a task."""
    return set.intersection(*({one["seed"] for one in of(rows, task, name)} for name in ALGORITHMS))


def means(rows: Rows) -> str:
    """Return means over tasks after parts of the decisions, as Markdown.

    They are interquartile means over seeds and tasks. Without several seeds they are means over tasks, whose intervals
    are over deals.
    """
    several, seeds = shared(rows)
    if not several:
        several, seeds = [task for task in tasks(rows) if _seeds(rows, task)], [1]
    table = [["Algorithm", "Decisions", "Seconds of a core", "Points"]]
    for name in ALGORITHMS if several else ():
        its = [[one for one in of(rows, task, name) if one["seed"] in seeds] for task in several]
        for k in range(len(SCORED)):
            at = [[run["points"][k] for run in runs] for runs in its]
            flat = [one for some in at for one in some]
            cells = [f"{mean(one[key] for one in flat):,.0f}" for key in ("decisions", "seconds")]
            scores = [[one["points"] for one in of_seed] for of_seed in zip(*at, strict=True)]
            both = stratified_bootstrap(scores) if len(seeds) > 1 else combined([estimate(one) for one in flat])
            table.append([ALGORITHMS[name] if k == 0 else "", *cells, both.text()])
    return markdown(table)


def speeds(rows: Rows) -> str:
    """Return decisions a second of one core, as Markdown."""
    table = [["Task", *ALGORITHMS.values()]]
    for task in tasks(rows):
        its = [[run["points"][-1] for run in of(rows, task, name)] for name in ALGORITHMS]
        cells = [f"{mean(one['decisions'] / one['seconds'] for one in some):,.0f}" if some else "–" for some in its]
        table.append([task, *cells])
    return markdown(table)


def openspiel(rows: Rows) -> str:
    """Return the points of OpenSpiel's algorithms after all decisions of the first seat, as Markdown."""
    table = [["Task", "Algorithm", "Seeds", "Decisions", "Seconds of a core", "Points"]]
    for task in tasks(rows):
        for name, words in OF_OPENSPIEL.items():
            if its := [run["points"][-1] for run in of(rows, task, name)]:
                cells = [f"{mean(one[key] for one in its):,.0f}" for key in ("decisions", "seconds")]
                table.append([task, words, str(len(its)), *cells, over_seeds([estimate(one) for one in its]).text()])
    return markdown(table)


def settings() -> str:
    """Return what the algorithms' settings have in common not, as Markdown."""
    task = load().tasks[0]
    game = registry.game(task.game)
    table = [["Setting", *ALGORITHMS.values()]]
    every = [run_settings.load(game, name, SETTINGS) for name in ALGORITHMS]
    return markdown([*table, *([f"`{key}`", *(f"{_shown(one[key])}" for one in every)] for key in KEYS)])


def _shown(value: Any) -> str:
    return "as at first" if value is None else str(value)


def runs_text(rows: Rows) -> str:
    """Return the sizes of the runs in words."""
    sizes = sorted({one["decisions"] for one in rows})
    seeds = max(one["seed"] for one in rows)
    many = " and ".join(f"{size:,}" for size in sizes)
    return f"{len(rows)} runs of {many} decisions, with {'one seed each' if seeds == 1 else f'up to {seeds} seeds'}"


def page() -> str:
    """Return the page."""
    from tests.benchmarks.answers import text

    every = read()
    rows = of_kozyr(every)
    several, seeds = shared(rows)
    return text(
        "baselines",
        openspiel=openspiel(every),
        runs=runs_text(rows),
        points=points(rows),
        over=_over(several, seeds),
        means=means(rows),
        speeds=speeds(rows),
        settings=settings(),
        processor=" and ".join(sorted({one["processor"] for one in rows})),
    )


def _over(several: list[str], seeds: list[int]) -> str:
    """Return what the means are over, in words."""
    if several:
        return (
            f"The interquartile means over {', '.join(several)} and {len(seeds)} seeds of each have the intervals of a "
            "stratified bootstrap over seeds. With so few seeds they are too narrow."
        )
    return "They are means over the tasks above with intervals over deals. One seed says nothing of others."


def every_curve(rows: Rows, task: str) -> Iterator[curves.Curve]:
    """Yield a curve for each algorithm that has runs of a task; their scores are hundredths of points."""
    for name, words in ALGORITHMS.items():
        seeds = {run["seed"]: [_point([one]) for one in run["points"]] for run in of(rows, task, name)}
        if seeds:
            together = [_point(at) for at in zip(*(run["points"] for run in of(rows, task, name)), strict=True)]
            yield curves.Curve(words, task, together, seeds)


def _point(at: Sequence[dict[str, Any]]) -> curves.Point:
    """Return a point of a curve over the seeds."""
    scores = over_seeds([estimate(one).times(0.01) for one in at])
    return curves.Point(mean(one["decisions"] for one in at), mean(one["seconds"] for one in at), scores)


def draw(rows: Rows | None = None, folder: Path = PICTURES) -> None:
    """Draw the curves of all tasks in which something was learned, by decisions and by time, light and dark."""
    from matplotlib import style

    known = of_kozyr(read() if rows is None else rows)
    columns = [task for task in tasks(known) if _learned(known, task)]
    for scheme, its in SCHEMES.items():
        with style.context(its):
            picture = _figure(known, columns)
            with file_output.replacement(folder / f"baselines_{scheme}.webp") as part:
                picture.savefig(part, format="webp", dpi=110, transparent=True)


def _learned(rows: Rows, task: str) -> bool:
    """Return True if the points of a task's runs differ at all."""
    return len({point["points"] for run in rows if run["task"] == task for point in run["points"]}) > 1


def _figure(rows: Rows, columns: list[str]) -> Any:
    """Return the figure: a column a task, by decisions above and by seconds below."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    picture = Figure(figsize=(3.2 * len(columns), 6.0), layout="constrained")
    places = picture.subplots(2, len(columns), squeeze=False, sharey="col")
    numbers = {words: number for number, words in enumerate(ALGORITHMS.values())}
    for column, task in zip(places.T, columns, strict=True):
        for axes, by in zip(column, ("decisions", "time"), strict=True):
            for one in every_curve(rows, task):
                figure.line(axes, one, numbers[one.name], lambda point, by=by: point.at(by))
            axes.set(xlim=(0, None), xlabel="decisions" if by == "decisions" else "seconds of a core")
            axes.grid(alpha=0.3)
            if by == "decisions":
                axes.xaxis.set_major_formatter(EngFormatter())
        column[0].set_title(task)
    for axes in places[:, 0]:
        axes.set_ylabel("points")
    places[0][0].legend(fontsize="x-small")
    return picture
