"""Packages of games, installed beside kozyr for one test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any


class Installed:
    """A package of a game, copied and installed into a folder that only the commands of `run` know.

    Args:
        source: the package's folder; room: an empty one.
    """

    def __init__(self, source: Path, room: Path) -> None:
        self.place, self.source = room / "installed", room / "source"
        shutil.copytree(source, self.source)
        given = ["--quiet", "--no-deps", "--no-build-isolation", "--target", str(self.place), str(self.source)]
        subprocess.run([sys.executable, "-m", "pip", "install", *given], check=True, capture_output=True)
        shutil.rmtree(self.source / source.name)  # what is imported is what was installed

    def run(self, *arguments: str, interpreted: bool = False, code: int = 0) -> str:
        """Run Python with arguments, in the source's folder, and return what it printed."""
        more: dict[str, Any] = {"PYTHONPATH": str(self.place)} | ({"NUMBA_DISABLE_JIT": "1"} if interpreted else {})
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=self.source, env=os.environ | more, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def kozyr(self, *arguments: str, code: int = 0) -> str:
        """Run the command."""
        return self.run("-m", "kozyr.training.cli", *arguments, code=code)
