"""Many tables at once: the same games as one at a time."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core.rng import bits, generators
from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.loops import single_table, tables

from .table import Hashed, content
from .words import SAME_GAME, assert_same_mask, assert_same_view

STEPS = 150
ARRAYS = ("states", "views", "masks", "turns", "payoffs", "ends")


def together(game: Any, v: Any, n: int, **arguments: Any) -> Any:
    return envs.make_tables(game.name, n, **arguments, **game.options(v))


def copies(many: Any, rows: slice = slice(None)) -> dict[str, bytes]:
    """Return copies of all arrays."""
    arrays = {name: getattr(many, name)[rows] for name in ARRAYS}
    return {name: content(a) if name == "states" else a.tobytes() for name, a in arrays.items()}


def test_a_table_depends_on_the_seed_and_its_number_only(game: Any, drawn: list[Any]) -> None:
    player = Hashed()
    for v in drawn[:4]:
        few, many = together(game, v, 1, seed=5), together(game, v, 7, seed=5)
        for _ in range(STEPS):
            assert copies(few) == copies(many, slice(1))
            few.step(player.act_batch(few.views, few.masks))
            many.step(player.act_batch(many.views, many.masks))
        assert len({content(state) for state in many.states}) == 7


def test_a_table_plays_the_games_of_the_aec_environment(game: Any, drawn: list[Any]) -> None:
    player, n, seed = Hashed(), 3, 8
    for v in drawn[:4]:
        many, rngs = together(game, v, n, seed=seed), generators(seed, n)
        singles = [RawEnv(game, **game.options(v)) for _ in range(n)]
        for i, env in enumerate(singles):
            env.reset(seed=next_deal(rngs, i))
        for _ in range(STEPS):
            actions = player.act_batch(many.views, many.masks)
            for i, env in enumerate(singles):
                observation, names = env.observe(env.agent_selection), ("the AEC environment", f"table {i}")
                assert_same_view(game, v, (names[0], observation["observation"]), (names[1], many.views[i]), SAME_GAME)
                assert_same_mask((names[0], observation["action_mask"]), (names[1], many.masks[i]), SAME_GAME)
            finished = many.step(actions)
            for i, env in enumerate(singles):
                env.step(int(actions[i]))
                assert list(env.rewards.values()) == pytest.approx(many.payoffs[i].tolist())
                assert env.terminations["player_0"] == (many.ends[i] == single_table.TERMINATED)
                assert env.truncations["player_0"] == (many.ends[i] == single_table.TRUNCATED)
                if many.ends[i]:
                    env.reset(seed=next_deal(rngs, i))
                assert content(env.state_record()) == content(many.states[i])
                assert env.agent_selection == f"player_{many.turns[i]}"
            assert finished == np.count_nonzero(many.ends)


def next_deal(rngs: Any, i: int) -> int:
    return int(bits(rngs[i])) >> 1


def test_threads_change_nothing(game: Any, drawn: list[Any]) -> None:
    player = Hashed()
    for v in drawn[:3]:
        one, two = together(game, v, 5, seed=2), together(game, v, 5, seed=2, threads=2)
        for _ in range(STEPS):
            actions = player.act_batch(one.views, one.masks)
            assert one.step(actions) == two.step(actions)
            assert copies(one) == copies(two)


def test_reset_brings_the_same_games_again(game: Any) -> None:
    many = envs.make_tables(game.name, 4, seed=3)
    first = copies(many)
    for _ in range(40):
        many.step(many.masks.argmax(1))
    many.reset(3)
    assert copies(many) == first
    many.reset(4)
    assert copies(many) != first


def test_the_arrays_are_reused(game: Any) -> None:
    many = envs.make_tables(game.name, 2)
    arrays = [getattr(many, name) for name in ARRAYS]
    many.step(many.masks.argmax(1))
    many.reset(1)
    assert all(getattr(many, name) is array for name, array in zip(ARRAYS, arrays, strict=True))


def test_nobody_else_can_write_the_arrays(game: Any) -> None:
    for many in (made := envs.make_tables(game.name, 3, seed=1), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        before = copies(many)
        for name in ARRAYS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(many, name)[:] = 1
        with pytest.raises(ValueError, match="read-only"):
            many.states[0].turn = 1
        assert copies(many) == before
        many.step(many.masks.argmax(1))
        assert copies(many) != before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["copy", "pickle"])
def test_a_copy_goes_on_alone_with_threads_of_its_own(game: Any, copied: Callable[[Any], Any]) -> None:
    player, many = Hashed(), envs.make_tables(game.name, 5, seed=3, threads=2)
    for _ in range(7):
        many.step(player.act_batch(many.views, many.masks))
    before, twin = copies(many), copied(many)
    due = [copies(twin) for _ in range(STEPS) if twin.step(player.act_batch(twin.views, twin.masks)) >= 0]
    assert copies(many) == before
    for contents in due:
        many.step(player.act_batch(many.views, many.masks))
        assert copies(many) == contents


def bad_actions(masks: Any) -> list[tuple[Any, str]]:
    """Return wrong actions for three tables and what the error says."""
    right = masks.argmax(1)
    wrong = [np.flatnonzero(masks[1] == 0)[:1], [-1], [masks.shape[1]], [2**40]]
    changed = [np.array([right[0], *bad, right[2]]) for bad in wrong if len(bad)]
    illegal: list[tuple[Any, str]] = [(actions, "is illegal at table 1; legal there") for actions in changed]
    return [
        *illegal,
        (right.astype(float), "dtype float64"),
        (np.full(3, np.nan), "dtype float64"),
        (right.astype(bool), "dtype bool"),
        (right[:2], r"shape \(2,\)"),
        (right[:, None], r"shape \(3, 1\)"),
        (int(right[0]), r"shape \(\)"),
        (None, r"shape \(\)"),
    ]


def test_bad_actions_raise_and_no_table_moves(game: Any) -> None:
    for threads in (1, 2):
        many = envs.make_tables(game.name, 3, threads=threads)
        before = copies(many)
        for actions, message in bad_actions(many.masks):
            with pytest.raises(ValueError, match=message):
                many.step(actions)
            assert copies(many) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("num_tables", 0), ("num_tables", -1), ("num_tables", 2.0), ("num_tables", None), ("threads", 0), ("seed", -1)],
)
def test_bad_numbers_are_refused(game: Any, name: str, value: Any) -> None:
    arguments = {"num_tables": 2, name: value}
    with pytest.raises(ValueError, match=f"{name}={value!r} is not allowed"):
        envs.make_tables(game.name, **arguments)


def test_random_actions_are_legal_and_fixed_by_their_generator(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:4]:
        many = together(game, v, 6)
        actions = np.zeros((2, 6), np.int64)
        for some in actions:
            tables.random_actions(many.masks.copy(), generators(4, 1), some)
        assert many.masks[np.arange(6), actions[0]].all()
        np.testing.assert_array_equal(actions[0], actions[1])
