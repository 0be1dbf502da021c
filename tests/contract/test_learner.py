"""One learner a table with the other seats played inside: the vector environment and the seat environment."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import VectorEnv

from kozyr import agents, envs
from kozyr.envs.core.capabilities import stand_in
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.vector import SAME_STEP
from kozyr.envs.loops.single_table import RUNNING
from kozyr.envs.registry import gymnasium_id

from .reference import Told
from .table import Hashed, content
from .test_tables import bad_actions
from .words import SAME_GAME, assert_same_mask, assert_same_view

STEPS = 60
N = 3
LEARNER = Hashed()


def seats_and_opponents(game: Any, v: Any) -> list[tuple[int | None, dict[Any, float]]]:
    """Return some ways to seat a table: each scripted player, one from outside, and all of them mixed."""
    ladder = [agents.load(name, game.name, **game.options(v)) for name in agents.names(game.name)]
    alone: list[dict[Any, float]] = [{player: 1.0} for player in [*ladder, Hashed()]]
    mixed: dict[Any, float] = {player: i + 1.0 for i, player in enumerate([*ladder, Hashed()])}
    return [(seat % game.seats(v), {**one}) for seat, one in enumerate(alone)] + [(None, mixed)]


def vector(game: Any, v: Any, weights: dict[Any, float], seat: int | None, **arguments: Any) -> Any:
    return envs.make_vec(game.name, N, weights, seat=seat, **arguments, **game.options(v))


def test_every_step_is_what_a_plain_loop_tells(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:4]:
        for seat, weights in seats_and_opponents(game, v):
            env = vector(game, v, weights, seat)
            observation, _ = env.reset(seed=6)
            tales = [Told(game, v, 6, row, seat, weights).play(LEARNER) for row in range(N)]
            rewards, terminated, truncated, infos = np.zeros(N), np.zeros(N, bool), np.zeros(N, bool), {}
            for _ in range(STEPS):
                for row, tale in enumerate(tales):
                    due = next(tale)
                    view, mask = observation["observation"][row], observation["action_mask"][row]
                    names = ("the vector", "a plain loop around the AEC environment")
                    assert_same_view(game, v, (names[0], view), (names[1], due.view), SAME_GAME, seat=due.seat)
                    assert_same_mask((names[0], mask), (names[1], due.mask), SAME_GAME)
                    assert env.tables.seats[row] == due.seat
                    assert rewards[row] == pytest.approx(due.reward)
                    assert (terminated[row], truncated[row]) == (due.terminated, due.truncated)
                    assert_final(game, v, infos, row, due.final)
                actions = LEARNER.act_batch(observation["observation"], observation["action_mask"])
                observation, rewards, terminated, truncated, infos = env.step(actions)


def assert_final(game: Any, v: Any, infos: dict[str, Any], row: int, due: Any) -> None:
    """Compare an episode's last observation, which is given only where one has ended."""
    if due is None:
        assert not infos or (infos["final_obs"][row] is None and not infos["_final_obs"][row])
    else:
        assert infos["_final_obs"][row]
        views = ("the vector", infos["final_obs"][row]["observation"]), ("a plain loop", due)
        assert_same_view(game, v, *views, SAME_GAME)
        assert not infos["final_obs"][row]["action_mask"].any()


def test_it_is_a_vector_environment_that_resets_in_the_same_step(game: Any) -> None:
    env = envs.make_vec(game.name, 5)
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] == SAME_STEP
    assert env.num_envs == 5
    observation, infos = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert infos == {}
    observation, rewards, terminated, truncated, _ = env.step(observation["action_mask"].argmax(1))
    assert env.observation_space.contains(observation)
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
    assert [array.shape for array in (rewards, terminated, truncated)] == [(5,)] * 3
    env.close()


def trace(env: Any, steps: int = STEPS) -> list[bytes]:
    contents = []
    for _ in range(steps):
        room = env.tables
        env.step(LEARNER.act_batch(room.views, room.masks))
        arrays = (room.views, room.masks, room.rewards, room.ends, room.seats)
        contents.append(content(room.states) + b"".join(array.tobytes() for array in arrays))
    return contents


def test_seed_threads_and_copies_change_no_game(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:3]:
        seat, weights = seats_and_opponents(game, v)[-1]
        due = trace(vector(game, v, weights, seat, seed=4))
        assert trace(vector(game, v, weights, seat, seed=4, threads=2)) == due
        assert trace(vector(game, v, weights, seat, seed=4, copy=False)) == due
        again = vector(game, v, weights, seat, seed=1)
        again.reset(seed=4)
        assert trace(again) == due
        assert trace(vector(game, v, weights, seat, seed=5)) != due


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["copy", "pickle"])
def test_a_copy_goes_on_alone_with_threads_of_its_own(
    game: Any, drawn: list[Any], copied: Callable[[Any], Any]
) -> None:
    seat, weights = seats_and_opponents(game, drawn[0])[-1]
    env = vector(game, drawn[0], weights, seat, threads=2)
    env.reset(seed=4)
    trace(env, 7)
    before, twin = content(env.tables.states), copied(env)
    due = trace(twin)
    assert content(env.tables.states) == before
    assert trace(env) == due
    assert [array.tobytes() for array in env.reset()[0].values()] == [one.tobytes() for one in twin.reset()[0].values()]


def test_nobody_else_can_write_the_arrays_of_the_tables(game: Any) -> None:
    env = envs.make_vec(game.name, N, copy=False)
    given, _ = env.reset(seed=3)
    for room in (env.tables, copy.deepcopy(env.tables)):
        arrays = (room.views, room.masks, room.rewards, room.ends, room.finals, room.seats, room.states)
        for array in (*arrays, *given.values()):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 1
    for _ in range(9):
        given, *_ = env.step(given["action_mask"].argmax(1))
        assert given["action_mask"] is env.tables.masks  # made once


def test_what_one_seat_is_given_is_a_copy(game: Any) -> None:
    env: Any = envs.make_seat(game.name)
    view, info = env.reset(seed=3)
    kept, illegal = info["action_mask"].copy(), int((info["action_mask"] == 0).argmax())
    view[:], info["action_mask"][:] = 0, 1
    env.action_masks()[:] = True
    assert (env.action_masks() == kept).all()
    if not kept.all():
        assert env.step(illegal)[-1]["illegal_move"] == (stand_in(env.unwrapped.variant) is None)


def test_a_table_depends_on_the_seed_and_its_number_only(game: Any) -> None:
    few, many = (envs.make_vec(game.name, n, agents.names(game.name)[-1], seed=3) for n in (1, 6))
    for _ in range(STEPS):
        assert content(few.tables.states[0]) == content(many.tables.states[0])
        for env in (few, many):
            env.step(LEARNER.act_batch(env.tables.views, env.tables.masks))


class Outside:
    """A scripted player asked from outside, in Python."""

    def __init__(self, player: Any) -> None:
        self.reset, self.act, self.act_batch = player.reset, player.act, player.act_batch


def test_a_scripted_player_without_luck_plays_the_same_from_outside(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:3]:
        for name in agents.names(game.name)[1:]:
            inside = agents.load(name, game.name, **game.options(v))
            due, got = (trace(vector(game, v, {one: 1.0}, 0, seed=9)) for one in (inside, Outside(inside)))
            assert got == due or draws_at_random(game, v, inside)


def draws_at_random(game: Any, v: Any, player: Any) -> bool:
    """Tell if a player draws at random in some games."""
    env = vector(game, v, {Outside(player): 1.0}, 0, seed=9)
    env.reset(seed=9)
    before = player._rngs.tobytes()
    trace(env)
    return player._rngs.tobytes() != before


def test_bad_actions_name_the_table_and_change_nothing(game: Any) -> None:
    env = envs.make_vec(game.name, 3)
    env.reset(seed=1)
    before = content(env.tables.states)
    for actions, message in bad_actions(env.tables.masks):
        with pytest.raises(ValueError, match=message):
            env.step(actions)
        assert content(env.tables.states) == before


@pytest.mark.parametrize("answer", [-1, 10**6, 0.5, float("nan")])
def test_an_opponent_that_errs_is_named(game: Any, answer: Any) -> None:
    class Wrong(Hashed):
        def act_batch(self, views: Any, masks: Any) -> Any:
            return np.full(len(views), answer)

        def __repr__(self) -> str:
            return "the wrong one"

    def play() -> None:
        env = envs.make_vec(game.name, 3, Wrong(), seat=0)
        for _ in range(50):
            env.step(env.tables.masks.argmax(1))

    with pytest.raises(ValueError, match="the wrong one" if isinstance(answer, int) else "dtype float64"):
        play()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0 is not allowed"),
        ({"num_envs": "2"}, "num_envs='2' is not allowed"),
        ({"seat": 9}, "seat=9 is not allowed"),
        ({"seed": -3}, "seed=-3 is not allowed"),
        ({"opponents": "rondom"}, "Did you mean 'random'"),
        ({"opponents": ["random"] * 7}, "7 opponents for"),
        ({"opponents": {"random": 0.0}}, "weights of opponents"),
        ({"opponents": {"random": -1.0}}, "weights of opponents"),
        ({"opponents": {}}, "opponent"),
        ({"opponents": []}, "0 opponents for"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(game: Any, arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"num_envs": 2} | arguments
    with pytest.raises(ValueError, match=message):
        envs.make_vec(game.name, **given)


def test_the_starter_can_be_chosen(game: Any) -> None:
    env = envs.make_vec(game.name, 4, seat=0)
    for starter in range(game.seats(game.make_variant())):
        env.reset(seed=1, options={"starter": starter})
        assert (env.tables.states["starter"] == starter).all()
    single: Any = gymnasium.make(gymnasium_id(game.name), seat=1)
    single.reset(seed=1, options={"starter": 1})
    assert single.unwrapped._table.states["starter"][0] == 1


def test_episodes_may_begin_with_random_plies(game: Any, drawn: list[Any]) -> None:
    v = drawn[0]
    others = opponents_for(game.seats(v), agents.load("random", game.name, **game.options(v)))
    for plies in (plies for plies in (1, 3) if plies < game.bound(v)):
        tables = LearnerTables(game, v, 16, others, seed=5, opening=plies)
        again = LearnerTables(game, v, 16, others, seed=5, opening=plies)
        assert (tables.states["ply"] >= plies).all()
        ended = 0
        for _ in range(STEPS):
            actions = LEARNER.act_batch(tables.views, tables.masks)
            tables.step(actions)
            again.step(actions)
            for one, other in zip(tables.views, again.views, strict=True):
                assert_same_view(game, v, ("one", one), ("another of the same seed", other), SAME_GAME)
            fresh = tables.ends != RUNNING
            assert (tables.states["ply"][fresh] >= plies).all()
            ended += int(fresh.sum())
        assert ended or game.bound(v) > STEPS
    with pytest.raises(ValueError, match="opening=-1 is not allowed"):
        LearnerTables(game, v, 1, others, opening=-1)
    with pytest.raises(ValueError, match=f"no game of {game.name} has more than"):
        LearnerTables(game, v, 1, others, opening=game.bound(v))
