"""Run README's Python from an installed kozyr: `make test-wheel-plain`, and `make test-wheel-train` with --train."""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def main(train: bool) -> None:
    """Fail with a traceback unless README's first Python works from the wheel; or all of it, and a short training."""
    origin = _origin()
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks, "README has no Python to run"
    for block in blocks if train else blocks[:1]:
        exec(block, {"__name__": "readme"})  # noqa: S102
    if train:
        _train()
        print("the wheel runs README's Python, trains and evaluates")
    else:
        print(f"README's first Python runs on Python {sys.version.split()[0]} from the wheel of {origin}")


def _origin() -> str:
    """Return where kozyr is imported from, and fail unless the wheel has put it there."""
    found = importlib.util.find_spec("kozyr.envs")
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(sys.prefix), f"{found.origin} is not the wheel's"
    return found.origin


def _train() -> None:
    """Train a little with the command, and evaluate what it has made."""
    kozyr = Path(sys.prefix) / "bin" / "kozyr"
    with tempfile.TemporaryDirectory() as folder:
        short = ["--preset", "demo", "--timesteps", "2000", "--out", f"{folder}/run", "--set", "m=3", "--set", "n=3"]
        subprocess.run([kozyr, "train", "mnk", *short, "--set", "k=3"], check=True)
        subprocess.run([kozyr, "evaluate", f"{folder}/run/policy.onnx", "--deals", "20"], check=True)


if __name__ == "__main__":
    main(train="--train" in sys.argv[1:])
