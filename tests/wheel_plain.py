"""Run README's first Python from an installed kozyr without extras: `make test-wheel-plain`."""

import importlib.util
import re
import sys
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def main() -> None:
    """Fail with a traceback unless it works from the wheel."""
    found = importlib.util.find_spec("kozyr.envs")
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(sys.prefix), f"{found.origin} is not the wheel's"
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert block is not None, "README has no Python to run"
    exec(block[1], {"__name__": "readme"})  # noqa: S102
    print(f"README's first Python runs on Python {sys.version.split()[0]} from the wheel of {found.origin}")


if __name__ == "__main__":
    main()
