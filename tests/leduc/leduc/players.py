"""What plays Leduc poker."""

from kozyr.agents.roster import Players

TIGHT = (
    "raises with the highest rank before the open card lies, and with a pair after. It folds the lowest rank before, "
    "and after it whatever is neither a pair nor of the highest rank. Otherwise it calls."
)
PLAYERS = Players(("random", "tight"), bots="leduc.bots", about={"tight": TIGHT})
