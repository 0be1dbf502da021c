"""`pimc` beside a module: its comparison of actions in imagined worlds as a module of its own, which is loaded later.

It is the search that all games share, with the game's own worlds, but without what it may solve exactly.
"""

from typing import Any

import numpy as np

from kozyr.agents import roster, search
from kozyr.agents.nets.condensed_loops import Net
from kozyr.agents.search.determinization import NOTES, PAST, Question, Scratch, compare
from kozyr.agents.search.pimc import Pimc
from kozyr.envs.compile.wasm import Entry, array, rows
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import GENERATOR

PIMC, ENTRY = "pimc", "compare"
_SMALL, _WHOLE, _LONG = (np.dtype(kind) for kind in (np.int8, np.int32, np.int64))
_FLOAT, _REAL = np.dtype(np.float32), np.dtype(np.float64)
_ALL = 1 << 30  # playouts, without a pause


def find_search(game: Game, variant: Any) -> Pimc | None:
    """Return the search player of a module, or None where `pimc` is none of the best."""
    if PIMC not in search.rungs(game):
        return None
    player = search.makers(game)[PIMC](game, variant, _level(game))
    return player if isinstance(player, Pimc) else None


def facts(player: Pimc, file: str) -> dict[str, Any]:
    """Return the facts of the search for the ES module.

    Args:
        player: the search player; file: the name of the file with its module.
    """
    room = [kind.itemsize * count for kind, count in _room(player.game, player.variant)]
    return {"name": PIMC, "file": file, "worlds": player.budget, "z": player.z, "room": room}


def _level(game: Game) -> int:
    """Return the strongest scripted player."""
    return len(roster.of(game.name).ladder) - 1


def _room(game: Game, v: Any) -> list[tuple[np.dtype[Any], int]]:
    """Return the type and the size of each array of a `Scratch` but for the network's, which there is none of."""
    size, view = game.size(v), game.view_dtype
    states, views = [(game.layout(v), 3), (GENERATOR, 1)], [(view, size), (_SMALL, game.actions(v))]
    return [*states, *views, (_WHOLE, NOTES), (view, PAST * size)]


def entry(game: Game, v: Any) -> Entry:
    """Return the function that compares a position's actions in some worlds.

    `kozyr.agents.search.determinization.compare` does the work.

    It takes the view, the actions that are alive, the usual one, the seed, the first world and the last + 1; the
    arrays of a `Question`; those of a `Scratch`; and an address for arrays without numbers.
    """
    roster.load_worlds(game)
    actions, size, level = game.actions(v), game.size(v), _level(game)

    def search_on(
        view: Any, alive: Any, base: int, seed: int, first: int, last: int, sums: Any, squares: Any, due: Any,
        place: Any, states: Any, rngs: Any, seen: Any, mask: Any, notes: Any, past: Any, floats: Any, wholes: Any,
    ) -> None:  # fmt: skip
        line, grid = array(floats, 0), rows(floats, 0, 0)
        none = Net(grid, array(wholes, 0), rows(wholes, 0, 0), line, grid, line, grid, line)
        board = Scratch(
            array(states, 3),
            array(rngs, 1),
            array(seen, size),
            array(mask, actions),
            array(notes, NOTES),
            rows(past, PAST, size),
            none,
        )
        position = array(view, size), array(alive, actions), base, seed, level, 0
        q = Question(*position, array(sums, actions), array(squares, actions), array(due, 2), array(place, 3))
        compare(v, q, first, last, _ALL, board)

    numbers = _REAL, _REAL, _REAL, _LONG
    scratch = (kind for kind, _ in _room(game, v))
    return Entry(search_on, (game.view_dtype, _SMALL, *["i64"] * 4, *numbers, *scratch, _FLOAT, _WHOLE))
