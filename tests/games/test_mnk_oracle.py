"""The compiled m,n,k-game plays as the oracle does, and has as many positions as it must."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr import envs
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, play, start
from kozyr.envs.core.state import OVER
from tests.contract import variants
from tests.games.lockstep import play_both, seeds

GAME = envs.game("mnk")


@pytest.mark.parametrize("seed", seeds(4))
def test_random_games_over_random_variants_agree(seed: int) -> None:
    for i, v in enumerate(variants.drawn(GAME, 250, seed, most=110)):
        play_both(GAME, v, 1000 * seed + i)


@given(v=variants.strategy(GAME), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=40, deadline=None)
def test_any_variant_and_any_deal_agree(v: Any, seed: int) -> None:
    play_both(GAME, v, seed)


@jit
def sequences(v: Any, states: Any, masks: Any, depth: int, level: int, ended: Any) -> int:
    """Count the sequences of `depth` actions from the state at a level; count the ends of games by level."""
    s = states[level]
    if s.turn == OVER:
        ended[level] += 1
        return 0
    if depth == 0:
        return 1
    mask, found = masks[level], 0
    legal(v, s, mask)
    for a in range(len(mask)):
        if mask[a]:
            states[level + 1] = s
            play(v, states[level + 1], a)
            found += sequences(v, states, masks, depth - 1, level + 1, ended)
    return found


@jit
def deal(v: Any, states: Any) -> None:
    start(v, states[0], 0, 0)


def count(depth: int, **options: Any) -> tuple[int, list[int]]:
    """Return how many games go on after so many actions, and how many have ended after 0, 1, …"""
    v = GAME.make_variant(**options)
    states, masks = np.zeros(depth + 1, GAME.layout(v)), np.zeros((depth + 1, GAME.actions(v)), np.int8)
    ended = np.zeros(depth + 1, np.int64)
    deal(v, states)
    return sequences(v, states, masks, depth, 0, ended), ended.tolist()


@pytest.mark.parametrize(("depth", "going_on"), enumerate([1, 9, 72, 504, 3024, 15120 - 1440]))
def test_tic_tac_toe_has_so_many_sequences(depth: int, going_on: int) -> None:
    assert count(depth, m=3, n=3, k=3, last_reply=False)[0] == going_on


def test_tic_tac_toe_has_255168_games() -> None:
    going_on, ended = count(9, m=3, n=3, k=3, last_reply=False)
    assert going_on == 0
    assert ended == [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    assert sum(ended) == 255168


def test_a_last_reply_makes_games_one_stone_longer() -> None:
    _, ended = count(9, m=3, n=3, k=3)
    assert ended[5] == 0  # X's early lines are all answered
    assert ended[6] == 1440 * 4 + 5328  # four cells are free after them


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("line", GAME.fields["line"].choices)
def test_random_games_with_every_kind_of_line_agree(line: str, seed: int) -> None:
    short = [v for v in variants.drawn(GAME, 400, 100 + seed, most=110) if 2 <= v.k <= 5 and v.max_moves == 0]
    for i, v in enumerate(short * (1 + 500 // len(short))):
        play_both(GAME, GAME.altered(v, line=line, bans="none"), 1000 * seed + i, every=5)


@pytest.mark.parametrize(
    "options",
    [
        {"m": 2, "n": 3, "k": 2},
        {"m": 2, "n": 3, "k": 2, "line": "exact"},
        {"m": 2, "n": 4, "k": 2, "line": "exact", "last_reply": False},
        {"m": 2, "n": 4, "k": 2, "line": "caro", "last_reply": False},
        {"m": 2, "n": 4, "k": 2, "line": "exact_caro", "last_reply": False},
        {"m": 2, "n": 3, "k": 1, "line": "caro"},
        {"m": 2, "n": 2, "k": 2, "last_reply": False},
    ],
    ids=str,
)
def test_small_boards_have_as_many_games_as_the_oracle_counts(options: dict[str, Any]) -> None:
    cells = options["m"] * options["n"]
    assert sum(count(cells, **options)[1]) == games_of_oracle(options, [])


def games_of_oracle(options: dict[str, Any], played: list[int]) -> int:
    from tests.oracles.mnk import Mnk

    oracle = Mnk(**options)
    for cell in played:
        oracle.play(cell)
    return sum(games_of_oracle(options, [*played, cell]) for cell in oracle.legal()) if oracle.legal() else 1
