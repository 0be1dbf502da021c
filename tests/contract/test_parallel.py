"""The parallel environment: all seats act at each step, and those that are not to move wait."""

import pickle
import warnings
from typing import Any

import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from kozyr import envs
from kozyr.envs.environments.aec import Env
from kozyr.envs.environments.observations import DICT, FLAT, WORDS
from kozyr.envs.environments.parallel import Parallel

from .table import Hashed

PLAYER = Hashed()


@pytest.mark.parametrize("word", WORDS)
def test_pettingzoos_tests_of_parallel_environments(game: Any, drawn: list[Any], word: str) -> None:
    """Its test of the interface samples without a mask where observations are no dictionaries: that game ends soon."""
    for v in drawn[:3]:
        options = game.options(v)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "reset option 'options' is ignored")
            parallel_api_test(Parallel(game, observation=word, **options), num_cycles=1000)
            parallel_seed_test(lambda options=options: Parallel(game, observation=word, **options), num_cycles=100)


def test_it_plays_the_game_of_the_aec_environment(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:4]:
        env, aec = Parallel(game, **game.options(v)), Env(game, **game.options(v))
        seen, _ = env.reset(seed=8)
        aec.reset(seed=8)
        while env.agents:
            for name in env.agents:
                due, mask = aec.observe(name), seen[name]["action_mask"]
                assert (seen[name]["observation"] == due["observation"]).all()
                assert (mask[: env.wait] == due["action_mask"]).all()
                assert mask[env.wait] == (name != aec.agent_selection)
                assert env.observation_space(name).contains(seen[name])
            mover = aec.agent_selection
            action = PLAYER.act(aec.observe(mover)["observation"], aec.observe(mover)["action_mask"])
            aec.step(action)
            actions = dict.fromkeys(env.agents, env.wait) | {mover: action}
            seen, rewards, terminations, truncations, infos = env.step(actions)
            assert (rewards, terminations, truncations) == (aec.rewards, aec.terminations, aec.truncations)
            assert infos == aec.infos
        assert not aec.agents or all(aec.terminations[name] or aec.truncations[name] for name in aec.agents)
        assert all(one["action_mask"].tolist() == [0] * env.wait + [1] for one in seen.values())
        with pytest.raises(RuntimeError, match="call reset"):
            env.step({})


def test_a_seat_that_does_not_wait_is_disqualified(game: Any) -> None:
    env = Parallel(game)
    env.reset(seed=2, options={"starter": 0})
    mover = env._table.agent_selection  # pyright: ignore[reportPrivateUsage]
    erring = next(name for name in env.agents if name != mover)
    _, rewards, terminations, _, infos = env.step({mover: 0, erring: 0})
    assert rewards[erring] == -1
    assert sum(rewards.values()) == pytest.approx(0)
    assert all(terminations.values())
    assert infos[erring]["illegal_move"] == 1
    assert infos[mover]["illegal_move"] == 0
    assert env.agents == []


@pytest.mark.parametrize(
    ("actions", "words"),
    [({}, "is to move and has no action"), ({"player_9": 3}, "agent='player_9' is not allowed"), (0.5, "waits with")],
)
def test_what_cannot_be_meant_is_refused(actions: Any, words: str) -> None:
    env = envs.make_parallel("durak", players=3, deck=36)
    seen, _ = env.reset(seed=1)
    mover = next(name for name in env.agents if not seen[name]["action_mask"][env.wait])
    if actions:
        others = next(name for name in env.agents if name != mover)
        legal = {mover: int(seen[mover]["action_mask"].argmax())}
        actions = {**legal, **actions} if isinstance(actions, dict) else {**legal, others: actions}
    before = env.state()
    with pytest.raises(ValueError, match=words):
        env.step(actions)
    assert (env.state() == before).all()
    assert env.state_space.contains(before)


def test_a_copy_goes_on_by_itself(game: Any) -> None:
    env = Parallel(game, observation=FLAT)
    seen, _ = env.reset(seed=3)
    copy = pickle.loads(pickle.dumps(env))
    actions = {name: int(envs.mask_of(seen[name], env.wait + 1).argmax()) for name in env.agents}
    due, got = env.step(actions)[0], copy.step(actions)[0]
    assert all((due[name] == got[name]).all() for name in due)
    assert (env.state() == copy.state()).all()


@pytest.mark.parametrize("word", WORDS)
def test_a_match_shows_what_the_environment_shows(game: Any, word: str) -> None:
    """A view and a mask of the game become the observation of the seat to move."""
    env, aec = Parallel(game, observation=word), Env(game)
    seen, _ = env.reset(seed=5)
    aec.reset(seed=5)
    own = aec.observe(aec.agent_selection)
    due, got = seen[aec.agent_selection], env.observation_of(own["observation"], own["action_mask"].astype(bool))
    for one, other in zip(*[x.values() if isinstance(x, dict) else [x] for x in (due, got)], strict=True):
        assert one.dtype == other.dtype
        assert (one == other).all()
    many = env.observation_of(own["observation"][None], own["action_mask"][None])
    assert env.observation_space("player_0").contains(got)
    seat = envs.make_seat(game.name, "random", observation=word)
    alone, info = seat.reset(seed=5)
    as_told = seat.observation_of(seat.unwrapped._table.views[0], info["action_mask"] == 1)
    for one, other in zip(*[x.values() if isinstance(x, dict) else [x] for x in (alone, as_told)], strict=True):
        assert one.dtype == other.dtype
        assert (one == other).all()
    assert (many["observation"][0] == got["observation"] if isinstance(got, dict) else many[0] == got).all()


def test_pages_and_the_registry_make_it(game: Any) -> None:
    page = envs.registry.page(game.name)
    ways = [envs.make_parallel(game.name), *([page.parallel_env()] if page else [])]
    for env in ways:
        assert type(env) is Parallel
        assert env.action_space("player_0").n == game.actions(env.variant) + 1
        assert env.observation_space("player_0") == Parallel(game, observation=DICT).observation_space("player_0")
