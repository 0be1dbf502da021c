"""Durak."""

from kozyr.envs.core.game import Game
from kozyr.envs.durak import actions, capabilities, imagine, invariants, rules, scene, view

GAME = Game(
    name="durak",
    version=0,
    title="Durak",
    variant=rules.Variant,
    fields=rules.FIELDS,
    presets=rules.PRESETS,
    usual={"rules": "podkidnoy"},
    lobby_place=1,
    state=rules.STATE,
    seats=lambda v: v.players,
    action_layout=actions.Actions,
    parts=view.Parts,
    bound=lambda v: 3 * v.deck * (v.max_rounds or 100_000),
    complaint=rules.complaint,
)

__all__ = ["GAME", "actions", "capabilities", "imagine", "invariants", "rules", "scene", "view"]
