"""Imitation: the learner is taught by another agent before it plays for itself.

Positions come from the learner's seat, against the run's opponents. At some of the tables the learner's own actions
are played, so that it is corrected where its own play leads: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation
learning and structured prediction to no-regret online learning" (DAgger), AISTATS 2011. The critic learns the returns.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from kozyr import agents
from kozyr.envs.core.game import Game
from kozyr.training.learners.network import Logits
from kozyr.training.opponents.opponent_pool import TorchAgent
from kozyr.training.settings.run_settings import threads_of


class Lessons(NamedTuple):
    """Memory of lessons: the newest `rows` positions, written round and round."""

    views: NDArray[Any]  # [rows, view]
    masks: NDArray[np.int8]  # [rows, actions]
    answers: NDArray[np.int64]  # [rows] the teacher's actions
    returns: NDArray[np.float32]  # [rows] of the learner to the end of the episode; NaN where it was not seen


class Imitation:
    """Lessons for the learner of a run, as its settings' table `imitation` says.

    Args:
        run: see `kozyr.training.run.train.Run`; its `imitated` counts the positions so far.
        console: where progress is shown.
    """

    def __init__(self, run: Any, console: Console) -> None:
        self.run, self.console = run, console
        self.how = run.settings["imitation"]
        self.teacher = load(run.game, run.variant, self.how["teacher"], threads_of(run.settings))
        self.teacher.reset(-1, run.settings["seed"])
        self.student = TorchAgent(Logits(run.model.policy), "student")
        self._rng = np.random.default_rng([run.settings["seed"], run.imitated])
        n, env = min(self.how["memory"], self.how["decisions"]), run.env
        n = max(n, env.num_envs * run.settings["n_steps"])
        self.lessons = Lessons(
            np.zeros((n, *env.observation_space.shape), env.observation_space.dtype),
            np.zeros((n, env.tables.masks.shape[1]), np.int8),
            np.zeros(n, np.int64),
            np.zeros(n, np.float32),
        )
        self._positions = 0

    def carry_out(self) -> None:
        """Collect and learn, round by round, until the settings' number of positions; keep a checkpoint of each."""
        with _actor_frozen(self.run.model.policy) if self.how["critic_only"] else nullcontext():
            self._carry_out()

    def _carry_out(self) -> None:
        total = self.how["decisions"]
        columns = (
            TextColumn("the critic learns" if self.how["critic_only"] else "imitating"),
            BarColumn(12),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        )
        agreement = TextColumn("agrees {task.fields[agrees]:.1%}")
        with Progress(*columns, agreement, TimeRemainingColumn(), console=self.console) as progress:
            task = progress.add_task("", total=total, completed=self.run.imitated, agrees=0.0)
            self.run.env.reset()
            while self.run.imitated < total:
                began = time.perf_counter()
                progress.update(task, agrees=self._round(), completed=self.run.imitated)
                took = time.perf_counter() - began
                self.run.seconds += took
                self.run.lessons_seconds += took
                self.run.save()

    def _round(self) -> float:
        """Collect a rollout of positions and learn from all that is remembered; return how often both agreed."""
        rows, agrees = self._collect()
        self.run.imitated += rows
        share = max(0.0, 1 - self.run.imitated / self.how["decisions"])
        for group in self.run.model.policy.optimizer.param_groups:
            group["lr"] = self.how["learning_rate"] * max(share, 0.02)
        for batch in self._batches(rows):
            self._learn(batch)
        return agrees

    def _collect(self) -> tuple[int, float]:
        """Play a rollout and write its positions down; return how many they are, and the share of agreement."""
        env, steps = self.run.env, self.run.settings["n_steps"]
        n = env.num_envs
        own = np.arange(n) < self.how["own"] * n  # tables at which the learner's actions are played
        rewards, ended = np.zeros((steps, n), np.float32), np.zeros((steps, n), np.bool_)
        places, agreed = np.zeros((steps, n), np.int64), 0
        for t in range(steps):
            places[t] = (self._positions + np.arange(n)) % len(self.lessons.answers)
            self._positions += n
            views, masks = env.tables.views, env.tables.masks
            answers, mine = self.teacher.act_batch(views, masks), self.student.act_batch(views, masks)
            self.lessons.views[places[t]], self.lessons.masks[places[t]] = env.observations(), masks
            self.lessons.answers[places[t]] = answers
            agreed += int((answers == mine).sum())
            env.step_async(np.where(own, mine, answers))
            _, _, ended[t], _ = env.step_wait()
            rewards[t] = env.tables.rewards  # a cap's payoff too: nothing is bootstrapped here
        for t, returns in zip(range(steps - 1, -1, -1), _returns(rewards, ended), strict=True):
            self.lessons.returns[places[t]] = returns
        return steps * n, agreed / (steps * n)

    def _batches(self, rows: int) -> Iterator[NDArray[np.int64]]:
        """Give rows to learn from, so many that each new position is met `epochs` times on average.

        Half of each batch is drawn from the positions that leave a choice: the others teach the critic only.
        """
        size, known = self.run.settings["batch_size"], min(self._positions, len(self.lessons.answers))
        choices = np.flatnonzero(self.lessons.masks[:known].sum(1) > 1)
        for _ in range(max(1, self.how["epochs"] * rows // size)):
            batch = self._rng.integers(known, size=size)
            if len(choices):
                batch[: size // 2] = self._rng.choice(choices, size // 2)
            yield batch

    def _learn(self, rows: NDArray[np.int64]) -> None:
        """Take one step towards the teacher's actions and the returns."""
        policy, weight = self.run.model.policy, self.run.settings["value_weight"]
        views = torch.from_numpy(self.lessons.views[rows]).float()
        masks, answers = torch.from_numpy(self.lessons.masks[rows]), torch.from_numpy(self.lessons.answers[rows])
        values, likely, _ = policy.evaluate_actions(views, answers, action_masks=masks)
        returns = torch.from_numpy(self.lessons.returns[rows])
        known = ~returns.isnan()
        off = (values.flatten()[known] - returns[known]).square().mean() if known.any() else torch.zeros(())
        loss = weight * off - likely.mean()
        if not loss.requires_grad:  # the actor is held, and no episode has ended yet
            return
        policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), self.run.settings["max_grad_norm"])
        policy.optimizer.step()


@contextmanager
def _actor_frozen(policy: Any) -> Generator[None]:
    """Keep the actor as it is, and the layers that it shares with the critic."""
    actor = list(Logits(policy).parameters())
    for parameter in actor:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in actor:
            parameter.requires_grad_(True)


def load(game: Game, variant: Any, name: str, threads: int = 1) -> Any:
    """Return the teacher, or raise ValueError in words."""
    try:
        return agents.load(name, game=game.name, threads=threads, **game.options(variant))
    except ValueError as error:
        raise ValueError(f"imitation: teacher: {error}") from None


def _returns(rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> Iterator[NDArray[np.float32]]:
    """Yield each table's return, last step first; NaN before an episode's end."""
    later = np.full(rewards.shape[1], np.nan, np.float32)
    for reward, end in zip(rewards[::-1], ended[::-1], strict=True):
        later = np.where(end, reward, reward + later)
        yield later
