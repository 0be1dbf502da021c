"""Diagrams of Durak for tests: cards that a diagram does not name lie in the discard pile."""

import re
from textwrap import dedent

import numpy as np

from kozyr.envs.core import dispatch
from kozyr.envs.core.cards import names
from kozyr.envs.durak import GAME, text
from kozyr.envs.durak.cards import SUITS


def position(v, diagram):
    named = set(re.findall(r"\b[2-9TJQKA][CSHD]\b", diagram))
    rest = [card for card in names([*range(v.deck)], v.deck // SUITS).split() if card not in named]
    return text.read(v, f"{dedent(diagram).strip()}\ndiscard: {' '.join(rest) or '-'}")


def moves(v, states):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, states[0], mask)
    return ", ".join(text.say(v, states[0], int(a)) for a in np.flatnonzero(mask))


def after(v, diagram, actions):
    states = position(v, diagram)
    for action in actions.split(", "):
        assert action in moves(v, states).split(", ")
        dispatch.play(v, states[0], text.parse(v, action))
    return states


def becomes(v, before, actions, expected):
    """Play from one diagram and compare with the other in everything but the ply."""
    assert bare(v, after(v, before, actions)) == bare(v, position(v, expected))


def bare(v, states):
    return text.write(v, states[0]).replace(f", ply {states[0].ply}\n", "\n")
