"""PPO of a run, compiled: it learns what `RegularisedPPO` learns, from the same policy, several times as fast."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr.envs.core.rng import generators
from kozyr.envs.environments.threads import Pool
from kozyr.training.learners.compiled import choices as legal
from kozyr.training.learners.compiled import network, returns
from kozyr.training.learners.compiled import rows as sparse
from kozyr.training.learners.compiled.choices import Choices, Weights
from kozyr.training.learners.compiled.layers import with_one_torch_thread
from kozyr.training.learners.compiled.network import Actor, Network
from kozyr.training.learners.compiled.parameters import Parameters, add
from kozyr.training.learners.compiled.rows import Rows
from kozyr.training.learners.ppo import RegularisedPPO, luck

TERMS = ("gain", "from_magnet", "from_before", "approx_kl", "clip_fraction")  # of the policy's loss, in their order


class NoBuffer:
    """Buffer of a learner that keeps its rollouts elsewhere."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


class Rollout(NamedTuple):
    """Decisions of a rollout, step by step: the one of table `i` at step `t` is row t × tables + i.

    Attributes:
        rows: views as the actor reads them; critic_rows: as the critic does, the same object if they share a trunk.
        choices: legal actions and their chances, one row more than there are decisions.
        rewards, starts, values: float32 [steps, tables]; starts are 1 where an episode begins.
        means: the mean of all actions' values; values are then those of the action played; [0, 0] without them.
        advantages, returns: float32 [steps, tables].
    """

    rows: Rows
    critic_rows: Rows
    choices: Choices
    rewards: NDArray[np.float32]
    starts: NDArray[np.float32]
    values: NDArray[np.float32]
    means: NDArray[np.float32]
    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]


class Pass:
    """Memory of one thread: a network and the gradients of all weights.

    Args:
        policy: SB3's; actions: of the game; parameters: of the policy.
    """

    def __init__(self, policy: Any, actions: int, parameters: Parameters) -> None:
        self.network = Network(policy, actions)
        self.gradients = parameters.room()
        self._views = {id(p): parameters.view(self.gradients, p) for p in policy.parameters() if p.requires_grad}
        self.logs, self.chances, self.terms = *np.zeros((2, actions), np.float32), np.zeros(len(TERMS))

    def gradient(self, parameter: torch.Tensor) -> torch.Tensor:
        """Return the tensor for a parameter's gradient."""
        return self._views[id(parameter)]


class CompiledPPO(RegularisedPPO):
    """PPO, or magnetic mirror descent, in compiled code.

    Its policy is SB3's, whose parameters and optimiser share their memory with the compiled code: everything that
    reads, saves or changes them does so as with any other learner.

    Args:
        *args, **kwargs: as RegularisedPPO takes them.
        threads: that share a minibatch.
    """

    def __init__(self, *args: Any, threads: int = 1, **kwargs: Any) -> None:
        self._threads = Pool(threads)
        super().__init__(*args, rollout_buffer_class=NoBuffer, **kwargs)  # pyright: ignore

    def _setup_model(self) -> None:
        """Make the policy, and room for the rollouts."""
        super()._setup_model()
        policy: Any = self.policy
        self._run_seed, env = self.seed or 0, self._tables()
        actions = env.masks.shape[1]
        self._parameters = network.parameters(policy)
        self._passes = [Pass(policy, actions, self._parameters) for _ in range(self._threads.threads)]
        self._network = self._passes[0].network
        self._magnet_actor = Actor(policy.magnet, actions) if self._averages else None
        self._rollout = self._room(actions)
        self._starts = np.ones(self.n_envs, np.float32)

    def _tables(self) -> Any:
        env: Any = self.env
        return env.tables

    def _room(self, actions: int) -> Rollout:
        """Return room for a rollout, and for the views that come after it."""
        size, net = self.n_steps * self.n_envs, self._network
        rows = sparse.room(size + self.n_envs, net.trunk.reading)
        critic_rows = rows if net.shared else sparse.room(size + self.n_envs, net.critic_trunk.reading)
        choices = legal.room(size + self.n_envs, actions, self._averages)
        many = np.zeros((6, self.n_steps, self.n_envs), np.float32)
        return Rollout(rows, critic_rows, choices, *many)

    @with_one_torch_thread
    def collect_rollouts(
        self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Play a rollout; return False if the callback has stopped it."""
        callback.on_rollout_start()
        self._refresh()
        it, n = self._rollout, self.n_envs
        seed = luck(self._run_seed, self.num_timesteps)
        rngs = generators(seed, n)
        self._tables().reset_opponents(seed)
        for t in range(self.n_steps):
            it.starts[t] = self._starts
            actions, it.values[t], it.means[t] = self._decide(t * n, rngs)
            it.rewards[t], ended, cut = env.advance(actions)
            self.num_timesteps += n
            if not callback.on_step():
                return False
            self.ep_info_buffer.extend(env.ended_episodes(ended))  # pyright: ignore
            for i in np.flatnonzero(cut).tolist():
                it.rewards[t, i] += self.gamma * self._value_at_cut(env.last_observation(i))
            self._starts = ended.astype(np.float32)
        self._judge(rngs)
        self._choose_layers()
        callback.on_rollout_end()
        return True

    def _choose_layers(self) -> None:
        """Let first layers be dense from here on that have many numbers to read."""
        it, decisions = self._rollout, self.n_steps * self.n_envs
        for one in self._passes:
            net = one.network
            for trunk, rows in ((net.trunk, it.rows), (net.critic_trunk, it.critic_rows)):
                trunk.full = trunk.full or sparse.density(rows, decisions) > network.DENSE
        self._refresh()

    @property
    def dense(self) -> list[bool]:
        """Whether the first layers of actor and critic are dense from here on."""
        return [self._network.trunk.full, self._network.critic_trunk.full]

    def go_on(self, starts: NDArray[np.bool_], dense: list[bool]) -> None:
        """Take over where episodes begin, and first layers that are dense, from a learner that has ended."""
        self._starts = starts.astype(np.float32)
        for one in self._passes:
            net = one.network
            for trunk, full in zip((net.trunk, net.critic_trunk), dense, strict=True):
                trunk.full = trunk.full or full

    def _refresh(self) -> None:
        for one in self._passes:
            one.network.refresh()

    def _decide(self, first: int, rngs: NDArray[Any]) -> tuple[NDArray[np.int64], Any, Any]:
        """Return an action for every table, written down as rows from `first` on, its value, and the mean of all."""
        it, net, n = self._rollout, self._network, self.n_envs
        env: Any = self.env
        tables, picks = env.tables, np.arange(first, first + n)
        sparse.read(net.trunk.reading, tables.views, it.rows, first)
        if not net.shared:
            sparse.read(net.critic_trunk.reading, env.observations(), it.critic_rows, first)
        actions = np.empty(n, np.int64)
        outputs = net.act(it.rows, picks)
        legal.draw(net.columns, outputs, it.rows.naming, tables.masks, rngs, it.choices, first, actions)
        values, of_actions = net.value(it.critic_rows, picks)
        if of_actions is None:
            return actions, values, 0.0
        own, means = np.empty((2, n), np.float32)
        legal.mean_value(it.choices, first, of_actions, own, means)
        return actions, own, means

    def _value_at_cut(self, observation: NDArray[Any]) -> float:
        """Return the critic's value of an observation."""
        policy: Any = self.policy
        return float(policy.predict_values(torch.from_numpy(observation[None]))[0, 0])

    def _judge(self, rngs: NDArray[Any]) -> None:
        """Write advantages and returns."""
        it, n, end = self._rollout, self.n_envs, self.n_steps * self.n_envs
        starts, gamma, decay = self._starts, np.float32(self.gamma), np.float32(self.gae_lambda)
        _, last, means = self._decide(end, rngs)
        if self._action_values:
            values = (it.rewards, it.starts, it.values, it.means, means)
            returns.expected_sarsa(*values, starts, gamma, decay, it.advantages, it.returns)
        else:
            returns.gae(it.rewards, it.starts, it.values, last, starts, gamma, decay, it.advantages, it.returns)
        if self._magnet_actor is not None:
            self._magnet_actor.refresh()
            columns = self._magnet_actor.columns
            for first in range(0, end, n):
                outputs = self._magnet_actor.forward(it.rows, np.arange(first, first + n))
                legal.note_magnet(columns, outputs, it.rows.naming, it.choices, first, first + n)

    @with_one_torch_thread
    def train(self) -> None:
        """Learn from the rollout that has been played."""
        self._update_learning_rate(self.policy.optimizer)
        decisions = self.n_steps * self.n_envs
        rng, size = np.random.default_rng([self._run_seed, self.num_timesteps]), int(self.batch_size or decisions)
        steps: list[dict[str, float]] = []
        for _ in range(self.n_epochs):
            order = rng.permutation(decisions)
            steps += [self._update_on(order[i : i + size]) for i in range(0, decisions, size)]
        self._n_updates += self.n_epochs
        if self._averages:
            self._pull_magnet()
        for name in steps[0]:
            self.logger.record(f"train/{name}", float(np.mean([one[name] for one in steps])))

    def _update_on(self, picks: NDArray[np.int64]) -> dict[str, float]:
        """Take one step of the optimiser on picked rows, and return the terms of the loss."""
        terms = self.loss_gradient(picks)
        if not math.isfinite(terms["loss"]) or not self._parameters.step(self._passes[0].gradients, self.max_grad_norm):
            return {**terms, "loss": math.nan}
        self._refresh()
        return terms

    def loss_gradient(self, picks: NDArray[np.int64]) -> dict[str, float]:
        """Write the gradient of the loss on picked rows to the first thread's gradients; return the loss's terms."""
        advantages = self._rollout.advantages.ravel()[picks]
        if self.normalize_advantage and len(advantages) > 1:
            advantages = (advantages - advantages.mean()) / (advantages.std(ddof=1) + np.float32(1e-8))
        clip: Callable[[float], float] = self.clip_range  # pyright: ignore
        numbers = clip(self._current_progress_remaining), self.ent_coef, self._trust, self.vf_coef
        weights = Weights(*map(np.float32, numbers))
        cuts = np.linspace(0, len(picks), self._threads.threads + 1).astype(int)
        parts = [(one, slice(a, b)) for one, a, b in zip(self._passes, cuts[:-1], cuts[1:], strict=True) if a < b]
        losses = self._threads.share(lambda part: self._part(*part, picks, advantages, weights), parts)
        first, *others = (one for one, _ in parts)
        for other in others:
            add(first.gradients, other.gradients)
        terms = dict(zip(TERMS, np.sum([one.terms for one, _ in parts], 0).tolist(), strict=True))
        value_loss = float(sum(losses))
        gain = terms.pop("gain")
        loss = -gain + self.vf_coef * value_loss + self.ent_coef * terms["from_magnet"]
        loss += self._trust * terms["from_before"]
        return {"loss": loss, "policy_gradient_loss": -gain, "value_loss": value_loss, **terms}

    def _part(
        self, one: Pass, part: slice, picks: NDArray[np.int64], advantages: NDArray[np.float32], weights: Weights
    ) -> float:
        """Write the gradient of the loss on a thread's share of a minibatch; return its part of the critic's loss."""
        with torch.no_grad():
            it, net, share = self._rollout, one.network, np.float32(1 / len(picks))
            mine = picks[part]
            outputs = net.act(it.rows, mine)
            values, of_actions = net.value(it.critic_rows, mine)
            if not math.isfinite(float(outputs.sum()) + float(values.sum())):
                return math.nan  # compiled code that adds in any order must not meet NaN
            upper, room = np.empty_like(outputs), (one.logs, one.chances, one.terms)
            one.terms[:] = 0
            policy = (it.choices, it.rows.naming, mine, advantages[part], weights, share)
            legal.gradient(net.columns, *policy, outputs, upper, *room)
            wrong = values - it.returns.ravel()[mine]
            steep, loss = 2 * weights.value * share * wrong, float(wrong @ wrong)
            if of_actions is not None:
                places, own = np.arange(len(mine)), it.choices.action[it.choices.choice[mine]]
                wrong = of_actions[places, own] - it.returns.ravel()[mine]
                of_actions = np.zeros_like(of_actions)
                of_actions[places, own] = 2 * weights.value * share * wrong
                loss += float(wrong @ wrong)
            net.backward(upper, steep, of_actions, one.gradient)
            return loss / len(picks)
