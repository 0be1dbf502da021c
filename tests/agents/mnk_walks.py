"""Positions of the m,n,k-game for tests of its players."""

from typing import Any

from kozyr import envs
from kozyr.envs.mnk.board import EMPTY, contents
from kozyr.envs.mnk.swap2 import PLAY
from tests.contract.table import Table

GAME = envs.game("mnk")


def walks(v: Any, count: int, fewest: int = 0) -> Any:
    """Give tables on the way through random games, from a number of plies on and behind the opening of swap2."""
    for seed in range(count):
        table = Table(GAME, v, seed)
        if fewest == 0 and table.s.stage == PLAY:
            yield table
        for ply, _ in enumerate(table.walk(seed, 400)):
            if not table.over and ply + 1 >= fewest and table.s.stage == PLAY:
                yield table


def completing(table: Table, seat: int) -> set[int]:
    """Return the free cells where a stone of `seat` makes a line, by the rules of the game."""
    found = set[int]()
    for a in (a for a, held in enumerate(contents(table.v, table.s)) if held == EMPTY):
        trial = table.copy()
        trial.s.turn, trial.s.reply, trial.s.room = seat, 0, 10_000
        trial.s.starter = trial.s.x = 1 - seat
        trial.play(a)  # as O
        if trial.over:
            found.add(a)
    return found
