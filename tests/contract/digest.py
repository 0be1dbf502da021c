"""Play many variants of a game and print what happened as digests: the same compiled or not.

python -m kozyr.contract.digest durak
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.envs import registry
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.loops import episodes, tables
from kozyr.envs.pictures import scene

from . import variants
from .table import Hashed, Table

MOST_ACTIONS = 110  # larger tables take too long uncompiled
PLIES = 60


def digests(name: str, options: Sequence[dict[str, Any]] = ()) -> Iterator[str]:
    """Give a line a part of the shared code and variant.

    Args:
        name: of the game; options: of the variants; without them four are drawn.
    """
    game = envs.game(name)
    registry.seat_bots(game)
    options = options or [game.options(v) for v in variants.drawn(game, 4, seed=3, most=MOST_ACTIONS)]
    for i, one in enumerate(options):
        v = game.make_variant(**one)
        parts = {"walk": walk, "bots": bots, "tables": many, "learner": learner, "match": alone, "scene": pictures}
        for label, part in parts.items():
            digest = hashlib.sha256()
            for piece in part(game, v, i):
                digest.update(written(game, v, piece) if piece.dtype == game.layout(v) else piece.tobytes())
            yield f"{label} {one} {digest.hexdigest()[:16]}"


def written(game: Any, v: Any, states: Any) -> bytes:
    """Return the positions and generators of states, which do not tell how a game keeps them."""
    rows = np.atleast_1d(states)
    return b"\n".join(game.text.write(v, row).encode() + row["rng"].tobytes() for row in rows)


def walk(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give states, views, masks and imagined states of one game."""
    table = Table(game, v, seed)
    for ply, _ in enumerate(table.walk(seed, PLIES)):
        yield from (table.states, table.mask(), *(table.view(seat) for seat in range(table.seats)))
        if ply % 5 == 0:
            yield from (table.imagined(seat, ply).states for seat in range(table.seats))


def pictures(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give the scenes of one game and how a person makes its legal actions."""
    table = Table(game, v, seed)
    for ply, _ in enumerate(table.walk(seed, PLIES)):
        if ply % 5 == 0 or table.over:
            for seat in (scene.SEES_PUBLIC, scene.SEES_ALL, *range(table.seats)):
                drawn = np.zeros((scene.MOST, scene.COLUMNS), np.int32)
                scene.show(v, table.states, seat, np.zeros(game.actions(v), np.int8), drawn)
                yield drawn
            for action in np.flatnonzero(table.mask()):
                row = np.zeros(input_spec.ENTRIES, np.int32)
                dispatch.elements(v, table.s, int(action), row)
                yield row


def bots(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give the actions of every scripted player at some decisions."""
    table, rngs, actions = Table(game, v, seed), generators(seed, 1), np.zeros(1, np.int64)
    for ply, _ in enumerate(table.walk(seed, PLIES)):
        if not table.over and ply % 4 == 0:
            for level in range(len(agents.names(game.name))):
                tables.choose_batch(v, level, table.view(table.turn)[None], table.mask()[None], rngs, actions)
                yield from (actions, rngs)


def many(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give all arrays of tables that are dealt anew when they end."""
    several = envs.make_tables(game.name, 3, seed=seed, **game.options(v))
    rngs, actions = generators(seed, 1), np.zeros(3, np.int64)
    for _ in range(PLIES):
        tables.random_actions(several.masks, rngs, actions)
        several.step(actions)
        yield from (several.states, several.views, several.masks, several.turns, several.payoffs, several.ends)


def learner(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give the arrays of a learner among all scripted players and one from outside."""
    mixture = dict.fromkeys(agents.names(game.name), 1.0) | {Hashed(): 1.0}
    vector = envs.make_vec(game.name, 2, mixture, seed=seed, **game.options(v))
    room, actions = vector.tables, np.zeros(2, np.int64)
    for _ in range(20):
        tables.random_actions(room.masks, generators(seed, 1), actions)
        room.step(actions)
        yield from (room.states, room.views, room.masks, room.rewards, room.ends, room.finals, room.seats)


def alone(game: Any, v: Any, seed: int) -> Iterator[Any]:
    """Give games that scripted players and an outside seat play, as in a match."""
    n, seats = 2, game.seats(v)
    states: Any = np.zeros(n, game.layout(v))
    rngs = generators(seed, n)
    views, masks = np.zeros((n, game.size(v)), game.view_dtype), np.zeros((n, game.actions(v)), np.int8)
    occupants, moves = np.zeros((n, seats), np.int32), np.zeros(n, np.int64)
    occupants[:, 0] = episodes.OUTSIDE
    deals = np.array([spread(seed, i) for i in range(n)])
    episodes.arrange(v, states, deals, np.full(n, -1), 0, occupants, rngs, views, masks, moves)
    for _ in range(15):
        rows = np.flatnonzero(states["turn"] == 0)
        if len(rows):
            actions = masks[rows].argmax(1)
            episodes.reply(v, states, rows, actions, occupants, rngs, views, masks, moves)
        yield from (states, views, masks, moves, rngs)


if __name__ == "__main__":
    print("\n".join(digests(sys.argv[1])))
