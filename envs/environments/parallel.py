"""PettingZoo's parallel environment of any game: all seats act at each step, and there is an action to wait with."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.aec import Env
from kozyr.envs.environments.illegal import forfeited
from kozyr.envs.environments.observations import DICT, Form


class Parallel(ParallelEnv[str, Any, Any]):
    """A game as a parallel environment, for libraries that know no turns.

    The action behind the game's own is to wait. It is the only legal one of every seat that is not to move, and of all
    seats once the game is over, so that no mask is ever empty. An illegal action disqualifies, as in `env()`: the game
    ends for all, the seat that erred gets −1, the others share the win, and `infos[agent]["illegal_move"]` is 1. If
    several err, the first of those that wait is meant, or else the seat to move.

    Attributes:
        wait: the number of the action to wait with.
        agents: those in the game; [] before the first reset and once it is over, which it is for all on one step.

    Args:
        game: the game to play.
        render_mode: None, "human", "ansi", "svg" or "rgb_array", as for the AEC environment.
        render_seat: the seat whose knowledge is shown, or None to show all cards.
        observation: "dict", "float32", "flat" or "view", as `Form` explains; masks are int8 [actions + 1]. Where
            observations have no key for the mask, infos[agent]["action_mask"] tells it.
        **options: fields of the game's variant.

    Raises:
        ValueError: for unknown fields, impossible variants, render modes, seats or forms.
    """

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        render_seat: int | None = None,
        observation: str = DICT,
        **options: Any,
    ) -> None:
        self._table = Env(game, render_mode, render_seat, **options)
        self.game, self.variant, self.render_mode = game, self._table.variant, render_mode
        self.metadata = {**self._table.metadata, "is_parallelizable": True}
        self.possible_agents = self._table.possible_agents.copy()
        self.wait = game.actions(self.variant)
        self._form = Form(observation, game, self.variant, extra=1)
        actions = spaces.Discrete(self.wait + 1)
        self.observation_spaces = {name: self._form.space for name in self.possible_agents}  # noqa: C420 - typed so
        self.action_spaces = {name: actions for name in self.possible_agents}  # noqa: C420
        self.state_space = spaces.Box(0, 255, (game.layout(self.variant).itemsize,), np.uint8)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space, the same object for every agent and call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space, the same object for every agent and call; its last action is to wait."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a new game.

        Args:
            seed: fixes every chance event of the episode, 0 ≤ seed < 2⁶³, as in the AEC environment; None draws one.
            options: {"starter": seat} fixes who begins.

        Returns:
            Observations and infos by agent.

        Raises:
            ValueError: for a bad seed or a starter that is no seat.
        """
        self._table.reset(seed, options)
        self.agents = self.possible_agents.copy()
        return self._reports()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the action of the seat to move while the others wait.

        Args:
            actions: an action for each agent; one that waits may be left out.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            RuntimeError: before reset, and once the game is over.
            ValueError: if the seat to move has no action, or an action is no whole number; nothing has changed then.
        """
        table = self._table
        if not self.agents:
            raise RuntimeError(f"{self.game.id}: there is no game to act in: call reset() first")
        mover = table.agent_selection
        if mover not in actions:
            raise ValueError(f"{self.game.id}: {mover} is to move and has no action: give one for each agent")
        erring = [agent for agent, action in actions.items() if agent != mover and not self._waits(agent, action)]
        if erring:
            seat = min(map(self.possible_agents.index, erring))
            table.disqualify(self.possible_agents[seat], forfeited(len(self.possible_agents), seat))
        else:
            table.step(actions[mover])
        signals = table.rewards.copy(), table.terminations.copy(), table.truncations.copy()
        if signals[1][mover] or signals[2][mover]:  # as for all others
            self.agents = []
        observations, infos = self._reports()
        return observations, *signals, infos

    def observation_of(self, view: NDArray[Any], mask: NDArray[Any]) -> Any:
        """Return the observation of a seat to move, from its view and mask as an agent of a match gets them.

        So a policy that has learned in this environment, with its form of observations and its action to wait, can
        play in the arena.

        Args:
            view: [..., view] as the game writes it.
            mask: [..., actions] the game's own legal actions.
        """
        waits = np.zeros((*mask.shape[:-1], 1), np.int8)
        return self._form.show(view, np.concatenate([mask, waits], axis=-1, dtype=np.int8, casting="unsafe"))

    def state(self) -> NDArray[np.uint8]:
        """Return the whole state, hidden things too, as bytes: uint8 [bytes of the record]."""
        return self._table.state()

    def state_record(self) -> Any:
        """Return a copy of the state as a NumPy record with named fields."""
        return self._table.state_record()

    def render(self) -> Any:
        """Return the position as text, SVG or an image, or show it, as the AEC environment does."""
        return self._table.render()

    def close(self) -> None:
        """Close the window, if there is one; nothing else needs it."""
        self._table.close()

    def _waits(self, agent: str, action: Any) -> bool:
        """Return True if the action is to wait.

        Raises:
            ValueError: if it is no whole number, or there is no such agent.
        """
        argument_checks.choice("agent", agent, self.possible_agents)
        if not argument_checks.is_whole(action):
            raise ValueError(f"{self.game.id}: {agent} waits with action {self.wait}, not {quote(action)}")
        return int(action) == self.wait

    def _reports(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the observations and infos of all agents."""
        views, mask = self._table.knowledge()
        masks = np.zeros((len(views), self.wait + 1), np.int8)
        masks[:, self.wait] = 1
        if self.agents:
            mover = self.possible_agents.index(self._table.agent_selection)
            masks[mover, : self.wait], masks[mover, self.wait] = mask, 0
        rows = self._form.show(views, masks)
        infos = {name: info.copy() for name, info in self._table.infos.items()}
        if self._form.in_infos:
            for name, its in zip(self.possible_agents, masks, strict=True):
                infos[name]["action_mask"] = its
            return dict(zip(self.possible_agents, rows, strict=True)), infos
        pairs = zip(rows["observation"], rows["action_mask"], strict=True)
        each = [{"observation": view, "action_mask": its} for view, its in pairs]
        return dict(zip(self.possible_agents, each, strict=True)), infos
