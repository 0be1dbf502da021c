"""The view as it is: every entry as a share of its highest value, and what other readers add to that."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from kozyr.envs.core.game import Game
from kozyr.training.layers import ACTIVATIONS
from kozyr.training.readers.reader import Condensed, Net, Parts, Reader, nothing
from kozyr.training.readers.view.network import FORMS, ScaledView, ViewPolicy

EVERYTHING = "everything"  # the critic reads the views of all seats


class Keys(BaseModel):
    """What is asked for."""

    critic: Literal["view", "everything"] = "view"  # what the critic reads: the learner's view or all seats'
    bfloat16: bool = False  # layers multiply so where the processor can: faster, with 8 bits of each factor


class View(Reader):
    """Gives the policy wherever no other reader stands alone."""

    Keys = Keys
    forms = FORMS

    def policy(self, game: Game, variant: Any, net: Net, parts: Parts, threads: int) -> tuple[Any, dict[str, Any]]:
        """Return the policy class and its arguments."""
        activation, heads = ACTIVATIONS[net["activation"]], net["heads"]
        read = {"size": game.size(variant), "trunk": net["trunk"], "activation": activation}
        return ViewPolicy, {
            "net_arch": {"pi": heads, "vf": heads},
            "activation_fn": activation,
            "share_features_extractor": net["critic"] != EVERYTHING,
            "features_extractor_class": ScaledView,
            "features_extractor_kwargs": {**read, "parts": parts, "bfloat16": net["bfloat16"]},
        }

    def condensed(self, variant: Any, net: Net, high: NDArray[np.float32]) -> Condensed:
        """Return no more than the entries: what the critic reads is no concern of the actor."""
        return nothing()


READER = View()
