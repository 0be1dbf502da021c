"""Variants and names: what is refused, and in which words."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr import agents, envs
from kozyr.agents.agent import Agent

from . import variants
from .plugin import RULES

ODD = [None, "x", float("nan"), float("inf"), -(10**9), 10**30, 1.5, [], {}, (1,), b"1", 2j]


def odd_values(game: Any, name: str) -> list[Any]:
    """Return values that a field does not take."""
    field, default = game.fields[name], game.variant._field_defaults[name]
    odd = [value for value in ODD if not (isinstance(default, float) and value == 1.5)]
    if field.choices:
        return [*odd, 0, 1, True, field.choices[0].upper()]
    if not isinstance(default, (bool, str)) and not field.numbers:
        odd += [field.low - 1, field.high + 1]
    if field.numbers:
        odd += [number + 1 for number in field.numbers]
    return odd


@RULES
def test_a_wrong_value_is_refused_with_its_field_and_what_is_allowed(game: Any) -> None:
    for name, field in game.fields.items():
        allowed = field.allowed(game.variant._field_defaults[name])
        for value in odd_values(game, name):
            with pytest.raises(ValueError, match=re.escape(f"{game.name}: {name}={value!r} is not allowed")) as caught:
                game.make_variant(**{name: value})
            assert allowed in str(caught.value)


@RULES
def test_an_unknown_field_is_refused_with_a_hint(game: Any) -> None:
    for name in game.fields:
        wrong = name + "z"
        with pytest.raises(ValueError, match=f"unknown variant field '{wrong}'") as caught:
            game.make_variant(**{wrong: 1})
        assert all(field in str(caught.value) for field in game.fields)
    if not game.fields:
        return
    longest = max(game.fields, key=len)
    with pytest.raises(ValueError, match=f"did you mean '{longest}'"):
        game.make_variant(**{longest[:-1]: 1})


@RULES
@given(data=st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_impossible_combinations_name_a_field_and_its_value(game_name: str, data: st.DataObject) -> None:
    game = envs.game(game_name)
    options = data.draw(st.fixed_dictionaries({f: st.sampled_from(variants.values(game, f)) for f in game.fields}))
    v = variants.combined(game, options)
    if v is None:
        fields = "|".join(re.escape(f"{field}={value!r}") for field, value in options.items())
        with pytest.raises(ValueError, match=fields):
            game.make_variant(**options)
    else:
        assert game.options(v) == options
        assert game.make_variant(**game.options(v)) == v


@RULES
def test_values_of_equal_worth_make_equal_variants(game: Any) -> None:
    for name, default in game.make_variant()._asdict().items():
        if isinstance(default, int) and not isinstance(default, bool) and not game.fields[name].choices:
            v = game.make_variant(**{name: float(default)})
            assert v == game.make_variant()
            assert type(getattr(v, name)) is int


@pytest.mark.parametrize("make", [envs.make, envs.make_vec, envs.make_tables, envs.make_seat])
def test_every_way_to_make_one_checks_the_variant(game: Any, make: Any) -> None:
    arguments = (2,) if make in (envs.make_vec, envs.make_tables) else ()
    with pytest.raises(ValueError, match="unknown variant field 'colour'"):
        make(game.name, *arguments, colour=1)


@pytest.mark.parametrize("make", [envs.game, envs.make, envs.make_seat, agents.names])
@pytest.mark.parametrize("wrong", ["", "chess", None, "_v0", "v0"])
def test_an_unknown_game_lists_the_games(make: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="unknown game") as caught:
        make(wrong)
    assert all(name in str(caught.value) for name in envs.games())


@RULES
def test_a_game_is_found_by_its_name_with_and_without_version(game: Any) -> None:
    assert envs.game(game.name) is envs.game(game.id) is game
    with pytest.raises(ValueError, match=f"the version of {game.name} is {game.id}"):
        envs.game(f"{game.name}_v99")
    with pytest.raises(ValueError, match=f"Did you mean '{game.name}'"):
        envs.game(game.name + "x")


def test_agents_are_found_by_name(game: Any) -> None:
    for level, name in enumerate(agents.names(game.name)):
        for arguments in ((f"{game.name}:{name}",), (name, game.name), (f"{game.id}:{name}",)):
            agent = agents.load(*arguments)
            assert (agent.level, agent.name, agent.game) == (level, name, game)
            assert isinstance(agent, Agent)
    own = agents.load("kozyr.contract.table:Hashed")
    assert type(own).__name__ == "Hashed"


def test_an_unknown_agent_lists_the_right_ones(game: Any) -> None:
    for wrong in ("rendom", "nobody", ""):
        for arguments in ((f"{game.name}:{wrong}",), (wrong, game.name)):
            with pytest.raises(ValueError, match="unknown agent") as caught:
                agents.load(*arguments)
            assert all(name in str(caught.value) for name in agents.names(game.name))
    with pytest.raises(ValueError, match="Did you mean 'random'"):
        agents.load("rendom", game.name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "write game:player"),
        ("nowhere.at.all:Player", "there is no module 'nowhere'"),
        ("kozyr.contract.table:Nobody", "Nobody"),
        ("kozyr.contract.table:Table", "Table"),
        ("kozyr.contract.reference:Moment", "Moment"),
        ("chess:random", "chess"),
    ],
)
def test_a_bad_agent_of_ones_own_is_refused_in_words(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.load(name)


def test_an_agent_of_another_game_is_refused(game: Any) -> None:
    for other in set(envs.games()) - {game.name}:
        with pytest.raises(ValueError, match=f"does not play {game.name}"):
            agents.load(f"{other}:random", game.name)
