"""Daifugo."""

import numpy as np

from kozyr.envs.core.game import Game
from kozyr.envs.daifugo import actions, capabilities, imagine, invariants, rules, scene, variant, view

GAME = Game(
    name="daifugo",
    version=0,
    title="Daifugo",
    variant=variant.Variant,
    fields=variant.FIELDS,
    state=variant.STATE,
    seats=lambda v: v.players,
    action_layout=actions.Actions,
    parts=view.Parts,
    bound=variant.bound,
    complaint=variant.complaint,
    view_dtype=np.dtype(np.int16),
    presets=variant.PRESETS,
    ranks="3456789TJQKA2",
)

__all__ = ["GAME", "actions", "capabilities", "imagine", "invariants", "rules", "scene", "variant", "view"]
