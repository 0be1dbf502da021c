"""Players of Durak."""

from kozyr.agents.players import Players

LADDER = ("random", "passive", "low", "heuristic")
ABOUT = {
    "passive": (
        "attacks once, with its lowest card, and throws in nothing. It beats with the lowest card that is no "
        "trump, and with trumps only once the stock is out; otherwise it takes. It never transfers. It is the bot "
        "of the rules that the project started from. These do not say which of two cards of equal rank is the "
        "lower one: here clubs come before spades, hearts and diamonds."
    ),
    "low": (
        "attacks with its cheapest card and beats as cheaply as it can, where any trump is dearer than every "
        "other card. It takes only when it must. It throws in every card that fits and is no trump, and trumps "
        "too once the stock is out. It never transfers. Of equal ranks it plays clubs first, then spades, hearts "
        "and diamonds."
    ),
    "heuristic": (
        "attacks cheaply like `low`, but between two players it prefers ranks that it holds twice, for it can "
        "throw in the second card, and avoids cards that the defender is known to beat. Once the stock is out it "
        "knows the other hand, and leads what cannot be beaten. It transfers with cards that are no trumps. It "
        "beats with ranks that lie on the table already, for these invite no new attack. Up to four players it "
        "takes rather than spend one of the four highest trumps while cards are left to draw. Its constants were "
        "found by duplicate matches."
    ),
    "solver": (
        "plays like `heuristic` until two players have nothing hidden left, and from then on perfectly: an "
        "alpha-beta search of the endgame. Where that search would take too many positions it stays with "
        "`heuristic`. A budget is the number of positions."
    ),
    "pimc": (
        "solves endgames like `solver`. Before that it compares all legal actions in imagined worlds and departs "
        "from `heuristic` only where another action is clearly better. It imagines hands that players are likely "
        "to keep, and which would have laid what was laid in this round. Two players play a world on for four "
        "rounds; what the hands are then worth is estimated."
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
