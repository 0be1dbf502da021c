"""Players of draw poker."""

from kozyr.agents.roster import Players

LADDER = ("random", "priority", "heuristic")
ABOUT = {
    "priority": (
        "plans before the exchange and counts after it. Every combination has a value from 1 to 10; its priority is "
        "that value minus the number of missing cards. The bot exchanges the cards whose change helps the most "
        "valuable combinations, each weighed by its chance.\n\n"
        "Before the exchange it bets by two priorities: the worst is the hand that it has, the best is the hand that "
        "the exchange may bring. Combinations that need the same cards strengthen the best one. More players make it "
        "count less. Below a floor the bot folds, and the floor rises with the price of a call.\n\n"
        "After the exchange it counts the unseen cards and estimates the chance that somebody holds a better hand. "
        "Values above 4 are half as likely for players who exchanged three or more cards, values above 7 for players "
        "who exchanged two. The more a player has bet, the likelier a better hand. With a value up to 2 it folds if "
        "that chance is above pot / (pot + price of the call). With a value of 4 or more it raises, and raises more "
        "the safer it is; otherwise it calls.\n\n"
        "The description that the project started from gives this plan without numbers: the floor, the level of risk "
        "and the reading of bets are ours. A bet raises the chance of a better hand up to twice, and the risk falls "
        "with the square root of the number of others. Hands of two cards need no plan: a pair raises. Everything "
        "else folds to a bet, after the exchange only if a better hand is likely. The size of a bet is ignored. "
        "Against `random` it scores 57.8 %."
    ),
    "heuristic": (
        "weighs its chance to win against the price. Before the exchange the chance comes from a table, by class of "
        "hand and number of players. After it the bot counts how many better hands there are, given how many cards "
        "everybody exchanged. It also reads bets: a player who bets or raises rarely has a weak hand. It calls by pot "
        "odds. Its constants were found by duplicate matches. Against `priority` it scores 51.4 %."
    ),
    "pimc": (
        "compares all actions in imagined worlds and plays the one that wins most chips there. A world ends with the "
        "hand. The imagined hands are hands with which the others would have bet and exchanged as they did. "
        "They play like `heuristic` there, and in every third world like `priority`. It does not wait for clear "
        "differences. It never folds where checking is free. Against `heuristic` it scores 51.3 %."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.draw_poker.bots",
    search={"pimc": "kozyr.agents.draw_poker.search:Believer"},
    worlds="kozyr.agents.draw_poker.search",
    rungs=("pimc",),
    responders={
        "search": "kozyr.agents.draw_poker.local_best_response:search",
        "lbr": "kozyr.agents.draw_poker.local_best_response:LocalResponse",
    },
    statistics="kozyr.agents.draw_poker.statistics:facts",
    about=ABOUT,
)
