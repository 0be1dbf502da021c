"""Players of the m,n,k-game."""

from kozyr.agents.players import Players

LADDER = ("random", "easy", "hard")
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.mnk.bots",
    search={"threat": "kozyr.agents.mnk.search:Threat", "search": "kozyr.agents.mnk.search:Search"},
    rungs=("threat", "search"),
)
