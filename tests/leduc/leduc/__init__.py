"""Leduc poker."""

from kozyr.envs.core.game import Game
from leduc import rules, scene, view

GAME = Game(
    name="leduc",
    version=0,
    title="Leduc poker",
    variant=rules.Variant,
    fields=rules.FIELDS,
    state=rules.STATE,
    seats=lambda v: v.players,
    action_layout=rules.Actions,
    parts=view.Parts,
    bound=lambda v: rules.STREETS * rules.longest(v),
)

__all__ = ["GAME", "rules", "scene", "view"]
