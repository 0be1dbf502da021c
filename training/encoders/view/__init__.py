"""The view as it is: every entry as a share of its highest value, and what other readers add to that."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.trained import entries
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import Condensed, Net, Parts, Reader, nothing
from kozyr.training.encoders.view.network import FORMS, ScaledView, ViewPolicy
from kozyr.training.learners.layers import ACTIVATIONS

EVERYTHING = "everything"  # the critic reads the views of all seats


def _policy(net: Net, game: Game, variant: Any, parts: Parts, threads: int) -> tuple[Any, dict[str, Any]]:
    activation, heads = ACTIVATIONS[net["activation"]], net["heads"]
    read = {"size": game.size(variant), "trunk": net["trunk"], "activation": activation}
    read["unseen"] = entries(game, variant, net.get("unseen", ()))
    return ViewPolicy, {
        "net_arch": {"pi": heads, "vf": heads},
        "activation_fn": activation,
        "share_features_extractor": net["critic"] != EVERYTHING,
        "features_extractor_class": ScaledView,
        "features_extractor_kwargs": {**read, "parts": parts, "bfloat16": net["bfloat16"]},
    }


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()  # the keys below change nothing in what the actor reads


KEYS = {
    "critic": (Literal["view", "everything"], "view"),  # what the critic reads: the learner's view or all seats'
    "bfloat16": (bool, False),  # layers multiply so where the processor can: faster, with 8 bits of each factor
}
READER = Reader(KEYS, FORMS, policy=_policy, condensed=_condensed)
