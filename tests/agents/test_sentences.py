"""Wrong arguments end in a sentence that says what to do, and nothing is taken in silence."""

import math
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.player import play
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.table.table import Table
from tests.test_cli import run


class Index:
    def __index__(self) -> int:
        return 0


@pytest.mark.parametrize("opponents", [None, 3, object(), [None], {3: 1.0}])
@pytest.mark.parametrize("make", [envs.make_seat, lambda name, opponents: envs.make_vec(name, 2, opponents)])
def test_an_opponent_that_is_none_is_told(make: Any, opponents: Any) -> None:
    with pytest.raises(ValueError, match=r"is no agent: give an object with act, or a function act\(view, mask\)"):
        make("war", opponents)


@pytest.mark.parametrize("weight", [math.inf, -math.inf, math.nan, -1.0, 0.0])
def test_weights_are_numbers(weight: float) -> None:
    with pytest.raises(ValueError, match="the weights of opponents are numbers from 0 on, and some must be above zero"):
        envs.make_vec("war", 2, {"random": weight})


@pytest.mark.parametrize("seat", [0.0, np.array([0]), True, "0", 2, -1], ids=repr)
def test_a_seat_is_a_whole_number(seat: Any) -> None:
    for make in (lambda: envs.make_vec("war", 2, "random", seat=seat), lambda: envs.make_seat("war", "random", seat)):
        with pytest.raises(ValueError, match="a seat is a whole number from 0 to 1"):
            make()


def test_whole_numbers_of_other_types_are_seats_and_seeds() -> None:
    usual: Any = envs.make_seat("durak", "random", 0)
    seats: list[Any] = [np.int64(0), np.uint8(0), Index()]
    for seat in seats:
        for seed in (np.int64(7), np.uint32(7), 7):
            one: Any = envs.make_seat("durak", "random", seat)
            assert one.reset(seed=seed)[0].tolist() == usual.reset(seed=7)[0].tolist()


@pytest.mark.parametrize("name", ["durak_v", "durak_v00", "durak_v01", "durak_v-1", "durak_v0 ", "Durak"])
def test_versions_are_written_one_way(name: str) -> None:
    with pytest.raises(ValueError, match="unknown game"):
        envs.game(name)


def test_what_an_opponent_raises_names_it() -> None:
    def stumbling(view: Any, mask: Any) -> int:
        raise KeyError("oops")

    with pytest.raises(KeyError) as caught:
        steps(envs.make_vec("durak", 4, stumbling))
    assert caught.value.__notes__ == ["the opponent stumbling of durak_v0 has raised this"]


def steps(vector: Any) -> None:
    observations, _ = vector.reset(seed=1)
    for _ in range(20):
        observations, *_ = vector.step(observations["action_mask"].argmax(1))


def test_an_agent_that_exits_loses_its_games_and_ends_nothing() -> None:
    def leaving(view: Any, mask: Any) -> int:
        raise SystemExit(3)

    result = match("durak", [leaving, "random"], deals=2)
    assert result.agents[0].errors == 4
    assert "SystemExit: 3" in (result.agents[0].first_error or "")
    game = envs.game("durak")
    table = Table(game, game.make_variant(), 1, starter=0)
    assert play(table, [leaving, agents.load("durak:random")], on_illegal=OnIllegal.FORFEIT)[0] == -1


def test_budgets_have_a_ceiling() -> None:
    words = r"not allowed: write simulations as @400 or time as @50ms|too high: .* 100,000,000 simulations"
    for budget in ("99999999999999999999", "1000000000", "0", "-1", "1e9", "99999999999ms"):
        with pytest.raises(ValueError, match=rf"the budget '.*' is ({words})"):
            envs.make_vec("durak", 2, f"pimc@{budget}")


def test_commands_say_what_is_wrong() -> None:
    assert (
        "--set takes values of up to 1000 characters: this one has 100,000"
        in run("match", "war", "random", "--set", f"a={'-' * 100_000}", code=2).stderr
    )
    assert "is not allowed" in run("match", "war", "random", "--set", f"deck={'(' * 900}", code=2).stderr
    assert "/dev/null holds no games" in run("replay", "/dev/null", code=2).stderr
