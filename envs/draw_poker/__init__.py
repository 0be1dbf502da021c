"""Five-card draw."""

import numpy as np

from kozyr.envs.core.game import Game
from kozyr.envs.draw_poker import actions, capabilities, deck, imagine, invariants, rules, scene, view

GAME = Game(
    name="draw_poker",
    version=0,
    title="Draw poker",
    variant=rules.Variant,
    fields=rules.FIELDS,
    presets=rules.PRESETS,
    state=rules.STATE,
    seats=lambda v: v.players,
    action_layout=actions.Actions,
    parts=view.Parts,
    bound=rules.longest,
    complaint=rules.complaint,
    view_dtype=np.dtype(np.int16),
)

__all__ = ["GAME", "actions", "capabilities", "deck", "imagine", "invariants", "rules", "scene", "view"]
