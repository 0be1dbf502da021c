"""Diagrams of draw poker for tests: positions as the text form writes them, played on by actions in words."""

import numpy as np

from kozyr.envs.core import dispatch
from kozyr.envs.draw_poker import GAME, text


def position(v, diagram):
    return text.read(v, "\n".join(line.strip() for line in diagram.strip().splitlines()))[0]


def moves(v, s):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return ", ".join(text.say(v, s, int(a)) for a in np.flatnonzero(mask))


def after(v, diagram, actions):
    """Return the position that these actions lead to, each of which must be legal."""
    s = position(v, diagram)
    for action in actions.split(", "):
        assert action in moves(v, s).split(", "), (action, moves(v, s))
        dispatch.play(v, s, text.parse(v, action))
    return s


def bare(v, s):
    """Return a position without what only counts: the generator, plies and hands."""
    status, *seats = text.write(v, s).splitlines()
    return [status.partition(", hand")[0], *seats]


def becomes(v, before, actions, expected):
    assert bare(v, after(v, before, actions)) == bare(v, position(v, expected))


def deals(v, seeds, starter=-1):
    states = np.zeros(seeds, GAME.state)
    for seed in range(seeds):
        dispatch.start(v, states[seed], seed, starter)
    return states


def seen(v, s, seat):
    shown = np.zeros(GAME.size(v), np.int16)
    dispatch.observe(v, s, seat, shown)
    return shown


def chips(s, players=3):
    return s.chips[:players].tolist()
