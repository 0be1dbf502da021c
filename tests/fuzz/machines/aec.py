"""AEC environments: `env()`, which disqualifies, and `raw_env`, which raises."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from kozyr.envs.core.capabilities import stand_in
from kozyr.envs.environments.aec import Env, RawEnv
from tests.contract.table import content
from tests.fuzz.errors import require
from tests.fuzz.machines.base import (
    BAD_SEATS,
    BAD_SEEDS,
    GAMES,
    KINDS,
    NO_NUMBERS,
    NUMBERS,
    SEEDS,
    VARIANTS,
    WHOLE,
    Machine,
    legal,
    pick,
    step,
)

_MODES = [None, "ansi", "svg", "rgb_array"]
_UNKNOWN = ["player_99", "", None, 0, "Player_0", b"player_0", ("player_0",)]
_BAD_OPTIONS: list[Any] = [{"starter": seat} for seat in BAD_SEATS if seat is not None]


class Aec(Machine):
    """An AEC environment."""

    @initialize(game=GAMES, number=st.integers(0, VARIANTS), raw=st.booleans(), mode=st.integers(0, 3))
    def begin(self, game: str, number: int, raw: bool, mode: int) -> None:
        """Make the environment and its twin, not reset."""
        self.note("begin", {"game": game, "number": number, "raw": raw, "mode": mode})
        self.choose(game, number)
        self.raw, self.mode, face = raw, _MODES[mode], RawEnv if raw else Env
        self.env = face(self.game, self.mode, **self.options)
        self.twin = face(self.game, None, **self.options)
        self.dealt, self.ready = False, True

    @property
    def over(self) -> bool:
        """Whether the game is over but agents are still there."""
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    @step(seed=NUMBERS, starter=NUMBERS)
    def reset(self, seed: int, starter: int) -> None:
        """Deal a new game."""
        seats = len(self.env.possible_agents)
        options = [None, {}, {"starter": starter % seats}, {"colour": 1}, {"starter": None}][starter % 5]
        for env in (self.env, self.twin):
            env.reset(seed=pick(SEEDS, seed), options=options)
        self.dealt = True

    @step(seed=NUMBERS)
    def reset_with_bad_seed(self, seed: int) -> None:
        """Ask for a seed that there is not."""
        self.refused(lambda: self.env.reset(seed=pick(BAD_SEEDS, seed)))

    @step(options=NUMBERS)
    def reset_with_bad_options(self, options: int) -> None:
        """Ask for a starter that there is not."""
        self.refused(lambda: self.env.reset(seed=1, options=pick(_BAD_OPTIONS, options)))

    @step(number=NUMBERS)
    def play(self, number: int) -> None:
        """Play a legal action, or what else is due."""
        if not self.dealt or not self.env.agents:
            for env in (self.env, self.twin):
                self.refused(lambda env=env: env.step(0), RuntimeError)
        elif self.over:
            for env in (self.env, self.twin):
                env.step(None)
        else:
            action = legal(self.env.last()[0]["action_mask"], number)
            self.env.step(pick(KINDS, number)(action))
            self.twin.step(action)

    @step(number=NUMBERS)
    def play_more(self, number: int) -> None:
        """Play some legal actions."""
        for i in range(number % 30):
            self.play.__wrapped__(self, number=number + 7 * i)

    @step(number=NUMBERS)
    def play_no_number(self, number: int) -> None:
        """Play what is no whole number."""
        wrong = (ValueError,) if self.dealt and self.env.agents else (RuntimeError,)
        self.refused(lambda: self.env.step(pick(NO_NUMBERS, number)), *wrong)

    @step(number=NUMBERS)
    def play_illegal(self, number: int) -> None:
        """Play a whole number that is not legal."""
        if not self.dealt or not self.env.agents or self.over:
            wrong = (ValueError,) if self.dealt and self.env.agents else (RuntimeError,)
            self.refused(lambda: self.env.step(pick(WHOLE, number)), *wrong)
            return
        mask = self.env.last()[0]["action_mask"]
        others = np.flatnonzero(mask == 0).tolist()
        action = others[number % len(others)] if number % 2 and others else pick(WHOLE, number)
        if stand_in(self.v) is None and self.raw:
            self.refused(lambda: self.env.step(action))
            return
        outcomes = [_tried(env, action) for env in (self.env, self.twin)]
        require(outcomes[0] == outcomes[1], f"{action!r} does {outcomes[0]} and, to the twin, {outcomes[1]}")

    @step()
    def play_none(self) -> None:
        """Play None, which only those may whose game is over."""
        if not self.dealt or not self.env.agents:
            self.refused(lambda: self.env.step(None), RuntimeError)
        elif not self.over:
            self.refused(lambda: self.env.step(None))

    @step(number=NUMBERS, look=NUMBERS)
    def look(self, number: int, look: int) -> None:
        """Look at something."""
        env, names = self.env, self.env.possible_agents
        name = names[number % len(names)]
        looks = [
            lambda: env.observe(name),
            lambda: env.last(),
            lambda: env.last(observe=False),
            env.render,
        ]
        if self.dealt:
            seen = looks[look % 4]() if env.agents or look % 4 in (0, 3) else None
            _spoil(seen)
            _ = env.state(), env.state_record(), env.observation_space(name), env.action_space(name), str(env)
        elif look % 4 == 3 and self.mode is None:
            return
        else:
            self.refused(looks[look % 4], RuntimeError, AttributeError, hint="reset()")

    @step(number=NUMBERS)
    def look_at_nobody(self, number: int) -> None:
        """Look at what an agent sees that there is not."""
        name = pick(_UNKNOWN, number)
        self.refused(lambda: self.env.observe(name), KeyError, ValueError, RuntimeError, hint=str(name))

    @step(how=NUMBERS)
    def clone(self, how: int) -> None:
        """Go on with a copy."""
        self.cloned(how)

    @step()
    def close(self) -> None:
        """Close, which ends nothing but a window."""
        self.env.close()

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of an environment."""
        if not self.dealt:
            return {"agents": list(env.agents)}
        names = env.possible_agents
        dicts = ("rewards", "_cumulative_rewards", "terminations", "truncations")
        seen = {name: env.observe(name) for name in names}
        return {
            "state": content(env.state_record()),
            "agents": list(env.agents),
            "turn": env.agent_selection,
            **{name: dict(getattr(env, name)) for name in dicts},
            "infos": {name: dict(env.infos.get(name, {})) for name in names},
            "views": {name: one["observation"].tobytes() for name, one in seen.items()},
            "masks": {name: one["action_mask"].tobytes() for name, one in seen.items()},
        }

    def states(self, env: Any) -> Any:
        """Return the state."""
        if not self.dealt:
            return []
        turn, masks = env.agent_selection, {name: env.observe(name)["action_mask"] for name in env.possible_agents}
        may = [name for name, mask in masks.items() if mask.any()]
        require(may == ([] if self.over or not env.agents else [turn]), f"{may} may act, it is the turn of {turn}")
        return [env.state_record()]


def _tried(env: Any, action: Any) -> str:
    """Play an action and return what has come of it."""
    try:
        env.step(action)
    except ValueError:
        return "a refusal"
    return "a step"


def _spoil(seen: Any) -> None:
    """Write into what was looked at: it is the looker's."""
    if isinstance(seen, tuple):
        seen = seen[0]
    if isinstance(seen, dict):
        for array in seen.values():
            array[...] = 3
