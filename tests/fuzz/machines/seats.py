"""One seat of a game as a `gymnasium.Env`."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from kozyr import agents, envs
from kozyr.envs.core.capabilities import stand_in
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


class Seat(Machine):
    """One learner among opponents."""

    @initialize(game=GAMES, number=st.integers(0, VARIANTS), seat=st.integers(-1, 5), mode=st.integers(0, 3))
    def begin(self, game: str, number: int, seat: int, mode: int) -> None:
        """Make the environment and its twin, not reset."""
        self.note("begin", {"game": game, "number": number, "seat": seat, "mode": mode})
        self.choose(game, number)
        ladder, seats = agents.names(game), self.game.seats(self.v)
        where, mine = None if seat < 0 else seat % seats, ladder[number % len(ladder)]
        self.mode = _MODES[mode]
        self.env = envs.make_seat(game, mine, where, self.mode, **self.options)
        self.twin = envs.make_seat(game, mine, where, None, **self.options)
        self.playing, self.dealt, self.ready = False, False, True
        self.last: list[Any] = [None, None]

    @step(seed=NUMBERS, starter=NUMBERS)
    def reset(self, seed: int, starter: int) -> None:
        """Deal a new game."""
        options = [None, {}, {"starter": starter % self.game.seats(self.v)}, {"colour": 1}][starter % 4]
        self.last = [_plain(env.reset(seed=pick(SEEDS, seed), options=options)) for env in (self.env, self.twin)]
        self.playing = self.dealt = True

    @step(number=NUMBERS)
    def reset_badly(self, number: int) -> None:
        """Ask for a seed or a starter that there is not."""
        wrong = [{"seed": seed} for seed in BAD_SEEDS]
        wrong += [{"options": {"starter": seat}} for seat in BAD_SEATS if seat is not None]
        self.refused(lambda: self.env.reset(**pick(wrong, number)))

    @step(number=NUMBERS)
    def play(self, number: int) -> None:
        """Play a legal action."""
        if not self.playing:
            self.refused(lambda: self.env.step(0), RuntimeError)
            return
        action = legal(self.env.action_masks(), number)
        self._both(pick(KINDS, number)(action), action)

    def _both(self, action: Any, other: Any) -> None:
        given = self.env.step(action)
        self.last = [_plain(given), _plain(self.twin.step(other))]
        given[0][...] = 3
        given[4]["action_mask"][...] = 3
        self.playing = not (given[2] or given[3])

    @step(number=NUMBERS)
    def play_more(self, number: int) -> None:
        """Play some legal actions."""
        for i in range(number % 20):
            if self.playing:
                self.play.__wrapped__(self, number=number + 7 * i)

    @step(number=NUMBERS)
    def play_no_number(self, number: int) -> None:
        """Play what is no whole number."""
        self.refused(lambda: self.env.step(pick(NO_NUMBERS, number)), ValueError if self.playing else RuntimeError)

    @step(number=NUMBERS)
    def play_illegal(self, number: int) -> None:
        """Play a whole number that is not legal: it ends the episode."""
        action = pick(WHOLE, number)
        if not self.playing:
            self.refused(lambda: self.env.step(action), RuntimeError)
            return
        if number % 2 and not self.env.action_masks().all():
            action = int(np.flatnonzero(~self.env.action_masks())[0])
        self._both(action, action)
        require(stand_in(self.v) is not None or not self.playing, f"{action!r} does not end the episode")

    @step(number=NUMBERS)
    def look(self, number: int) -> None:
        """Look at the position."""
        if not self.dealt:
            self.refused(self.env.render, RuntimeError)
            return
        self.env.render()
        masks = self.env.action_masks()
        require(masks.any() == self.playing, "there are legal actions once the episode is over, or none before")
        masks[...] = True
        str(self.env)

    @step(number=NUMBERS)
    def make_badly(self, number: int) -> None:
        """Ask for an environment that there is not."""
        wrong: list[dict[str, Any]] = [
            *({"opponents": one} for one in ("nobody", "low@3", {}, [], {"random": -1.0}, {"random": 0})),
            *({"seat": one} for one in BAD_SEATS if one is not None),
            *({"render_mode": one} for one in ("cinema", 3, "", b"ansi", ["ansi"], np.array([1, 2]))),
            {"nothing": 3},
        ]
        self.refused(lambda: envs.make_seat(self.game.name, **pick(wrong, number)))

    @step(how=NUMBERS)
    def clone(self, how: int) -> None:
        """Go on with a copy."""
        self.cloned(how)

    @step()
    def close(self) -> None:
        """Close, which ends nothing but a window."""
        self.env.close()

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of an environment, and what its last call has told."""
        it = env._table
        arrays = {
            name: getattr(it, name).tobytes() for name in ("views", "masks", "rewards", "ends", "finals", "seats")
        }
        told = self.last[0] if env is self.env else self.last[1]
        return {"states": content(it.states), **arrays, "legal": env.action_masks().tobytes(), "told": told}

    def states(self, env: Any) -> Any:
        """Return the state."""
        return list(env._table.states) if self.dealt else []


def _plain(told: Any) -> Any:
    """Return what an environment has told as values that compare."""
    if isinstance(told, dict):
        return {key: _plain(value) for key, value in told.items()}
    if isinstance(told, (tuple, list)):
        return [_plain(value) for value in told]
    return (told.shape, str(told.dtype), told.tobytes()) if isinstance(told, np.ndarray) else told
