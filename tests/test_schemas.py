"""The JSON Schemas of views and actions: valid ones, which take what there is and nothing else."""

import copy
import json
from typing import Any

import jsonschema
import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.bridges.structured import action_dict, action_schema, observation_dict, observation_schema
from kozyr.envs.table.table import Table
from tests.contract import variants
from tests.test_cli import run

Draft = jsonschema.Draft202012Validator


def positions(name: str, count: int) -> Any:
    """Give tables of random games over random variants now and then."""
    game = envs.game(name)
    for seed, v in enumerate(variants.drawn(game, count, seed=5)):
        table, rng = Table(game, v, seed), np.random.default_rng(seed)
        while not table.over and table.ply < 150:
            if table.ply % 13 == 0:
                yield table
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
        yield table


@pytest.mark.parametrize("name", envs.games())
def test_schemas_take_every_view_and_every_legal_action(name: str) -> None:
    for table in positions(name, 8):
        game, v = table.game, table.variant
        seen, may = observation_schema(game, v), action_schema(game, v)
        legal = action_schema(game, v, table.mask)
        for schema in (seen, may, legal):
            Draft.check_schema(schema)
            assert json.loads(json.dumps(schema)) == schema
        for seat in range(table.seats):
            Draft(seen).validate(observation_dict(game, v, table.view(seat)))
        for action in np.flatnonzero(table.mask).tolist():
            for schema in (may, legal):
                Draft(schema).validate(action_dict(game, v, action))
                Draft(schema).validate({"text": action_dict(game, v, action)["text"]})


@pytest.mark.parametrize("name", envs.games())
def test_schemas_refuse_what_is_no_view_and_no_action(name: str) -> None:
    game = envs.game(name)
    v = game.make_variant()
    table = Table(game, v, 3)
    seen, whole = Draft(observation_schema(game, v)), observation_dict(game, v, table.view(0))
    for part, (_, first, last, high) in zip(whole, game.declaration(v), strict=True):
        spoilt = copy.deepcopy(whole)
        spoilt[part] = high + 1 if last == first + 1 else [high + 1] * (last - first)
        assert not seen.is_valid(spoilt), part
        assert not seen.is_valid({key: value for key, value in whole.items() if key != part}), part
    assert not seen.is_valid({**whole, "more": 1})
    may, legal = Draft(action_schema(game, v)), Draft(action_schema(game, v, table.mask))
    for document in ({}, {"action": game.actions(v)}, {"action": -1}, {"more": 1, "action": 0}, {"text": 3}):
        assert not may.is_valid(document)
        assert not legal.is_valid(document)
    if len(illegal := np.flatnonzero(table.mask == 0)):
        assert may.is_valid({"action": int(illegal[0])})
        assert not legal.is_valid({"action": int(illegal[0])})
        assert not legal.is_valid(action_dict(game, v, int(illegal[0])))


@pytest.mark.parametrize("command", [("schema", "durak"), ("games", "durak", "--schema")])
def test_the_command_publishes_both(command: tuple[str, ...]) -> None:
    told = json.loads(run(*command, "--set", "deck=36").stdout)
    game = envs.game("durak")
    v = game.make_variant(deck=36)
    assert told["observation"] == observation_schema(game, v)
    assert told["action"] == action_schema(game, v)
    assert told["variant"] == game.options(v)
    assert told["observation"]["properties"]["known"]["minItems"] == 1
    assert told["observation"]["properties"]["known"]["items"]["minItems"] == 36
    assert told["observation"]["properties"]["stock"]["type"] == "integer"
    assert "unknown game" in run("schema", "chess", code=2).stderr


def test_schemas_are_those_of_one_game() -> None:
    assert "--schema is of one game" in run("games", "--schema", code=2).stderr
    assert "--set goes with --schema" in run("games", "durak", "--set", "deck=36", code=2).stderr
