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
    return np.dtype((np.record, np.dtype(_filled([*header, *fields]), align=True)))


def _filled(fields: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the fields with the gaps of their alignment named, for NumPy copies no byte that has no name."""
    aligned, filled, end = np.dtype(fields, align=True), list[tuple[Any, ...]](), 0
    places: Any = aligned.fields
    for field in fields:
        dtype, offset = places[field[0]][:2]
        if offset > end:
            filled.append((f"gap{end}", np.uint8, (offset - end,)))
        filled.append(field)
        end = offset + dtype.itemsize
    if aligned.itemsize > end:
        filled.append((f"gap{end}", np.uint8, (aligned.itemsize - end,)))
    return filled
