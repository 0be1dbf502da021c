"""PPO of a run: sb3-contrib's MaskablePPO, or a steadier one for games of hidden information.

In self-play PPO tends to run in circles. Magnetic mirror descent (Sokota et al., arXiv 2206.05825) holds the policy
back twice: near a magnet, which makes the last policy converge, and near the policy that has played the rollout. The
critic of actions (Fan and Farina, arXiv 2605.19235) gives advantages by Expected SARSA(λ): what the policy might have
done later is averaged over, where GAE has the one action that was drawn.
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from torch import nn
from torch.nn import functional

from kozyr.envs.core.rng import spread
from kozyr.training.learners.network import Logits

UNIFORM, AVERAGE = "uniform", "average"
_NEVER = -1e9  # the logit of an illegal action
_LUCK = 1 << 20  # the learner's place among all that draws from a run's seed


def luck(seed: int, timesteps: int) -> int:
    """Return the seed of all that learner and opponents draw in the rollout that begins after so many decisions."""
    return int(spread(spread(seed, _LUCK), timesteps))


class RegularisedPPO(MaskablePPO):
    """MaskablePPO with a magnet, a critic of actions, or both.

    Args:
        *args, **kwargs: as MaskablePPO takes them; `ent_coef` is the weight of the divergence from the magnet.
        magnet: "uniform", which leaves the policy undecided, "average", a moving average of its own weights, or None:
            then `ent_coef` is the entropy's weight as in PPO, and nothing else is held back.
        decay: what the moving average keeps of itself at each rollout.
        trust: weight of the divergence from the policy that has played the rollout; 1 / η in the paper.
        action_values: whether advantages come from a critic of actions.
    """

    def __init__(
        self,
        *args: Any,
        magnet: str | None = None,
        decay: float = 0.0,
        trust: float = 0.0,
        action_values: bool = False,
        **kwargs: Any,
    ) -> None:
        self._magnet, self._decay, self._trust, self._action_values = magnet, decay, trust, action_values
        super().__init__(*args, **kwargs)

    @property
    def _averages(self) -> bool:
        """True if the magnet is a moving average of the weights."""
        return self._magnet == AVERAGE

    def _setup_model(self) -> None:
        """Make the policy, and within it the magnet and the values of actions, which a checkpoint keeps."""
        super()._setup_model()
        policy: Any = self.policy
        self._actor = Logits(policy)
        self._before: Any = None
        if self._averages:
            policy.add_module("magnet", _frozen(self._actor))
        if self._action_values:
            actions: Any = self.action_space
            policy.add_module("action_values", nn.Linear(policy.mlp_extractor.latent_dim_vf, int(actions.n)))
            policy.optimizer.add_param_group({"params": list(policy.action_values.parameters())})

    def train(self) -> None:
        """Learn from the rollout that has been played."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        if self._before is None:
            self._before = _frozen(self._actor)
        self._before.load_state_dict(self._actor.state_dict())
        if self._action_values:
            self._expected_sarsa()
        steps = [
            self._update(batch) for _ in range(self.n_epochs) for batch in self.rollout_buffer.get(self.batch_size)
        ]
        self._n_updates += self.n_epochs
        if self._averages:
            self._pull_magnet()
        for name in steps[0]:
            self.logger.record(f"train/{name}", float(np.mean([one[name] for one in steps])))

    def _update(self, batch: Any) -> dict[str, float]:
        """Take one step of the optimizer, and return the terms of its loss."""
        policy: Any = self.policy
        actions, masks = batch.actions.long().flatten(), batch.action_masks
        logs = _logs(self._actor, batch.observations, masks)
        advantages = batch.advantages
        if self.normalize_advantage and len(advantages) > 1:  # one alone has no deviation, and would become NaN
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clip: Any = self.clip_range
        bound = clip(self._current_progress_remaining)
        ratio = torch.exp(logs.gather(1, actions[:, None])[:, 0] - batch.old_log_prob)
        gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - bound, 1 + bound)).mean()
        value_loss = self._value_loss(batch, actions)
        divergence = self._from_magnet(logs, batch.observations, masks)
        step = (
            _divergence(logs, _logs(self._before, batch.observations, masks))
            if self._trust
            else divergence.new_zeros(())
        )
        loss = -gain + self.vf_coef * value_loss + self.ent_coef * divergence + self._trust * step
        policy.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
        policy.optimizer.step()
        terms = {
            "loss": loss,
            "policy_gradient_loss": -gain,
            "value_loss": value_loss,
            "from_magnet": divergence,
            "from_before": step,
        }
        return {name: float(x.detach()) for name, x in terms.items()}

    def _value_loss(self, batch: Any, actions: torch.Tensor) -> torch.Tensor:
        """Return the critic's squared error; a critic of actions values episodes that are cut off, too."""
        policy: Any = self.policy
        loss = functional.mse_loss(policy.predict_values(batch.observations)[:, 0], batch.returns)
        if not self._action_values:
            return loss
        values = self._values(batch.observations).gather(1, actions[:, None])[:, 0]
        return loss + functional.mse_loss(values, batch.returns)

    def _from_magnet(self, logs: torch.Tensor, views: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the divergence from the magnet; from the uniform one it is minus the entropy, but for a constant."""
        if self._averages:
            magnet: Any = self.policy.magnet
            return _divergence(logs, _logs(magnet, views, masks))
        return (logs.exp() * logs).sum(1).mean()

    def _values(self, views: torch.Tensor) -> torch.Tensor:
        """Return the values of all actions: [n, actions]."""
        policy: Any = self.policy
        features = policy.extract_features(views.float(), policy.vf_features_extractor)
        return policy.action_values(policy.mlp_extractor.forward_critic(features))

    @torch.no_grad()
    def _expected_sarsa(self) -> None:
        """Write advantages and returns anew, from the values of actions."""
        buffer: Any = self.rollout_buffer
        steps, tables = buffer.rewards.shape
        action_value, state = np.zeros((2, steps, tables), np.float32)
        for t in range(steps):
            values, state[t] = self._valued(buffer.observations[t], buffer.action_masks[t])
            action_value[t] = np.take_along_axis(values, buffer.actions[t].astype(np.int64), 1)[:, 0]
        env: Any = self.env
        last: Any = self._last_obs
        after, ended = self._valued(last, get_action_masks(env))[1], self._last_episode_starts
        trace = np.zeros(tables, np.float32)
        for t in range(steps - 1, -1, -1):
            goes_on = self.gamma * (1.0 - np.asarray(ended, np.float32))
            trace = buffer.rewards[t] + goes_on * after - action_value[t] + self.gae_lambda * goes_on * trace
            buffer.returns[t] = action_value[t] + trace
            after, ended = state[t], buffer.episode_starts[t]
        buffer.advantages = buffer.returns - state

    def _valued(self, views: NDArray[Any], masks: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the values of all actions [n, actions], and their mean under the policy [n]."""
        tensor, legal = torch.from_numpy(np.asarray(views)), torch.from_numpy(np.asarray(masks))
        values = self._values(tensor)
        expected = (_logs(self._actor, tensor, legal).exp() * values).sum(1)
        return values.numpy(), expected.numpy()

    @torch.no_grad()
    def _pull_magnet(self) -> None:
        """Let the magnet follow the policy."""
        magnet: Any = self.policy.magnet
        for old, new in zip(magnet.parameters(), self._actor.parameters(), strict=True):
            old.lerp_(new, 1.0 - self._decay)


def _frozen(actor: Logits) -> Logits:
    """Return a copy that does not learn."""
    return copy.deepcopy(actor).requires_grad_(requires_grad=False)


def _logs(actor: Any, views: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the chances of all actions: [n, actions]."""
    return actor(views).masked_fill(masks == 0, _NEVER).log_softmax(1)


def _divergence(logs: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Return the mean Kullback-Leibler divergence of one policy from another, as in mirror descent: KL(π ‖ other)."""
    return (logs.exp() * (logs - others)).sum(1).mean()
