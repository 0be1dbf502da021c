"""Two lines meet place by place: where the view shows them."""

from kozyr.envs.core.game import Lineup
from kozyr.envs.war.rules import RANK, Variant
from kozyr.envs.war.view import parts


def lineup(v: Variant) -> Lineup:
    """Return where a view shows both lines."""
    at = parts(v)
    return Lineup(at.mine, at.theirs, at.laid, at.sizes, at.turn, at.picking, RANK[v.deck, : v.deck] + 1)
