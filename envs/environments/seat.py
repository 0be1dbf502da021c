"""One seat of a game as a `gymnasium.Env`; the others are played inside."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from kozyr.envs.core.capabilities import infos
from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import OnIllegal, settle
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.observations import VIEW, Form
from kozyr.envs.environments.render import HUMAN, RENDER_MODES, Window, rendered
from kozyr.envs.environments.threads import Exclusive, exclusive
from kozyr.envs.loops.single_table import RUNNING, TERMINATED, TRUNCATED


class SeatEnv(Exclusive, gymnasium.Env[Any, np.int64]):
    """One learner among opponents; `action_masks()` tells what is legal, as sb3-contrib expects.

    The observation is the seat's view [view], or the view and its mask in another form; info holds
    {"action_mask": int8 [actions], "seat", "illegal_move"}.
    The reward of a step counts everything up to the seat's next decision or the end of the game. An illegal
    action ends the episode with reward −1 and info["illegal_move"] = 1.

    Args:
        game: the game to play.
        opponents: a player, a {player: weight} mixture drawn per episode, or a list of either, clockwise.
        seat: the learner's seat, or None to draw it for each episode.
        render_mode: None, "human" (a window that shows every decision, with pygame), "ansi", "svg" or "rgb_array";
            every mode shows only what the seat knows.
        observation: "view", "dict", "float32" or "flat", as `Form` explains; the infos tell the mask with each.
        **options: fields of the game's variant.

    Raises:
        ValueError: for unknown fields, impossible variants, render modes, seats, opponents or forms.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: Game,
        opponents: Any,
        seat: int | None = None,
        render_mode: str | None = None,
        observation: str = VIEW,
        **options: Any,
    ) -> None:
        self.game, self.variant = game, game.make_variant(**options)
        self.render_mode = argument_checks.choice("render_mode", render_mode, [None, *RENDER_MODES])
        mixtures = opponents_for(game.seats(self.variant), opponents)
        self._table = LearnerTables(game, self.variant, 1, mixtures, seat, again=False)
        self._form = Form(observation, game, self.variant)
        self.observation_space, self.action_space = self._form.space, Discrete(game.actions(self.variant))
        self._dealt = self._playing = False
        self._extra_infos = infos(self.variant)
        self._window = Window(game.title)

    @exclusive
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game and play up to the seat's first decision.

        Args:
            seed: fixes the deal (the same as the AEC environment's) and all random choices.
            options: {"starter": seat}.
        """
        starter = argument_checks.starter(options, self.game.seats(self.variant))
        seed = None if seed is None else argument_checks.seed(seed)
        super().reset(seed=seed)
        number = int(self.np_random.integers(2**63)) if seed is None else seed
        self._table.reset(number, deal=number, starter=starter)
        self._dealt = self._playing = True
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one action and go on to the seat's next decision.

        Raises:
            RuntimeError: before reset, after the end of the episode, or if another thread is at it.
            ValueError: if the action is no whole number.
        """
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            return self._step(action)
        finally:
            self.in_use = False

    def _step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self._playing:
            raise RuntimeError(f"{self.game.id}: there is no game to act in: call reset() first")
        table, seat = self._table, int(self._table.seats[0])
        ruling = settle(OnIllegal.DISQUALIFY, self.game, self.variant, table.states[0], action, table.masks[0], seat)
        if isinstance(ruling, list):
            self._playing = False
            return self._observation(), ruling[seat], True, False, {**self._info(), "illegal_move": 1}
        table.step(np.array([ruling], np.int64))
        end = int(table.ends[0])
        self._playing = end == RUNNING
        self._show()
        return (
            self._observation(end != RUNNING),
            float(table.rewards[0]),
            end == TERMINATED,
            end == TRUNCATED,
            self._info(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions: bool [actions], all False once the episode is over."""
        return self._table.masks[0].astype(bool) & self._playing

    def observation_of(self, view: NDArray[Any], mask: NDArray[Any]) -> Any:
        """Return the observation of a seat to move, from its view and mask as an agent of a match gets them.

        So a policy that has learned in this environment, with its form of observations, can play in the arena.

        Args:
            view: [..., view] as the game writes it; mask: [..., actions] its legal actions.
        """
        return self._form.show(view, mask.astype(np.int8))

    def _observation(self, over: bool = False) -> Any:
        """Return the observation, with the mask that `_info` tells; the last one if the game is over."""
        table = self._table
        view = table.finals[0] if over else table.views[0]
        return self._form.show(view, self._mask())

    def _mask(self) -> NDArray[np.int8]:
        """Return the legal actions as a new array, zeros once the episode is over."""
        return self._table.masks[0] * np.int8(self._playing)

    def _info(self) -> dict[str, Any]:
        seat = int(self._table.seats[0])
        extra = {field: self._table.states[0][field][seat].item() for field in self._extra_infos}
        return {"action_mask": self._mask(), "seat": seat, "illegal_move": 0, **extra}

    def render(self) -> Any:
        """Return the position as the seat knows it, or show it in the window, as `render_mode` says.

        Raises:
            RuntimeError: before reset, and for "human" on a machine without a screen.
            ImportError: for "human" without pygame.
        """
        if not self._dealt:
            raise RuntimeError(f"{self.game.id}: there is no game to show: call reset() first")
        self._show()
        return rendered(self.render_mode, self.game, self.variant, self._table.states[0], int(self._table.seats[0]))

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def _show(self) -> None:
        """Show the position if the mode is "human"."""
        if self.render_mode == HUMAN:
            self._window.show(self._repr_svg_(), self.metadata["render_fps"])

    def _repr_svg_(self) -> str:
        return self.game.draw(self.variant, self._table.states[0], int(self._table.seats[0]))
