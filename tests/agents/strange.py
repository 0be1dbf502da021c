"""Agents that do what they should not, importable by worker processes."""

import threading
from typing import Any

import numpy as np

from kozyr.agents.base import Solo


class First(Solo):
    """Takes the first legal action."""

    def act(self, view: Any, mask: Any) -> int:
        return int(np.flatnonzero(mask)[0])


class Lucky(Solo):
    """Draws an action from its own generator."""

    def act(self, view: Any, mask: Any) -> int:
        return int(self.rng.choice(np.flatnonzero(mask)))


class Raising(First):
    """Raises where the last action is not legal."""

    def act(self, view: Any, mask: Any) -> int:
        if not mask[-1]:
            raise RuntimeError("no idea")
        return super().act(view, mask)


class Wrong(First):
    """Answers the same whatever is asked."""

    def __init__(self, answer: Any = 10**6) -> None:
        self.answer = answer

    def act(self, view: Any, mask: Any) -> Any:
        return self.answer

    def act_batch(self, views: Any, masks: Any) -> Any:
        return [self.answer] * len(views)


class WrongBatch(First):
    """Answers batches in a bad shape, and single questions well."""

    def act_batch(self, views: Any, masks: Any) -> Any:
        return np.zeros((len(views), 2), np.int64)


class Vandal(First):
    """Writes into what it is shown."""

    def act_batch(self, views: Any, masks: Any) -> Any:
        views[:], masks[:] = 0, 1
        return np.full(len(views), masks.shape[1] - 1)

    def act(self, view: Any, mask: Any) -> int:
        mask[:] = 1
        return len(mask) - 1


class Stuck(First):
    """Cannot be pickled."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Impatient(First):
    """Stands for a user who presses Ctrl-C."""

    def act_batch(self, views: Any, masks: Any) -> Any:
        raise KeyboardInterrupt
