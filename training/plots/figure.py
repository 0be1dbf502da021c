"""Learning curves as a picture (PNG), drawn by Matplotlib."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kozyr.agents.arena.results.escape import in_figure
from kozyr.envs.core import install_hint
from kozyr.training.plots.curves import Curve, Point, captions, limits, time_unit

_COLUMNS, _WIDE, _TALL = 2, 6.4, 4.2  # panels in a row, and inches of one
_COLORS, _STYLES = 10, ("-", "--", ":", "-.")  # of Matplotlib, from C0 on; a style for each ten lines


def draw(path: Path, title: str, every: Sequence[Curve], by: str = "decisions") -> None:
    """Draw a panel for each opponent, a line for each run with a band for its interval, and thin lines for its seeds.

    Args:
        path: of the PNG.
        title: above all panels.
        every: the curves; by: "decisions" or "time".

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter
    except ImportError as error:
        raise ImportError(f"a picture needs matplotlib: {install_hint.command('league')}") from error
    opponents, names = (list(dict.fromkeys(getattr(one, key) for one in every)) for key in ("against", "name"))
    columns = min(len(opponents), _COLUMNS)
    rows = -(-len(opponents) // columns)
    figure = Figure(figsize=(_WIDE * columns, _TALL * rows + 0.4), layout="constrained")
    label, unit = ("decisions of the learner", 1.0) if by == "decisions" else time_unit(every)
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for axes, against in zip(panels, opponents, strict=False):
        its = [one for one in every if one.against == against]
        for one in its:
            line(axes, one, names.index(one.name), lambda point: point.at(by) / unit)
        axes.set(title=f"against {in_figure(against)}", xlabel=label, ylabel="score, %", xlim=(0, None))
        axes.set_ylim(*(100 * end for end in limits(its)))
        axes.grid(alpha=0.3)
        if by == "decisions":
            axes.xaxis.set_major_formatter(EngFormatter())
        if len(names) > 1:
            axes.legend()
    for axes in list(figure.axes)[len(opponents) :]:
        axes.set_axis_off()
    figure.suptitle(in_figure(title))
    figure.supxlabel("\n".join(map(in_figure, captions(every))), fontsize="small", color="0.35")
    figure.savefig(path, dpi=120, format="png")


def line(axes: Any, curve: Curve, number: int, place: Callable[[Point], float]) -> None:
    """Draw a curve with a band for its interval and thin lines for its seeds; its number chooses the colour."""
    color, style = f"C{number % _COLORS}", _STYLES[number // _COLORS % len(_STYLES)]
    at = list(map(place, curve.points))
    value, low, high = ([100 * one.score[k] for one in curve.points] for k in range(3))
    axes.plot(at, value, style, color=color, marker="o", markersize=3, label=in_figure(curve.name))
    axes.fill_between(at, low, high, color=color, alpha=0.2, linewidth=0)
    for points in curve.seeds.values() if len(curve.seeds) > 1 else ():
        scores = [100 * one.score.value for one in points]
        axes.plot(list(map(place, points)), scores, style, color=color, linewidth=0.6, alpha=0.5)
