"""Games as WebAssembly in Node: plies a second with views and masks, the choice made in JavaScript, and sizes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from kozyr import envs
from kozyr.agents.play import site

from .timing import ROUNDS, Row

RATE = Path(__file__).parents[1] / "site" / "rate.mjs"


def rows(seconds: float) -> Iterator[Row]:
    """Give two rows a game: its speed, and the bytes of its module."""
    from tests.site import node

    with tempfile.TemporaryDirectory() as folder:
        for name in envs.games():
            game = envs.game(name)
            module, script, *_ = site.write(game, game.make_variant(), Path(folder))
            rates = [float(line) for line in node.run(RATE, script, str(ROUNDS), str(seconds)).split()]
            low, high, size = min(rates), max(rates), module.stat().st_size
            yield Row(f"{name} in Node", "kozyr", "a ply", median(rates), low, high, True, True, "wall", "plies/s")
            yield Row(f"{name}.wasm", "kozyr", "the file", size, size, size, False, False, "wall", "bytes")
