"""Players of draw poker."""

from kozyr.agents.players import Players

LADDER = ("random", "priority", "heuristic")
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.draw_poker.bots",
    search={"pimc": "kozyr.agents.draw_poker.search:Believer"},
    worlds="kozyr.agents.draw_poker.search",
    rungs=("pimc",),
    statistics="kozyr.agents.draw_poker.statistics:facts",
)
