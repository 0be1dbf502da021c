"""Suit symmetry: suits are only names, so views are read, and answered, as if trumps were the first suit."""

from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kozyr.envs.core.capabilities import Symmetry, symmetry
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import Encoder, Forms, MakePart, Net, Part
from kozyr.training.export.onnx_graph import Graph

_NAMING = "naming"  # the graph's output that tells each view's naming


class Turn(Part):
    """Turn scaled views into their first naming.

    Attributes:
        naming: which naming the views had that were passed last: int64 [n].

    Args:
        symmetry: what changes places; high: highest values of the entries, of one view or of those of all seats.
    """

    exchange: torch.Tensor  # int64 [k, entries]

    def __init__(self, symmetry: Symmetry, high: NDArray[np.float32]) -> None:
        super().__init__()
        self.symmetry, self.naming = symmetry, torch.zeros(0, dtype=torch.int64)
        one = symmetry.views.shape[1]
        seats = [symmetry.views + first for first in range(0, len(high), one)]
        self.register_buffer("exchange", torch.from_numpy(np.concatenate(seats, 1)), False)

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return the turned entries."""
        self.naming = read[:, self.symmetry.first : self.symmetry.last].argmax(1)
        return read.gather(1, self.exchange[self.naming])

    def head(self, layer: nn.Module) -> nn.Module:
        """Return a layer whose logits are turned back."""
        return TurnedLogits(layer, self)


class TurnedLogits(nn.Module):
    """Give the logits of the actions as they are named at the table, after a view was turned.

    Args:
        layer: gives the logits of the turned view; turn: what has turned it.
    """

    exchange: torch.Tensor  # int64 [k, actions]

    def __init__(self, layer: nn.Module, turn: Turn) -> None:
        super().__init__()
        self.layer, self._turn = layer, (turn,)  # in a tuple, so that its weights are not taken for this module's
        self.register_buffer("exchange", torch.from_numpy(turn.symmetry.actions))

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Return logits [n, actions]."""
        return self.layer(latent).gather(1, self.exchange[self._turn[0].naming])


def _turn(graph: Graph, module: Turn) -> None:
    """Append the nodes of `Turn.forward`."""
    scaled = graph.last
    graph.part(1, module.symmetry.first, module.symmetry.last)
    graph.outputs[_NAMING], graph.last = graph.add("ArgMax", axis=1, keepdims=0), scaled
    _exchange(graph, module.exchange)


def _turn_back(graph: Graph, module: TurnedLogits) -> None:
    """Append the nodes of `TurnedLogits.forward`."""
    graph.layer(module.layer)
    _exchange(graph, module.exchange)


def _exchange(graph: Graph, places: torch.Tensor) -> None:
    """Append an exchange of entries by the naming that the view had."""
    entries, graph.last = graph.last, graph.constant(places.numpy(), np.int64)
    index, graph.last = graph.add("Gather", graph.outputs[_NAMING]), entries
    graph.add("GatherElements", index, axis=1)


FORMS: Forms = {Turn: _turn, TurnedLogits: _turn_back}


def _complaint(net: Net, game: Game, variant: Any) -> str:
    lacking = symmetry(variant) is None
    return f"net.turned=true is not allowed: {game.name} has no symmetry of suits" if lacking else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Turn, cast(Symmetry, symmetry(variant)))


KEYS = {"turned": (bool, False)}  # views are turned so that trumps come first, in games that have a symmetry
ENCODER = Encoder(KEYS, FORMS, _complaint, _part)
