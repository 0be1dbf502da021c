"""Players of the m,n,k-game."""

from kozyr.agents.roster import Players

LADDER = ("random", "easy", "hard")
ABOUT = {
    "easy": (
        "looks at windows: runs of k cells in which only one player has stones. It plays the cell whose windows are "
        "worth most. More stones in a window are worth much more, and its own windows a little more than the "
        "other's. If a line can be completed or must be prevented, only that counts. Of equal cells it draws one. "
        "In swap2 it opens with X's two stones as far apart as is even, and takes X where they are nearer. "
        "Against `random` it wins every game (300 deals)."
    ),
    "hard": (
        "looks one move ahead for shapes: open fours and threes, forks, and whether the last reply can answer a line. "
        "It plays the best shape that it can make or take from the other side. Where shapes do not decide, it chooses "
        "as `easy` does. Against `easy` it scores 56.2 %."
    ),
    "threat": (
        "searches for a forced win by fours, each of which the other side must answer at once, and plays its first "
        "move. Without one it plays `hard`'s move. Its budget is the number of positions. Against `hard` it scores "
        "51.0 %. In caro and renju it plays `hard`'s move."
    ),
    "shapes": (
        "is an alpha-beta search with iterative deepening over the cells that matter. It takes 50 ms a move unless a "
        "budget says otherwise. It looks for forced wins by fours first. It values positions by their fours, threes "
        "and twos. In swap2 it opens with the most even of five positions, and takes the side of the better value. On "
        "boards with lines too long for its tables, in caro and in renju it plays `hard`'s move. Against "
        "`threat` it scores 95.8 %."
    ),
    "search": (
        "is the same search with a small network that values positions and orders moves. The network learned from the "
        "search's own games (`kozyr train-search`). Where `k` is not 5 it is `shapes`. Against `shapes` it scores "
        "84.1 % in the same time."
    ),
}
PLAYERS = Players(
    LADDER,
    bots="kozyr.agents.mnk.bots",
    search={
        "threat": "kozyr.agents.mnk.search:Threat",
        "shapes": "kozyr.agents.mnk.search:Shapes",
        "search": "kozyr.agents.mnk.search:Search",
    },
    lessons="kozyr.training.mnk_evaluation",
    worlds="kozyr.agents.mnk.search",
    rungs=("threat", "shapes", "search"),
    about=ABOUT,
)
