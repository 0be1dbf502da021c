"""What tests/site/play.mjs does, without WebAssembly."""

import hashlib
from typing import Any

import numpy as np

from kozyr import agents
from kozyr.envs.core import dispatch
from kozyr.envs.core.input_spec import ENTRIES
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops import tables
from kozyr.envs.pictures import scene

NOW_AND_THEN = 7
_LOW = 2**32 - 1


class Native:
    """Plays games and keeps a digest of what happened.

    Args:
        game: the game; v: its variant.
    """

    def __init__(self, game: Any, v: Any) -> None:
        self.game, self.v, self.seats = game, v, game.seats(v)
        self.states: Any = np.zeros(1, game.layout(v))
        self.world: Any = np.zeros(1, game.layout(v))
        self.mask, self.hash, self.plies = np.zeros(game.actions(v), np.int8), hashlib.sha256(), 0

    def add(self, array: Any) -> None:
        self.hash.update(np.ascontiguousarray(array).tobytes())

    def view(self, states: Any, seat: int) -> Any:
        view = np.zeros(self.game.size(self.v), self.game.view_dtype)
        tables.look(self.v, states, seat, view)
        return view

    def legal(self, states: Any) -> Any:
        tables.legal_all(self.v, states, self.mask[None])
        return self.mask

    def look(self, x: int) -> None:
        """Add what all seats see, and now and then drawings, an imagined state and how actions are made."""
        for seat in range(self.seats):
            self.add(self.view(self.states, seat))
        if int(self.states["ply"][0]) % NOW_AND_THEN:
            return
        for seat in range(-2, self.seats):
            out = np.zeros((scene.MOST, scene.COLUMNS), np.int32)
            count = scene.show(self.v, self.states, seat, np.zeros_like(self.mask), out)
            self.add(out[:count])
        tables.guess(self.v, self.view(self.states, int(self.states["turn"][0])), x, self.world)
        for seat in range(self.seats):
            self.add(self.view(self.world, seat))
        self.add(self.legal(self.world))
        for action in np.flatnonzero(self.legal(self.states)):
            row = np.zeros(ENTRIES, np.int32)
            dispatch.elements(self.v, self.states[0], int(action), row)
            self.add(row)

    def play(self, games: int, name: str, limit: int) -> str:
        """Play games and return the digest."""
        level = agents.names(self.game.name).index(name) if name else 0
        for seed in range(1, games + 1):
            dispatch.start(self.v, self.states[0], seed, -1)
            rngs, x, actions = generators(seed, 1), seed, np.zeros(1, np.int64)
            while self.states["turn"][0] != OVER and self.states["ply"][0] < limit:
                mask = self.legal(self.states).copy()
                if not name:
                    self.add(mask)
                    self.look(x)
                x = (x * 1664525 + 1013904223) & _LOW
                legal = np.flatnonzero(mask)
                action = int(legal[(x >> 8) % len(legal)])
                if name:
                    view = self.view(self.states, int(self.states["turn"][0]))
                    tables.choose_batch(self.v, level, view[None], mask[None], rngs, actions)
                    action = int(actions[0])
                    self.add(np.int32(action))
                tables.play_all(self.v, self.states, np.array([action]))
                self.plies += 1
            self.add(self.states["payoff"][0][: self.seats])
        return self.hash.hexdigest()
