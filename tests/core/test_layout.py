import copy
import pickle
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.envs.compile import jit
from kozyr.envs.core.layout import Layout, Part


class Variant(NamedTuple):
    deck: int = 36
    players: int = 3
    open_trump: bool = True


def seats(v):
    return v.players


@jit
def others(v):
    return v.players - 1


class Parts(Layout):
    hand = Part("1 for each card in my hand", size=lambda v: v.deck)
    known = Part("cards in each other hand", size=others, high=lambda v: v.deck)
    bottom = Part("the open trump", size=lambda v: 1 if v.open_trump else 0)
    sizes = Part("cards in each hand", size=seats, high=7)
    count = Part("three numbers", size=3)
    v = Part("a flag")


@jit
def begins(v, found):
    at = Parts(v)
    found[0], found[1], found[2] = at.hand, at.known, at.bottom
    found[3], found[4], found[5], found[6] = at.sizes, at.count, at.v, at.size


@jit
def begin_of_sizes(at):
    return at.sizes


@jit
def handed_on(v):
    return begin_of_sizes(Parts(v))


CASES = {
    Variant(): [0, 36, 38, 39, 42, 45, 46],
    Variant(open_trump=False): [0, 36, 38, 38, 41, 44, 45],
    Variant(8, 2, False): [0, 8, 9, 9, 11, 14, 15],
}


@pytest.mark.parametrize("v", CASES)
def test_parts_follow_each_other_compiled_or_not(v):
    found, at = np.zeros(7, np.int64), Parts(v)
    begins(v, found)
    assert found.tolist() == CASES[v] == [at.hand, at.known, at.bottom, at.sizes, at.count, at.v, at.size]
    assert handed_on(v) == at.sizes


def test_places_can_be_handed_to_compiled_code_and_pickled():
    at = Parts(Variant())
    assert begin_of_sizes(at) == at.sizes == 39
    assert pickle.loads(pickle.dumps(at)) == copy.deepcopy(at) == at


def test_spans_cover_the_view_in_order():
    spans = Parts(Variant(open_trump=False)).spans()
    assert list(spans) == list(Parts.declared) == ["hand", "known", "bottom", "sizes", "count", "v"]
    assert spans["bottom"] == slice(38, 38)
    assert [i for span in spans.values() for i in range(span.start, span.stop)] == list(range(45))


def test_the_class_tells_what_was_declared():
    assert Parts.known is Parts.declared["known"]
    assert Parts.known.meaning == "cards in each other hand"
    assert [(p.entries(Variant()), p.top(Variant())) for p in (Parts.hand, Parts.known, Parts.sizes, Parts.v)] == [
        (36, 1),
        (2, 36),
        (3, 7),
        (1, 1),
    ]


def test_a_layout_can_go_on_from_another():
    class Longer(Parts):
        log = Part("what was laid", size=5)

    longer, at = Longer(Variant()), Parts(Variant())
    assert longer.sizes == at.sizes
    assert (longer.log, longer.size) == (at.size, at.size + 5)
    assert list(Parts.declared)[-1] == "v"


@pytest.mark.parametrize("name", ["size", "spans", "declared", "_hand"])
def test_names_that_a_layout_needs_itself_are_refused(name):
    with pytest.raises(TypeError, match=f"a part of Wrong cannot be named '{name}'; give it another name"):
        type("Wrong", (Layout,), {name: Part("a flag")})


LITERAL = re.compile(r"\bview\[(-?\d|:)")  # an index, or a slice from the beginning
SOURCES = [path for package in (envs, agents) for path in Path(str(package.__file__)).parent.rglob("*.py")]


def test_no_code_counts_the_entries_of_a_view_itself():
    assert len(SOURCES) > 50
    found = [
        f"{path}:{i}"
        for path in SOURCES
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LITERAL.search(line)
    ]
    assert found == []


def test_the_places_of_a_variant_are_added_up_once():
    asked: list[int] = []

    class Counted(Layout):
        hand = Part("cards", size=lambda v: asked.append(v.deck) or v.deck)

    first = Counted(Variant(deck=20))
    assert Counted(Variant(deck=20)) is first
    assert (Counted(Variant(deck=24)).size, first.size) == (24, 20)
    assert asked == [20, 24]


def test_highest_values_are_the_callers_own():
    game = envs.game("war")
    v = game.make_variant()
    before = game.high(v)
    game.high(v)[:] = 0
    assert game.high(v).tolist() == before.tolist() != [0] * len(before)
