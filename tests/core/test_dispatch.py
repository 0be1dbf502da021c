from typing import NamedTuple

import numpy as np
import pytest

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements


class Coin(NamedTuple):
    sides: int = 2


class Die(NamedTuple):
    sides: int = 6


@implements(dispatch.legal, Coin)
def legal_of_coin(v, s, mask):
    mask[0] = v.sides


@implements(dispatch.legal, Die)
def legal_of_die(v, s, mask):
    mask[0] = 10 * v.sides


@jit
def through_compiled_code(v, s, mask):
    dispatch.legal(v, s, mask)


@pytest.mark.parametrize("call", [dispatch.legal, through_compiled_code], ids=["python", "compiled"])
def test_the_variant_chooses_the_rule(call) -> None:
    mask = np.zeros(1, np.int8)
    found = []
    for v in (Coin(), Die(), Coin(3)):
        call(v, np.zeros(1), mask)
        found.append(int(mask[0]))
    assert found == [2, 60, 3]


def test_a_registered_rule_is_returned_unchanged() -> None:
    assert legal_of_coin.__name__ == "legal_of_coin"


def test_a_missing_rule_is_an_error() -> None:
    with pytest.raises(KeyError, match="play"):
        dispatch.play(Coin(), None, 0)


@pytest.mark.parametrize("name", ["start", "legal", "play", "observe", "imagine", "decide"])
def test_every_function_says_what_it_does(name: str) -> None:
    function = getattr(dispatch, name)
    assert function.__name__ == name
    assert function.__doc__.startswith(f"{name}(v")


def edited_game(pays: int) -> type:
    """A game as a notebook's cell makes it each time that it runs: the same names and fields, other rules."""

    class Variant(NamedTuple):
        stakes: int = 1

    @implements(dispatch.legal, Variant)
    def legal(v, s, mask):
        mask[0] = pays * v.stakes

    return Variant


def test_two_games_whose_variants_look_alike_keep_their_own_rules() -> None:
    mask, found = np.zeros(1, np.int8), []
    first, second = edited_game(1), edited_game(7)
    for variant in (first(), second(), first(), edited_game(9)()):
        through_compiled_code(variant, np.zeros(1), mask)
        found.append(int(mask[0]))
    assert found == [1, 7, 1, 9]
    assert first.__name__ != second.__name__
    assert first.__qualname__ == second.__qualname__
