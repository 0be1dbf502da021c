"""Static fields: constants of compiled code while all have their defaults, and read as other fields elsewhere."""

import copy
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.compile import INTERPRETED, jit, packed, unpacker
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.variant import Field, Plain, declare_static, make, plain


class Dice(NamedTuple):
    sides: int = 6
    loaded: int = 0
    spare: bool = False


FIELDS = {
    "sides": Field("sides", 2, 20),
    "loaded": Field("the side that comes most often; 0: none", 0, 20, static=True),
    "spare": Field("there is another one", static=True),
}


@implements(dispatch.legal, Dice)
def legal(v: Any, s: Any, mask: Any) -> None:
    mask[0] = v.sides + 2 * v.loaded + v.spare


@jit
def through_compiled_code(v: Any, s: Any, mask: Any) -> None:
    dispatch.legal(v, s, mask)


declare_static(Dice, FIELDS)
PLAIN, OTHERS = {"sides": 8}, ({"loaded": 3}, {"spare": True}, {"sides": 8, "loaded": 5, "spare": True})


def answer(call: Any, v: Any) -> int:
    """Return what the rule of a variant writes."""
    mask = np.zeros(1, np.int8)
    call(v, mask, mask)
    return int(mask[0])


@pytest.mark.parametrize("call", [dispatch.legal, through_compiled_code], ids=["python", "compiled"])
@pytest.mark.parametrize("order", [1, -1])
def test_every_variant_is_played_by_its_values(call: Any, order: int) -> None:
    options = (PLAIN, *OTHERS, PLAIN)[::order]
    assert [answer(call, make(Dice, FIELDS, one)) for one in options] == [8, 12, 7, 19, 8][::order]


def test_variants_are_plain_while_all_static_fields_have_their_defaults() -> None:
    assert isinstance(make(Dice, FIELDS, PLAIN), Plain)
    assert not any(isinstance(make(Dice, FIELDS, one), Plain) for one in OTHERS)


def test_a_plain_variant_is_the_same_tuple() -> None:
    v = make(Dice, FIELDS, PLAIN)
    assert v == Dice(8)
    assert hash(v) == hash(Dice(8))
    assert (repr(v), v._asdict()) == (repr(Dice(8)), Dice(8)._asdict())
    for same in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v)), plain(Dice(8))):
        assert same == v
        assert type(same) is type(v)


def test_a_changed_variant_is_of_the_class_of_its_values() -> None:
    v = make(Dice, FIELDS, PLAIN)
    assert type(v._replace(sides=4)) is type(v)
    assert type(v._replace(loaded=1)) is Dice
    assert answer(through_compiled_code, v._replace(loaded=1)) == answer(dispatch.legal, Dice(8, 1)) == 10


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_compiled_code_reads_the_defaults_from_the_class() -> None:
    def loaded_of(kind: type) -> Any:
        unpack = unpacker(kind, (int, int, bool))
        return jit(lambda words: unpack(words).loaded)

    words = packed(Dice(8, 5, True))
    assert loaded_of(Dice)(words) == 5
    assert loaded_of(type(plain(Dice())))(words) == 0  # whatever the words say


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_the_cache_can_tell_the_types_apart() -> None:
    import numba

    kinds = [numba.typeof(v) for v in (plain(Dice()), Dice())]
    assert [pickle.loads(numba.core.serialize.dumps(kind)) for kind in kinds] == kinds
    assert kinds[0] != kinds[1]
    assert str(kinds[0]) != str(kinds[1])


@pytest.mark.parametrize(
    ("game", "options"),
    [("mnk", {"opening_rule": "swap2"}), ("mnk", {"bans": "renju"}), ("durak", {"rules": "proyezdnoy"})],
)
def test_rules_that_few_variants_have_are_compiled_apart(game: str, options: dict[str, Any]) -> None:
    it = envs.game(game)
    assert isinstance(it.make_variant(), Plain)
    assert isinstance(it.altered(it.make_variant(**options), **it.options(it.make_variant())), Plain)
    assert type(it.make_variant(**options)) is it.variant
