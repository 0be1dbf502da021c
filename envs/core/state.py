"""State layout: one record of fixed size a table."""

import re
from keyword import iskeyword
from typing import Any

import numpy as np

from kozyr.envs.core.quote import quote

OVER = -1  # value of `turn` once a game has ended


def layout(seats: int, *fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the record type of a game: the common header, then its own `fields`.

    Args:
        seats: the most seats there can be.
        fields: (name, type) or (name, type, shape) each, as NumPy takes them.

    Raises:
        ValueError: for a name that the rules could not use, or would use for something else.
    """
    header: list[tuple[Any, ...]] = [
        ("rng", np.uint64),  # the only source of chance
        ("turn", np.int32),  # seat to move, or OVER
        ("ply", np.int32),  # actions played so far
        ("payoff", np.float32, seats),  # zeros until the game is over
        ("truncated", np.int32),  # 1 if a cap ended the game
        ("starter", np.int32),  # seat that began
    ]
    names = [field[0] for field in (*header, *fields)]
    for i, name in enumerate(names):
        if reason := _complaint(name, names[:i]):
            raise ValueError(f"the state cannot have a field {quote(name)}: {reason}; rename it")
    return np.dtype((np.record, np.dtype(_filled([*header, *fields]), align=True)))


def is_gap(name: str) -> bool:
    """Tell if a field is a gap, which only fills up the alignment."""
    return re.fullmatch(r"gap\d+", name) is not None


def _complaint(name: Any, before: list[str]) -> str:
    """Return the reason why a field cannot have a name after those before it, or ""."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        return "rules write s.NAME, and this is no name in Python"
    if name.startswith("_"):
        return "names of fields do not begin with an underscore"
    if is_gap(name):
        return "gaps between fields are named so"
    if name in before:
        return "there is one of that name already, in the game or in the header of every state"
    if name in dir(np.record):
        return "NumPy's records have an attribute of that name, which uncompiled rules would get instead"
    return ""


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
