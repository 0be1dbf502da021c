"""Players of Daifugo."""

from kozyr.agents.players import Players

LADDER = ("random", "one_card", "little_think", "course", "low", "heuristic")
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.daifugo.bots",
    search={"solver": "kozyr.agents.daifugo.search:DaifugoSolver", "pimc": "kozyr.agents.daifugo.search:DaifugoPimc"},
    worlds="kozyr.agents.daifugo.search",
    rungs=("solver", "pimc"),
)
