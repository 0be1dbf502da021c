"""Drive any PettingZoo AEC environment by the one loop that all of the AEC rows share."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

COUNTS = "decision: last + masked choice + step; resets run inside, uncounted"


def games(env: Any, seed: int = 1) -> Callable[[], int]:
    """Return a function that plays one game and returns its decisions.

    Args:
        env: An AEC environment whose observations carry an int8 "action_mask".
        seed: Of the environment and of the choices.
    """
    draw = Random(seed).random
    env.reset(seed=seed)

    def run() -> int:
        env.reset()
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            env.step(choose(observation["action_mask"], draw))
            decisions += 1

    return run


def choose(mask: Any, draw: Callable[[], float]) -> int:
    """Return the first legal action from a random place on: random and cheap, though not quite uniform."""
    marks = mask.tobytes()
    action = marks.find(1, int(draw() * len(marks)))
    return action if action >= 0 else marks.find(1)
