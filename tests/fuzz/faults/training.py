"""Runs of the training on a disk that becomes full: what was saved is whole, and the run goes on once there is room."""

import random
import tempfile
from functools import cache
from pathlib import Path

from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.run import checkpoint
from tests.fuzz.errors import require
from tests.fuzz.faults.commands import invoke, last_line, require_sentence
from tests.fuzz.faults.disk import full, mounts, small_disk
from tests.training.tiny import TINY


def training(number: int, folder: Path) -> int:
    """Train for a moment where the disk becomes full, then go on with the run where it has room; return 1.

    Raises:
        Wrong: if the first ends with anything but its result or one line that says why, a checkpoint or a policy is
            there and cannot be read, or the run cannot go on.
    """
    rng, run = random.Random(number), folder / "run"
    line = ["train", "mnk", "--settings", str(_settings()), "--out", str(run)]
    if mounts() or rng.random() < 0.5:
        with full(int(2 ** rng.uniform(0, 17))):
            first = invoke(line)
        _require_kept(run, first)
        _go_on(line, run, first)
    else:
        with small_disk(folder, int(2 ** rng.uniform(0, 7))) as enlarge:
            first = invoke(line)
            _require_kept(run, first)
            enlarge()
            _go_on(line, run, first)
    return 1


def _require_kept(run: Path, first: object) -> None:
    require_sentence("train", first)
    try:
        if (run / checkpoint.NAME).exists():
            checkpoint.load(run)
        if (run / "policy.onnx").exists():
            OnnxPolicy(run / "policy.onnx")
    except ValueError as error:
        require(False, f"what is saved cannot be read: {error}")


def _go_on(line: list[str], run: Path, first: object) -> None:
    again = invoke([*line, "--resume"] if (run / checkpoint.NAME).exists() else line)
    require(again.exit_code == 0, f"train cannot go on after {last_line(first)!r}: {last_line(again)}")
    require((run / "policy.onnx").exists(), "no policy is written")


@cache
def _settings() -> Path:
    """Return a file with the settings of a small run, made once."""
    path = Path(tempfile.mkdtemp(prefix="kozyr-settings-")) / "tiny.toml"
    path.write_text(TINY)
    return path
