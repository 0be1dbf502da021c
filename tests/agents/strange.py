"""Agents that do what they should not, importable by worker processes."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from kozyr.agents.agent import Solo


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


class Hanging(First):
    """Never answers at the first decision of the seat that begins, of a board of nine cells."""

    def act(self, view: Any, mask: Any) -> int:
        while mask.sum() == 9:
            pass
        return super().act(view, mask)


class Dozing(First):
    """Sleeps a little at that decision."""

    def act(self, view: Any, mask: Any) -> int:
        time.sleep(0.3 if mask.sum() == 9 else 0)
        return super().act(view, mask)


class Crashing(First):
    """Ends its process at that decision."""

    def act(self, view: Any, mask: Any) -> int:
        if mask.sum() == 9:
            os.abort()
        return super().act(view, mask)


class Endless(First):
    """Never answers anything, once it has noted the number of its process."""

    def act(self, view: Any, mask: Any) -> int:
        Path(os.environ.get("KOZYR_TEST_PID", os.devnull)).write_text(str(os.getpid()), encoding="utf-8")
        while True:
            pass


class SlowBatch(First):
    """Takes its time with batches, and not with single questions."""

    def act_batch(self, views: Any, masks: Any) -> Any:
        time.sleep(0.4 if len(views) > 1 else 0)
        return super().act_batch(views, masks)


class Unmade(First):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ValueError("there is no book of openings")


class Slower(First):
    """Sleeps at its first decision where the other seat has begun, on a board of nine cells."""

    def act(self, view: Any, mask: Any) -> int:
        time.sleep(0.3 if mask.sum() == 8 else 0)
        return super().act(view, mask)
