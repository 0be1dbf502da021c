"""Players of Daifugo."""

from kozyr.agents.players import Players

LADDER = ("random", "one_card", "little_think", "course", "low", "heuristic")
ABOUT = {
    "one_card": (
        "puts down one of its cards, drawn at random. A card that does not fit counts as a pass. In the exchange "
        "it gives away random cards. The documents that the project started from call it `Player`."
    ),
    "little_think": (
        "draws a card at random and completes it with others of its rank up to the size of the pile; what does "
        "not fit counts as a pass. On an empty pile it leads all cards of the rank, where the source sets no "
        "size. In the exchange it gives away random cards. The documents call it `LittleThinkPlayer`."
    ),
    "course": (
        "plays as a course on the game teaches: it gets rid of weak sets early and keeps strength together. It "
        "leads four, three, or two cards from the weaker half of its ranks, else its weakest card. It answers a "
        "single card with the weakest one that beats it. While it holds more than five cards it breaks no set for "
        "that and keeps its top card back. It answers pairs from the weaker two thirds of its ranks, the joker "
        "only with kings and above, and larger sets from the weaker half. The course says nothing about sets of "
        "four and the exchange of cards: here it leads fours first and gives away its weakest cards."
    ),
    "low": (
        "leads all cards of its weakest rank and answers with the weakest set that fits. It uses the joker only "
        "when nothing else does. It passes only when it must."
    ),
    "heuristic": (
        "counts which of its sets nobody can beat and which it would be left with. It goes out if nobody can "
        "prevent that. Otherwise it lays the set that costs least, or passes if that costs too much. Strong "
        "ranks, the joker and broken sets cost more; leaving fewer beatable sets in hand costs less. It passes "
        "less often when somebody has two cards or fewer. Its constants were found by duplicate matches."
    ),
    "solver": (
        "plays like `heuristic` until two players are left in the round, all of whose cards are known, and then "
        "wins the round for sure if that can be done."
    ),
    "pimc": (
        "solves what `solver` solves. Before that it compares actions in imagined worlds, which end with the "
        "player's own place in the round, and departs from its usual action only where another one is clearly "
        "better. Its usual action is that of a small network where one is bundled for the variant, which then "
        "also plays the player's later moves, and `heuristic`'s elsewhere. With `history=True` it imagines hands "
        "with which the others would have played so."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.daifugo.bots",
    search={"solver": "kozyr.agents.daifugo.search:DaifugoSolver", "pimc": "kozyr.agents.daifugo.search:DaifugoPimc"},
    worlds="kozyr.agents.daifugo.search",
    rungs=("solver", "pimc"),
    about=ABOUT,
)
