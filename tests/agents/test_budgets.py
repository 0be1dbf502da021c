"""Every number that a user gives has a ceiling, which the sentence that refuses it names."""

from collections.abc import Callable
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.agents.agent_names import MOST_MILLISECONDS, MOST_SIMULATIONS, AgentName, parse
from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments.league import League
from kozyr.agents.search import Ismcts, Pimc
from kozyr.envs.environments import argument_checks

TOO_HIGH = "too high: a decision takes at most 100,000,000 simulations, or 3600000ms, which is an hour"
HUGE = 10**20


@pytest.mark.parametrize(
    "name",
    [
        "pimc@99999999999999999999",
        f"pimc@{MOST_SIMULATIONS + 1}",
        f"pimc@{MOST_MILLISECONDS + 1}ms",
        f"solver@{HUGE}ms",
        f"pimc+ismcts@{HUGE}",
        f"process:./bot@{MOST_MILLISECONDS + 1}ms",
        f"process:./bot@{HUGE}ms",
        "pimc@" + "9" * 100_000,
    ],
)
def test_a_budget_has_a_ceiling(name: str) -> None:
    with pytest.raises(ValueError, match=TOO_HIGH) as caught:
        parse(name if ":" in name else f"durak:{name}")
    assert len(str(caught.value)) < 400


def test_a_budget_at_its_ceiling_is_a_name() -> None:
    assert parse(f"durak:pimc@{MOST_SIMULATIONS}") == AgentName("pimc", "durak", MOST_SIMULATIONS)
    assert parse(f"durak:pimc@000{MOST_MILLISECONDS}ms") == AgentName("pimc", "durak", 0, MOST_MILLISECONDS)


def test_no_vector_environment_is_made_with_an_endless_opponent() -> None:
    with pytest.raises(ValueError, match=TOO_HIGH):
        envs.make_vec("durak", 2, opponents="pimc@99999999999999999999")


@pytest.mark.parametrize("kind", [Pimc, Ismcts])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"budget": HUGE}, "budget is a whole number of at least 0 and at most 100,000,000"),
        ({"budget": 1.5}, "budget=1.5 is not allowed"),
        ({"seconds": 3601}, "seconds=3601 is not allowed: it is a number from 0 to 3600"),
        ({"seconds": float("nan")}, "seconds=nan is not allowed"),
        ({"seconds": "1"}, "seconds='1' is not allowed"),
        ({"depth": HUGE}, "depth is a whole number of at least 0 and at most 1,000,000"),
    ],
)
def test_a_search_made_by_hand_has_the_same_ceilings(kind: Any, given: dict[str, Any], words: str) -> None:
    game = envs.game("durak")
    with pytest.raises(ValueError, match=words):
        kind(game, game.make_variant(), 1, **given)


CALLS: dict[str, Callable[[], Any]] = {
    "num_envs": lambda: envs.make_vec("durak", HUGE),
    "num_tables": lambda: envs.make_tables("durak", HUGE),
    "threads": lambda: agents.load("durak:pimc", threads=10**9),
    "threads of tables": lambda: envs.make_tables("durak", 4, threads=10**9),
    "threads of a vector": lambda: envs.make_vec("durak", 4, threads=10**9),
    "threads of a scripted player": lambda: agents.load("durak:low", threads=10**9),
    "deals": lambda: match("durak", ["low", "random"], HUGE),
    "deals of a league": lambda: League("durak", ["low", "random"], HUGE),
    "workers": lambda: match("durak", ["low", "random"], 20, workers=10**9),
    "workers of a league": lambda: League("durak", ["low", "random"], 20).play([(0, 1)], workers=10**9),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_count_has_a_ceiling(what: str) -> None:
    name = what.partition(" ")[0]
    with pytest.raises(
        ValueError, match=f"{name} is a whole number of at least 1 and at most {argument_checks.CEILINGS[name]:,}"
    ):
        CALLS[what]()


def test_an_opening_is_shorter_than_a_game() -> None:
    for call in (
        lambda: match("durak", ["low", "random"], 2, opening=HUGE),
        lambda: League("durak", ["low", "random"], 2, opening=HUGE),
    ):
        with pytest.raises(ValueError, match="is not allowed: no game of durak has more than"):
            call()
