"""Players of Durak."""

from kozyr.agents.players import Players

LADDER = ("random", "passive", "low", "heuristic")
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.durak.bots",
    search={"solver": "kozyr.agents.durak.search:DurakSolver", "pimc": "kozyr.agents.durak.search:DurakPimc"},
    worlds="kozyr.agents.durak.search",
    rungs=("solver", "pimc"),
    statistics="kozyr.agents.durak.statistics:facts",
)
