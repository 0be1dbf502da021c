"""Several seeds of one plan: each is the run by itself, they go on and fail apart, and Ctrl-C ends them in order."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from kozyr.training.cli import app
from kozyr.training.plots import curves
from kozyr.training.run import checkpoint, seeds
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.interrupts import interruptible
from tests.training.tiny import TINY, edited

PATIENCE = 300  # seconds that a busy machine may need


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def command(*arguments: Any) -> Any:
    return CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""}).invoke(app, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Seeds 3 and 4, the document, and the settings' file."""
    folder = tmp_path_factory.mktemp("several")
    (folder / "tiny.toml").write_text(TINY)
    plan = RunPlan("mnk", out=folder / "runs", settings=folder / "tiny.toml")
    return plan, seeds.train_seeds(plan, 2)


def test_each_seed_is_the_run_by_itself(several: Any, tmp_path: Path) -> None:
    plan, document = several
    assert [(run["seed"], run["error"]) for run in document["runs"]] == [(3, None), (4, None)]
    for seed in (3, 4):
        train(RunPlan("mnk", out=tmp_path / str(seed), settings=plan.settings, seed=seed))
        mine, alone = checkpoint.load(plan.out / f"seed-{seed}"), checkpoint.load(tmp_path / str(seed))
        for one in (mine, alone):
            for row in one["evaluations"]:
                del row["seconds"], row["trained_seconds"]
        assert mine["settings"] == alone["settings"]
        assert mine["evaluations"] == alone["evaluations"]
        assert [row[:2] for row in mine["curve"]] == [row[:2] for row in alone["curve"]]
        for part in ("policy", "pool", "optimizer"):
            assert str(mine[part]) == str(alone[part])
        assert all(torch.equal(x, alone["policy"][name]) for name, x in mine["policy"].items())


def test_results_are_over_seeds(several: Any) -> None:
    plan, document = several
    rows = [run["results"][0] for run in document["runs"]]
    [over] = document["results"]
    assert (over["against"], over["seeds"]) == ("random", 2)
    assert over["score"] == pytest.approx(sum(row["score"] for row in rows) / 2)
    assert (over["low"], over["high"]) == (min(x := [row["score"] for row in rows]), max(x))
    assert "two seeds" in over["method"]
    assert (plan.out / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "Training in" in (plan.out / "seed-3" / "output.log").read_text(encoding="utf-8")
    assert [len(one.points) for one in curves.curves([plan.out])] == [2]


def test_finished_seeds_are_left_and_others_begin_or_go_on(several: Any, tmp_path: Path) -> None:
    plan, _ = several
    folder = tmp_path / "runs"
    for name, its in contents(plan.out).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(its)
    (folder / "seed-4" / "run.json").unlink()  # stopped while it was measured
    before = contents(folder / "seed-3")
    done = command("train", "mnk", "--out", folder, "--settings", plan.settings, "--seeds", 3, "--resume", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert [run["seed"] for run in document["runs"]] == [3, 4, 5]
    assert contents(folder / "seed-3") == before
    assert all((folder / f"seed-{seed}" / "run.json").is_file() for seed in (4, 5))
    assert "interquartile mean of 3 seeds" in document["results"][0]["method"]


def test_a_run_that_fails_stops_no_other(tmp_path: Path, tiny: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "seed-3" / "policy.onnx").mkdir(parents=True)  # where a file is to be
    done = command("train", "mnk", "--out", folder, "--settings", tiny, "--seeds", 2)
    assert done.exit_code == 1
    assert "error: 1 of 2 seeds have failed: 3. The same command with --resume" in done.stderr
    assert "seed 3 has failed" in done.stderr
    assert "Traceback" in (folder / "seed-3" / "output.log").read_text(encoding="utf-8")
    assert (folder / "seed-4" / "run.json").is_file()
    (folder / "seed-3" / "policy.onnx").rmdir()
    again = seeds.train_seeds(RunPlan("mnk", out=folder, settings=tiny, resume=True), 2)
    assert [run["error"] for run in again["runs"]] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seeds", 0), "seeds=0 is not allowed"),
        (("--seeds", 2, "--seed", 2**31 - 1), "seed=2147483648 is not allowed"),
        (("--seeds", 2, "--engine", "rllib"), "--seeds does not go with --engine rllib"),
        (("--seeds", 2, "--preset", "none"), "has no preset 'none'"),
        (("--seeds", 2, "--track", "paper"), "track='paper' is not allowed"),
    ],
)
def test_what_is_wrong_is_said_before_anything_begins(
    arguments: tuple[Any, ...], words: str, tmp_path: Path, tiny: Path
) -> None:
    done = command("train", "mnk", "--out", tmp_path / "runs", "--settings", tiny, *arguments)
    assert done.exit_code == 2, done.output
    assert words in done.stderr
    assert not (tmp_path / "runs").exists()


def test_folders_that_are_something_else_are_refused(several: Any, tmp_path: Path, monkeypatch: Any) -> None:
    plan, _ = several
    before = contents(plan.out)
    monkeypatch.setattr(seeds, "_Process", None)  # would be called
    again = replace(plan, resume=True, settings=tmp_path / "x")
    for words, n, other in (
        ("there is a run in .*seed-4 already: resume it", 1, replace(plan, seed=4)),
        ("there is a single run in .*seed-4: choose another folder", 2, replace(plan, out=plan.out / "seed-4")),
        ("seed-5 has other settings than that in .*seed-3 .timesteps.", 3, again),
    ):
        (tmp_path / "x").write_text(TINY.replace("timesteps = 512", "timesteps = 1024"))
        with pytest.raises(ValueError, match=words):
            seeds.train_seeds(other, n)
    (plan.out / "seed-3").rename(tmp_path / "seed-3")
    (plan.out / "seed-4").rename(plan.out / "seed-3")
    with pytest.raises(ValueError, match="seed-3 has another seed, 4"):
        seeds.train_seeds(RunPlan("mnk", out=plan.out, settings=plan.settings, resume=True), 1)
    (plan.out / "seed-3").rename(plan.out / "seed-4")
    (tmp_path / "seed-3").rename(plan.out / "seed-3")
    done = command("train", "mnk", "--out", plan.out, "--resume")
    assert "add --seeds 2 to go on with all of them" in done.stderr
    assert contents(plan.out) == before


def running(pid: int) -> bool:
    """Return True if there is such a process that has not ended."""
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the children of a process in /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all(end: int, tmp_path: Path, tiny: Path) -> None:
    settings = edited(tiny, "timesteps = 512", "timesteps = 1_000_000_000")
    folder = tmp_path / "runs"
    arguments = ("train", "mnk", "--out", str(folder), "--settings", str(settings), "--seeds", "2", "--threads", "1")
    process = interruptible(
        [sys.executable, "-m", "kozyr.training.cli", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    try:
        until = time.monotonic() + PATIENCE
        first = folder / "seed-3" / checkpoint.NAME
        while not first.exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        pids = children(process.pid)
        process.send_signal(end)
        stderr = process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert "Go on with the same command and --resume" in stderr
        assert "Stopped after" in (folder / "seed-3" / "output.log").read_text(encoding="utf-8")
    while any(map(running, pids)):
        assert time.monotonic() < until
        time.sleep(0.1)
    done = checkpoint.load(folder / "seed-3")["timesteps"]
    assert done > 0
