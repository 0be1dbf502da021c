"""Players of Durak."""

from kozyr.agents.roster import Players

LADDER = ("random", "passive", "low", "heuristic")
ABOUT = {
    "passive": (
        "attacks once, with its lowest card, and throws in nothing. It beats with its lowest card that is no trump, "
        "and with trumps only once the stock is empty; otherwise it takes. It never transfers. It follows the rules "
        "that the project started from. These do not say which of two cards of equal rank is lower: here clubs come "
        "before spades, hearts and diamonds. Against `random` it scores 93.9 %."
    ),
    "low": (
        "attacks with its cheapest card, throws in every matching card that is no trump, and beats as cheaply as it "
        "can. A trump costs more than any other card. It takes only when it must. It throws in trumps only once the "
        "stock is empty, and never transfers. Of equal ranks it plays clubs first, then spades, hearts and diamonds. "
        "Against `random` it scores 98.5 %; `heuristic` beats it by keeping pairs together and saving high trumps."
    ),
    "heuristic": (
        "attacks cheaply like `low`, but thinks about what follows. Between two players it prefers ranks that it holds "
        "twice, since it can throw in the second card. It avoids cards that the defender is known to beat. It beats "
        "with ranks that lie on the table already, since these invite no new attack. With up to four players it takes "
        "rather than spend one of the four highest trumps while cards are left to draw. Once the stock is empty it "
        "knows the other hand and leads cards that cannot be beaten. It transfers with cards that are no trumps, or by "
        "showing a trump, where that is allowed. Its constants were found by duplicate matches. Against `low` it "
        "scores 59.5 %."
    ),
    "solver": (
        "plays like `heuristic` until nothing is hidden between the last two players. From then on it plays perfectly, "
        "by an alpha-beta search of the endgame. Where the search would take too many positions it stays with "
        "`heuristic`. Its budget is the number of positions. Against `heuristic` it scores 64.4 %."
    ),
    "pimc": (
        "solves endgames like `solver`. Before that it compares all legal actions in imagined worlds, and leaves "
        "`heuristic`'s action only for one that is clearly better. The imagined hands are hands that players are "
        "likely to keep, and which would have played the cards of this round. Between two players a world goes on for "
        "four rounds, and then the hands are valued. Against `solver` it scores 69.9 %."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.durak.bots",
    search={"solver": "kozyr.agents.durak.search:DurakSolver", "pimc": "kozyr.agents.durak.search:DurakPimc"},
    worlds="kozyr.agents.durak.search",
    rungs=("solver", "pimc"),
    statistics="kozyr.agents.durak.statistics:facts",
    about=ABOUT,
)
