"""Players of the m,n,k-game."""

from kozyr.agents.players import Players

LADDER = ("random", "easy", "hard")
ABOUT = {
    "easy": (
        "looks at windows, runs of k cells in which one player alone has stones. It plays the cell whose windows "
        "are worth most; more stones are worth much more, and its own windows a little more than the other's. If "
        "a line can be completed, or must be prevented, only that counts. Of equal cells it draws one."
    ),
    "hard": (
        "looks one move ahead for shapes: open fours and threes, forks, and whether the last reply can answer a "
        "line. It plays the best shape that it makes or keeps the other from; where shapes do not decide, it "
        "chooses as `easy` does."
    ),
    "threat": (
        "plays the first move of a forced win by fours, each of which the other must answer at once, if it finds "
        "one. Otherwise it plays `hard`'s move. A budget is the number of positions."
    ),
    "search": (
        "is an alpha-beta search with iterative deepening over the cells that matter, 50 ms a move unless a "
        "budget says otherwise. It looks for forced wins by fours first. On boards with lines too long for its "
        "tables it plays `hard`'s move."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.mnk.bots",
    search={"threat": "kozyr.agents.mnk.search:Threat", "search": "kozyr.agents.mnk.search:Search"},
    worlds="kozyr.agents.mnk.search",
    rungs=("threat", "search"),
    about=ABOUT,
)
