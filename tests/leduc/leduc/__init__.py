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
    actions=lambda v: len(rules.WORDS),
    action_table=lambda v: [("0", "fold"), ("1", "call, or check where that costs nothing"), ("2", "raise")],
    say=rules.say,
    parts=view.Parts,
    bound=lambda v: rules.STREETS * rules.longest(v),
)

__all__ = ["GAME", "rules", "scene", "view"]
