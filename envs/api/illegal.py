"""What an illegal action means: a sentence with the position, and who pays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game

_LISTED = 30  # legal actions that a sentence names


def in_words(
    game: Game,
    v: Any,
    s: Any,
    action: Any,
    complaint: str,
    mask: NDArray[np.int8] | None = None,
    seat: int | None = None,
) -> str:
    """Describe a bad action with the position in which it was tried, and what would have been legal.

    The position is whole, for the program that holds the game, or as the `seat` that reads it knows it.
    """
    legal = ""
    if mask is not None:
        numbers = np.flatnonzero(mask).tolist()
        named = ", ".join(f"{a} ({game.text.say(v, s, a, seat)})" for a in numbers[:_LISTED])
        more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
        legal = f" Legal actions: {named}{more}."
    return (
        f"{game.id}: action {action!r} of player_{int(s.turn)} at ply {int(s.ply)}: {complaint}.{legal} "
        f"The position, unchanged:\n{game.text.write(v, s, seat)}"
    )


def forfeited(seats: int, seat: int) -> list[float]:
    """Return the payoffs of a game that `seat` loses by an illegal action: −1, the others share the win."""
    return [-1.0 if k == seat else 1.0 / (seats - 1) for k in range(seats)]
