"""War."""

from kozyr.envs.core.game import Game
from kozyr.envs.war import actions, capabilities, imagine, invariants, rules, scene, view

GAME = Game(
    name="war",
    version=0,
    title="War",
    variant=rules.Variant,
    fields=rules.FIELDS,
    usual={"pickup": "choice"},
    ranks="",
    state=rules.STATE,
    seats=lambda v: rules.SEATS,
    action_layout=actions.Actions,
    parts=view.Parts,
    bound=lambda v: (rules.LONGEST_TURN if v.shortage else rules.LONGEST_FULL_TURN) * (v.max_turns + 1),
)

__all__ = ["GAME", "actions", "capabilities", "imagine", "invariants", "rules", "scene", "view"]
