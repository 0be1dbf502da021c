"""Write the golden records of every game anew: `python -m tests.records`, after a change of rules and version."""

from pathlib import Path

from kozyr import agents, envs
from kozyr.envs.api import record
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
        written.append(record.write(record.play(game, v, seed, -1, players)))
    return written


if __name__ == "__main__":
    for name in envs.games():
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines(name)) + "\n", encoding="utf-8")
