"""Random games with the invariants, a share of them beside the oracle; the same as `make million`."""

import itertools
import json
import random
import time
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.envs.core.rng import spread
from tests import long
from tests.contract import variants
from tests.fuzz.log import Log
from tests.games.lockstep import known

GAMES = 100  # of a variant
EVERY = 10  # one variant in so many is also played beside the oracle
BESIDE = 3  # games of it


def run(name: str, seconds: float, seed: int, log: Log) -> None:
    """Play a game over random variants for so many seconds."""
    game, rng, until = envs.game(name), random.Random(seed), time.monotonic() + seconds
    for number in itertools.count():
        if time.monotonic() >= until or log.full:
            return
        v, chunk = variants.one(game, rng), int(spread(seed, number))
        data = json.dumps({"game": name, "options": game.options(v), "chunk": chunk}).encode()
        log.now(f"play-{name}", data)
        try:
            log.count("actions", watched(game, v, chunk))
            log.count("games", GAMES)
            if number % EVERY == 0 and known(game, v):
                long.compared(game, v, BESIDE, chunk)
                log.count("games beside the oracle", BESIDE)
        except SystemExit as fault:
            log.found(f"play-{name}", data, str(fault).partition(":")[0], str(fault))


def watched(game: Any, v: Any, chunk: int) -> int:
    """Watch games of one variant and return how many actions they had; a fault ends in SystemExit."""
    return int(np.asarray(long.watched(game, v, GAMES, chunk))[0])


def replay(data: bytes) -> None:
    """Play the games of a find again."""
    found = json.loads(data)
    game = envs.game(found["game"])
    v = game.make_variant(**found["options"])
    watched(game, v, found["chunk"])
    if known(game, v):
        long.compared(game, v, BESIDE, found["chunk"])
