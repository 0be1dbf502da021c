"""Composed actions: the logit of an action is the sum of what the network says of each of its features."""

from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.capabilities import action_features
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import Condensed, MakePart, Net, Reader, nothing
from kozyr.training.encoders.factored_actions.network import FORMS, Composing


def _complaint(net: Net, game: Game, variant: Any) -> str:
    lacking = action_features(variant) is None
    return f"net.composed=true is not allowed: {game.name} tells no features of its actions" if lacking else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Composing, cast(NDArray[np.int8], action_features(variant)))


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()._replace(actions=cast(NDArray[np.int8], action_features(variant)))


KEYS = {"composed": (bool, False)}  # actions with features in common are learned together, where a game tells them
READER = Reader(KEYS, FORMS, _complaint, _part, condensed=_condensed)
