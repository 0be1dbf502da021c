"""Players of War."""

from kozyr.agents.players import Players

LADDER = ("random", "low_first", "other_first", "flip", "own_first", "high_first")
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.war.bots",
    search={"lookahead": "kozyr.agents.war.search:Lookahead"},
    worlds="kozyr.agents.war.search",
    rungs=("lookahead",),
    statistics="kozyr.agents.war.statistics:facts",
)
