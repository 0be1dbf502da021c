"""How the state of a game is laid out: one record of fixed size a table."""

from typing import Any

import numpy as np

OVER = -1  # value of `turn` once a game has ended


def layout(seats: int, *fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the record type of a game: the common header, then its own `fields`."""
    header: list[tuple[Any, ...]] = [
        ("rng", np.uint64),  # the only source of chance
        ("turn", np.int32),  # seat to move, or OVER
        ("ply", np.int32),  # actions played so far
        ("payoff", np.float32, seats),  # zeros until the game is over
        ("truncated", np.int32),  # 1 if a cap ended the game
        ("starter", np.int32),  # seat that began
    ]
    return np.dtype((np.record, np.dtype([*header, *fields], align=True)))
