"""Proximal policy optimization in one file, to be read from top to bottom and changed.

    python -m kozyr.training.ppo_single_file --game durak --set deck=36
    python -m kozyr.training.ppo_single_file --game daifugo --opponent heuristic --out daifugo.onnx
    python -m kozyr.training.ppo_single_file --game durak --opponent low --tables 4096 --device cuda

Everything that PPO needs stands here: settings, network, rollouts, advantages, the loss and the loop. What comes from
kozyr is `make_vec`, many tables stepped at once with the other seats played inside, and `match`, which measures the
result. `kozyr train` is the tool for players that are to be good: it adds pools of past selves, imitation and
checkpoints to the same algorithm (Schulman et al. 2017, arXiv:1707.06347).
"""

import argparse
import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from torch import Tensor, nn
    from torch.distributions import Categorical
except ImportError as error:
    from kozyr.envs.core import install_hint

    raise ImportError(f"training needs torch 2.3 or newer: {install_hint.command('train')}") from error

from kozyr import envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import AgentResult
from kozyr.envs.environments import argument_checks

SELF = "self"  # the opponent that is the learner itself
_NEVER = -1e9  # the logit of an illegal action
_RECENT = 1000  # episodes that the printed return is the mean of


# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """Settings of a run; every field is an option of the command line."""

    game: str = field(metadata={"help": "a name from `kozyr games`"})
    opponent: str = field(default=SELF, metadata={"help": "who sits in the other seats: self, or an agent's name"})
    random_share: float = field(default=0.25, metadata={"help": "how often random play sits there in its place"})
    against: str = field(default="random", metadata={"help": "the agent that the result is measured against"})
    deals: int = field(default=500, metadata={"help": "deals of that match, each played in all rotations"})
    decisions: int = field(default=500_000, metadata={"help": "how long to learn; whole rollouts are played"})
    tables: int = field(default=128, metadata={"help": "tables stepped at once"})
    steps: int = field(default=32, metadata={"help": "decisions a table in one rollout"})
    epochs: int = field(default=4, metadata={"help": "how often each rollout is learned from"})
    minibatches: int = field(default=4, metadata={"help": "parts that a rollout is cut into"})
    learning_rate: float = field(default=1e-3, metadata={"help": "falls to 0 in a straight line"})
    gamma: float = field(default=1.0, metadata={"help": "discount; only the end of a game counts, however far it is"})
    gae_lambda: float = field(default=0.95, metadata={"help": "trust in the critic: 0 full, 1 none"})
    clip: float = field(default=0.2, metadata={"help": "how far the policy may move in a rollout"})
    entropy: float = field(default=0.02, metadata={"help": "weight of staying undecided"})
    value_weight: float = field(default=0.5, metadata={"help": "weight of the critic's loss"})
    max_grad_norm: float = field(default=0.5, metadata={"help": "gradients are shortened to this"})
    width: int = field(default=128, metadata={"help": "neurons a layer"})
    seed: int = field(default=1, metadata={"help": "fixes deals, random choices and the first weights"})
    device: str = field(default="cpu", metadata={"help": "cuda: tables, rollouts and network stay on a GPU"})
    out: Path | None = field(default=None, metadata={"help": "a file.onnx to write the policy to"})
    variant: dict[str, Any] = field(default_factory=dict)  # --set FIELD=VALUE

    def __post_init__(self) -> None:
        envs.game(self.game).make_variant(**self.variant)
        for name in ("deals", "decisions", "tables", "steps", "epochs", "minibatches", "width"):
            argument_checks.count(name, getattr(self, name))
        if argument_checks.device(self.device) == "cuda" and self.opponent == SELF:
            raise ValueError("opponent='self' is not allowed with device='cuda': only scripted players play on a GPU")
        if self.minibatches > self.rollout:
            raise ValueError(f"minibatches={self.minibatches} is not allowed: a rollout has {self.rollout} decisions")
        for name in ("gamma", "gae_lambda", "random_share"):
            argument_checks.share(name, getattr(self, name))
        for name in ("entropy", "value_weight"):
            argument_checks.number(name, getattr(self, name))
        for name in ("learning_rate", "clip", "max_grad_norm"):
            argument_checks.number(name, getattr(self, name), positive=True)
        if self.out is not None and self.out.suffix != ".onnx":
            raise ValueError(f"out={str(self.out)!r} is not allowed: it is the name of a file.onnx")
        if self.out is not None and not self.out.parent.is_dir():
            raise ValueError(f"out={str(self.out)!r} is not allowed: there is no folder {self.out.parent}")

    @property
    def rollout(self) -> int:
        """Return the decisions of one rollout."""
        return self.tables * self.steps


# --- Network ----------------------------------------------------------------------------------------------------------


class Net(nn.Module):
    """Actor and critic on a shared trunk; views are divided by the highest value of each entry."""

    scale: Tensor

    def __init__(self, high: NDArray[Any], actions: int, width: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(1.0 / np.maximum(high, 1).astype(np.float32)))
        first, second = nn.Linear(len(high), width), nn.Linear(width, width)
        self.trunk = nn.Sequential(first, nn.ReLU(), second, nn.ReLU())
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)
        for layer, gain in ((first, 2**0.5), (second, 2**0.5), (self.actor, 0.01), (self.critic, 1.0)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, views: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over the legal actions and the values [n] of views [n, view], masks [n, actions]."""
        latent = self.trunk(views.float() * self.scale)
        logits = self.actor(latent).masked_fill(masks == 0, _NEVER)
        return Categorical(logits=logits, validate_args=False), self.critic(latent).squeeze(-1)


class Player:
    """A network as an agent: at other seats of the training's tables, or in a match."""

    def __init__(self, net: Net, greedy: bool = False) -> None:
        self.net, self.greedy, self._rng = net, greedy, torch.Generator()

    def reset(self, seat: int, seed: int) -> None:
        """Seed the player's random choices."""
        self._rng.manual_seed(seed)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view."""
        return int(self.act_batch(view[None], mask[None])[0])

    @torch.no_grad()
    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return actions for many views."""
        chances = self.net(torch.from_numpy(views), torch.from_numpy(masks))[0].probs
        if self.greedy:
            return chances.argmax(1).numpy()
        return torch.multinomial(chances, 1, generator=self._rng).squeeze(1).numpy()


# --- Rollouts and advantages ------------------------------------------------------------------------------------------


class Rollout(NamedTuple):
    """Decisions of a rollout: each tensor is [steps, tables, …]."""

    views: Tensor
    masks: Tensor
    actions: Tensor
    log_chances: Tensor  # of the actions, when they were drawn
    values: Tensor  # what the critic thought
    rewards: Tensor
    ends: Tensor  # 1 where the step ended the episode


class Tables:
    """The vector of tables, which goes on from one rollout to the next."""

    def __init__(self, settings: Settings, net: Net) -> None:
        opponent: Any = Player(net) if settings.opponent == SELF else settings.opponent
        # A policy that meets nobody but itself soon sees few positions, and is lost in those that others bring about.
        mixture = {opponent: 1 - settings.random_share, "random": settings.random_share}
        options: Any = {"seed": settings.seed, "device": settings.device, **settings.variant}
        self._reused = settings.device == "cuda"  # what the tables show there, the next step overwrites
        self._vec: Any = envs.make_vec(settings.game, settings.tables, mixture, copy=not self._reused, **options)
        self._steps = settings.steps
        self._now, _ = self._vec.reset(seed=settings.seed)
        self._net = net.to(self._tensors()[0].device)
        self._graph, self._captured, self._rollouts = cast(Any, None), cast(Any, None), 0
        if self._reused:
            self._vec.tables.check_now = False  # only legal actions have a chance, and to look would make the GPU wait
        self.returns: deque[float] = deque(maxlen=_RECENT)  # an episode's only reward comes at its end

    def _tensors(self) -> tuple[Tensor, Tensor]:
        """Return views and masks as tensors, on the GPU where the tables are there."""
        tensors = torch.as_tensor(self._now["observation"]), torch.as_tensor(self._now["action_mask"])
        return (tensors[0].clone(), tensors[1].clone()) if self._reused else tensors

    @torch.no_grad()
    def play(self) -> tuple[Rollout, Tensor]:
        """Play a rollout and return it with the critic's values [tables] of where it stopped.

        On a GPU the second one is captured as a CUDA graph, and those after it are played without Python: what is
        returned then is overwritten by the next one.
        """
        if self._rollouts == 1 and self._tensors()[0].is_cuda:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._captured = self._rollout()
        if self._graph is not None:
            self._graph.replay()
        rollout, last = self._captured if self._graph is not None else self._rollout()
        self._rollouts += 1
        self.returns.extend(rollout.rewards[rollout.ends > 0].tolist())
        return rollout, last

    def _rollout(self) -> tuple[Rollout, Tensor]:
        rows: list[tuple[Tensor, ...]] = []
        for _ in range(self._steps):
            views, masks = self._tensors()
            chances, values = self._net(views, masks)
            actions = sample(chances.probs)
            # A game that is cut off counts as ended: what it pays then is all that it pays.
            self._now, rewards, terminated, truncated, _ = self._vec.step(actions)
            outcome = torch.as_tensor(rewards).float().clone(), torch.as_tensor(terminated | truncated).float()
            rows.append((views, masks, actions, chances.log_prob(actions), values, *outcome))
        return Rollout(*(torch.stack(column) for column in zip(*rows, strict=True))), self._net(*self._tensors())[1]


def sample(chances: Tensor) -> Tensor:
    """Return an action for each row of chances [n, actions], as torch.multinomial does, which makes a GPU wait."""
    return (chances / torch.empty_like(chances).exponential_()).argmax(1)


def advantages(rollout: Rollout, last: Tensor, gamma: float, gae_lambda: float) -> Tensor:
    """Return the advantages of the actions over the critic's values [steps, tables] (GAE, arXiv:1506.02438)."""
    estimates, after, value_after = torch.zeros_like(rollout.rewards), torch.zeros_like(last), last
    for t in reversed(range(len(estimates))):
        goes_on = 1.0 - rollout.ends[t]
        surprise = rollout.rewards[t] + gamma * goes_on * value_after - rollout.values[t]
        estimates[t] = after = surprise + gamma * gae_lambda * goes_on * after
        value_after = rollout.values[t]
    return estimates


# --- Learning ---------------------------------------------------------------------------------------------------------


def learn(net: Net, optimizer: torch.optim.Optimizer, rollout: Rollout, last: Tensor, settings: Settings) -> float:
    """Learn from a rollout and return the mean loss."""
    gain = advantages(rollout, last, settings.gamma, settings.gae_lambda)
    aims = (gain + rollout.values).flatten()
    flat, gains = Rollout(*(tensor.flatten(0, 1) for tensor in rollout)), gain.flatten()
    losses: list[Tensor] = []
    for _ in range(settings.epochs):
        for part in torch.randperm(len(gains), device=gains.device).tensor_split(settings.minibatches):
            optimizer.zero_grad()
            loss = _loss(net, Rollout(*(tensor[part] for tensor in flat)), gains[part], aims[part], settings)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), settings.max_grad_norm)
            optimizer.step()
            losses.append(loss.detach())  # to look at it would make the GPU wait
    return float(torch.stack(losses).mean())


def _loss(net: Net, part: Rollout, gains: Tensor, aims: Tensor, settings: Settings) -> Tensor:
    """Return PPO's clipped loss with the critic's and the entropy's."""
    chances, values = net(part.views, part.masks)
    ratio = (chances.log_prob(part.actions) - part.log_chances).exp()
    gains = (gains - gains.mean()) / (gains.std(correction=0) + 1e-8)
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    actor = -torch.min(ratio * gains, clipped * gains).mean()
    critic = (values - aims).square().mean()
    return actor + settings.value_weight * critic - settings.entropy * chances.entropy().mean()


def train(settings: Settings, say: Any = print) -> Net:
    """Train a network and return it; `say` is called with a line about every tenth of the way."""
    torch.manual_seed(settings.seed)
    game = envs.game(settings.game)
    variant = game.make_variant(**settings.variant)
    net = Net(game.high(variant), game.actions(variant), settings.width)
    tables = Tables(settings, net)
    optimizer = torch.optim.Adam(net.parameters(), settings.learning_rate, eps=1e-5)
    rollouts = -(-settings.decisions // settings.rollout)
    began = time.perf_counter()
    for done in range(rollouts):
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1 - done / rollouts)
        loss = learn(net, optimizer, *tables.play(), settings)
        if not math.isfinite(loss):
            raise RuntimeError(f"the loss is {loss} after {done + 1} rollouts: take a lower learning_rate")
        if (done + 1) * 10 // rollouts > done * 10 // rollouts:
            decisions = (done + 1) * settings.rollout
            rate = decisions / (time.perf_counter() - began)
            mean = f"{np.mean(tables.returns):+.3f}" if tables.returns else "none yet"
            say(f"{decisions:>10,} decisions  return {mean}  loss {loss:.4f}  {rate:,.0f} decisions/s")
    return net.cpu()


# --- The result -------------------------------------------------------------------------------------------------------


def measure(net: Net, settings: Settings) -> AgentResult:
    """Play a match of duplicate deals, the network in one seat and the opponent in all others."""
    players: Any = [Player(net, greedy=True), settings.against]
    return match(settings.game, players, settings.deals, settings.seed, **settings.variant).agents[0]


def export(net: Net, settings: Settings, path: Path) -> None:
    """Write the policy as a file that `kozyr evaluate`, `kozyr match` and `agents.load` take."""
    from kozyr.training.export.onnx_export import with_scale, write

    game, logits = envs.game(settings.game), cast(Any, with_scale(net.trunk, net.actor, net.scale))
    about = {"timesteps": settings.decisions, "seed": settings.seed, "trained by": "ppo_single_file"}
    write(path, logits, game, game.make_variant(**settings.variant), about)


# --- The command line -------------------------------------------------------------------------------------------------


def from_command_line(arguments: Sequence[str] | None = None) -> Settings:
    """Return the settings of a command line, this process's by default; exit with a sentence for a wrong one."""
    from kozyr.training.cli.terminal import options

    parser = argparse.ArgumentParser(prog="python -m kozyr.training.ppo_single_file", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for one in fields(Settings):
        flag, text = f"--{one.name.replace('_', '-')}", one.metadata.get("help", "")
        if one.name == "variant":
            parser.add_argument("--set", action="append", metavar="FIELD=VALUE", help="a field of the game's variant")
        elif one.default is MISSING:
            parser.add_argument(flag, required=True, help=text)
        else:
            kind = Path if one.default is None else type(one.default)
            text += "" if one.default is None else f" (otherwise {one.default})"
            parser.add_argument(flag, type=kind, default=one.default, help=text)
    values = vars(parser.parse_args(arguments))
    try:
        settings = Settings(variant=options(values.pop("set")), **values)
        require_players(settings)
    except ValueError as error:
        parser.error(str(error))
    return settings


def require_players(settings: Settings) -> None:
    """Raise ValueError for unknown names of players."""
    names = [settings.against] if settings.opponent == SELF else [settings.opponent, settings.against]
    envs.players(envs.game(settings.game), names, settings.variant)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure and write a policy."""
    settings = from_command_line(arguments)
    torch.set_num_threads(1)  # networks this small gain nothing from more
    net = train(settings)
    result = measure(net, settings)
    low, high = result.score_interval
    print(f"against {settings.against}: {result.score:.1%} of the points, 95 % interval {low:.1%} … {high:.1%}")
    if settings.out is not None:
        export(net, settings, settings.out)
        print(f"the policy is {settings.out}")


if __name__ == "__main__":
    main()
