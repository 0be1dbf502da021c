"""Environments of many tables: `make_vec`, `make_seats` and `make_tables`."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from kozyr import agents, envs
from tests.contract.table import content
from tests.fuzz.machines.base import (
    BAD_SEATS,
    BAD_SEEDS,
    GAMES,
    NUMBERS,
    SEEDS,
    VARIANTS,
    Machine,
    legal,
    pick,
    step,
)

_BAD_STEPS: list[Any] = [
    *(None, 0, "actions", [], [[0]], object(), {}, float("nan"), np.array(0), True),
    *(np.zeros((2, 2), np.int64), np.zeros(0, np.int64), np.zeros(50, np.int64)),
]
_BAD_ROWS: list[Any] = [0.0, "0", None, 1j, [0], True, np.datetime64("2020-01-01"), object(), 2**70]


class First:
    """An agent from outside: it takes the first legal action."""

    def reset(self, seat: int, seed: int) -> None:
        """Do nothing."""

    def act(self, view: Any, mask: Any) -> int:
        """Return the first legal action."""
        return int(np.asarray(mask).argmax())

    def act_batch(self, views: Any, masks: Any) -> Any:
        """Return the first legal actions."""
        return np.asarray(masks).argmax(1)


class Many(Machine):
    """What the two have in common: arrays of many tables."""

    @property
    def masks(self) -> Any:
        """The masks of all tables, to be read."""
        raise NotImplementedError

    def stepped(self, env: Any, actions: Any) -> Any:
        """Step an environment, and keep what it has told."""
        return env.step(actions)

    @step(number=NUMBERS)
    def play(self, number: int) -> None:
        """Play a legal action at every table."""
        actions = [legal(mask, number + 31 * i) for i, mask in enumerate(self.masks)]
        given: Any = (list(actions), np.array(actions, np.int32), np.array(actions, np.int64), tuple(actions))[
            number % 4
        ]
        self.last = [_plain(self.stepped(self.env, given)), _plain(self.stepped(self.twin, np.array(actions)))]

    @step(number=NUMBERS)
    def play_more(self, number: int) -> None:
        """Play some legal actions."""
        for i in range(number % 20):
            self.play.__wrapped__(self, number=number + 7 * i)

    @step(number=NUMBERS)
    def play_nonsense(self, number: int) -> None:
        """Play what are no actions at all."""
        given = pick(_BAD_STEPS, number)
        if np.shape(given) == (len(self.masks),):
            return
        self.refused(lambda: self.env.step(given))

    @step(number=NUMBERS)
    def play_a_wrong_type(self, number: int) -> None:
        """Play legal actions but for one, which is no whole number."""
        actions: list[Any] = [legal(mask, number) for mask in self.masks]
        actions[number % len(actions)] = pick(_BAD_ROWS, number)
        if len(actions) == 1 and actions[0] is True:
            actions = [np.True_]
        elif any(one is True for one in actions):  # NumPy takes it for 1 among whole numbers
            return
        self.refused(lambda: self.env.step(actions))

    @step(number=NUMBERS, wrong=st.sampled_from([-1, -(2**40), 2**31, 10**6, None]))
    def play_illegal(self, number: int, wrong: int | None) -> None:
        """Play an illegal action at one table."""
        masks = self.masks
        actions, i = [legal(mask, number) for mask in masks], number % len(masks)
        others = np.flatnonzero(masks[i] == 0).tolist()
        if wrong is None and not others:
            return
        actions[i] = others[number % len(others)] if wrong is None else wrong
        self.refused(lambda: self.env.step(np.array(actions, np.int64)))

    @step(seed=NUMBERS)
    def reset_with_bad_seed(self, seed: int) -> None:
        """Ask for a seed that there is not."""
        self.refused(lambda: self.env.reset(seed=pick(BAD_SEEDS, seed)))

    @step(how=NUMBERS)
    def clone(self, how: int) -> None:
        """Go on with a copy."""
        self.cloned(how)


class Vector(Many):
    """A vector environment with one learner a table."""

    @initialize(
        game=GAMES,
        number=st.integers(0, VARIANTS),
        tables=st.integers(1, 4),
        seat=st.integers(-1, 5),
        opponents=NUMBERS,
        flat=st.booleans(),
    )
    def begin(self, game: str, number: int, tables: int, seat: int, opponents: int, flat: bool) -> None:
        """Make the environment and its twin."""
        given = {"game": game, "number": number, "tables": tables, "seat": seat, "opponents": opponents, "flat": flat}
        self.note("begin", given)
        self.choose(game, number)
        seats, make = self.game.seats(self.v), envs.make_seats if flat else envs.make_vec
        where = None if seat < 0 else seat % seats
        self.env, self.twin = (
            make(game, tables, self._opponents(opponents, seats), where, seed=number, **self.options) for _ in range(2)
        )
        self.last, self.ready = [None, None], True

    def _opponents(self, number: int, seats: int) -> Any:
        """Return opponents: by name, mixed, a seat each, or from outside."""
        ladder = agents.names(self.game.name)
        one, other = ladder[number % len(ladder)], ladder[number // 7 % len(ladder)]
        kinds: list[Any] = [
            one,
            {one: 0.7, other: 0.3} if one != other else one,
            [one] + [other] * (seats - 2),
            First(),
        ]
        return kinds[number % 4]

    @property
    def masks(self) -> Any:
        """The masks of all tables."""
        return self.env.tables.masks.copy()

    @step(seed=NUMBERS, starter=NUMBERS)
    def reset(self, seed: int, starter: int) -> None:
        """Begin anew."""
        seats = self.game.seats(self.v)
        options = [None, {}, {"starter": starter % seats}, {"colour": 1}][starter % 4]
        self.last = [_plain(env.reset(seed=pick(SEEDS, seed), options=options)) for env in (self.env, self.twin)]
        _spoil(self.env.reset(seed=pick(SEEDS, seed), options=options))

    @step(options=NUMBERS)
    def reset_with_bad_options(self, options: int) -> None:
        """Ask for a starter that there is not."""
        wrong = [seat for seat in BAD_SEATS if seat is not None]
        self.refused(lambda: self.env.reset(seed=1, options={"starter": pick(wrong, options)}))

    @step(number=NUMBERS)
    def make_badly(self, number: int) -> None:
        """Ask for an environment that there is not."""
        wrong: list[dict[str, Any]] = [
            *({"num_envs": n} for n in (0, -1, 1.5, "2", None, True)),
            *(
                {"num_envs": 1, "opponents": one}
                for one in ("nobody", "low@3", {}, [], {"random": -1.0}, {"random": 0})
            ),
            *({"num_envs": 1, "seat": one} for one in BAD_SEATS if one is not None),
            *({"num_envs": 1, "seed": one} for one in BAD_SEEDS),
            *({"num_envs": 1, "threads": one} for one in (0, -1, 0.5, "1")),
            {"num_envs": 1, "opponents": ["random"] * 40},
            {"num_envs": 1, "opponents": {"random": float("nan")}},
            {"num_envs": 1, "nothing": 3},
        ]
        self.refused(lambda: envs.make_vec(self.game.name, **pick(wrong, number)))

    @step()
    def spoil(self) -> None:
        """Write into observations that were given away: they are copies."""
        actions = [legal(mask, 5) for mask in self.masks]
        told = self.env.step(np.array(actions))
        self.last = [_plain(told), _plain(self.twin.step(np.array(actions)))]
        _spoil(told)

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of an environment, and what its last call has told."""
        it = env.tables
        arrays = {
            name: getattr(it, name).tobytes() for name in ("views", "masks", "rewards", "ends", "finals", "seats")
        }
        return {
            "states": content(it.states),
            **arrays,
            "deals": it._episodes.deals.tobytes(),
            "rngs": it._episodes.rngs.tobytes(),
            "occupants": it._episodes.occupants.tobytes(),
            "told": self.last[0] if env is self.env else self.last[1],
        }

    def states(self, env: Any) -> Any:
        """Return the states of all tables."""
        return list(env.tables.states)


class Tables(Many):
    """Many tables with every seat played from outside."""

    @initialize(game=GAMES, number=st.integers(0, VARIANTS), tables=st.integers(1, 4))
    def begin(self, game: str, number: int, tables: int) -> None:
        """Make the tables and their twins."""
        self.note("begin", {"game": game, "number": number, "tables": tables})
        self.choose(game, number)
        self.env, self.twin = (envs.make_tables(game, tables, seed=number, **self.options) for _ in range(2))
        self.last, self.ready = [None, None], True

    @property
    def masks(self) -> Any:
        """The masks of all tables."""
        return self.env.masks.copy()

    @step(seed=NUMBERS)
    def reset(self, seed: int) -> None:
        """Deal every table anew."""
        for env in (self.env, self.twin):
            env.reset(pick(SEEDS, seed))

    @step(number=NUMBERS)
    def make_badly(self, number: int) -> None:
        """Ask for tables that there are not."""
        wrong: list[dict[str, Any]] = [
            *({"num_tables": n} for n in (0, -1, 1.5, "2", None, True)),
            *({"num_tables": 1, "seed": one} for one in BAD_SEEDS),
            *({"num_tables": 1, "threads": one} for one in (0, -1, 0.5, "1")),
            {"num_tables": 1, "nothing": 3},
        ]
        self.refused(lambda: envs.make_tables(self.game.name, **pick(wrong, number)))

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of the tables."""
        arrays = {name: getattr(env, name).tobytes() for name in ("views", "masks", "turns", "payoffs", "ends")}
        return {"states": content(env.states), "rngs": env._rngs.tobytes(), **arrays}

    def states(self, env: Any) -> Any:
        """Return the states of all tables."""
        return list(env.states)


def _plain(told: Any) -> Any:
    """Return what an environment has told as values that compare."""
    if isinstance(told, dict):
        return {key: _plain(value) for key, value in told.items()}
    if isinstance(told, (tuple, list)):
        return [_plain(value) for value in told]
    if isinstance(told, np.ndarray):
        return [_plain(one) for one in told] if told.dtype == object else (told.shape, str(told.dtype), told.tobytes())
    return told


def _spoil(told: Any) -> None:
    """Write into all arrays that were told: they are the caller's."""
    if isinstance(told, dict):
        told = list(told.values())
    if isinstance(told, (tuple, list)):
        for one in told:
            _spoil(one)
    elif isinstance(told, np.ndarray) and told.dtype != object:
        told[...] = 3
