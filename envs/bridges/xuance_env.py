"""Games as multi-agent environments of XuanCe: a name in its registry, for its configurations and vectors.

    from kozyr.envs.bridges import xuance_env

    xuance_env.register()
    envs = make_envs(Namespace(env_name="kozyr", env_id="durak", variant={"players": 3}, ...))

All seats act at each step, as in `kozyr.envs.make_parallel`: those that are not to move have one legal action, the
last, which is to wait. Needs the extra `[xuance]`.
"""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kozyr import envs
from kozyr.envs.core import install_hint
from kozyr.envs.environments.observations import FLOAT32

try:
    from xuance.environment import REGISTRY_MULTI_AGENT_ENV, RawMultiAgentEnv
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs XuanCe: {install_hint.command('xuance')}") from missing

NAME = "kozyr"  # of all games in XuanCe's registry


class XuanceEnv(RawMultiAgentEnv):
    """A game as XuanCe's environment; the mask of each seat is in `avail_actions`, its view is scaled to 0 … 1.

    The state that centralised critics see is what all seats know together: their views, one after the other.
    An illegal action ends the game, as in `make_parallel`; infos["infos"] of `step` says whose it was.

    Args:
        config: XuanCe's configuration. Of it are used `env_id`, a game's name; `env_seed`, which fixes all deals; and,
            where it has them, `variant`, a dictionary of options, and `render_mode`.

    Raises:
        ValueError: for an unknown game or an impossible variant.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        mode = getattr(config, "render_mode", None)
        options = getattr(config, "variant", {})
        self.env = envs.make_parallel(config.env_id, mode, observation=FLOAT32, **options)
        self.agents = self.env.possible_agents
        self.num_agents = len(self.agents)
        self.agent_groups = [self.agents]
        spaces_of: dict[str, Any] = self.env.observation_spaces
        self.observation_space = {name: its["observation"] for name, its in spaces_of.items()}
        self.action_space = dict(self.env.action_spaces)
        every = self.num_agents * self.env.game.size(self.env.variant)
        self.state_space = spaces.Box(0, 1, (every,), np.float32)
        self.max_episode_steps = self.env.game.bound(self.env.variant)
        self.metadata, self.render_mode = self.env.metadata, mode
        self._first_seed: int | None = config.env_seed

    def reset(self, **_: Any) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Deal a new game and return the views and infos; the first deal is that of the seed."""
        self._now, infos = self.env.reset(seed=self._first_seed)
        self._first_seed = None
        return self._views(), {"infos": infos}

    def step(self, action_dict: dict[str, Any]) -> tuple[Any, dict[str, float], dict[str, bool], bool, dict[str, Any]]:
        """Play the action of the seat to move; return views, rewards, terminations, whether it was cut, and infos."""
        self._now, rewards, terminations, truncations, infos = self.env.step(
            {name: int(action) for name, action in action_dict.items()}
        )
        return self._views(), rewards, terminations, any(truncations.values()), {"infos": infos}

    def avail_actions(self) -> dict[str, NDArray[np.bool_]]:
        """Return the legal actions of each seat; the last is to wait."""
        return {name: its["action_mask"].astype(bool) for name, its in self._now.items()}

    def state(self) -> NDArray[np.float32]:
        """Return the views of all seats in one vector."""
        return np.concatenate(list(self._views().values()))

    def render(self, *_: Any) -> Any:
        """Return the position as the configuration's `render_mode` says."""
        return self.env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.env.close()

    def _views(self) -> dict[str, NDArray[np.float32]]:
        return {name: its["observation"] for name, its in self._now.items()}


def register() -> None:
    """Let XuanCe's `make_envs` and runners know the games, by env_name="kozyr" and env_id, the game's name."""
    REGISTRY_MULTI_AGENT_ENV[NAME] = XuanceEnv
