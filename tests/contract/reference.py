"""Reference of a learner at a table: a plain loop around the AEC environment.

This loop stands apart from `envs.environments.external_players` and `envs.loops.episodes` on purpose: they are compared
with it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.core.rng import below, bits, generators, spread, unit
from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.loops import tables


class Moment(NamedTuple):
    """What a step returned: the learner's next decision, and how its last episode ended, if it did."""

    seat: int
    view: Any
    mask: Any
    reward: float
    terminated: bool
    truncated: bool
    final: Any


class Told:
    """One table of a vector environment; luck is used in the documented order: seat, opponents, their actions."""

    def __init__(self, game: Any, v: Any, seed: int, row: int, seat: int | None, weights: dict[Any, float]) -> None:
        self.env = RawEnv(game, **game.options(v))
        self.v, self.seat, self.weights = v, seat, weights
        self.deals = generators(spread(seed, 0), row + 1)[row:]
        self.rngs = generators(spread(seed, 1), row + 1)[row:]

    def play(self, learner: Any) -> Iterator[Moment]:
        """Give the result of every step of the learner, episode after episode, after the first view."""
        reward, terminated, truncated, final = 0.0, False, False, None
        while True:
            acted = False
            self.begin()
            while not self.over():
                if self.env.agent_selection == self.me:
                    observation = self.env.observe(self.me)
                    view, mask = observation["observation"], observation["action_mask"]
                    yield Moment(int(self.me[7:]), view, mask, reward, terminated, truncated, final)
                    reward, terminated, truncated, final, acted = 0.0, False, False, None, True
                    self.env.step(learner.act(view, mask))
                else:
                    self.env.step(self.answer())
            if acted:
                reward, final = self.env.rewards[self.me], self.env.observe(self.me)["observation"]
                terminated, truncated = self.env.terminations[self.me], self.env.truncations[self.me]

    def over(self) -> bool:
        return self.env.terminations[self.me] or self.env.truncations[self.me]

    def begin(self) -> None:
        """Seat everybody and deal."""
        names, g = self.env.possible_agents, self.rngs[0]
        me = int(below(g, len(names))) if self.seat is None else self.seat
        self.me, self.players = names[me], {}
        for step in range(1, len(names)):
            self.players[names[(me + step) % len(names)]] = self.drawn(float(unit(g)))
        self.env.reset(seed=int(bits(self.deals[0])) >> 1)

    def drawn(self, chance: float) -> Any:
        """Return the opponent on whom a number from 0 to 1 falls."""
        edges = np.cumsum(list(self.weights.values())) / sum(self.weights.values())
        return list(self.weights)[int(np.searchsorted(edges, chance, side="right"))]

    def answer(self) -> int:
        """Return the action of the opponent to move."""
        observation, player = self.env.observe(self.env.agent_selection), self.players[self.env.agent_selection]
        if hasattr(player, "level"):
            action = np.zeros(1, np.int64)
            view, mask = observation["observation"][None], observation["action_mask"][None]
            tables.choose_batch(self.v, player.level, view, mask, self.rngs, action)
            return int(action[0])
        return player.act(observation["observation"], observation["action_mask"])
