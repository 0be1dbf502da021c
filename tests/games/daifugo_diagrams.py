"""Diagrams of Daifugo for tests: cards that a diagram does not name have been played."""

from collections import Counter
from textwrap import dedent

import numpy as np

from kozyr.envs.core import dispatch
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.daifugo.suited.words import RANK_LETTERS as LETTERS


def position(v, diagram):
    lines = dedent(diagram).strip().splitlines()
    held = Counter("".join(line.split(": ")[1].split(",")[0] for line in lines[1:] if line[:7] == "player_"))
    deck = Counter(LETTERS[-v.ranks :] * 4 + "*" * v.joker)
    played = "".join((deck - held).elements()) or "-"
    return text.read(v, "\n".join([*lines, f"played: {played}"]))


def marked(v, s):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return mask


def moves(v, states):
    return " ".join(text.say(v, states[0], int(a)) for a in np.flatnonzero(marked(v, states[0])))


def after(v, diagram, actions):
    states = position(v, diagram)
    for action in actions.split():
        assert action in moves(v, states).split()
        dispatch.play(v, states[0], text.parse(v, action))
    return states


def dealt(v, seed=0, starter=-1):
    states = np.zeros(1, GAME.state)
    dispatch.start(v, states[0], seed, starter)
    return states[0]


def seen(v, s, seat):
    """Return the parts of a view by name."""
    view = np.zeros(GAME.size(v), GAME.view_dtype)
    dispatch.observe(v, s, seat, view)
    return {name: view[where].tolist() for name, where in GAME.parts(v).spans().items()}


def next_round(v, diagram, actions):
    """Return the state after the last card of a round."""
    s = after(v, diagram, actions)[0]
    assert s.rounds == 2
    return s
