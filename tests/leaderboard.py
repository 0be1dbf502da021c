"""Write the leaderboard of the bundled agents anew, after a change of rules or players: it takes some minutes.

    python -m tests.leaderboard

`kozyr leaderboard check docs/leaderboard.jsonl` plays it again; the documentation shows it.
"""

import time
from pathlib import Path
from typing import Any

from kozyr.agents.arena.results import leaderboard as board

FILE = Path(__file__).parents[1] / "docs" / "leaderboard.jsonl"
SEED = 34
Matches = list[tuple[str, str, int]]  # a player, the player in all other seats, deals
GAMES: list[tuple[str, dict[str, Any], Matches]] = [
    (
        "durak",
        {"deck": 36},
        [
            ("heuristic", "low", 1000),
            ("policy", "heuristic", 1000),
            ("solver", "heuristic", 100),
            ("pimc@20", "heuristic", 100),
            ("pimc@20+policy", "policy", 100),
        ],
    ),
    (
        "draw_poker",
        {},
        [("heuristic", "priority", 1000), ("policy", "heuristic", 1000), ("pimc@20", "heuristic", 100)],
    ),
    (
        "daifugo",
        {},
        [("heuristic", "low", 1000), ("policy", "heuristic", 500), ("pimc@20", "heuristic", 100)],
    ),
    (
        "mnk",
        {},
        [("hard", "easy", 200), ("policy", "hard", 200), ("search@100", "hard", 50)],
    ),
    (
        "war",
        {"pickup": "choice"},
        [("high_first", "own_first", 500), ("policy", "high_first", 200), ("lookahead@20", "high_first", 50)],
    ),
]


def main() -> None:
    """Play everything and write the file."""
    FILE.unlink(missing_ok=True)
    for game, options, matches in GAMES:
        for first, other, deals in matches:
            began = time.perf_counter()
            made = board.play(game, [first, other], deals, SEED, **options)
            number = board.add(FILE, made)
            took = time.perf_counter() - began
            score = board.score_text(made.scores[0])
            print(f"{number}: {board.title(made)}, {first} {score} against {other}, {took:.0f} s")


if __name__ == "__main__":
    main()
