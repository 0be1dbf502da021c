"""War."""

from kozyr.envs.core.game import Game
from kozyr.envs.war import actions, deals, imagine, rules, view
from kozyr.envs.war.lineup import lineup

GAME = Game(
    name="war",
    version=0,
    title="War",
    variant=rules.Variant,
    fields=rules.FIELDS,
    state=rules.STATE,
    seats=lambda v: rules.SEATS,
    actions=actions.actions,
    parts=view.parts,
    meaning=view.MEANING,
    action_table=actions.table,
    bound=lambda v: rules.LONGEST_TURN * (v.max_turns + 1),
    plain=deals.plain,
    tallies=("turns", "wars"),
    lineup=lineup,
)

__all__ = ["GAME", "actions", "imagine", "rules", "view"]
