"""Leduc poker."""

from kozyr.envs.core.game import Game
from leduc import actions, imagine, invariants, rules, scene, view

GAME = Game(
    name="leduc",
    version=0,
    title="Leduc poker",
    variant=rules.Variant,
    fields=rules.FIELDS,
    state=rules.STATE,
    seats=lambda v: v.players,
    actions=actions.actions,
    parts=view.Parts,
    action_table=actions.table,
    bound=lambda v: rules.STREETS * rules.longest(v),
)

__all__ = ["GAME", "actions", "imagine", "invariants", "rules", "scene", "view"]
