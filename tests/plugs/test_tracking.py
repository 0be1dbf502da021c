"""Runs followed in Weights & Biases, offline, and in MLflow, in a file: both are read back with their own libraries."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugs.required import library

library("wandb", "0.31", "tracking")
library("mlflow", "3.17", "tracking")
library("stable-baselines3", "2.3", "tracking")

from kozyr.training.run import tracking
from kozyr.training.run.callbacks import Callback, Progress
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.training.tiny import ROLLOUT, TINY

_HEAD, _BLOCK = 7, 32 << 10  # bytes before the first record, and before each part of one; of a block


class Heard(Callback):
    """Notes what it hears."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []

    def on_start(self, run: Any) -> None:
        self.said.append(("start", run.timesteps))

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        self.said.append((min(values), timesteps))

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        self.said.append(("end", content and content["timesteps"]))


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path / "tiny.toml"


def records(file: Path) -> Iterator[Any]:
    """Give the records of an offline run: protobuf messages in LevelDB's log format."""
    from wandb.proto import wandb_internal_pb2

    content, at, whole = file.read_bytes(), _HEAD, b""
    assert content.startswith(b":W&B")
    while at + _HEAD <= len(content):
        if _BLOCK - at % _BLOCK < _HEAD:  # what is left of a block is empty
            at += _BLOCK - at % _BLOCK
            continue
        length, kind = struct.unpack_from("<HB", content, at + 4)
        whole += content[at + _HEAD : at + _HEAD + length]
        at += _HEAD + length
        if kind in (1, 4):  # the whole of a record, or its last part
            record: Any = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            whole = b""
            yield record


def told(items: Any) -> dict[str, Any]:
    """Return what the items of a record say."""
    return {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in items}


def tracked(name: str, out: Path, settings: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kozyr.training.cli", "train", "mnk", "--track", name, "--out", str(out), *more]
    command += [] if "--resume" in more else ["--settings", str(settings)]
    return subprocess.run(command, env={**os.environ, **environment}, cwd=out.parent, capture_output=True, text=True)


def test_callbacks_hear_a_run_from_its_start_to_its_end(tmp_path: Path, settings: Path) -> None:
    heard = Heard()
    train(RunPlan("mnk", out=tmp_path / "run", settings=settings), callbacks=[heard])
    steps = [step for _, step in heard.said[1:-1]]
    assert (heard.said[0], heard.said[-1]) == (("start", 0), ("end", 512))
    assert steps == [ROLLOUT * k for k in (1, 2, 3, 4)]


def test_callbacks_hear_that_a_run_was_stopped(tmp_path: Path, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(watch: Progress) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "_on_step", interrupted)
    heard = Heard()
    with pytest.raises(KeyboardInterrupt):
        train(RunPlan("mnk", out=tmp_path / "run", settings=settings), callbacks=[heard])
    assert heard.said == [("start", 0), ("end", None)]


def test_wandb_gets_settings_numbers_results_and_the_policy(tmp_path: Path, settings: Path) -> None:
    done = tracked("wandb", tmp_path / "run", settings, WANDB_MODE="offline", WANDB_SILENT="true")
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "run" / "wandb").glob("offline-run-*/run-*.wandb")
    said = list(records(file))
    (run,) = [one.run for one in said if one.WhichOneof("record_type") == "run"]
    history = [told(one.history.item) for one in said if one.WhichOneof("record_type") == "history"]
    assert run.project == "kozyr"
    assert {"game", "timesteps", "evaluation", "variant"} <= set(told(run.config.update))
    assert [row["_step"] for row in history if "rollout/ep_rew_mean" in row] == [128, 256, 384, 512]
    assert {"train/loss", "evaluation/random"} <= {key for row in history for key in row}
    content = json.loads((tmp_path / "run" / "run.json").read_text())
    scores = [told(one.summary.update).get("final/random/score") for one in said if one.HasField("summary")]
    assert content["results"][0]["score"] in scores
    kept = [path.path for one in said if one.HasField("artifact") for path in one.artifact.manifest.contents]
    assert {"policy.onnx", "run.json"} <= set(kept)
    assert [one.exit.exit_code for one in said if one.HasField("exit")] == [0]
    assert json.loads((tmp_path / "run" / "tracking.json").read_text()) == {"wandb": run.run_id}


def test_mlflow_gets_them_too_and_a_run_that_goes_on_stays_one(tmp_path: Path, settings: Path) -> None:
    from mlflow import MlflowClient

    store = f"sqlite:///{(tmp_path / 'store.db').as_posix()}"
    done = tracked("mlflow", tmp_path / "run", settings, "--timesteps", "256", MLFLOW_TRACKING_URI=store)
    assert done.returncode == 0, done.stderr
    more = tracked("mlflow", tmp_path / "run", settings, "--resume", "--timesteps", "512", MLFLOW_TRACKING_URI=store)
    assert more.returncode == 0, more.stderr
    client = MlflowClient(store)
    (experiment,) = [one for one in client.search_experiments() if one.name == "kozyr"]
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.run_name, run.info.status) == ("run", "FINISHED")
    assert run.data.params["game"] == "mnk_v0"
    assert run.data.params["variant.m"] == "3"
    rewards = client.get_metric_history(run.info.run_id, "rollout/ep_rew_mean")
    assert [one.step for one in rewards] == [128, 256, 384, 512]
    content = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run.data.metrics["final/random/score"] == content["results"][0]["score"]
    assert {"policy.onnx", "run.json", "learning_curve.png"} == {
        one.path for one in client.list_artifacts(run.info.run_id)
    }


def test_what_cannot_track_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="track='tensorboard' is not allowed: choose one of 'wandb', 'mlflow'"):
        tracking.callbacks("tensorboard")
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match=r"tracking needs wandb: pip install .*\[wandb\]"):
        tracking.callbacks("wandb")
    assert tracking.callbacks(None) == []
