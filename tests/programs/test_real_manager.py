"""Our engine under c-gomoku-cli, a manager by other people, where somebody has it.

git clone https://github.com/dhbloo/c-gomoku-cli && make -C c-gomoku-cli/src
KOZYR_GOMOKU_CLI=c-gomoku-cli/src/c-gomoku-cli python -m pytest tests/programs/test_real_manager.py
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MANAGER = shutil.which(os.environ.get("KOZYR_GOMOKU_CLI", "c-gomoku-cli"))
OPENINGS = "0,0, 1,0, 3,3\n-1,-1, 2,0, 0,4\n"  # cells from the middle
ENDS = re.compile(r"\{(?:(?:Black|White) win by five connection|Draw by fullfilled board)\}")
GAMES = 4

pytestmark = pytest.mark.skipif(MANAGER is None, reason="there is no c-gomoku-cli")


def engine(folder: Path, agent: str) -> str:
    """Write a script that starts our engine, as the manager wants one file, and return its name."""
    script = folder / f"kozyr-{agent}"
    command = f'"{sys.executable}" -m kozyr.training.cli engine gomocup --agent {agent}'
    script.write_text(f"#!/bin/sh\nexec {command}\n")
    script.chmod(0o755)
    return f"./{script.name}"


@pytest.mark.parametrize("way", [[], ["-sendbyboard"]], ids=["TURN", "BOARD"])
@pytest.mark.parametrize("rule", ["0", "1", "4"])
def test_all_games_end_by_the_rules(rule: str, way: list[str], tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text(OPENINGS)
    players = [f"name={agent} cmd={engine(tmp_path, agent)}".split() for agent in ("search", "hard")]
    command = [str(MANAGER), "-each", "tc=60/0.2", "tolerance=5"]
    for player in players:
        command += ["-engine", *player]
    command += ["-rule", rule, "-boardsize", "15", "-games", str(GAMES), "-repeat", "-log", *way]
    command += ["-openings", "file=openings.txt", "type=offset"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    finished = [line for line in ran.stdout.splitlines() if "Finished game" in line]
    assert len(finished) == GAMES, ran.stdout
    assert [line for line in finished if not ENDS.search(line)] == []  # no crash, no late and no illegal move
    log = (tmp_path / "c-gomoku-cli.1.log").read_text()
    assert "-> " in log
    assert not re.search(r"-> (?:ERROR|UNKNOWN)", log)
