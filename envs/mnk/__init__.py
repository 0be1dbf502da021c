"""The m,n,k-game (five in a row with a last reply)."""

from kozyr.envs.core.game import Game
from kozyr.envs.mnk import actions, bans, capabilities, imagine, invariants, openings, rules, scene, swap2, view

GAME = Game(
    name="mnk",
    version=0,
    title="m,n,k-game",
    variant=rules.Variant,
    fields=rules.FIELDS,
    presets=rules.PRESETS,
    state=rules.STATES[rules.MAX_SIDE, 1],
    seats=lambda v: rules.SEATS,
    action_layout=actions.Actions,
    parts=view.Parts,
    bound=lambda v: v.m * v.n + swap2.CHOICES * v.opening_rule,
    complaint=rules.complaint,
    layouts=rules.states,
    compiled_apart=rules.COMPILED_APART,
    called=rules.name_of,
)

__all__ = [
    "GAME",
    "actions",
    "bans",
    "capabilities",
    "imagine",
    "invariants",
    "openings",
    "rules",
    "scene",
    "swap2",
    "view",
]
