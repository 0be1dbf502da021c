"""Learner of deep Monte-Carlo: plays against itself greedily with a little noise, and learns what games pay."""

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.environments.threads import Pool
from kozyr.training.learners.compiled import rows as sparse
from kozyr.training.learners.compiled.activations import relu_back
from kozyr.training.learners.compiled.layers import Dense, Stack, with_one_torch_thread
from kozyr.training.learners.compiled.network import columns, dense_layers, reading
from kozyr.training.learners.compiled.parameters import Parameters, add
from kozyr.training.learners.monte_carlo import in_progress, pairs, self_play
from kozyr.training.learners.monte_carlo.network import PairPolicy, PairValues
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run.schedule import decisions_left, rate_at


class Values:
    """Values of pairs as compiled code works them out, forwards and backwards; one for each thread.

    Args:
        policy: the weights; actions: of the game; rows: the most views that are read at a time.
        parameters: of the policy.
    """

    def __init__(self, policy: PairPolicy, actions: int, rows: int, parameters: Parameters) -> None:
        head: Any = policy.action_net
        values: PairValues = getattr(head, "layer", head)
        self.reading = reading(policy.pi_features_extractor)
        self.columns = columns(policy.action_net, actions, policy.pairs.features)
        self._rows, self._view, self._action = sparse.room(rows, self.reading), policy.pairs.view, policy.pairs.action
        self._layers = Stack([*dense_layers(values.layers), Dense([values.value], None)])
        self.gradients = parameters.room()
        self._views = {id(p): parameters.view(self.gradients, p) for p in policy.parameters()}
        self.refresh()

    def refresh(self) -> None:
        """Take over weights that have changed."""
        self._layers.refresh()
        self._view_weights, self._bias = self._view.weight.data.numpy().T, self._view.bias.data.numpy()
        self._action_weights = self._action.weight.data.numpy().T

    def _read(self, views: NDArray[Any]) -> NDArray[np.float32]:
        """Return the views' share of the first layer: [views, width]."""
        sparse.read(self.reading, views, self._rows, 0)
        self._picks, out = np.arange(len(views)), np.empty((len(views), len(self._bias)), np.float32)
        sparse.multiply(self._rows, self._picks, self._view_weights, self._bias, out)
        return out

    def choose(
        self, views: NDArray[Any], masks: NDArray[np.int8], epsilon: float, rngs: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the action of the highest value for each view, or with the chance `epsilon` any legal one."""
        shares, most = self._read(views), int(masks.sum(dtype=np.int64))
        out, legal = np.empty((most, len(self._bias)), np.float32), np.empty(most, np.int64)
        start, actions = np.zeros(len(views) + 1, np.int64), np.empty(len(views), np.int64)
        naming = self._rows.naming
        pairs.of_legal(self.columns, naming, masks, self._action_weights, shares, start, legal, out)
        values = self._layers.forward(torch.from_numpy(out))[:, 0].numpy()
        pairs.choose(start, legal, values, epsilon, rngs, actions)
        return actions

    def learn(
        self, views: NDArray[Any], actions: NDArray[np.int64], results: NDArray[np.float32], share: float
    ) -> float:
        """Write the gradients of the squared error, and return the errors' sum, both times `share`."""
        shares, naming = self._read(views), self._rows.naming
        out = np.empty_like(shares)
        pairs.of_actions(self.columns, naming, actions, self._action_weights, shares, out)
        wrong = self._layers.forward(torch.from_numpy(out))[:, 0] - torch.from_numpy(results)
        upper = self._layers.backward((2 * share * wrong)[:, None], self.gradient).numpy()
        bias, view, action = map(self.gradient, (self._view.bias, self._view.weight, self._action.weight))
        relu_back(upper, out, bias.numpy())
        sparse.multiply_back(self._rows, self._picks, upper, view.numpy().T)
        pairs.back_to_actions(self.columns, naming, actions, upper, action.numpy().T)
        return share * float(wrong @ wrong)

    def gradient(self, parameter: torch.Tensor) -> torch.Tensor:
        """Return the tensor for a parameter's gradient."""
        return self._views[id(parameter)]


class MonteCarlo:
    """Deep Monte-Carlo (Zha and others, arXiv 2106.06135), with as much of SB3's face as a run uses.

    Every decision of every seat is learned from once its game is over, `n_epochs` times, and then forgotten.

    Attributes:
        policy: the weights and the optimizer; num_timesteps: decisions so far, of all seats.
        ep_info_buffer: the last games: seat 0's payoff and how many decisions it had.
        logger: where numbers are written.

    Args:
        game: the game; variant: its options.
        env: whose count of seconds grows as games are played; its tables are not used.
        settings: see `kozyr.training.settings.run_settings`.
        time_left: tells what share of the run's time is left, 1 to 0.
        threads: that share a minibatch.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        env: TablesVecEnv,
        settings: dict[str, Any],
        time_left: Callable[[], float],
        threads: int = 1,
    ) -> None:
        self._game, self._variant, self._env = game, variant, env
        self._settings, self._time_left = settings, time_left
        self.policy = PairPolicy(game, variant, settings["net"], settings["seed"])
        self.num_timesteps, self.ent_coef = 0, 0.0
        self.ep_info_buffer: deque[dict[str, float]] = deque(maxlen=1000)
        self.logger: Any = None
        n, actions = settings["num_tables"], game.actions(variant)
        first = (self.policy.pairs.view.weight, self.policy.pairs.action.weight)
        self._parameters = Parameters(self.policy.optimizer, first)
        self._threads = Pool(threads)
        rows = max(n, settings["batch_size"])
        self._values = [Values(self.policy, actions, rows, self._parameters) for _ in range(threads)]
        self._opening = opening_plies(variant)
        self._tables = self_play.tables(game, variant, n)
        self._slots = self_play.slots(game, variant, n * (settings["n_steps"] + 64))
        self._paid, self._dealt = np.zeros((n, 2), np.float32), False

    def games(self) -> in_progress.Games:
        """Return the games in progress and the decisions that wait for a whole minibatch."""
        return in_progress.content(self._tables, self._slots)

    def take_up(self, games: in_progress.Games) -> None:
        """Go on with games as `games` has returned them, maybe of anybody's, before any other is played.

        Raises:
            ValueError: if they are no such games.
        """
        how = (self._game, self._variant, self._opening)
        self._slots = in_progress.take_up(*how, self._tables, self._slots, games)
        self._dealt = True

    def set_logger(self, logger: Any) -> None:
        """Take a logger."""
        self.logger = logger

    def get_env(self) -> None:
        """Return nothing: the tables are the learner's own."""

    def set_random_seed(self, seed: int) -> None:
        """Do nothing: luck follows from the run's seed and the decisions so far."""

    def learn(self, total: int, callback: Any, reset_num_timesteps: bool) -> None:
        """Learn from so many decisions more, and a rollout's rest; `callback` may say that time is up."""
        goal, going = self.num_timesteps + total, True
        for one in self._values:  # whose weights may have been loaded meanwhile
            one.refresh()
        callback.init_callback(self)
        callback.on_training_start({}, {})
        while self.num_timesteps < goal and going:
            callback.on_rollout_start()
            going = self._play(callback)
            if going:
                callback.on_rollout_end()
                self._log(self.train())
        callback.on_training_end()

    def _share_left(self) -> float:
        return min(decisions_left(self._settings, self.num_timesteps), self._time_left())

    def _epsilon(self) -> float:
        """Return the chance of any legal action in place of the best one."""
        how = self._settings["dmc"]
        return how["epsilon_end"] + (how["epsilon"] - how["epsilon_end"]) * self._share_left()

    @with_one_torch_thread
    def _play(self, callback: Any) -> bool:
        """Play a rollout; return False if the callback stops it."""
        at, n, epsilon = self._tables, len(self._tables.states), self._epsilon()
        seed = int(spread(self._settings["seed"], self.num_timesteps))
        rngs = generators(seed, n)
        if not self._dealt:
            at.deals[:] = generators(int(spread(seed, 1)), n)
            self_play.open_all(self._variant, at, self._opening)
            self._dealt = True
        for _ in range(self._settings["n_steps"]):
            if self._slots.counts[0] < n:
                self._slots = self_play.larger(self._slots)
            actions = self._values[0].choose(at.views, at.masks, epsilon, rngs)
            began = time.perf_counter()
            ended = self_play.advance(self._variant, at, self._slots, actions, self._opening, self._paid)
            self._env.seconds += time.perf_counter() - began
            self.ep_info_buffer.extend({"r": r, "l": length} for r, length in self._paid[:ended].tolist())
            self.num_timesteps += n
            if not callback.on_step():
                return False
        return True

    @with_one_torch_thread
    def train(self) -> dict[str, float]:
        """Learn from all whole minibatches of decisions whose games are over; return numbers about it."""
        size, own = self._settings["batch_size"], self._slots
        whole = int(own.counts[1]) // size * size
        if not whole:
            return {}
        ready = self_play.take_ready(own, whole)
        rng = np.random.default_rng([self._settings["seed"], self.num_timesteps])
        for group in self.policy.optimizer.param_groups:
            group["lr"] = rate_at(self._settings, self._share_left())
        losses = list[float]()
        for _ in range(self._settings["n_epochs"]):
            order = rng.permutation(ready)
            losses += [self._update(order[i : i + size]) for i in range(0, whole, size)]
        return {"train/loss": float(np.mean(losses)), "train/epsilon": self._epsilon()}

    def _update(self, picks: NDArray[np.int64]) -> float:
        """Take one step of the optimiser on some decisions; return the mean squared error."""
        loss = self.loss_gradient(picks)
        if not self._parameters.step(self._values[0].gradients, self._settings["max_grad_norm"]):
            return math.nan
        for one in self._values:
            one.refresh()
        return loss

    def loss_gradient(self, picks: NDArray[np.int64]) -> float:
        """Write the gradient of the loss on some slots to the first thread's gradients; return the loss."""
        own, cuts = self._slots, np.linspace(0, len(picks), len(self._values) + 1).astype(int)
        parts = [(one, picks[a:b]) for one, a, b in zip(self._values, cuts[:-1], cuts[1:], strict=True) if a < b]

        def learn(part: tuple[Values, NDArray[np.int64]]) -> float:
            one, mine = part
            with torch.no_grad():
                return one.learn(own.views[mine], own.actions[mine], own.results[mine], 1 / len(picks))

        losses = self._threads.share(learn, parts)
        for other, _ in parts[1:]:
            add(self._values[0].gradients, other.gradients)
        return sum(losses)

    def _log(self, numbers: dict[str, float]) -> None:
        """Write numbers of the last rollout, the mean payoff under SB3's name for it."""
        if self.ep_info_buffer:
            self.logger.record("rollout/ep_rew_mean", float(np.mean([one["r"] for one in self.ep_info_buffer])))
        for name, value in numbers.items():
            self.logger.record(name, value)
        self.logger.dump(self.num_timesteps)
