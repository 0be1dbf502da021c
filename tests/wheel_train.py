"""Run README's loop and a short training from an installed kozyr[train]: `make test-wheel-train`."""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
README = (HERE / "README.md").read_text(encoding="utf-8")


def main() -> None:
    """Fail with a traceback unless everything works from the wheel."""
    found = importlib.util.find_spec("kozyr.envs")
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(sys.prefix), f"{found.origin} is not the wheel's"
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks, "README has no Python to run"
    for block in blocks:
        exec(block, {"__name__": "readme"})  # noqa: S102
    with tempfile.TemporaryDirectory() as folder:
        short = ["--preset", "demo", "--timesteps", "2000", "--out", f"{folder}/run", "--set", "m=3", "--set", "n=3"]
        kozyr = Path(sys.prefix) / "bin" / "kozyr"
        subprocess.run([kozyr, "train", "mnk", *short, "--set", "k=3"], check=True)
        subprocess.run([kozyr, "evaluate", f"{folder}/run/policy.onnx", "--deals", "20"], check=True)
    print("the wheel runs README's Python, trains and evaluates")


if __name__ == "__main__":
    main()
