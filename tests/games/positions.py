"""Positions of games played at random, and the scenes that seats see of them."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import render_svg, scene
from kozyr.envs.pictures.layout import place


def table(game: Any, options: Any, plies: int, seed: int = 0, seldom: int | None = None) -> tuple[Any, Any]:
    """Return the variant and the state after so many random plies, or at the end; `seldom` is rarely played."""
    v, rng = game.make_variant(**options), np.random.default_rng(seed)
    s = np.zeros(1, game.layout(v))[0]
    dispatch.start(v, s, seed, -1)
    mask = np.zeros(game.actions(v), np.int8)
    for _ in range(plies):
        if s.turn == OVER:
            break
        dispatch.legal(v, s, mask)
        if seldom is not None:
            mask[seldom] &= rng.random() < 0.2
        dispatch.play(v, s, int(rng.choice(np.flatnonzero(mask))))
    return v, s


def shown(game: Any, v: Any, s: Any, seat: int = scene.SEES_ALL) -> Any:
    """Return the rows of a scene with places on a wide page: [count, COLUMNS]."""
    states = np.zeros(1, game.layout(v))
    states[0] = s
    return np.array(place(render_svg.rows(game, v, states, seat).tolist()), np.int32)


def assert_drawn(game: Any, v: Any, s: Any) -> None:
    """Assert that the drawings for all, for the public and for each seat are SVG, repeat, and leave the state alone."""
    for seat in (None, scene.SEES_PUBLIC, *range(game.seats(v))):
        before = s.tobytes()
        drawn = game.draw(v, s, seat)
        assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert drawn == game.draw(v, s, seat)
        assert drawn == drawn._repr_svg_()
        assert s.tobytes() == before
