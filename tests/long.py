"""Play random games over random variants for as long as you like and watch them.

    python -m tests.long durak --games 1000000 --seed 0

Every game is watched in compiled code: it is sound after every action, it ends, and its payoffs sum to zero. A
share of them is also played in lockstep with the oracle, everything compared after every action.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kozyr import envs
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, play, sound, start
from kozyr.envs.core.rng import bits, generators, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import random_action
from tests.contract import variants
from tests.games.lockstep import known, play_both

FINE, NO_END, NO_MOVE, UNSOUND, PAYOFFS = range(5)
FAULTS = (
    "fine",
    "does not end within its bound",
    "has no legal action",
    "is not sound",
    "pays out wrongly",
)
CHUNK = 200  # games of one variant played in one call


@jit
def watch(v: Any, s: Any, g: Any, mask: Any, bound: int) -> int:
    """Play a game that has just been dealt at random to its end and return what was wrong with it."""
    while s.turn != OVER:
        legal(v, s, mask)
        if not mask.any():
            return NO_MOVE
        play(v, s, random_action(mask, g))
        if not sound(v, s):
            return UNSOUND
        if s.ply > bound:
            return NO_END
    total = 0.0
    for seat in range(len(s.payoff)):
        total += s.payoff[seat]
    legal(v, s, mask)
    if mask.any():
        return NO_END
    return FINE if abs(total) < 1e-5 else PAYOFFS


@jit
def watch_many(v: Any, states: Any, rngs: Any, mask: Any, games: int, bound: int, found: Any) -> None:
    """Watch games at one table; add up actions, truncated games and draws, and keep the first faulty deal."""
    s, g = states[0], rngs[0]
    for _ in range(games):
        seed = np.int64(bits(g) >> np.uint64(1))
        start(v, s, seed, -1)
        fault = watch(v, s, g, mask, bound)
        found[0] += s.ply
        found[1] += s.truncated
        found[2] += 1 - s.truncated if s.payoff[0] == 0 else 0
        if fault != FINE:
            found[3], found[4] = fault, seed
            return


def chunks(game: Any, games: int, seed: int) -> Iterator[tuple[Any, int, int]]:
    """Give a variant, a number of games and a seed until all games are given out."""
    rng, i = random.Random(seed), 0
    while games > 0:
        size = min(CHUNK, games)
        yield variants.one(game, rng), size, int(spread(seed, i))
        games, i = games - size, i + 1


def watched(game: Any, v: Any, size: int, seed: int) -> Any:
    """Watch games of one variant and return (actions, truncated, draws)."""
    found, mask = np.zeros(5, np.int64), np.zeros(game.actions(v), np.int8)
    watch_many(v, np.zeros(1, game.layout(v)), generators(seed, 1), mask, size, game.bound(v), found)
    if found[3] != FINE:
        sys.exit(f"a game {FAULTS[found[3]]}: deal {found[4]} of {game.options(v)}, chunk {seed}")
    return found[:3]


def compared(game: Any, v: Any, size: int, seed: int) -> int:
    """Play games in lockstep with the oracle and return the actions."""
    plies = 0
    for i in range(size):
        deal = int(spread(seed, i))
        try:
            plies += play_both(game, v, deal)
        except AssertionError as error:
            sys.exit(f"engine and oracle differ: deal {deal} of {game.options(v)}: {error}")
    return plies


def play_games(game: Any, games: int, seed: int, share: float, console: Console) -> None:
    """Watch random games, compare a share of them with the oracle, and print the counts."""
    began, totals, checked, plies, tried = time.perf_counter(), np.zeros(3, np.int64), 0, 0, set()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(game.name, total=games)
        for v, size, chunk in chunks(game, games, seed):
            both = round(size * share) if known(game, v) else 0
            totals += watched(game, v, size - both, chunk)
            plies += compared(game, v, both, chunk)
            checked += both
            tried.add(v)
            progress.advance(task, size)
    console.print(
        f"{games:,} random games of {game.title} over {len(tried):,} variants, {totals[0] + plies:,} actions: "
        f"all kept the invariants;\n{checked:,} of them ({plies:,} actions) agreed with the oracle after every action. "
        f"{totals[1]:,} stopped at a cap, {totals[2]:,} were drawn. {time.perf_counter() - began:,.0f} s",
        soft_wrap=True,
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="game", help="games to play (default: all)")
    parser.add_argument("--games", type=int, default=1_000_000, help="how often each (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="fixes variants, deals and play (default: %(default)s)")
    parser.add_argument("--share", type=float, default=0.01, help="share also compared with the oracle (%(default)s)")
    asked = parser.parse_args()
    for name in asked.names or envs.games():
        play_games(envs.game(name), asked.games, asked.seed, asked.share, Console())


if __name__ == "__main__":
    main()
