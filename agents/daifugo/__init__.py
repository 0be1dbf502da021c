"""Players of Daifugo."""

from kozyr.agents.roster import Players

LADDER = ("random", "one_card", "little_think", "course", "low", "heuristic")
ABOUT = {
    "one_card": (
        "plays one of its cards, drawn at random. A card that does not fit counts as a pass. In the exchange it gives "
        "away random cards. The documents that the project started from call it `Player`. Against `random` it scores "
        "50.7 %: the two are about equal."
    ),
    "little_think": (
        "draws a card at random and adds others of its rank up to the size of the pile. If the set does not fit, it "
        "passes. On an empty pile it leads all cards of the rank, since the source sets no size. In the exchange it "
        "gives away random cards. The documents call it `LittleThinkPlayer`. Against `one_card` it scores 67.1 %."
    ),
    "course": (
        "plays as a course on the game teaches: get rid of weak sets early and keep strength together. It leads four, "
        "three or two cards from the weaker half of its ranks, else its weakest card. It answers a single card with "
        "the weakest one that beats it. With more than five cards in hand it breaks no set for that, and keeps its "
        "top card back. It answers pairs from the weaker two thirds of its ranks, and larger sets from the weaker "
        "half. It adds the joker to pairs only with kings and above. The course says nothing about sets of four and "
        "the exchange: here it leads fours first and gives away its weakest cards. Against `little_think` it scores "
        "78.6 %."
    ),
    "low": (
        "leads all cards of its weakest rank and answers with the weakest set that fits. It uses the joker only when "
        "nothing else fits. It passes only when it must. Against `course` it scores 52.6 %; `heuristic` beats it by "
        "saving strong cards and passing at the right time."
    ),
    "heuristic": (
        "counts two kinds of sets: those that nobody can beat, and those that it would be left with. It goes out if "
        "nobody can prevent that. Otherwise it plays the set that costs least, or passes if that costs too much. "
        "Strong ranks, the joker and broken sets cost more. A set that leaves fewer beatable sets in hand costs less. "
        "It passes less often when somebody has two cards or fewer. Its constants were found by duplicate matches. "
        "Against `low` it scores 63.8 %."
    ),
    "solver": (
        "plays like `heuristic` until two players are left in the round. All their cards are known then, and it wins "
        "the round whenever that can be forced. Against `heuristic` it scores 50.2 %."
    ),
    "pimc": (
        "solves endgames like `solver`. Before that it compares actions in imagined worlds, each of which ends with "
        "the player's own place in the round. It leaves its usual action only for one that is clearly better. The "
        "usual action comes from a small network where one is bundled for the options, and from `heuristic` "
        "elsewhere. The same network or bot plays the player's later moves. With `history=True` it imagines hands "
        "with which the others would have played as they did. Against `solver` it scores 61.7 %, and against "
        "`heuristic` with `history=True` 65.4 %."
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
