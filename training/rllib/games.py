"""Any game as RLlib's `MultiAgentEnv`: every seat is an agent, and one agent acts at a time."""

from typing import Any

from ray.rllib.env.multi_agent_env import MultiAgentEnv

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv

ByAgent = dict[str, Any]  # by agent


class GameEnv(MultiAgentEnv):
    """A game whose seats are RLlib's agents "player_0", …; an illegal action raises and leaves the game untouched.

    Observations are {"observation": [view], "action_mask": int8 [actions]}. Only the agent to act is observed until the
    game is over, when all agents that have acted are. A reward is told when it is given, in turn or not: RLlib adds it
    to what the agent did last. Configure it with `environment(GameEnv, …, disable_env_checking=True)`: RLlib's check
    tries an action at random, whatever the mask says.

    Args:
        config: RLlib's `env_config`: {"game": a name from `kozyr.envs.games()`, and fields of its variant}.

    Raises:
        ValueError: for an unknown game or field.
    """

    def __init__(self, config: ByAgent) -> None:
        super().__init__()
        options = dict(config)
        self.raw = RawEnv(envs.game(options.pop("game")), **options)
        self.agents = self.possible_agents = list(self.raw.possible_agents)
        self.observation_spaces: ByAgent = dict(self.raw.observation_spaces)
        self.action_spaces: ByAgent = dict(self.raw.action_spaces)
        self._acted: set[str] = set()

    def reset(self, *, seed: int | None = None, options: ByAgent | None = None) -> tuple[ByAgent, ByAgent]:
        """Deal a new game; options: {"starter": seat}."""
        self.raw.reset(seed, options)
        self._acted.clear()
        return self._observations([self.raw.agent_selection]), {}

    def step(self, action_dict: ByAgent) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Play the action of the agent to act.

        Raises:
            ValueError: if another agent acts, or more than one, or for an illegal action.
        """
        mover = self.raw.agent_selection
        if set(action_dict) != {mover}:
            raise ValueError(f"{mover} is to act, not {', '.join(sorted(action_dict)) or 'nobody'}")
        self._acted.add(mover)
        self.raw.step(int(action_dict[mover]))
        over, cut = any(self.raw.terminations.values()), any(self.raw.truncations.values())
        agents = sorted(self._acted) if over or cut else [self.raw.agent_selection]
        pay = self.raw.rewards.items()  # also 0 for the mover: RLlib asks for it where the same agent is next
        rewards = {agent: reward for agent, reward in pay if agent == mover or (reward and agent in self._acted)}
        if over or cut:
            rewards = {agent: self.raw.rewards[agent] for agent in agents}
        ended, cut_off = dict.fromkeys(agents, over), dict.fromkeys(agents, cut)
        return self._observations(agents), rewards, {**ended, "__all__": over}, {**cut_off, "__all__": cut}, {}

    def _observations(self, agents: list[str]) -> ByAgent:
        return {agent: self.raw.observe(agent) for agent in agents}
