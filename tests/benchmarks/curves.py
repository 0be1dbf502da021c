"""Train games from scratch by several algorithms, and draw what they score on the way.

    python -m tests.benchmarks.curves durak --out build/curves

Without a game it is all of them. `--seeds 5` makes five runs of each, and `--times 4` runs of four times as many
decisions. Stopped, it goes on where it was when it is called again, and what is in the folder already is kept.
`curves.json` has a row for each evaluation; `curves.md` and `learning_curves.webp` are made of them. The scores are
those that a training measures on its way: duplicate deals, the same ones each time. Time is that of one core: what
other programs took of it does not count.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

from kozyr import envs
from kozyr.envs.table import file_output
from kozyr.training.run import report
from kozyr.training.run.callbacks import Callback
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import RECORD, train
from kozyr.training.settings import run_settings as settings_file
from tests.benchmarks import runs
from tests.benchmarks.runs import NAMES

SETTINGS = Path(__file__).with_suffix(".toml")
GAMES = ("durak", "daifugo", "draw_poker", "mnk", "war")
ALGORITHMS = ("ppo", "mmd")
BY = ("timesteps", "core_seconds")
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the decisions and of the time, for which the tables have cells
SHARE = "share.json"


def preset(game: str, algorithm: str) -> str:
    """Return the preset of the settings file."""
    return game if algorithm == "ppo" else f"{game}_{algorithm}"


class Clock(Callback):
    """Notes which share of a core a run had, in a file of its folder; of a run that goes on, all parts count."""

    def __init__(self, resumed: bool) -> None:
        self.resumed = resumed

    def on_start(self, run: Any) -> None:
        self._began = time.process_time(), time.perf_counter()

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        core, wall = (
            now - then for now, then in zip((time.process_time(), time.perf_counter()), self._began, strict=True)
        )
        path = run.folder / SHARE
        before = _told(run.folder, SHARE) if self.resumed and path.is_file() else {"core": 0.0, "wall": 0.0}
        core, wall = before["core"] + core, before["wall"] + wall
        report.write_json(path, {"core": core, "wall": wall, "share": min(core / wall, 1.0)})


def trained(out: Path, settings: Path, game: str, algorithm: str, seed: int, times: float) -> None:
    """Train unless that is done.

    Raises:
        ValueError: if the run that is there had another number of decisions.
    """
    folder, name = out / f"{game}-{algorithm}-{seed}", preset(game, algorithm)
    decisions = round(times * settings_file.load(envs.game(game), name, settings)["timesteps"])
    if (folder / RECORD).is_file():
        before = _told(folder, RECORD)["settings"]["timesteps"]
        if before != decisions:
            raise ValueError(f"the run in {folder} had {before:,} decisions, not {decisions:,}: choose another --out")
        return
    begun = (folder / "checkpoint.pt").is_file()
    train(RunPlan(game, name, folder, seed, decisions, begun, settings), callbacks=[Clock(begun)])


def rows(out: Path) -> list[dict[str, Any]]:
    """Return a row for each evaluation of the finished runs in a folder."""
    found = list[dict[str, Any]]()
    for game in GAMES:
        for algorithm in NAMES:
            for record in out.glob(f"{game}-{algorithm}-*/{RECORD}"):
                told, share = _told(record.parent, RECORD), _told(record.parent, SHARE)["share"]
                its = {"game": game, "algorithm": algorithm, "machine": told["machine"]["processor"]}
                its |= {"seed": told["seed"], "share": share}
                found += [
                    {**its, "core_seconds": round(share * row["trained_seconds"], 3), **row}
                    for row in told["evaluations"]
                ]
    return sorted(found, key=lambda row: row["seed"])


def _told(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def by_seed(known: list[dict[str, Any]], game: str, algorithm: str) -> list[list[dict[str, Any]]]:
    """Return the rows of each run of an algorithm, the first evaluation first."""
    found = dict[int, list[dict[str, Any]]]()
    for row in known:
        if (row["game"], row["algorithm"]) == (game, algorithm):
            found.setdefault(row["seed"], []).append(row)
    return list(found.values())


def _seconds(its: list[list[dict[str, Any]]]) -> float:
    """Return how long the runs took, as their mean."""
    return mean(run[-1]["core_seconds"] for run in its)


def table(known: list[dict[str, Any]]) -> str:
    """Return what the algorithms scored after shares of their decisions, as Markdown."""
    lines = [["Game", "Against", "Algorithm", *(f"{share * 100:.0f} %" for share in SHARES)]]
    for game, algorithm, its in _trained(known):
        cells = [_cell(its, "timesteps", share * its[0][-1]["timesteps"]) for share in SHARES]
        lines.append([envs.game(game).title, f"`{its[0][-1]['against']}`", NAMES[algorithm], *cells])
    return _markdown(lines, 3)


def costs(known: list[dict[str, Any]]) -> str:
    """Return how many runs there are and how long one took, as Markdown."""
    lines = [["Game", "Algorithm", "Runs", "Decisions", "Minutes", "Decisions a second"]]
    for game, algorithm, its in _trained(known):
        decisions, seconds = its[0][-1]["timesteps"], _seconds(its)
        took = [f"{decisions / 1e6:.2f} M", f"{seconds / 60:.1f}", f"{decisions / seconds:,.0f}"]
        lines.append([envs.game(game).title, NAMES[algorithm], str(len(its)), *took])
    return _markdown(lines, 2)


def _trained(known: list[dict[str, Any]]) -> Iterator[tuple[str, str, list[list[dict[str, Any]]]]]:
    """Yield game, algorithm and runs of all that was trained."""
    for game, algorithm in product(GAMES, NAMES):
        if its := by_seed(known, game, algorithm):
            yield game, algorithm, its


def by_time(known: list[dict[str, Any]]) -> str:
    """Return what the algorithms scored after the same time of a core, as Markdown: up to what the fastest took."""
    used = [name for name in NAMES if any(row["algorithm"] == name for row in known)]
    lines = [["Game", "Minutes", *(NAMES[name] for name in used)]]
    for game in GAMES:
        its = {name: by_seed(known, game, name) for name in used}
        common = min((_seconds(one) for one in its.values() if one), default=0.0)
        for share in SHARES[1:] if common else ():
            cells = [_cell(its[name], "core_seconds", share * common) for name in used]
            lines.append([envs.game(game).title, f"{share * common / 60:.1f}", *cells])
    return _markdown(lines, 1)


def _markdown(lines: list[list[str]], words: int) -> str:
    """Return a table, its heads first; columns of words come before those of numbers."""
    heads, *others = ("| " + " | ".join(cells) + " |" for cells in lines)
    rule = "|" + "---|" * words + "---:|" * (len(lines[0]) - words)
    return "\n".join([heads, rule, *others]) + "\n"


def _cell(its: list[list[dict[str, Any]]], by: str, at: float) -> str:
    """Return the score of the last evaluations up to a place, with half of its interval; a dash if a run has none."""
    before = [[row for row in run if row[by] <= at] for run in its]
    if not before or not all(before):
        return "–"
    low, score, high = together([run[-1] for run in before])
    return f"{score:.1f} ± {(high - low) / 2:.1f}"


def together(its: Sequence[dict[str, Any]]) -> tuple[float, float, float]:
    """Return a score in per cent and its 95 % interval: over the runs, and if there is one only, over its deals."""
    scores = [100 * row["score"] for row in its]
    if len(scores) == 1:
        return 100 * its[0]["low"], scores[0], 100 * its[0]["high"]
    score, half = mean(scores), runs.half_interval(scores)
    return score - half, score, score + half


def draw(path: Path, known: list[dict[str, Any]]) -> None:
    """Draw scores by decisions above and by minutes below, a column a game, with bands for the 95 % intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 6.6), layout="constrained")
    places = figure.subplots(2, len(GAMES), sharey="col")
    for column, game in zip(places.T, GAMES, strict=True):
        for axes, by, unit, label in zip(
            column, BY, (1e6, 60.0), ("million decisions", "minutes of a core"), strict=True
        ):
            for name in NAMES:
                _line(axes, by_seed(known, game, name), name, lambda row, by=by, unit=unit: row[by] / unit)
            axes.set(xlabel=label, xlim=(0, None))
            axes.grid(alpha=0.3)
        against = next((row["against"] for row in known if row["game"] == game), "nobody")
        if column[0].lines:
            column[0].legend(fontsize="small")
        column[0].set_title(f"{envs.game(game).title}\nagainst {against}")
    for axes in places[:, 0]:
        axes.set_ylabel("score, % (band: 95 %)")
    figure.savefig(path, dpi=110)


def _line(axes: Any, its: list[list[dict[str, Any]]], name: str, x: Callable[[dict[str, Any]], float]) -> None:
    """Draw the mean over runs, if there are any, and each run thinly; an algorithm has the same colour everywhere."""
    if not its:
        return
    color, evaluations = f"C{list(NAMES).index(name)}", list(zip(*its, strict=True))
    at = [mean(map(x, rows)) for rows in evaluations]
    low, middle, high = zip(*map(together, evaluations), strict=True)
    axes.plot(at, middle, color=color, marker="o", markersize=3, label=NAMES[name])
    axes.fill_between(at, low, high, color=color, alpha=0.2, linewidth=0)
    for run in its if len(its) > 1 else ():
        axes.plot([x(row) for row in run], [100 * row["score"] for row in run], color=color, linewidth=0.6, alpha=0.5)


def main() -> None:
    """Train, and write everything anew after each run."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.curves", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"some of {', '.join(GAMES)}; all if you name none")
    parser.add_argument("--out", type=Path, required=True, help="a folder for runs and results")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each algorithm (default: %(default)s)")
    parser.add_argument("--times", type=float, default=1.0, help="as many decisions as the settings say")
    parser.add_argument("--algorithms", nargs="+", choices=list(NAMES), default=ALGORITHMS, help="some of these")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="presets of the same names, in a file")
    given = parser.parse_args()
    if unknown := [game for game in given.games if game not in GAMES]:
        parser.error(f"there is no game {unknown[0]!r}; the games are {', '.join(GAMES)}")
    if not given.times > 0:
        parser.error(f"--times must be above 0, not {given.times}")
    if given.seeds < 1:
        parser.error(f"--seeds must be at least 1, not {given.seeds}")
    given.out.mkdir(parents=True, exist_ok=True)
    of_a_seed = list(product(given.games or GAMES, given.algorithms))
    for seed, (game, algorithm) in product(range(1, given.seeds + 1), of_a_seed):
        try:
            trained(given.out, given.settings, game, algorithm, seed, given.times)
        except ValueError as error:
            parser.error(str(error))
        write(given.out)
    print((given.out / "curves.md").read_text(encoding="utf-8"))


def write(out: Path) -> None:
    """Write what the finished runs in a folder have brought."""
    known = rows(out)
    report.write_json(out / "curves.json", {"rows": known})
    file_output.write(out / "curves.md", f"{table(known)}\n{costs(known)}\n{by_time(known)}")
    draw(out / "learning_curves.webp", known)


if __name__ == "__main__":
    main()
