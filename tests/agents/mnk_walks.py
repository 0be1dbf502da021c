"""Positions of the m,n,k-game for tests of its players."""

from typing import Any

from kozyr import envs
from tests.contract.table import Table

GAME = envs.game("mnk")


def walks(v: Any, count: int, fewest: int = 0) -> Any:
    """Give tables on the way through random games, from a number of stones on."""
    for seed in range(count):
        table = Table(GAME, v, seed)
        if fewest == 0:
            yield table
        for ply, _ in enumerate(table.walk(seed, 400)):
            if not table.over and ply + 1 >= fewest:
                yield table
