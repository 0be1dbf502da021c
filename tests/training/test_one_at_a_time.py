"""Two trainings in one folder, or a training and whoever publishes from it, as processes of their own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kozyr.training.export.publish import publish
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.test_cli import run
from tests.test_lock import contents, holder
from tests.training.tiny import edited

PATIENCE = 300  # seconds that a busy machine may need to begin a run


def begun(folder: Path, settings: Path) -> "subprocess.Popen[bytes]":
    """Start a training that does not end by itself, and wait for its first checkpoint."""
    command = [sys.executable, "-m", "kozyr.training.cli", "train", "mnk", "--out", str(folder)]
    process = subprocess.Popen([*command, "--settings", str(settings)], stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while not (folder / checkpoint.NAME).exists():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.1)
    return process


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_run_is_trained_by_one_process_and_goes_on_after_it_was_killed(tmp_path, tiny):
    folder = tmp_path / "run"
    process = begun(folder, edited(tiny, "timesteps = 512", "timesteps = 1_000_000_000"))
    try:
        words = f"error: process {process.pid} on .* is at work on the run in "
        for resume in ([], ["--resume"]):
            done = run("train", "mnk", "--out", str(folder), "--settings", str(tiny), *resume, code=2)
            assert done.stderr.startswith(words.partition(" on ")[0])
            assert "is at work on the run in" in done.stderr
        (folder / "run.json").write_text("{}")
        (folder / "policy.onnx").write_bytes(b"")
        with pytest.raises(ValueError, match=words.removeprefix("error: ")):
            publish(folder, tmp_path / "out", "mine", ["random"], condensed=True)
        assert not (tmp_path / "out").exists()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    done = checkpoint.load(folder)["timesteps"]
    assert train(RunPlan("mnk", out=folder, resume=True, timesteps=done))["timesteps"] == done


def test_whoever_comes_second_changes_nothing(finished, tiny):
    with holder(finished) as first:
        before = contents(finished)
        for resume in (False, True):
            with pytest.raises(ValueError, match=f"process {first.pid} on "):
                train(RunPlan("mnk", out=finished, settings=tiny, resume=resume))
        assert contents(finished) == before


def test_a_policy_is_published_by_one_process(finished, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with holder(out / "mine") as first:
        before = contents(out)
        with pytest.raises(ValueError, match=f"process {first.pid} on .* is at work on the policy in "):
            publish(finished, out, "mine", ["random"], deals=4)
        assert contents(out) == before
        publish(finished, out, "other", ["random"], deals=4)
    publish(finished, out, "mine", ["random"], deals=4)
    assert {"mine.md", "mine.onnx", "other.md", "other.onnx"} <= {path.name for path in out.iterdir()}
