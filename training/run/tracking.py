"""Trackers of a run, Weights & Biases and MLflow: settings, numbers on the way, results, and the policy's file."""

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks
from kozyr.envs.table import files
from kozyr.training.plots.curves import seed_of
from kozyr.training.run.callbacks import Callback
from kozyr.training.run.report import write_json

PROJECT = "kozyr"  # unless WANDB_PROJECT, MLFLOW_EXPERIMENT_NAME or MLFLOW_EXPERIMENT_ID says something else
_IDS_FILE = "tracking.json"  # in the run's folder: the ids under which it is followed
_FILES = ("policy.onnx", "run.json", "learning_curve.png")
_LARGEST = 1 << 16


def callbacks(track: str | None) -> list[Callback]:
    """Return the callback of a tracker's name in a list, or none.

    Raises:
        ValueError: for an unknown name.
        ImportError: naming the extra to install.
    """
    return [] if track is None else [TRACKERS[argument_checks.choice("track", track, tuple(TRACKERS))]()]


class Wandb(Callback):
    """Follows a run in Weights & Biases; its environment variables, as WANDB_MODE=offline, say where and how.

    Raises:
        ImportError: naming the extra to install.
    """

    def __init__(self) -> None:
        self._wandb = _library("wandb")
        self._run: Any = None

    def on_start(self, run: Any) -> None:
        """Begin, or go on under the id from before."""
        self._run = self._wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=_name(run.folder),
            dir=os.environ.get("WANDB_DIR", str(run.folder)),
            config={"game": run.game.id, **run.settings},
            id=_id(run, "wandb"),
            resume="allow",
        )
        _keep(run.folder, "wandb", self._run.id)

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        """Log the numbers."""
        self._run.log(values, step=timesteps)

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        """Log the results and upload the files."""
        if content is not None:
            self._run.summary.update(_results(content))
            artifact = self._wandb.Artifact(re.sub(r"[^\w.-]", "_", _name(run.folder)), type="model")
            for path in _result_files(run.folder):
                artifact.add_file(str(path))
            self._run.log_artifact(artifact)
        self._run.finish(exit_code=int(content is None))


class Mlflow(Callback):
    """Follows a run in MLflow; its environment variables, as MLFLOW_TRACKING_URI, say where.

    Raises:
        ImportError: naming the extra to install.
    """

    def __init__(self) -> None:
        self._mlflow = _library("mlflow")

    def on_start(self, run: Any) -> None:
        """Begin, or go on under the id from before."""
        if not {"MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"} & set(os.environ):
            self._mlflow.set_experiment(PROJECT)
        number = _id(run, "mlflow")
        run_info = self._mlflow.start_run(number, run_name=_name(run.folder))
        if number is None:
            self._mlflow.log_params({"game": run.game.id, **_flat(run.settings)})
        _keep(run.folder, "mlflow", run_info.info.run_id)

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        """Log the numbers."""
        self._mlflow.log_metrics({_metric_name(key): x for key, x in values.items()}, step=timesteps)

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        """Log the results and the files."""
        if content is not None:
            scores = {_metric_name(key): x for key, x in _results(content).items()}
            self._mlflow.log_metrics(scores, step=content["timesteps"])
            for path in _result_files(run.folder):
                self._mlflow.log_artifact(str(path))
        self._mlflow.end_run("KILLED" if content is None else "FINISHED")


TRACKERS = {"wandb": Wandb, "mlflow": Mlflow}


def _name(folder: Path) -> str:
    """Return the name of a run: that of its folder, with the one around it before it for one of several seeds."""
    return f"{folder.resolve().parent.name}-{folder.name}" if seed_of(folder) is not None else folder.name


def _library(name: str) -> Any:
    """Return a module, or raise ImportError naming the extra, which is called as it is."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"tracking needs {name}: {install_hint.command(name)}") from error


def _ids(folder: Path) -> dict[str, str]:
    """Return the ids under which a run is followed."""
    path = folder / _IDS_FILE
    ids = files.parsed(files.content(path, _LARGEST)) if path.is_file() else {}
    if not isinstance(ids, dict) or not all(isinstance(one, str) for one in ids.values()):
        raise ValueError(f"{path} is damaged: delete it, and the run is followed under a new id")
    return ids


def _id(run: Any, tracker: str) -> str | None:
    """Return the id of a run that goes on, if it was followed before."""
    return _ids(run.folder).get(tracker) if run.timesteps or run.imitated else None


def _keep(folder: Path, tracker: str, number: str) -> None:
    """Note an id."""
    write_json(folder / _IDS_FILE, {**_ids(folder), tracker: number})


def _results(content: dict[str, Any]) -> dict[str, float]:
    """Return the final scores with the ends of their intervals, by name."""
    rows = content["results"]
    return {f"final/{row['against']}/{key}": row[key] for row in rows for key in ("score", "low", "high")}


def _result_files(folder: Path) -> list[Path]:
    """Return the files that a finished run has left."""
    return [path for name in _FILES if (path := folder / name).is_file()]


def _flat(settings: dict[str, Any], before: str = "") -> dict[str, str]:
    """Return settings without tables in them; a key of a table has the table's name before it."""
    flat = dict[str, str]()
    for key, value in settings.items():
        flat |= (
            _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{_metric_name(key)}": str(value)}
        )
    return flat


def _metric_name(key: str) -> str:
    """Return a name that MLflow allows on all systems."""
    return re.sub(r"[^\w./ -]", "_", key)
