"""PettingZoo's AEC environment of any game: one flat class, one compiled call a step."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from kozyr.envs.core.capabilities import infos
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import OnIllegal, settle
from kozyr.envs.environments.observations import DICT, Form
from kozyr.envs.environments.render import HUMAN, RENDER_MODES, Window, rendered
from kozyr.envs.environments.threads import Exclusive
from kozyr.envs.loops.bound_calls import Calls
from kozyr.envs.loops.tables import ILLEGAL, look_all

_FAR = 2**63  # compiled code knows no such number
_SEEDS = 128  # drawn at a time


class RawEnv(Exclusive, AECEnv[str, Any, Any]):
    """A game as an AEC environment that raises on illegal actions and leaves the game untouched.

    Args:
        game: the game to play.
        render_mode: None, "human" (a window that shows every step, with pygame), "ansi" (text), "svg" (a string) or
            "rgb_array" (uint8 [H, W, 3]).
        render_seat: the seat whose knowledge is shown in all modes, or None to show all cards.
        observation: "dict", "float32", "flat" or "view", as `Form` explains; where observations have no key for the
            mask, infos[agent]["action_mask"] tells it.
        **options: fields of the game's variant.

    Raises:
        ValueError: for unknown fields, impossible variants, render modes, seats or forms.
    """

    on_illegal = OnIllegal.RAISE

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        render_seat: int | None = None,
        observation: str = DICT,
        **options: Any,
    ) -> None:
        self.game, self.variant = game, game.make_variant(**options)
        self.render_mode = argument_checks.choice("render_mode", render_mode, [None, *RENDER_MODES])
        self.metadata = {
            "name": game.id,
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        seats = game.seats(self.variant)
        self.render_seat = None if render_seat is None else argument_checks.seat("render_seat", render_seat, seats)
        self.possible_agents = [f"player_{k}" for k in range(seats)]
        form = Form(observation, game, self.variant)
        self._form = None if observation == DICT else form  # the usual one has a way of its own, which is faster
        self._masks_in_infos = form.in_infos
        self._does_more = form.in_infos or self.render_mode == HUMAN  # after a step
        actions = spaces.Discrete(game.actions(self.variant))
        self.observation_spaces = {name: form.space for name in self.possible_agents}  # noqa: C420 - typed so
        self.action_spaces = {name: actions for name in self.possible_agents}  # noqa: C420
        self._states = np.zeros(1, game.layout(self.variant))
        self._view = np.zeros(game.size(self.variant), game.view_dtype)
        self._mask = np.zeros(game.actions(self.variant), np.int8)
        self._look_in()
        self._fresh = fresh(self.possible_agents, {field: now for _, field, now in self._extra_infos}, len(self._mask))
        self._seeds = Seeds()
        self._window = Window(game.title)
        self._mover: str | None = None  # the agent to move, "" when the game is over, None before the first deal
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space, the same object for every agent and call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space, the same object for every agent and call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: fixes every chance event of the episode, 0 ≤ seed < 2⁶³; None draws one.
            options: {"starter": seat} fixes who begins; the deal for a seed stays the same.

        Raises:
            ValueError: for a negative seed, an unknown option or a starter that is no seat.
        """
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            starter = argument_checks.starter(options, len(self.possible_agents)) if options else -1
            if seed is not None:
                seed = argument_checks.seed(seed)
                self._seeds.begin(seed)
            else:
                seed = self._seeds.next()
            turn = self._calls.deal_one(seed, starter)
            fresh = self._fresh
            self.agents = self.possible_agents.copy()
            self.rewards, self._cumulative_rewards = fresh.nothing.copy(), fresh.nothing.copy()
            self.terminations, self.truncations = fresh.neither.copy(), fresh.neither.copy()
            self.infos = {name: info.copy() for name, info in fresh.infos.items()}
            if self._extra_infos:
                self._info_bytes = fresh.info_bytes.copy()
                self._tell()
            self.agent_selection = self._mover = self.possible_agents[turn]
            if self._masks_in_infos:
                self._tell_masks()
            if self.render_mode == HUMAN:
                self.render()
        finally:
            self.in_use = False

    def observe(self, agent: str) -> Any:
        """Return {"observation": [view], "action_mask": [actions]}: what `agent` knows; the mask is 0 out of turn.

        With another form of observations it is the same in that form.

        Raises:
            ValueError: for an agent that there is not.
        """
        if self._mover and agent == self._mover:  # _view and _mask are its own already
            if self._form is not None:
                return self._form.show(self._view, self._mask)
            return {"observation": self._view.copy(), "action_mask": self._mask.copy()}
        if self._mover is None:
            self._require_reset()
        seat = self.possible_agents.index(argument_checks.choice("agent", agent, self.possible_agents))
        view = self._view.copy()
        self._calls.look(seat, view)
        if self._form is not None:
            return self._form.show(view, self._fresh.mask)
        return {"observation": view, "action_mask": self._fresh.mask.copy()}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last action, termination, truncation and info of the agent to act."""
        if not self.agents:
            self._require_reset()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Play the action of the agent to act.

        Args:
            action: a legal action, or None for an agent whose game has ended.

        Raises:
            RuntimeError: before the first reset, after the last agent has left, or if another thread is at it.
            ValueError: for an action that is no whole number, out of range or illegal; nothing has changed then.
        """
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            if not self.agents:
                self._require_reset()
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(argument_checks.none(action, agent))
                return
            turn = ILLEGAL
            if type(action) is int and 0 <= action < _FAR:
                turn = self._calls.step_one(action)
            if turn == ILLEGAL:
                ruling = settle(self.on_illegal, self.game, self.variant, self._s, action, self._mask)
                if isinstance(ruling, list):
                    self.disqualify(agent, ruling)
                    return
                turn = self._calls.step_one(ruling)
            self._cumulative_rewards[agent] = 0.0
            if self._extra_infos:
                self._tell()
            if turn == OVER:
                self._end(self._payoff.tolist(), bool(self._cut.item()))
            else:
                self.agent_selection = self._mover = self.possible_agents[turn]
            if self._does_more:
                self._finish_step()
        finally:
            self.in_use = False

    def _finish_step(self) -> None:
        """Tell the masks and draw, if that was asked for."""
        if self._masks_in_infos:
            self._tell_masks()
        if self.render_mode == HUMAN:
            self.render()

    def knowledge(self) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return the views of all seats [seats, view] and the acting one's legal actions [actions], in new arrays.

        No action is legal once the game is over.
        """
        views = np.empty((1, len(self.possible_agents), len(self._view)), self._view.dtype)
        look_all(self.variant, self._states, views)
        return views[0], (self._mask if self._mover else self._fresh.mask).copy()

    def state(self) -> NDArray[np.uint8]:
        """Return the whole state, hidden things too, as bytes: uint8 [bytes of the record]."""
        return self._states.view(np.uint8).reshape(-1).copy()

    def state_record(self) -> Any:
        """Return a copy of the state as a NumPy record with named fields."""
        return self._states.copy()[0]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the position as text, SVG or an image, or show it in the window, as `render_mode` says.

        Everything is shown, hidden cards too, or with `render_seat` what that seat knows. In the mode "human" every
        reset and step does this, at `metadata["render_fps"]` drawings a second.

        Raises:
            RuntimeError: before reset, and for "human" on a machine without a screen.
            ImportError: for "human" without pygame.
        """
        if self._mover is None:
            self._require_reset()
        if self.render_mode == HUMAN:
            self._window.show(self._repr_svg_(), self.metadata["render_fps"])
        return rendered(self.render_mode, self.game, self.variant, self._s, self.render_seat)

    def _repr_svg_(self) -> str:
        return self.game.draw(self.variant, self._s, self.render_seat)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._look_in()  # copies of the record would no longer be the table's

    def close(self) -> None:
        """Close the window, if there is one; nothing else needs it."""
        self._window.close()

    @property
    def _s(self) -> Any:
        return self._states[0]

    def _look_in(self) -> None:
        """Keep at hand what is often read of the state: an attribute of a record takes two microseconds."""
        self._calls = Calls(self.variant, self._states, self._view, self._mask)
        self._payoff: Any = self._states["payoff"][0][: len(self.possible_agents)]
        self._cut: Any = self._states["truncated"]
        self._extra_infos: list[tuple[int, str, Any]] = [
            (i, field, self._states[field][0][: len(self.possible_agents)])
            for i, field in enumerate(infos(self.variant))
        ]

    def disqualify(self, agent: str, payoffs: list[float]) -> None:
        """End the game with an illegal action.

        Args:
            agent: the agent that erred; payoffs: the rewards of all.
        """
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent]["illegal_move"] = 1
        self._end(payoffs, False)
        if self._masks_in_infos:
            self._tell_masks()

    def _end(self, payoffs: list[float], truncated: bool) -> None:
        """Give every agent its final reward and end the episode for all on this step."""
        self._mover = ""
        self.rewards = dict(zip(self.possible_agents, payoffs))  # noqa: B905 - as in `_tell`
        self._cumulative_rewards = self.rewards.copy()  # there were no others in this episode
        if truncated:
            self.truncations = self._fresh.every.copy()
        else:
            self.terminations = self._fresh.every.copy()

    def _tell(self) -> None:
        """Write what the game tells of every seat into the infos, where that has changed."""
        for i, field, values in self._extra_infos:
            if (now := values.tobytes()) != self._info_bytes[i]:
                self._info_bytes[i] = now
                for info, value in zip(self.infos.values(), values.tolist()):  # noqa: B905 - a check takes a third more
                    info[field] = value

    def _tell_masks(self) -> None:
        """Write every agent's mask into its infos: zeros but for the agent to act."""
        for name, info in self.infos.items():
            info["action_mask"] = (self._mask if name == self._mover else self._fresh.mask).copy()

    def _require_reset(self) -> None:
        if not self.agents:
            raise RuntimeError(f"{self.game.id}: there is no game to act in: call reset() first")


class Env(RawEnv):
    """The same with the ecosystem's manners: an illegal action disqualifies instead of raising.

    The game ends for all: the mover gets the worst return of the game, −1, the others share the win, and
    `infos[agent]["illegal_move"]` is 1. Actions that are no whole number at all raise as in `RawEnv`.
    """

    on_illegal = OnIllegal.DISQUALIFY


class Seeds:
    """The seeds of the episodes of one environment."""

    def __init__(self) -> None:
        self._rng: np.random.Generator | None = None
        self._queue: list[int] = []  # and not yet used, the next one last

    def begin(self, seed: int) -> None:
        """Let a seed fix all the seeds that follow."""
        self._rng, _ = seeding.np_random(seed)
        self._queue.clear()

    def next(self) -> int:
        """Return the seed of the next episode; they are drawn some at a time, which changes none."""
        if not self._queue:
            if self._rng is None:
                self._rng, _ = seeding.np_random()
            self._queue = self._rng.integers(2**63, size=_SEEDS).tolist()[::-1]
        return self._queue.pop()


@dataclass(slots=True)
class Fresh:
    """Dictionaries by agent and a mask: an episode takes copies, which are made sooner than new ones.

    Attributes:
        nothing: 0.0 for every agent.
        neither: False for every agent.
        every: True for every agent.
        infos: {"illegal_move": 0} and zeros for the fields of the state that infos show.
        info_bytes: a copy of the bytes of each of those fields.
        mask: int8 [actions] what a seat may do that is not to move.
    """

    nothing: dict[str, float]
    neither: dict[str, bool]
    every: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    info_bytes: list[bytes]
    mask: NDArray[np.int8]


def fresh(agents: list[str], extra: dict[str, NDArray[Any]], actions: int) -> Fresh:
    """Return the dictionaries and the mask that episodes begin with.

    Args:
        agents: their names.
        extra: fields of the state and their values, one for each seat; the first deal is still to come.
        actions: how many there are.
    """
    info = {"illegal_move": 0, **{field: values.tolist()[0] for field, values in extra.items()}}
    return Fresh(
        dict.fromkeys(agents, 0.0),
        dict.fromkeys(agents, False),
        dict.fromkeys(agents, True),
        dict.fromkeys(agents, info),
        [values.tobytes() for values in extra.values()],
        np.zeros(actions, np.int8),
    )
