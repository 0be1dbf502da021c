"""What a way to read a view is: everything that is said of one stands in its own folder beside this file.

The folder's `__init__` has the settings' keys and says when they are wrong, `network.py` has the modules and their
ONNX form, which has a file `export.py` of its own where it is long. `kozyr.training.readers` lists the folders.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel
from torch import nn

from kozyr.envs.core.game import Game


class Part(nn.Module):
    """What a reader adds to the reading of a view.

    Attributes:
        features: entries that it appends to what is read.
    """

    features: int = 0

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return what is read from here on, of what is read so far [n, any] and the unscaled views [n, view]."""
        raise NotImplementedError

    def head(self, layer: nn.Module) -> nn.Module:
        """Return the layer that gives the logits, changed if the part changes their order."""
        return layer


Net = Mapping[str, Any]  # the settings' table `net`, with every key of every reader
MakePart = Callable[[NDArray[np.float32]], Part]  # from the highest values of the entries that are read
Parts = Sequence[tuple[str, MakePart]]  # by their readers' names
Forms = Mapping[type[nn.Module], Callable[[Any, Any], None]]  # each takes a `Graph` and the module


class Condensed(NamedTuple):
    """What a small compiled network is told besides the entries of a view, in the order of its inputs.

    Attributes:
        sums: int64 [k, 2] pairs of entries, alike in their highest value, whose sum is one entry more.
        counts: int64 [steps] entries, of the view and then of the sums, that are compared.
        steps: float32 [steps] with which share of its highest value each is compared: one if above, or zero.
    """

    sums: NDArray[np.int64]
    counts: NDArray[np.int64]
    steps: NDArray[np.float32]


class Reader:
    """A way for a network to read a view, asked for by its keys of the settings' table `net`.

    Most readers give a `part` of what the policy of the reader `view` reads. One that is `whole` stands alone and has
    a `policy` of its own.

    Attributes:
        Keys: the keys that it adds to `net`; all of them left out, it reads nothing.
        whole: whether it stands alone.
        forms: how each of its modules is appended to an ONNX graph.
        own_threads: whether its layers share a batch among threads of their own, which torch's would keep from work.
    """

    Keys: ClassVar[type[BaseModel]]
    whole: ClassVar[bool] = False
    own_threads: ClassVar[bool] = False
    forms: ClassVar[Forms] = {}

    def asked(self, net: Net) -> dict[str, Any]:
        """Return its keys that are not left out, with their values."""
        usual = self.Keys().model_dump()
        return {key: net[key] for key in usual if net[key] != usual[key]}

    def complaint(self, net: Net, game: Game, variant: Any) -> str:
        """Say what is wrong with its keys for a game, once they are asked for, or nothing."""
        return ""

    def part(self, variant: Any, net: Net) -> MakePart | None:
        """Return what makes its part of a policy."""
        return None

    def policy(self, game: Game, variant: Any, net: Net, parts: Parts, threads: int) -> tuple[Any, dict[str, Any]]:
        """Return the policy class and `policy_kwargs` for MaskablePPO; asked of `view` and of readers that are whole.

        Args:
            game: the game; variant: what is agreed; net: the settings' table.
            parts: what the other readers add; a reader that is whole gets none.
            threads: among which a batch is shared, by readers with threads of their own.
        """
        raise NotImplementedError

    def condensed(self, variant: Any, net: Net, high: NDArray[np.float32]) -> Condensed | None:
        """Return what a small compiled network reads, given the highest values of a view; None: there is no such form.

        One reader at most may read sums or steps.
        """
        return None


def nothing() -> Condensed:
    """Return the condensed form of a reader that reads no more than the entries."""
    return Condensed(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
