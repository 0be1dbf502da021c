"""Functions of a game's module, each for one table and one variant, as `envs.loops.single_table` has them for many."""

from typing import Any

import numpy as np

from kozyr.agents.play.site import policy
from kozyr.envs.compile.wasm import Entry, array, rows
from kozyr.envs.core import dispatch
from kozyr.envs.core.input_spec import ENTRIES
from kozyr.envs.core.rng import GENERATOR, spread
from kozyr.envs.loops import single_table as row
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import COLUMNS, MOST

_MASK, _NUMBERS = np.dtype(np.int8), np.dtype(np.int32)


def entries(game: Any, v: Any, net: policy.Shapes | None = None) -> dict[str, Entry]:
    """Return the functions of one variant: addresses are of states, views, masks, scenes and generators.

    Args:
        game: the game; v: the variant.
        net: the shapes of a condensed policy that `answer` is for; None: there is none.
    """
    state, view = game.layout(v), game.view_dtype
    table, view_functions = _table(game, v), _view(game, v)
    trained = {} if net is None else {"answer": policy.entry(game, v, net)}
    return trained | {
        "start": Entry(table["start"], (state, "i64", "i32")),
        "legal": Entry(table["legal"], (state, _MASK)),
        "play": Entry(table["play"], (state, "i32")),
        "observe": Entry(view_functions["observe"], (state, "i32", view)),
        "imagine": Entry(view_functions["imagine"], (view, "i64", state)),
        "decide": Entry(view_functions["decide"], ("i32", view, _MASK, GENERATOR), gives=True),
        "seed": Entry(table["seed"], (GENERATOR, "i64")),
        "scene": Entry(table["scene"], (state, "i32", _MASK, _NUMBERS), gives=True),
        "elements": Entry(table["elements"], (state, "i32", _NUMBERS)),
    }


def _table(game: Any, v: Any) -> dict[str, Any]:
    """Return the functions of a state."""
    actions = game.actions(v)

    def start(s: Any, seed: int, starter: int) -> None:
        dispatch.start(v, array(s, 1)[0], seed, starter)

    def legal(s: Any, mask: Any) -> None:
        dispatch.legal(v, array(s, 1)[0], array(mask, actions))

    def play(s: Any, action: int) -> None:
        dispatch.play(v, array(s, 1)[0], action)

    def show(s: Any, seat: int, mask: Any, out: Any) -> int:
        elements = rows(out, MOST, COLUMNS)
        elements[:] = 0
        return scene.show(v, array(s, 1), seat, array(mask, actions), elements)

    def elements(s: Any, action: int, row: Any) -> None:
        entries = array(row, ENTRIES)
        entries[:] = 0
        dispatch.elements(v, array(s, 1)[0], action, entries)

    def seed(g: Any, number: int) -> None:
        one = array(g, 1)[0]
        one.seed = np.uint64(spread(number, 0))
        one.rng = one.seed

    return {"start": start, "legal": legal, "play": play, "scene": show, "elements": elements, "seed": seed}


def _view(game: Any, v: Any) -> dict[str, Any]:
    """Return the functions of a view."""
    actions, size = game.actions(v), game.size(v)

    def observe(s: Any, seat: int, view: Any) -> None:
        dispatch.observe(v, array(s, 1)[0], seat, array(view, size))

    def imagine(view: Any, seed: int, s: Any) -> None:
        dispatch.imagine(v, array(view, size), seed, array(s, 1)[0])

    def decide(level: int, view: Any, mask: Any, g: Any) -> int:
        return row.choose(v, level, array(view, size), array(mask, actions), array(g, 1)[0])

    return {"observe": observe, "imagine": imagine, "decide": decide}
