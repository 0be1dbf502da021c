"""Random games with the invariants, a share of them beside the oracle; the same as `make million`."""

import itertools
import random
import time

import numpy as np

from kozyr import envs
from kozyr.envs.core.rng import spread
from tests import long
from tests.contract import variants
from tests.fuzz.log import Log

GAMES = 100  # of a variant
EVERY = 10  # one variant in so many is also played beside the oracle
BESIDE = 3  # games of it


def run(name: str, seconds: float, seed: int, log: Log) -> None:
    """Play a game over random variants for so many seconds."""
    game, rng, until = envs.game(name), random.Random(seed), time.monotonic() + seconds
    for number in itertools.count():
        if time.monotonic() >= until:
            return
        v, chunk = variants.one(game, rng), int(spread(seed, number))
        log.now(name, f"{game.options(v)}, chunk {chunk}".encode())
        try:
            actions = int(np.asarray(long.watched(game, v, GAMES, chunk))[0])
            if number % EVERY == 0:
                actions += long.compared(game, v, BESIDE, chunk)
                log.count("games beside the oracle", BESIDE)
        except SystemExit as fault:
            log.found(f"play-{name}", str(fault).encode(), str(fault)[:40], str(fault))
            continue
        log.count("games", GAMES)
        log.count("actions", actions)
