"""Write golden records anew, after a change of rules and version.

    python -m tests.records mnk

Without a game it writes those of all games.
"""

import argparse
from pathlib import Path

from kozyr import agents, envs
from kozyr.agents.player import play_game
from kozyr.envs.table import record
from tests.contract import variants

FOLDER = Path(__file__).parent
GAMES = 16
MOST_ACTIONS = 110  # of a table, to keep lines short


def lines(name: str) -> list[str]:
    """Return the records of games over several variants, every scripted player in every seat."""
    game, written = envs.game(name), []
    for seed, v in enumerate(variants.drawn(game, GAMES, seed=7, most=MOST_ACTIONS)):
        options, ladder = game.options(v), agents.names(name)
        players = [agents.load(ladder[(seed + seat) % len(ladder)], name, **options) for seat in range(game.seats(v))]
        written.append(record.write(play_game(game, v, seed, -1, players)))
    return written


def main(given: list[str] | None = None) -> None:
    """Write the records of the games that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="games whose records to write (default: all)")
    asked: list[str] = parser.parse_args(given).games
    for unknown in set(asked) - set(envs.games()):
        parser.error(f"{unknown!r} is no game: the games are {', '.join(envs.games())}")
    for name in asked or envs.games():
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines(name)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
