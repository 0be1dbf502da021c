"""Compiled and interpreted code give equal bytes."""

import os
import subprocess
import sys
from typing import Any

from .digest import digests
from .words import SMALL


def test_interpreted_code_gives_the_bytes_that_compiled_code_gives(game: Any) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "kozyr.contract.digest", game.name],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Warning" not in ran.stderr
    plain, compiled = ran.stdout.splitlines(), list(digests(game.name))
    differing = [one for one, other in zip(compiled, plain, strict=True) if one != other]
    assert not differing, f"compiled and uncompiled code differ in {differing}; perhaps {SMALL}"
