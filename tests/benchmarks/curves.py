"""Train games from scratch by several algorithms, and draw what they score on the way.

    python -m tests.benchmarks.curves durak --out build/curves

Without a game it is all of them. `--times 4` makes runs of four times as many decisions. Stopped, it goes on where it
was when it is called again, and what is in the folder already is kept. `curves.json` has a row for each evaluation;
`curves.md` and `learning_curves.webp` are made of them. The scores are those that a training measures on its way:
duplicate deals, the same ones each time. Time is that of one core: what other programs took of it does not count.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from kozyr import envs
from kozyr.training import report
from kozyr.training import settings as settings_file
from kozyr.training.callbacks import Callback
from kozyr.training.run import RECORD, train

SETTINGS = Path(__file__).with_suffix(".toml")
GAMES = ("durak", "daifugo", "draw_poker", "mnk", "war")
NAMES = {"ppo": "PPO", "mmd": "MMD", "action_values": "PPO, critic of actions"}
ALGORITHMS = ("ppo", "mmd")
BY = ("timesteps", "core_seconds")
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the decisions and of the time, for which the tables have cells
SHARE = "share.json"


def preset(game: str, algorithm: str) -> str:
    """Return the preset of the settings file."""
    return game if algorithm == "ppo" else f"{game}_{algorithm}"


class Clock(Callback):
    """Notes which share of a core a run had, in a file of its folder."""

    def on_start(self, run: Any) -> None:
        self._began = time.process_time(), time.perf_counter()

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        core, wall = (
            now - then for now, then in zip((time.process_time(), time.perf_counter()), self._began, strict=True)
        )
        report.write_json(run.folder / SHARE, {"share": min(core / wall, 1.0)})


def trained(out: Path, settings: Path, game: str, algorithm: str, times: float) -> None:
    """Train unless that is done.

    Raises:
        ValueError: if the run that is there had another number of decisions.
    """
    folder, name = out / f"{game}-{algorithm}", preset(game, algorithm)
    decisions = round(times * settings_file.load(envs.game(game), name, settings)["timesteps"])
    if (folder / RECORD).is_file():
        before = _told(folder, RECORD)["settings"]["timesteps"]
        if before != decisions:
            raise ValueError(f"the run in {folder} had {before:,} decisions, not {decisions:,}: choose another --out")
        return
    begun = (folder / "checkpoint.pt").is_file()
    train(game, name, folder, timesteps=decisions, settings=settings, resume=begun, callbacks=[Clock()])


def rows(out: Path) -> list[dict[str, Any]]:
    """Return a row for each evaluation of the finished runs in a folder."""
    found = list[dict[str, Any]]()
    for game in GAMES:
        for algorithm in NAMES:
            folder = out / f"{game}-{algorithm}"
            if (folder / RECORD).is_file():
                told, share = _told(folder, RECORD), _told(folder, SHARE)["share"]
                its = {"game": game, "algorithm": algorithm, "machine": told["machine"]["processor"]}
                its |= {"seed": told["seed"], "share": share}
                found += [
                    {**its, "core_seconds": round(share * row["trained_seconds"], 3), **row}
                    for row in told["evaluations"]
                ]
    return found


def _told(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def curve(known: list[dict[str, Any]], game: str, algorithm: str) -> list[dict[str, Any]]:
    """Return the rows of one run, the first evaluation first."""
    return [row for row in known if (row["game"], row["algorithm"]) == (game, algorithm)]


def table(known: list[dict[str, Any]]) -> str:
    """Return what each run scored after shares of its decisions, and how long they took, as Markdown."""
    after = [f"{share * 100:.0f} %" for share in SHARES[:-1]]
    lines = [["Game", "Against", "Algorithm", *after, "100 %", "Decisions", "Minutes", "Decisions a second"]]
    for game in GAMES:
        for algorithm in NAMES:
            if its := curve(known, game, algorithm):
                decisions, seconds = its[-1]["timesteps"], its[-1]["core_seconds"]
                cells = [_cell(its, "timesteps", share * decisions) for share in SHARES]
                told = [envs.game(game).title, f"`{its[-1]['against']}`", NAMES[algorithm]]
                took = [f"{decisions / 1e6:.2f} M", f"{seconds / 60:.1f}", f"{decisions / seconds:,.0f}"]
                lines.append([*told, *cells, *took])
    return _markdown(lines, 3)


def by_time(known: list[dict[str, Any]]) -> str:
    """Return what the algorithms scored after the same time of a core, as Markdown: up to what the fastest took."""
    used = [name for name in NAMES if any(row["algorithm"] == name for row in known)]
    lines = [["Game", "Minutes", *(NAMES[name] for name in used)]]
    for game in GAMES:
        its = {name: curve(known, game, name) for name in used}
        common = min((one[-1]["core_seconds"] for one in its.values() if one), default=0.0)
        for share in SHARES[1:] if common else ():
            cells = [_cell(its[name], "core_seconds", share * common) for name in used]
            lines.append([envs.game(game).title, f"{share * common / 60:.1f}", *cells])
    return _markdown(lines, 1)


def _markdown(lines: list[list[str]], words: int) -> str:
    """Return a table, its heads first; columns of words come before those of numbers."""
    heads, *others = ("| " + " | ".join(cells) + " |" for cells in lines)
    rule = "|" + "---|" * words + "---:|" * (len(lines[0]) - words)
    return "\n".join([heads, rule, *others]) + "\n"


def _cell(its: list[dict[str, Any]], by: str, at: float) -> str:
    """Return the score of the last evaluation up to a place, with half of its interval."""
    before = [row for row in its if row[by] <= at]
    if not before:
        return "–"
    row = before[-1]
    return f"{100 * row['score']:.1f} ± {50 * (row['high'] - row['low']):.1f}"


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
                _line(axes, [(row[by] / unit, row) for row in curve(known, game, name)], name)
            axes.set(xlabel=label, xlim=(0, None))
            axes.grid(alpha=0.3)
        against = next((row["against"] for row in known if row["game"] == game), "nobody")
        if column[0].lines:
            column[0].legend(fontsize="small")
        column[0].set_title(f"{envs.game(game).title}\nagainst {against}")
    for axes in places[:, 0]:
        axes.set_ylabel("score, % (band: 95 %)")
    figure.savefig(path, dpi=110)


def _line(axes: Any, points: list[tuple[float, dict[str, Any]]], name: str) -> None:
    """Draw the curve of one run, if there is one; an algorithm has the same colour everywhere."""
    if not points:
        return
    at, color = [x for x, _ in points], f"C{list(NAMES).index(name)}"
    low, middle, high = ([100 * row[side] for _, row in points] for side in ("low", "score", "high"))
    axes.plot(at, middle, color=color, marker="o", markersize=3, label=NAMES[name])
    axes.fill_between(at, low, high, color=color, alpha=0.2, linewidth=0)


def main() -> None:
    """Train, and write everything anew after each run."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.curves", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"some of {', '.join(GAMES)}; all if you name none")
    parser.add_argument("--out", type=Path, required=True, help="a folder for runs and results")
    parser.add_argument("--times", type=float, default=1.0, help="as many decisions as the settings say")
    parser.add_argument("--algorithms", nargs="+", choices=list(NAMES), default=ALGORITHMS, help="some of these")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="presets of the same names, in a file")
    given = parser.parse_args()
    if unknown := [game for game in given.games if game not in GAMES]:
        parser.error(f"there is no game {unknown[0]!r}; the games are {', '.join(GAMES)}")
    if not given.times > 0:
        parser.error(f"--times must be above 0, not {given.times}")
    given.out.mkdir(parents=True, exist_ok=True)
    for game in given.games or GAMES:
        for algorithm in given.algorithms:
            try:
                trained(given.out, given.settings, game, algorithm, given.times)
            except ValueError as error:
                parser.error(str(error))
            write(given.out)
    print((given.out / "curves.md").read_text(encoding="utf-8"))


def write(out: Path) -> None:
    """Write what the finished runs in a folder have brought."""
    known = rows(out)
    report.write_json(out / "curves.json", {"rows": known})
    report.write_text(out / "curves.md", f"{table(known)}\n{by_time(known)}")
    draw(out / "learning_curves.webp", known)


if __name__ == "__main__":
    main()
