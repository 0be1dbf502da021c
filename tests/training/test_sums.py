"""The learner's sums: rollout, advantages, loss and update are those of sb3-contrib over plain environments."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import set_random_seed

from kozyr import agents, envs
from kozyr.training import ppo_single_file
from kozyr.training.learners.ppo import RegularisedPPO
from kozyr.training.learners.vec_env import TablesVecEnv
from tests.contract.table import Hashed
from tests.training.plain_seat import PlainSeat, plain_tables

N, STEPS, SEED = 8, 24, 5
GAMMA, DECAY, ENTROPY, VALUE = 0.97, 0.9, 0.02, 0.6
SHORT = {"players": 3, "stack": 12, "episode": "tournament", "max_hands": 3}
GAMES: list[tuple[str, dict[str, Any], str]] = [
    ("durak", {"players": 3, "deck": 20}, "low"),
    ("durak", {"players": 4, "deck": 36, "max_rounds": 4}, "random"),
    ("draw_poker", SHORT, "random"),
    ("daifugo", {"players": 4, "rounds": 1}, "low"),
    ("war", {"deck": 52, "pickup": "choice", "max_turns": 12}, "random"),
    ("mnk", {"m": 3, "n": 3, "k": 3}, "easy"),
]
CUT = {1, 2, 4}  # of these games: those that a cap ends
IDS = [f"{name}-{i}" for i, (name, _, _) in enumerate(GAMES)]


def ours(name: str, options: dict[str, Any], opponent: Any, **how: Any) -> TablesVecEnv:
    player = agents.load(opponent, name, **options) if isinstance(opponent, str) else opponent
    return TablesVecEnv(envs.game(name), N, player, seed=9, **how, **options)


def learner(env: Any, kind: type[MaskablePPO] = MaskablePPO, **more: Any) -> Any:
    """Return a learner that makes one update of three epochs over each rollout, in minibatches of uneven sizes."""
    given: dict[str, Any] = {"n_steps": STEPS, "batch_size": 80, "n_epochs": 3, "learning_rate": 1e-3, "seed": SEED}
    given |= {"gamma": GAMMA, "gae_lambda": DECAY, "ent_coef": ENTROPY, "vf_coef": VALUE}
    return kind("MlpPolicy", env, device="cpu", **{**given, **more})


def learn_alike(*models: Any) -> None:
    """Let learners play and learn from two rollouts, each with the same luck: it is the process's."""
    for model in models:
        set_random_seed(SEED)
        model.learn(2 * N * STEPS)


def weights(model: Any) -> NDArray[np.float64]:
    return np.concatenate([one.detach().numpy().ravel() for one in model.policy.parameters()]).astype(np.float64)


def assert_equal_learners(one: Any, other: Any) -> None:
    """Compare the last rollout with its advantages and returns, the losses and the weights of two learners."""
    for name in ("observations", "actions", "action_masks", "episode_starts"):
        np.testing.assert_array_equal(getattr(one.rollout_buffer, name), getattr(other.rollout_buffer, name), name)
    for name in ("rewards", "values", "log_probs", "advantages", "returns"):
        mine, theirs = getattr(one.rollout_buffer, name), getattr(other.rollout_buffer, name)
        np.testing.assert_allclose(mine, theirs, atol=1e-5, rtol=0, err_msg=name)
    for name in ("loss", "value_loss", "policy_gradient_loss"):
        mine, theirs = (model.logger.name_to_value[f"train/{name}"] for model in (one, other))
        assert mine == pytest.approx(theirs, abs=1e-5), name
    np.testing.assert_allclose(weights(one), weights(other), atol=1e-5, rtol=0)


@pytest.mark.parametrize("everything", [False, True], ids=["own view", "everything"])
@pytest.mark.parametrize("i", range(len(GAMES)), ids=IDS)
def test_an_update_is_that_of_plain_environments(i: int, everything: bool) -> None:
    name, options, opponent = GAMES[i]
    plain = plain_tables(N, name, options, SEED, opponent, everything=everything)
    one, other = learner(ours(name, options, opponent, everything=everything)), learner(plain)
    before = weights(one)
    np.testing.assert_array_equal(before, weights(other))
    learn_alike(one, other)
    assert_equal_learners(one, other)
    assert np.abs(weights(one) - before).max() > 1e-4
    seats: list[Any] = plain.envs
    assert sum(seat.ends_by_others for seat in seats) > 2


@pytest.mark.parametrize("outside", [False, True], ids=["scripted", "outside"])
@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("i", sorted(CUT), ids=[IDS[i] for i in sorted(CUT)])
def test_at_a_cut_either_the_game_pays_or_the_critic_is_asked(i: int, bootstrap: bool, outside: bool) -> None:
    name, options, opponent = GAMES[i]
    player: Any = Hashed() if outside else opponent
    how = {"bootstrap": bootstrap, "everything": True}
    env, rng, paid = ours(name, options, player, threads=2, **how), np.random.default_rng(1), []
    seats = [PlainSeat(name, options, 9, row, player, **how) for row in range(N)]
    env.reset()
    for seat in seats:
        seat.reset()
    for _ in range(60):
        masks = env.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(1)
        env.step_async(actions)
        _, rewards, ended, infos = env.step_wait()
        for row, seat in enumerate(seats):
            shown, reward, terminated, truncated, more = seat.step(actions[row])
            assert rewards[row] == pytest.approx(reward)
            assert ended[row] == (terminated or truncated)
            if ended[row]:
                np.testing.assert_array_equal(infos[row]["terminal_observation"], shown)
                assert infos[row]["TimeLimit.truncated"] == truncated
                assert infos[row]["episode"]["r"] == pytest.approx(more["paid"])
                paid.append((bool(seat.tale.env.truncations["player_0"]), truncated, reward))
                seat.reset()
    cuts = [(asked, reward) for cut, asked, reward in paid if cut]
    assert len(cuts) > 10
    assert any(asked for asked, _ in cuts) == bootstrap
    assert not any(asked and reward for asked, reward in cuts)
    if name == "draw_poker":  # seats that are out have their place, whoever is asked about the others
        assert any(not asked and reward for asked, reward in cuts)


def advantages_by_definition(rewards: Any, values: Any, starts: Any, last: Any, ended: Any) -> NDArray[np.float64]:
    """Return the sums of discounted surprises up to the end of each episode, each worked out by itself."""
    steps, n = rewards.shape
    after = np.concatenate([np.asarray(values, np.float64)[1:], np.asarray(last, np.float64)[None]])
    over = np.concatenate([np.asarray(starts)[1:], np.asarray(ended)[None]]).astype(bool)
    found = np.zeros((steps, n))
    for row in range(n):
        for t in range(steps):
            for later in range(t, steps):
                surprise = rewards[later, row] - values[later, row]
                surprise += 0.0 if over[later, row] else GAMMA * after[later, row]
                found[t, row] += (GAMMA * DECAY) ** (later - t) * surprise
                if over[later, row]:
                    break
    return found


def layers(model: Any, part: str) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    kept = {key: one.numpy().astype(np.float64) for key, one in model.policy.state_dict().items()}
    last = {"policy": "action_net", "value": "value_net"}[part]
    names = [f"mlp_extractor.{part}_net.0", f"mlp_extractor.{part}_net.2", last]
    return [(kept[f"{name}.weight"], kept[f"{name}.bias"]) for name in names]


def forward(views: NDArray[Any], stack: list[tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[np.float64]:
    out = views.astype(np.float64)
    for k, (weight, bias) in enumerate(stack):
        out = out @ weight.T + bias
        out = np.tanh(out) if k + 1 < len(stack) else out
    return out


def loss_by_definition(model: Any, views: Any, masks: Any, buffer: dict[str, Any]) -> float:
    """Return PPO's loss over a whole rollout, in NumPy and float64."""
    logits = np.where(masks > 0, forward(views, layers(model, "policy")), -np.inf)
    logs = logits - logits.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    chances = np.exp(logs)
    entropy = -np.where(chances > 0, chances * np.where(chances > 0, logs, 0.0), 0.0).sum(1).mean()
    ratio = np.exp(logs[np.arange(len(logs)), buffer["actions"].astype(int)] - buffer["log_probs"])
    gains = buffer["advantages"]
    gains = (gains - gains.mean()) / (gains.std(ddof=1) + 1e-8)
    policy = -np.minimum(ratio * gains, np.clip(ratio, 0.8, 1.2) * gains).mean()
    value = np.square(buffer["returns"] - forward(views, layers(model, "value"))[:, 0]).mean()
    return float(policy - ENTROPY * entropy + VALUE * value)


@pytest.mark.parametrize("kind", [MaskablePPO, RegularisedPPO])
@pytest.mark.parametrize("i", range(len(GAMES)), ids=IDS)
def test_advantages_and_loss_are_those_of_their_definitions(i: int, kind: type[MaskablePPO], monkeypatch: Any) -> None:
    seen = list[dict[str, Any]]()
    train = kind.train

    def look(model: Any) -> None:
        buffer = model.rollout_buffer
        names = ("observations", "action_masks", "rewards", "values", "episode_starts", "actions", "log_probs")
        kept = {name: getattr(buffer, name).copy() for name in (*names, "advantages", "returns")}
        with torch.no_grad():
            last = model.policy.predict_values(model.policy.obs_to_tensor(model._last_obs)[0])[:, 0].numpy()
        due = advantages_by_definition(
            kept["rewards"], kept["values"], kept["episode_starts"], last, model._last_episode_starts
        )
        np.testing.assert_allclose(kept["advantages"], due, atol=1e-5, rtol=0)
        np.testing.assert_allclose(kept["returns"], due + kept["values"], atol=1e-5, rtol=0)
        flat = {name: one.reshape(N * STEPS, *one.shape[2:]).squeeze() for name, one in kept.items()}
        loss = loss_by_definition(model, flat["observations"], kept["action_masks"].reshape(N * STEPS, -1), flat)
        train(model)
        seen.append({"loss": loss, "cut": kept["rewards"], "told": model.logger.name_to_value["train/loss"]})

    monkeypatch.setattr(kind, "train", look)
    model = learner(ours(*GAMES[i]), kind, batch_size=N * STEPS, n_epochs=1, learning_rate=1e-2)
    model.learn(2 * N * STEPS)
    assert len(seen) == 2
    for one in seen:
        assert one["told"] == pytest.approx(one["loss"], abs=1e-5)
    assert any(one["cut"].any() for one in seen)


@pytest.mark.parametrize("i", range(len(GAMES)), ids=IDS)
def test_without_its_extras_the_regularised_learner_is_maskable_ppo(i: int) -> None:
    one, other = learner(ours(*GAMES[i]), RegularisedPPO), learner(ours(*GAMES[i]))
    learn_alike(one, other)
    for name in ("actions", "observations"):
        np.testing.assert_array_equal(getattr(one.rollout_buffer, name), getattr(other.rollout_buffer, name))
    for name in ("rewards", "advantages", "returns", "log_probs"):
        mine, theirs = getattr(one.rollout_buffer, name), getattr(other.rollout_buffer, name)
        np.testing.assert_allclose(mine, theirs, atol=1e-5, rtol=0, err_msg=name)
    np.testing.assert_allclose(weights(one), weights(other), atol=1e-5, rtol=0)


def drawn_rollout() -> dict[str, Any]:
    """Return rewards, values and ends [steps, tables] as no game gives them: at every step, some of them ends."""
    rng = np.random.default_rng(3)
    rewards, values = rng.normal(size=(2, STEPS, N)).astype(np.float32)
    ends = rng.random((STEPS, N)) < 0.2
    starts = np.concatenate([np.ones((1, N), bool), ends[:-1]])
    last = rng.normal(size=N).astype(np.float32)
    due = advantages_by_definition(rewards, values, starts, last, ends[-1])
    return {"rewards": rewards, "values": values, "ends": ends, "last": last, "due": due}


def test_ppo_in_one_file_has_the_same_advantages() -> None:
    given = drawn_rollout()
    none = torch.zeros(STEPS, N)
    told = {name: torch.from_numpy(given[name]).float() for name in ("rewards", "values", "ends")}
    rollout = ppo_single_file.Rollout(none, none, none, none, **told)
    found = ppo_single_file.advantages(rollout, torch.from_numpy(given["last"]), GAMMA, DECAY)
    np.testing.assert_allclose(found.numpy(), given["due"], atol=1e-5, rtol=0)


def test_rllibs_rollouts_have_the_same_advantages() -> None:
    pytest.importorskip("ray.rllib")
    from kozyr.training.rllib.runner import Rollout

    given = drawn_rollout()
    rollout = Rollout(STEPS, np.zeros((N, 2), np.int8), np.ones((N, 3), np.int8))
    rollout.rewards[:], rollout.values[:], rollout.ended[:] = given["rewards"], given["values"], given["ends"]
    rollout.finish(given["last"], GAMMA, DECAY)
    np.testing.assert_allclose(rollout.advantages, given["due"], atol=1e-5, rtol=0)
