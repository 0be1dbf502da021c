"""README's Python runs as it stands, and the commands that it names are there (links: tests/docs/test_links.py)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_is_python_to_run() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS, ids=["loop", "tables"])
def test_the_python_of_readme_runs(block: str) -> None:
    exec(block, {})  # noqa: S102


def test_every_command_that_readme_names_is_there() -> None:
    from kozyr.training.cli import app

    known = {command.name or str(command.callback and command.callback.__name__) for command in app.registered_commands}
    named = set(re.findall(r"^kozyr (\w+)", README, re.MULTILINE))
    assert named
    assert named <= known
