"""Play every scripted and search player of a game over drawn variants and each option, with little to think about.

NUMBA_BOUNDSCHECK=1 python -m kozyr.contract.bounds durak

Run like this, compiled code that reads or writes past the end of an array raises an error.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.loops.tables import choose_batch

from . import variants
from .table import Table

VARIANTS, PLIES, MOST_ACTIONS = 5, 200, 2500
DECISIONS = 8  # of each search player under a variant
BUDGET, NODES = 4, 2000
ELSEWHERE = "openspiel-mcts"  # another library's player


def positions(game: Game, v: Any, seed: int) -> Iterator[Table]:
    """Give tables at all decisions of a game of the strongest scripted player, who plays at random now and then."""
    table, rngs, actions = Table(game, v, seed), generators(seed, 1), np.zeros(1, np.int64)
    best = len(agents.names(game.name)) - 1
    for ply in range(PLIES):
        if table.over:
            return
        yield table
        choose_batch(v, best if ply % 4 else 0, table.view(table.turn)[None], table.mask()[None], rngs, actions)
        table.play(int(actions[0]))


def play_bots(game: Game, v: Any, seed: int) -> None:
    """Ask every scripted player at every decision."""
    rngs, actions = generators(seed, 1), np.zeros(1, np.int64)
    for table in positions(game, v, seed):
        view, mask = table.view(table.turn), table.mask()
        for level, name in enumerate(agents.names(game.name)):
            choose_batch(v, level, view[None], mask[None], rngs, actions)
            if not mask[actions[0]]:
                raise AssertionError(f"{name} plays action {actions[0]}, which is not legal:\n{table}")


def play_searches(game: Game, v: Any, seed: int) -> None:
    """Compare what every search player lists with `legal` at every decision, and ask it at some of them."""
    asked = [(t.view(t.turn), t.mask()) for t in positions(game, v, seed) if t.mask().sum() > 1]
    places = np.unique(np.linspace(0, len(asked) - 1, min(DECISIONS, len(asked))).astype(int)).tolist()
    for name in agents.searchers(game.name):
        if name == ELSEWHERE:
            continue
        player: Any = agents.load(f"{name}@{BUDGET}", game=game.name, **game.options(v))
        player.nodes = min(player.nodes, NODES)
        for i, (view, mask) in enumerate(asked):
            require_all(game, v, name, player.listed(view, mask), mask)
            if i in places:
                player.reset(0, seed)
                player.act(view, mask)  # which refuses an answer that is not legal


def require_all(game: Game, v: Any, name: str, listed: Any, mask: Any) -> None:
    """Raise AssertionError if a search player does not know the actions that are legal."""
    if (wrong := np.flatnonzero(listed != mask)).size:
        words = ", ".join(game.text.say(v, Table(game, v).s, action) for action in wrong.tolist())
        raise AssertionError(f"{name} does not know the same actions as `legal`: {words}")


def main(name: str) -> None:
    """Play all players of a game."""
    game: Any = envs.game(name)
    registry.seat_bots(game)
    drawn = variants.drawn(game, VARIANTS, seed=11, most=MOST_ACTIONS)
    switched = [v for v in variants.switched(game) if game.actions(v) <= MOST_ACTIONS]
    for seed, v in enumerate([*drawn, *switched]):
        play_bots(game, v, seed)
        play_searches(game, v, seed)


if __name__ == "__main__":
    main(sys.argv[1])
