"""Files of games that other programs write: Piskvork's games, and openings."""

import numpy as np

from kozyr import envs
from kozyr.agents.arena.matches import openings
from kozyr.envs.bridges import psq
from kozyr.envs.table import record
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, random_legal, written

_GOMOCUP = b"Piskvorky 20x20, 11:11, 0\r\n10,10,0\r\n11,11,0\r\n9,9,1250\r\nA.zip\r\nB.zip\r\n-1\r\n1,Standard1\r\n"


def _psq() -> list[bytes]:
    """Return games in progress, won and forfeited on several boards."""
    game, files = envs.game("mnk"), [_GOMOCUP]
    for seed, (m, n) in enumerate([(5, 5), (6, 9), (15, 15), (25, 25)]):
        v, rng = (
            game.make_variant(m=m, n=n, last_reply=False, line=("free", "exact")[seed % 2]),
            np.random.default_rng(seed),
        )
        table = Table(game, v, 0, seed % 2, names=["first", "second"] if seed % 2 else None)
        while not table.over and table.ply < 40 * seed + 5:
            table.play(random_legal(table.mask, rng))
        if seed == 2 and not table.over:
            table.forfeit(0, "time")
        files.append(psq.write(table.record).encode())
    return files


def read_psq(data: bytes) -> None:
    """Read a game of Piskvork's; what is taken for one is written and read the same."""
    path = written("game.psq", data)
    it = psq.read_file(path)
    record.replay(it)
    require(psq.read(psq.write(it)) == it, "a game reads otherwise once written")


def _openings() -> list[bytes]:
    return [b"0,0, 1,0, 1,3\r\n-7,-7, 7,7\n", b"h8i9h7\nA1\no15\n", b"0,0 1,1\n\nh8 i9\n"]


def read_openings(data: bytes) -> None:
    """Read a file of openings; each of them can be played, and the game goes on."""
    game = envs.game("mnk")
    v = game.make_variant()
    for actions in openings.load(written("openings.txt", data), game, v).actions:
        table = Table(game, v, 1)
        for action in actions:
            table.play(action)
        require(not table.over and table.ply > 0, "an opening ends the game, or is none")


def targets() -> list[Target]:
    """Return the targets."""
    return [
        Target("psq", mutate.TEXT, _psq, read_psq, modules=("kozyr.envs.bridges.psq",)),
        Target("openings", mutate.TEXT, _openings, read_openings, modules=("kozyr.envs.mnk.openings",)),
    ]
