"""Players of War."""

from kozyr.agents.players import Players

LADDER = ("random", "low_first", "other_first", "flip", "own_first", "high_first")
ABOUT = {
    "low_first": (
        'puts the low cards of the pool under its deck first. Players of War differ only with `pickup="choice"`, '
        "where the winner of a turn chooses that order."
    ),
    "other_first": ("puts the other player's cards of the pool under its deck first."),
    "flip": ('puts the starter\'s cards first, as the pool is returned with `pickup="fixed"`.'),
    "own_first": ("puts its own cards first."),
    "high_first": ("puts the high cards first, the strongest of the fixed orders."),
    "lookahead": (
        "tries every order in imagined worlds, in which the cards that have not been seen are drawn at random. A "
        "world goes on for 30 turns with `high_first`; what the decks are worth then decides."
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
