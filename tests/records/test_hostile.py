"""Every value of a record, and of a league's results, replaced by what does not belong there."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from kozyr import envs
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table

NAN, INFINITY = float("nan"), float("inf")
NUMBERS: list[Any] = [0, -1, 1, 2**31, 2**63, 10**400, -(10**400), 0.5, 1e308, NAN, INFINITY, -INFINITY, True, False]
EVIL: list[Any] = [
    *NUMBERS,
    None,
    "",
    "x",
    "9" * 500,
    "\ud800",
    [],
    [1],
    [[]],
    [None],
    ["x"],
    [NAN],
    [10**400],
    {},
    {"a": 1},
]


def places(it: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the places of a document: of all values, but of the first three of a list."""
    yield place
    if isinstance(it, dict):
        for key, value in it.items():
            yield from places(value, (*place, key))
    if isinstance(it, list):
        for i, value in enumerate(it[:3]):
            yield from places(value, (*place, i))


def changed(it: Any, place: tuple[Any, ...], value: Any) -> str:
    """Return a document as JSON with another value in one place."""
    if not place:
        return json.dumps(value)
    it = json.loads(json.dumps(it))
    inner = it
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(it)


@pytest.mark.parametrize("name", envs.games())
def test_a_record_with_a_wrong_value_is_read_or_refused_in_words(name: str) -> None:
    game = envs.game(name)
    seats = game.seats(game.make_variant())
    table = Table(game, game.make_variant(), 3, clock=Clock(game=60.0, increment=1.0), names=["a"] * seats)
    table.play(int(table.mask.argmax()))
    table.forfeit(table.turn, "tired")
    whole, refused = json.loads(record.write(table.record)), 0
    for place in places(whole):
        for value in EVIL:
            try:
                record.write(record.read(changed(whole, place, value)))
            except ValueError:
                refused += 1
    assert refused > 400


def test_results_with_a_wrong_value_are_read_or_refused_with_their_line(tmp_path: Path) -> None:
    block = Block("war_v0", "{}", 1, None, ("a", "b"), 0, 2)
    outcome = Outcome(((0.5, -0.5), (0.1, 0.2)), (0, 0), (None, None), (1.0, None), 0.0, 10)
    whole = json.loads(json.dumps({"format": 3, **asdict(block), **asdict(outcome)}))
    file, refused = tmp_path / "results.jsonl", 0
    for place in places(whole):
        for value in EVIL:
            line = changed(whole, place, value)
            file.write_text(f"{json.dumps(whole)}\n{line}\n", encoding="utf-8")
            found, why = result(file)
            refused += bool(why)
            assert not why or f"{file}, line 2 is no result of a league" in why
            assert all(type(one.seed) is int and one.seed >= 0 for one in found)
            assert all(abs(payoff) < 1e10 for one in found.values() for row in one.returns for payoff in row)
            assert file.read_text(encoding="utf-8").count("\n") == 2
    assert refused > 300


def result(file: Path) -> tuple[dict[Block, Outcome], str]:
    """Return what a file holds, or why it is refused."""
    try:
        return Store(file).known, ""
    except ValueError as error:
        return {}, str(error)
