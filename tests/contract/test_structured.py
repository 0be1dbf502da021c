"""Views and actions as named JSON, both ways."""

import json
from typing import Any

import numpy as np
import pytest

from kozyr.envs.bridges.structured import action_dict, action_of, observation_dict, observation_of

from .plugin import VIEW
from .test_blind import situations


@VIEW
def test_views_come_back_from_their_named_parts(game: Any) -> None:
    for table in situations(game, 12, every=11):
        for seat in range(table.seats):
            view = table.view(seat)
            document = json.loads(json.dumps(observation_dict(game, table.v, view)))
            again = observation_of(game, table.v, document)
            assert again.dtype == game.view_dtype
            assert again.tobytes() == view.tobytes()
            assert list(document) == [name for name, *_ in game.declaration(table.v)]


@VIEW
def test_every_entry_stands_under_its_name(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        view = np.arange(game.size(v)) % (game.high(v).astype(np.int64) + 1)
        document = observation_dict(game, v, view.astype(game.view_dtype))
        for name, first, last, _ in game.declaration(v):
            assert np.array(document[name]).reshape(-1).tolist() == view[first:last].tolist(), name


def test_actions_come_back_from_their_number_their_text_and_their_parts(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        for action in range(game.actions(v)):
            document = json.loads(json.dumps(action_dict(game, v, action)))
            assert action_of(game, v, document) == action
            assert action_of(game, v, {"action": action}) == action
            assert action_of(game, v, {"text": document["text"]}) == action
            parts = {name: value for name, value in document.items() if name not in ("action", "text")}
            assert not parts or action_of(game, v, parts) == action, "two actions have the same `action_parts`"


def test_documents_of_something_else_are_refused_in_words(game: Any) -> None:
    v = game.make_variant()
    whole = observation_dict(game, v, np.zeros(game.size(v), game.view_dtype))
    [name, *_] = whole
    high = game.parts.declared[name].top(v)
    listed = json.loads(json.dumps(whole[name]).replace("0", str(high + 1), 1))
    spoilt: list[Any] = [
        {},
        {**whole, "nothing": 1},
        {**whole, name: listed},
        {**whole, name: "x"},
        {**whole, name: [[[]]]},
    ]
    spoilt += [{key: value for key, value in whole.items() if key != name}, [], None]
    for document in spoilt:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            observation_of(game, v, document)
    most = game.actions(v)
    foreign: list[Any] = [
        {},
        {"action": -1},
        {"action": most},
        {"action": "0"},
        {"action": True},
        {"text": 3},
        [],
        None,
    ]
    for document in foreign:
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            action_of(game, v, document)
    first, last = action_dict(game, v, 0), action_dict(game, v, most - 1)
    for document in ({"action": 0, "text": last["text"]}, {**first, "nothing": 1}, {**last, "action": 0}):
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            action_of(game, v, document)
