"""The shell lines of the page on adding a game, in their order."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import pages
from tests.installed import Installed

PAGE = pages.ROOT / "docs" / "howto" / "add_a_game.md"
INSTALL, WHOLE = 'pip install -e ".[test]"', "python -m pytest"


def lines() -> list[str]:
    return [line for block in pages.blocks(PAGE.read_text(encoding="utf-8"), "sh") for line in block.splitlines()]


@pytest.mark.docs
@pytest.mark.parametrize(
    "skipped", [pytest.param([WHOLE], id="quick"), pytest.param([], id="whole", marks=pytest.mark.slow)]
)
def test_a_newcomer_follows_the_page(tmp_path: Path, skipped: list[str]) -> None:
    here, path, ran = tmp_path, str(tmp_path / "room" / "installed"), 0
    python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert INSTALL in lines()
    for line in lines():
        command = shlex.split(line)
        if command[0] == "cd":
            here /= command[1]
        elif line == INSTALL:
            Installed(here, tmp_path / "room")  # into a folder of its own instead of the tests' environment
        elif line not in skipped:
            done = subprocess.run(
                command, cwd=here, env=os.environ | {"PATH": python, "PYTHONPATH": path}, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            ran += 1
    assert ran >= 4


def test_the_table_of_files_is_what_is_written() -> None:
    from kozyr.training.cli.build import game_files

    text = PAGE.read_text(encoding="utf-8")
    for kind in ("cards", "board"):
        for path in game_files("deep_sea", kind):
            assert f"`{Path(path).name}`" in text or path.startswith(("tests/", "README")), path
