"""Players of War."""

from kozyr.agents.roster import Players

LADDER = ("random", "low_first", "other_first", "flip", "own_first", "high_first")
ABOUT = {
    "low_first": (
        'puts the low cards of the pool under its deck first. Players of War differ only with `pickup="choice"`, '
        "where the winner of a turn chooses that order. Against `random` it scores 51.5 %."
    ),
    "other_first": "puts the other player's cards of the pool under its deck first. Against `random` it scores 50.9 %.",
    "flip": (
        'puts the starter\'s cards first, as the pool is returned with `pickup="fixed"`. Against `random` it scores '
        "52.3 %."
    ),
    "own_first": "puts its own cards first. Against `random` it scores 54.2 %.",
    "high_first": (
        "puts the high cards first. It is the strongest of the fixed orders: against `random` it scores 61.2 %, and "
        "against `own_first` 55.0 %."
    ),
    "lookahead": (
        "tries every order in imagined worlds, in which unseen cards are drawn at random. A world goes on for 30 turns "
        "with `high_first`, and then the decks are valued. With 16 worlds (`lookahead@16`) it scores 98.5 % against "
        "`high_first`."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.war.bots",
    search={"lookahead": "kozyr.agents.war.search:Lookahead"},
    worlds="kozyr.agents.war.search",
    rungs=("lookahead",),
    statistics="kozyr.agents.war.statistics:facts",
    about=ABOUT,
)
