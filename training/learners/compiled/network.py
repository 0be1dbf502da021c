"""Networks of a policy as the compiled learner works them out: rows of views in, logits and values out, and back."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kozyr.training import encoders
from kozyr.training.encoders import count_levels, factored_actions, suit_symmetry
from kozyr.training.encoders.count_levels import Steps
from kozyr.training.encoders.encoder import BFLOAT16, MixedPrecision, Net
from kozyr.training.encoders.factored_actions import Composed
from kozyr.training.encoders.suit_symmetry import Turn, TurnedLogits
from kozyr.training.encoders.view import ScaledView
from kozyr.training.learners.compiled import rows as sparse
from kozyr.training.learners.compiled.choices import Columns
from kozyr.training.learners.compiled.layers import Activation, Dense, Gradients, Stack, activate, activate_back
from kozyr.training.learners.compiled.parameters import Parameters
from kozyr.training.learners.compiled.rows import WIDEST, Reading, Rows

_PARTS = (count_levels.ENCODER, factored_actions.ENCODER, suit_symmetry.ENCODER)
DENSE = 0.18  # share of numbers that are not 0 from which on all of them are multiplied sooner


def complaint(net: Net) -> str:
    """Return why a network that settings describe cannot be worked out here, in words, or ""."""
    whole = encoders.complete(net)
    if encoders.policy_encoder(whole) is not encoders.ENCODERS["view"]:
        return "the network reads views in a way of its own"
    if strange := [key for it in encoders.used(whole) if it.part and it not in _PARTS for key in it.used_keys(whole)]:
        return f"net.{strange[0]} has no compiled form"
    return "" if whole["trunk"] else "net.trunk names no layer"


def reading(view: ScaledView) -> Reading:
    """Return the reading of views before a first layer."""
    own = view.scale.numpy()
    places, first, last = np.zeros((0, 0), np.int32), 0, 0
    sums, counts, steps = np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    for part in map(view.get_submodule, view.parts):
        if isinstance(part, Turn):
            places = np.argsort(part.exchange.numpy(), axis=1).astype(np.int32)
            first, last = part.symmetry.first, part.symmetry.last
        elif isinstance(part, Steps):
            sums, counts, steps = part.sums.numpy(), part.counts.numpy(), part.steps.numpy()[0]
    scale = np.concatenate([own, own[sums[:, 0]] if len(sums) else own[:0], np.ones(len(steps), np.float32)])
    if len(scale) > WIDEST:
        raise ValueError(f"a first layer that reads {len(scale):,} numbers is too wide: it reads up to {WIDEST:,}")
    dense = np.zeros(len(own) + len(sums), np.int64)
    return Reading((own != 0).astype(np.int8), places, first, last, sums, counts, steps, scale, dense)


def columns(head: nn.Module, actions: int, shares: torch.Tensor | None = None) -> Columns:
    """Return the columns of a linear layer that make each action's logit.

    Args:
        head: the policy's last layer; actions: of the game.
        shares: [actions, columns] how often each counts; None asks the head.
    """
    if isinstance(head, TurnedLogits):
        exchange = head.exchange.numpy().astype(np.int32)
        start = np.tile(np.arange(actions + 1, dtype=np.int32), (len(exchange), 1))
        start += np.arange(len(exchange), dtype=np.int32)[:, None] * actions
        return Columns(start, exchange.ravel(), np.ones(exchange.size, np.float32), True)
    if shares is None:
        shares = head.features.T if isinstance(head, Composed) else torch.eye(actions)
    matrix = shares.numpy()
    which, column = np.nonzero(matrix)
    start = np.searchsorted(which, np.arange(actions + 1)).astype(np.int32)
    single = len(which) == actions and bool((matrix == np.eye(*matrix.shape)).all())
    return Columns(start[None], column.astype(np.int32), matrix[which, column].astype(np.float32), single)


def linear_of(head: nn.Module) -> Any:
    """Return the linear layer of a head."""
    return head.layer if isinstance(head, (Composed, TurnedLogits)) else head


def is_half(layers: nn.Sequential) -> bool:
    """Return True if layers multiply in bfloat16 on this processor."""
    return isinstance(layers, MixedPrecision) and BFLOAT16


def dense_layers(layers: nn.Sequential) -> list[Dense]:
    """Return the layers of a sequence of linear layers, each with what follows it."""
    modules, half = list[Any](layers), is_half(layers)
    return [Dense([linear], type(after), half) for linear, after in zip(modules[::2], modules[1::2], strict=True)]


class Trunk:
    """The layers after a view: the first reads rows of numbers that are not 0, those after it are dense.

    In bfloat16 the first is dense, too: processors that multiply so are faster with all numbers than with few. It is
    dense as well where more numbers are not 0 than `DENSE`.

    Attributes:
        full: whether the first layer is dense.

    Args:
        view: of the policy.
    """

    def __init__(self, view: Any) -> None:
        modules: list[Any] = list(view.layers)
        dense = dense_layers(view.layers)
        self.reading = reading(view)
        self.first: nn.Linear = modules[0]
        self._activation: Activation = type(modules[1])
        self._half = self.full = is_half(view.layers)
        self._first, self._rest = dense[0], Stack(dense[1:])

    def refresh(self) -> None:
        """Take over weights that have changed."""
        self._rest.refresh()
        self._first.refresh()
        if self.full:
            return
        weights = self.first.weight.data.numpy().T
        self._weights = weights if weights.flags.c_contiguous else np.ascontiguousarray(weights)
        self._bias = self.first.bias.data.numpy()

    def forward(self, rows: Rows, picks: NDArray[np.int64]) -> torch.Tensor:
        """Return the features [picks, features] of picked rows."""
        if self.full:
            return self._rest.forward(self._first.forward(self._spread(rows, picks)))
        summed = np.empty((len(picks), len(self._bias)), np.float32)
        sparse.multiply(rows, picks, self._weights, self._bias, summed)
        self._rows, self._picks, self._summed = rows, picks, torch.from_numpy(summed)
        self._active = activate(self._activation, self._summed)
        return self._rest.forward(self._active)

    def _spread(self, rows: Rows, picks: NDArray[np.int64]) -> torch.Tensor:
        """Return picked rows with the numbers that are 0: [picks, width]."""
        spread = torch.empty(len(picks), len(self.reading.scale), dtype=torch.bfloat16 if self._half else torch.float32)
        if self._half:
            sparse.spread_half(rows, picks, spread.view(torch.uint16).numpy())
        else:
            sparse.spread(rows, picks, spread.numpy())
        return spread

    def backward(self, upper: torch.Tensor, gradients: Gradients) -> None:
        """Write the gradients of all weights, given that of the features."""
        upper = self._rest.backward(upper, gradients)
        if self.full:
            self._first.backward_last(upper, gradients)
            return
        weight, bias = gradients(self.first.weight), gradients(self.first.bias)
        upper = activate_back(self._activation, upper, self._summed, self._active, bias)
        sparse.multiply_back(self._rows, self._picks, upper.numpy(), weight.numpy().T)


class Actor:
    """Actor alone: rows of views in, the outputs of its last layer out.

    Args:
        logits: a `kozyr.training.learners.network.Logits`; actions: of the game.
    """

    def __init__(self, logits: Any, actions: int) -> None:
        self.trunk, self.heads = Trunk(logits.features), Stack(dense_layers(logits.actor))
        self.last, self.columns = Dense([linear_of(logits.head)], None), columns(logits.head, actions)
        self.refresh()

    def refresh(self) -> None:
        """Take over weights that have changed."""
        for part in (self.trunk, self.heads, self.last):
            part.refresh()

    def forward(self, rows: Rows, picks: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the outputs [picks, columns] of the last layer for picked rows."""
        return self.last.forward(self.heads.forward(self.trunk.forward(rows, picks))).numpy()


class Network:
    """Actor and critic of SB3's policy; they share a trunk, or the critic reads rows of its own.

    Where they share a trunk, the first layers of both that follow it are multiplied as one.

    Attributes:
        trunk: of the actor; critic_trunk: of the critic, the same or another.
        columns: that make each action's logit.

    Args:
        policy: SB3's, for which `complaint` says nothing, with its parameters as `parameters` lays them.
        actions: of the game.
    """

    def __init__(self, policy: Any, actions: int) -> None:
        self.trunk = Trunk(policy.pi_features_extractor)
        self.shared = policy.vf_features_extractor is policy.pi_features_extractor
        self.critic_trunk = self.trunk if self.shared else Trunk(policy.vf_features_extractor)
        actor, critic = _nets(policy)
        forked = self.shared and len(actor) > 0 and len(critic) > 0
        self._fork = Dense([actor[0], critic[0]], type(actor[1]), is_half(actor)) if forked else None
        self._actor, self._critic = (Stack(dense_layers(net)[forked:]) for net in (actor, critic))
        self._last, self.columns = Dense([linear_of(policy.action_net)], None), columns(policy.action_net, actions)
        self._value = Dense([policy.value_net], None)
        self._action_values = Dense([policy.action_values], None) if hasattr(policy, "action_values") else None
        self.refresh()

    def refresh(self) -> None:
        """Take over weights that have changed."""
        parts = [self.trunk, self._actor, self._critic, self._last, self._value, self._fork, self._action_values]
        for part in parts if self.shared else [*parts, self.critic_trunk]:
            if part is not None:
                part.refresh()

    def act(self, rows: Rows, picks: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the outputs [picks, columns] of the actor's last layer."""
        features = self._features = self.trunk.forward(rows, picks)
        if self._fork is not None:
            features, self._features = self._fork.forward(features).split(self._fork.widths, 1)
        return self._last.forward(self._actor.forward(features)).numpy()

    def value(self, rows: Rows, picks: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Return values [picks] of rows, and of all actions [picks, actions] if there is a critic of them.

        Where the trunk is shared, `act` has read the same rows just before.
        """
        features = self._features if self.shared else self.critic_trunk.forward(rows, picks)
        latent = self._critic.forward(features).float()
        values = self._value.forward(latent)[:, 0].numpy()
        return values, None if self._action_values is None else self._action_values.forward(latent).numpy()

    def _rooms(self, n: int) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Return room for the gradients of actor and critic side by side, if they are what the joint layer reads."""
        if self._fork is None or self._actor.layers or self._critic.layers:
            return None, None
        self._both = torch.empty(n, sum(self._fork.widths))
        actor, critic = self._both.split(self._fork.widths, 1)
        return actor, critic

    def backward(
        self,
        outputs: NDArray[np.float32],
        values: NDArray[np.float32],
        action_values: NDArray[np.float32] | None,
        gradients: Gradients,
    ) -> None:
        """Write the gradients of all weights, given those of what `act` and `value` have returned last."""
        of_actor, of_critic = self._rooms(len(values))
        latent = self._value.backward(torch.from_numpy(values)[:, None], gradients, of_critic)
        if self._action_values is not None and action_values is not None:
            latent += self._action_values.backward(torch.from_numpy(action_values), gradients)
        critic = self._critic.backward(latent, gradients)
        actor = self._actor.backward(self._last.backward(torch.from_numpy(outputs), gradients, of_actor), gradients)
        if self._fork is not None:
            both = torch.cat([actor, critic], 1) if of_actor is None else self._both
            self.trunk.backward(self._fork.backward(both, gradients), gradients)
        elif self.shared:
            self.trunk.backward(actor + critic, gradients)
        else:
            self.trunk.backward(actor, gradients)
            self.critic_trunk.backward(critic, gradients)


def parameters(policy: Any) -> Parameters:
    """Lay the parameters of a policy as its `Network` needs them."""
    views: list[Any] = [policy.pi_features_extractor, policy.vf_features_extractor]
    by_input = [view.layers[0].weight for view in views if not is_half(view.layers)]
    actor, critic = _nets(policy)
    forked = views[0] is views[1] and len(actor) > 0 and len(critic) > 0
    together = [(actor[0].weight, critic[0].weight), (actor[0].bias, critic[0].bias)] if forked else []
    return Parameters(policy.optimizer, by_input, together)


def _nets(policy: Any) -> tuple[Any, Any]:
    return policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net
