"""Observers of OpenSpiel: a seat's view, or the history of its views and actions, as tensors and as text."""

from typing import Any

import numpy as np

from kozyr.envs.environments.game_tree import Draw, Moment, Rules

MOST = 1 << 20  # entries of the tensor of a history: 4 MiB
BEFORE = "before the deal"


class Observer:
    """Observer that OpenSpiel asks for a seat's knowledge: its view, or the name of all that it has known and done.

    Attributes:
        tensor: float32, flat; None for histories that are longer than MOST.
        dict: the same memory by name: "view" [view], or "history" [moments, 1 + actions + view], the earliest first:
            1 where there is a moment, the seat's own action that led to it, the view. Views are scaled to 0 … 1.

    Args:
        game: ours, of OpenSpiel.
        recalls: whether histories are asked for, not views alone.
    """

    def __init__(self, game: Any, recalls: bool) -> None:
        self._rules: Rules = game.rules
        its = self._rules.game
        self._recalls, self._high = recalls, np.maximum(its.high(self._rules.variant), 1).astype(np.float32)
        shape = history_shape(self._rules) if recalls else self._high.shape
        fits = not recalls or tells_history(self._rules)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32) if fits else None
        name = "history" if recalls else "view"
        self.dict = {} if self.tensor is None else {name: self.tensor.reshape(shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Write a seat's view or history into the tensor; zeros before the deal."""
        if self.tensor is None:
            return
        at, seat = known(state.at), state.seat(player)
        self.tensor[:] = 0
        if at is None:
            return
        if not self._recalls:
            np.divide(at.views()[seat], self._high, out=self.tensor)
            return
        rows, first = self.dict["history"], 1 + self._rules.actions
        for row, (action, view) in zip(rows, at.history(seat), strict=False):
            row[0] = 1
            if action >= 0:
                row[1 + action] = 1
            np.divide(view, self._high, out=row[first:])

    def string_from(self, state: Any, player: int) -> str:
        """Return the text of a seat's view, or the name of its history."""
        at, seat = known(state.at), state.seat(player)
        if at is None:
            return BEFORE
        if self._recalls:
            return f"{player} {at.digest(seat)}"  # two seats may have seen and done the same
        return self._rules.game.text.write_view(self._rules.variant, at.views()[seat], player)


def history_shape(rules: Rules) -> tuple[int, int]:
    """Return the shape of the longest history: moments, and entries of each."""
    game, v = rules.game, rules.variant
    return game.bound(v) + 1, 1 + rules.actions + game.size(v)


def tells_history(rules: Rules) -> bool:
    """Return True if histories of a variant have tensors."""
    rows, entries = history_shape(rules)
    return rows * entries <= MOST


def known(at: Moment | Draw) -> Moment | None:
    """Return the newest moment that seats have seen."""
    return at.before if isinstance(at, Draw) else at
