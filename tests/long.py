"""Play random Durak games over random variants for as long as you like and watch them.

    python -m tests.long --games 1000000 --seed 0

Every game is watched in compiled code: cards are conserved after every action, it ends, and its payoffs sum to zero. A
share of them is also played in lockstep with the oracle, everything compared after every action.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kozyr import envs
from kozyr.envs.core.dispatch import legal, play, start
from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import bits, generators, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.core.tables import random_action
from kozyr.envs.durak.rules import DISCARD, NO_CARD, STOCK, TABLE
from tests.games.lockstep import play_both

FINE, NO_END, NO_MOVE, CARDS, PAYOFFS = range(5)
FAULTS = ("fine", "does not end within its bound", "has no legal action", "loses or doubles a card", "pays out wrongly")
CHUNK = 200  # games of one variant played in one call
ROUNDS = (0, 4, 200, 1000)  # caps that are tried: none where two play, who always finish


@jit
def cards_are_conserved(v: Any, s: Any) -> bool:
    """Tell whether hand sizes, stock, table and cards' places agree."""
    table, stock, hands, discarded = 0, 0, 0, 0
    for c in range(v.deck):
        place = s.place[c]
        table += place == TABLE
        stock += place == STOCK
        discarded += place == DISCARD
        hands += place < STOCK
        if s.known[c] and place >= STOCK:
            return False
    for i in range(s.drawn, v.deck):
        if s.place[s.stock[i]] != STOCK:
            return False
    for i in range(s.laid):
        if s.place[s.attack[i]] != TABLE or (s.defence[i] != NO_CARD) != (i < s.beaten):
            return False
    counted = 0
    for seat in range(v.players):
        counted += s.count[seat]
    together = table + stock + discarded + hands == v.deck
    return together and counted == hands and stock == v.deck - s.drawn and table == s.laid + s.beaten


@jit
def watch(v: Any, s: Any, g: Any, mask: Any, bound: int) -> int:
    """Play a game that has just been dealt at random to its end and return what was wrong with it."""
    while s.turn != OVER:
        legal(v, s, mask)
        if not mask.any():
            return NO_MOVE
        play(v, s, random_action(mask, g))
        if not cards_are_conserved(v, s):
            return CARDS
        if s.ply > bound:
            return NO_END
    total = 0.0
    for seat in range(v.players):
        total += s.payoff[seat]
    legal(v, s, mask)
    if mask.any():
        return NO_END
    return FINE if abs(total) < 1e-5 else PAYOFFS


@jit
def watch_many(v: Any, states: Any, luck: Any, mask: Any, games: int, bound: int, found: Any) -> None:
    """Watch games at one table; add up actions, truncated games and draws, and keep the first faulty deal."""
    s, g = states[0], luck[0]
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


def variants(game: Any) -> list[Any]:
    """Return all variants that are tried."""
    choices = [_values(game, name) for name in game.fields]
    made = []
    for values in product(*choices):
        options = dict(zip(game.fields, values, strict=True))
        if options["max_rounds"] == 0 and options["players"] > 2:
            continue  # more than two may pass the same cards round for ever
        try:
            made.append(game.agree(**options))
        except ValueError:
            continue  # too few cards for so many
    return made


def _values(game: Any, name: str) -> tuple[Any, ...]:
    field = game.fields[name]
    if name == "max_rounds":
        return ROUNDS
    if field.choices or field.numbers:
        return field.choices or field.numbers
    return tuple(range(int(field.low), int(field.high) + 1))


def chunks(game: Any, games: int, seed: int) -> Iterator[tuple[Any, int, int]]:
    """Give a variant, a number of games and a seed until all games are given out."""
    all_variants, luck, i = variants(game), random.Random(seed), 0
    while games > 0:
        size = min(CHUNK, games)
        yield luck.choice(all_variants), size, int(spread(seed, i))
        games, i = games - size, i + 1


def watched(game: Any, v: Any, size: int, seed: int) -> Any:
    """Watch games of one variant and return (actions, truncated, draws)."""
    found, mask = np.zeros(5, np.int64), np.zeros(game.actions(v), np.int8)
    watch_many(v, np.zeros(1, game.state), generators(seed, 1), mask, size, game.bound(v), found)
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


def main() -> None:
    """Run what the command line asks for and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000, help="games to play (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="fixes variants, deals and play (default: %(default)s)")
    parser.add_argument("--share", type=float, default=0.01, help="share also compared with the oracle (%(default)s)")
    asked = parser.parse_args()
    game, console, began = envs.game("durak"), Console(), time.perf_counter()
    totals, checked, plies, tried = np.zeros(3, np.int64), 0, 0, set()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("games", total=asked.games)
        for v, size, seed in chunks(game, asked.games, asked.seed):
            both = round(size * asked.share)
            totals += watched(game, v, size - both, seed)
            plies += compared(game, v, both, seed)
            checked += both
            tried.add(v)
            progress.advance(task, size)
    seconds = time.perf_counter() - began
    console.print(
        f"{asked.games:,} random games of Durak over {len(tried):,} variants, {totals[0] + plies:,} actions: "
        f"all kept the invariants;\n{checked:,} of them ({plies:,} actions) agreed with the oracle after every action. "
        f"{totals[1]:,} stopped at a cap, {totals[2]:,} were drawn. {seconds:,.0f} s",
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
