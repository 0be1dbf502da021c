"""Files of learning curves: a page or a picture of runs, and the numbers in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kozyr.agents.arena.results.escape import plain
from kozyr.envs.table import file_output
from kozyr.training.plots import curves, figure, page

BY = ("decisions", "time")
PAGE, PICTURE = ".html", ".png"


def require_kind(path: Path) -> None:
    """Raise ValueError unless a file's name says that it is a page or a picture."""
    if path.suffix.lower() not in (PAGE, PICTURE):
        raise ValueError(f"--out {path} is not allowed: its name ends with {PAGE} or with {PICTURE}")


def curves_document(folders: Sequence[Path], path: Path, by: str = "decisions") -> dict[str, Any]:
    """Draw the curves of runs into a file, and return their numbers.

    Args:
        folders: of runs, or of the seeds of one.
        path: a page or a picture by its name's end.
        by: "decisions" or "time".

    Raises:
        ValueError: as `curves.curves`, or for another kind of file.
        ImportError: naming the extra to install, for a picture without Matplotlib.
    """
    require_kind(path)
    every = curves.curves(folders)
    title = _title(curves.read_seeds(folders[0])[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == PAGE:
        file_output.write(path, page.page(title, every, by))
    else:
        with file_output.replacement(path) as part:
            figure.draw(part, title, every, by)
    return {"file": str(path), "curves": list(map(_numbers, every)), "remarks": curves.remarks(every)}


def _title(run: curves.Run) -> str:
    """Return the game of a run and the options that are not its default ones, if the game is known here."""
    from kozyr import envs

    try:
        game = envs.game(run.game.rpartition("_v")[0])
        options = game.departures(game.make_variant(**run.options))
    except (ValueError, TypeError, ImportError):  # a record of a game that is not here, or of another version
        options = {}
    return plain(" ".join([run.game, *(f"{name}={value}" for name, value in options.items())]))


def _numbers(curve: curves.Curve) -> dict[str, Any]:
    """Return a curve as JSON has it."""
    points = [
        {"decisions": one.decisions, "seconds": round(one.seconds, 3), **one.score._asdict()} for one in curve.points
    ]
    its = {"run": curve.name, "against": curve.against, "seeds": list(curve.seeds), "method": curve.text}
    return {**its, "points": [{"score" if key == "value" else key: x for key, x in one.items()} for one in points]}
