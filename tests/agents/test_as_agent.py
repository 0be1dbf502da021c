"""Whatever can be asked for an action is an agent, in every face; what cannot is refused in a sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.agent import Solo, as_agent
from kozyr.agents.arena import match
from kozyr.agents.player import play, play_game
from kozyr.envs.table.table import Table
from tests.agents.strange import First

OPTIONS: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
GAME = envs.game("mnk")
V = GAME.make_variant(**OPTIONS)

FACES: dict[str, Callable[[Any], Any]] = {
    "make_vec": lambda agent: envs.make_vec("mnk", 2, agent, **OPTIONS).tables.step(np.zeros(2, np.int64)),
    "a mixture": lambda agent: envs.make_vec("mnk", 2, {agent: 1.0}, **OPTIONS),
    "a list": lambda agent: envs.make_vec("mnk", 2, [agent], **OPTIONS),
    "make_seat": lambda agent: envs.make_seat("mnk", agent, **OPTIONS).reset(seed=1),
    "match": lambda agent: match("mnk", [agent, "random"], 2, **OPTIONS),
    "play_game": lambda agent: play_game(GAME, V, 1, 0, [agent, agent]),
    "play": lambda agent: play(Table(GAME, V, 1), [agent, agent]),
}


def last(view: Any, mask: Any) -> int:
    """Take the last legal action."""
    return int(np.flatnonzero(mask)[-1])


class Called:
    """Takes the first legal action when it is called."""

    def __call__(self, view: Any, mask: Any, more: int = 0) -> int:
        return int(np.flatnonzero(mask)[more])


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return FACES[request.param]


GOOD = {"function": last, "object with __call__": Called(), "method": First().act, "Solo": First()}


@pytest.mark.parametrize("agent", GOOD.values(), ids=GOOD)
def test_what_can_be_asked_plays(face: Callable[[Any], Any], agent: Any) -> None:
    if face is not FACES["make_vec"]:
        face(agent)
    else:
        env = envs.make_vec("mnk", 2, agent, **OPTIONS)
        for _ in range(12):
            env.step(env.tables.masks.argmax(1))


def test_a_function_plays_as_the_class_that_does_the_same() -> None:
    results = [match("mnk", [agent, last], 5, seed=1, **OPTIONS) for agent in (First(), Called())]
    assert results[0].agents[0].mean == results[1].agents[0].mean
    assert [agent.name for agent in results[1].agents] == ["Called", "last"]
    assert sum(agent.errors for agent in results[1].agents) == 0


def test_a_function_is_found_by_name() -> None:
    assert agents.load("tests.agents.test_as_agent:last").act(np.zeros(1), np.array([1, 1, 0], np.int8)) == 1
    with pytest.raises(ValueError, match=r"agent 'tests.agents.test_as_agent:no_mask': no_mask\(view"):
        agents.load("tests.agents.test_as_agent:no_mask")


def no_mask(view: Any) -> int:
    return 0


def too_many(view: Any, mask: Any, more: Any) -> int:
    return 0


class Unwritten(Solo):
    """Does not say how it acts."""


class Forgetful:
    """Acts, but only once at a time."""

    def act(self, view: Any, mask: Any) -> int:
        return 0


class Field(First):
    """Has a number where a method should be."""

    act_batch: Any = 3


class Viewless(Solo):
    """Wants no mask."""

    def act(self, view: Any) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return 0


class Seedless(First):
    """Wants no seed."""

    def reset(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pass


BAD = [
    (First, r"First is a class: make an object of it, as First\(\)"),
    (no_mask, r"no_mask\(view: Any\) -> int does not fit: it will be called as no_mask\(view, mask\)"),
    (too_many, r"too_many\(view: Any, mask: Any, more: Any\) -> int does not fit"),
    (Unwritten(), "Unwritten has no method 'act': derive it from kozyr.agents.agent.Solo and write act"),
    (Forgetful(), "Forgetful has no method 'reset': derive it from kozyr.agents.agent.Solo"),
    (Field(), "Field has no method 'act_batch'"),
    (Viewless(), r"Viewless.act\(view: Any\) -> int does not fit: it will be called as Viewless.act\(view, mask\)"),
    (Seedless(), r"Seedless.reset\(\) -> None does not fit: it will be called as Seedless.reset\(seat, seed\)"),
    (42, r"42 is no agent: give an object with act, or a function act\(view, mask\)"),
    (None, "None is no agent"),
]


@pytest.mark.parametrize(("agent", "words"), BAD, ids=lambda one: one if isinstance(one, str) else "")
def test_what_cannot_be_asked_is_refused_in_a_sentence(face: Callable[[Any], Any], agent: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        face(agent)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("face", [FACES["play"], FACES["play_game"]])
def test_where_no_name_is_looked_up_the_sentence_says_how(face: Callable[[Any], Any]) -> None:
    with pytest.raises(
        ValueError, match=r"'mnk:easy' is a name: make an agent of it with kozyr.agents.load\('mnk:easy'\)"
    ):
        face("mnk:easy")


def test_an_agent_stays_the_object_that_it_is() -> None:
    for agent in (First(), agents.load("mnk:random"), agents.load("mnk:pimc")):
        assert as_agent(agent) is agent


def test_an_action_that_is_no_whole_number_stays_what_it_is_in_a_batch() -> None:
    half: Any = lambda view, mask: 0.5  # noqa: E731
    halves = as_agent(half)
    assert halves.act_batch(np.zeros((2, 1)), np.ones((2, 1), np.int8)).tolist() == [0.5, 0.5]
    assert match("mnk", [half, "random"], 2, **OPTIONS).agents[0].errors == 4
