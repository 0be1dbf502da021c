"""Daifugo."""

import numpy as np

from kozyr.envs.core.game import Game
from kozyr.envs.daifugo import actions, capabilities, imagine, invariants, rules, scene, view
from kozyr.envs.daifugo.exchange import GIFTS

GAME = Game(
    name="daifugo",
    version=0,
    title="Daifugo",
    variant=rules.Variant,
    fields=rules.FIELDS,
    state=rules.STATE,
    seats=lambda v: v.players,
    actions=actions.actions,
    parts=view.Parts,
    action_table=actions.table,
    bound=lambda v: v.rounds * (v.players * rules.cards(v) + GIFTS + 1),
    complaint=rules.complaint,
    view_dtype=np.dtype(np.int16),
)

__all__ = ["GAME", "actions", "capabilities", "imagine", "invariants", "rules", "scene", "view"]
