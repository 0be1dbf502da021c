"""Promises of the functions of every game."""

import copy
import io
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kozyr import envs
from kozyr.envs.core import dispatch

from . import variants, words
from .plugin import RULES, VIEW
from .table import Plain, Table

pytestmark = RULES

CHECKS: Any = list(HealthCheck)
quick = settings(deadline=None, max_examples=25, suppress_health_check=CHECKS, derandomize=True)
seeds = st.integers(0, 2**63 - 1)


@given(data=st.data(), seed=seeds)
@quick
def test_random_play_keeps_its_promises(game_name: str, data: st.DataObject, seed: int) -> None:
    game = envs.game(game_name)
    table = Plain(game, data.draw(variants.strategy(game)), seed)
    words.assert_sound(table)
    for plies, _ in enumerate(table.walk(seed), 1):
        words.assert_plies(table, plies)
        words.assert_sound(table)
        words.assert_legal_actions(table)
        words.assert_payoffs(table)
    words.assert_payoffs(table)


@VIEW
@given(data=st.data(), seed=seeds)
@quick
def test_views_stay_within_their_bounds(game_name: str, data: st.DataObject, seed: int) -> None:
    game = envs.game(game_name)
    table = Table(game, data.draw(variants.strategy(game)), seed)
    for _ in itertools.chain([0], table.walk(seed)):
        for seat in range(table.seats):
            words.assert_view_within_bounds(table, seat)


def test_a_certain_payoff_does_not_depend_on_what_follows(game: Any, drawn: list[Any]) -> None:
    for i, v in enumerate(drawn):
        table, certain = Table(game, v, seed=i), set[int]()
        for _ in table.walk(i):
            for seat in set(range(table.seats)) - certain:
                if not dispatch.has_result(v, table.s, seat):
                    continue
                certain.add(seat)
                ends = [table.copy() for _ in range(3)]
                for seed, end in enumerate(ends):
                    end.play_out(seed)
                paid = [end.payoffs[seat] for end in ends]
                assert len(set(paid)) == 1, f"{v}: has_result says that seat {seat}'s payoff is certain: {paid}"


def test_the_same_seed_and_actions_give_equal_bytes(game: Any, drawn: list[Any]) -> None:
    for i, v in enumerate(drawn):
        first = Table(game, v, seed=i)
        actions = list(first.walk(i))
        again = Table(game, v, seed=i)
        for action in actions:
            again.play(action)
        assert again.bytes == first.bytes


def test_an_old_game_leaves_no_trace_in_a_new_one(game: Any, drawn: list[Any]) -> None:
    for i, v in enumerate(drawn):
        used = Table(game, v, seed=i)
        for _ in used.walk(i):
            pass
        used.deal(99)
        assert used.bytes == Table(game, v, seed=99).bytes


def test_another_seed_gives_another_game(game: Any) -> None:
    v = game.make_variant()
    assert len({Table(game, v, seed).bytes for seed in range(20)}) == 20


def saved(states: Any) -> Any:
    file = io.BytesIO()
    np.save(file, states, allow_pickle=False)
    file.seek(0)
    return np.load(file, allow_pickle=False).view(states.dtype)


def assigned(states: Any) -> Any:
    other = np.zeros(3, states.dtype)
    other[1] = states[0]
    return other[1:2]


@pytest.mark.parametrize(
    "copied",
    [np.copy, copy.deepcopy, lambda states: pickle.loads(pickle.dumps(states)), saved, assigned],
    ids=["copy", "deepcopy", "pickle", "save", "assign"],
)
def test_a_copied_state_plays_on_the_same(game: Any, drawn: list[Any], copied: Any) -> None:
    for i, v in enumerate(drawn):
        table = Table(game, v, seed=i)
        list(table.walk(i, plies=10))
        other = Table.of(game, v, copied(table.states))
        before = table.bytes
        assert other.bytes == before
        assert list(other.walk(7)) == list(table.copy().walk(7))
        assert table.bytes == before


def test_the_deal_is_the_same_whoever_starts(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        state: Any = game.layout(v)
        dealt = ["rng", *(name for name in state.names if state[name].shape)]  # arrays: cards, walls, hands
        by_seed = Table(game, v, 5)
        for seat in range(game.seats(v)):
            table = Table(game, v, 5, starter=seat)
            assert table.s.starter == seat
            for name in dealt:
                same = (table.s[name] == by_seed.s[name]).all()
                assert same, (
                    f"field `{name}` differs when seat {seat} is told to start: deal before you look who starts"
                )


def test_the_seed_draws_every_starter(game: Any) -> None:
    v = game.make_variant()
    assert {int(Table(game, v, seed).s.starter) for seed in range(100 * game.seats(v))} == set(range(game.seats(v)))


def test_options_make_the_variant_they_come_from(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        assert game.make_variant(**game.options(v)) == v
        assert len(game.action_table(v)) >= 1


@VIEW
def test_declarations_of_a_view_fit_together(game: Any, drawn: list[Any]) -> None:
    for v in drawn:
        sizes = [part.entries(v) for part in game.parts.declared.values()]
        assert min(sizes) >= 0
        assert game.size(v) == sum(sizes) == len(game.high(v))
        assert game.high(v).max() <= np.iinfo(game.view_dtype).max
