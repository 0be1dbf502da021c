"""Players of draw poker."""

from kozyr.agents.players import Players

LADDER = ("random", "priority", "heuristic")
ABOUT = {
    "priority": (
        "plans before the exchange and counts after it. Every combination has a value from 1 to 10, and its "
        "priority is that value minus the cards it lacks. The bot exchanges the cards whose change serves the "
        "most valuable combinations, each weighed by its chance. Before the exchange it bets by two priorities: "
        "the worst is what it holds, the best is what the exchange may bring. Combinations that need the same "
        "cards reinforce the best one, each by its chance. The more players are left, the less the best one "
        "counts. Under a floor it folds, and the floor rises with the price of a call compared with its chips. "
        "After the exchange it counts the unseen cards and estimates the chance that somebody holds better: "
        "values above 4 are half as likely with players who exchanged three or more cards, values above 7 with "
        "players who exchanged two. The more a player has bet, the likelier that player holds better. With a "
        "value up to 2 it folds if that chance is above pot / (pot + price of the call). With a value of 4 or "
        "more it raises, the higher the safer it is; otherwise it calls. The description that the project started "
        "from gives the plan without numbers: the floor, the level of risk and how much a bet tells are ours. It "
        "does not say how bets are read or how the number of players counts; here the chance of a better hand "
        "grows with a bet, up to twice, and the risk falls with the square root of the number of others. For "
        "hands of two cards there is no plan to follow: a pair raises, everything else folds to a bet, after the "
        "exchange only if a better hand is likely, and the size of a bet is ignored."
    ),
    "heuristic": (
        "weighs its chance to win against the price. Before the exchange the chance comes from a table for each "
        "class of hands and each number of players. After it the bot counts how many better hands there are, "
        "given how many cards everybody exchanged, and holds a bet against the better ones: who bets or raises "
        "rarely does so with a weak hand. It calls by pot odds. Its constants were found by duplicate matches."
    ),
    "pimc": (
        "compares all actions in imagined worlds and plays the one that wins most chips there; a world ends with "
        "the hand. It imagines hands with which the others would have bet and exchanged as they did, as "
        "`heuristic` plays, and in every third world as `priority` does. It does not wait for clear differences. "
        "It never folds where nothing is to be paid."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.draw_poker.bots",
    search={"pimc": "kozyr.agents.draw_poker.search:Believer"},
    worlds="kozyr.agents.draw_poker.search",
    rungs=("pimc",),
    statistics="kozyr.agents.draw_poker.statistics:facts",
    about=ABOUT,
)
