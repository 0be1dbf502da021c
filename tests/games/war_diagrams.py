"""Diagrams of War for tests, mostly with the twenty cards from the ten up."""

import re

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.war import GAME, text

FIXED = GAME.make_variant(deck=20)
RANDOM = GAME.make_variant(deck=20, pickup="random")
CHOICE = GAME.make_variant(deck=20, pickup="choice")
PICKUPS = pytest.mark.parametrize("v", [FIXED, RANDOM, CHOICE], ids=["fixed", "random", "choice"])


TURN = """
    player_0 began, player_0 to flip, 3 turns
    player_0: - | TC JC QC KC AC TS JS QS KS AS
    player_1: - | JH TH QH KH AH TD JD QD KD AD
    """
WAR = """
    player_0 began, player_0 to flip, 3 turns
    player_0: - | TC JC QC KC AC TS JS QS KS AS
    player_1: - | TH QH JH KH TD JD AH QD KD AD
    """


def deals(v, seeds, starter=-1):
    states = np.zeros(seeds, GAME.state)
    for seed in range(seeds):
        dispatch.start(v, states[seed], seed, starter)
    return states


def cards(v, s, seat):
    """Return a seat's cards, those laid in this turn first."""
    line = text.write(v, s).splitlines()[1 + seat].partition(":")[2]
    return re.findall(r"[2-9TJQKA][CSHD]", line)


def moves(v, s):
    mask = np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    return ", ".join(text.say(v, s, int(a)) for a in np.flatnonzero(mask))


def position(v, diagram):
    return text.read(v, "\n".join(line.strip() for line in diagram.strip().splitlines()))[0]


def after(v, diagram, actions):
    """Return the position that these actions lead to, each of which must be legal."""
    s = position(v, diagram)
    for action in actions.split(", "):
        assert action in moves(v, s).split(", ")
        dispatch.play(v, s, text.parse(v, action))
    return s


def shown(v, s):
    """Return a position without what only counts: wars, plies and the generator."""
    return re.sub(r", \d+ wars, ply \d+(, luck \d+)?", "", text.write(v, s))


def becomes(v, before, actions, expected):
    assert shown(v, after(v, before, actions)) == shown(v, position(v, expected))


def seen(v, s, seat):
    observed = np.zeros(GAME.size(v), GAME.view_dtype)
    dispatch.observe(v, s, seat, observed)
    return observed
