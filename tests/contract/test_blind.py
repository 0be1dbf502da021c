"""Views, texts and drawings of a seat hold what it knows and nothing else."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.envs import registry
from kozyr.envs.core import capabilities, tables
from kozyr.envs.core.rng import generators

from . import variants
from .table import Table

FAR = 80  # plies: some games go on for thousands


def situations(game: Any, count: int, every: int = 7) -> Any:
    """Give tables in the middle of random games over random variants, and their ends."""
    for i, v in enumerate(variants.drawn(game, count, seed=2)):
        table = Table(game, v, seed=i)
        for ply, _ in enumerate(table.walk(i, plies=400)):
            if ply % every == 0 or table.over:
                yield table


def test_a_state_imagined_from_a_view_gives_that_view(game: Any) -> None:
    for table in situations(game, 10):
        for seat in range(table.seats):
            guess = table.imagined(seat, seed=int(table.s.ply))
            np.testing.assert_array_equal(guess.view(0), table.view(seat))
            np.testing.assert_array_equal(guess.mask().any(), table.mask().any())
            if table.over:
                assert guess.over
            else:
                assert guess.turn == (table.turn - seat) % table.seats
            if table.turn == seat:
                np.testing.assert_array_equal(guess.mask(), table.mask())


def test_what_is_hidden_changes_neither_view_mask_nor_bot(game: Any) -> None:
    registry.seat_bots(game)
    levels = range(len(agents.names(game.name)))
    for table in situations(game, 6, every=11):
        if table.over:
            continue
        seen, mask = table.view(table.turn), table.mask()
        due = [answer(table.v, level, seen, mask) for level in levels]
        for seed in range(3):
            guess = table.imagined(table.turn, seed)
            np.testing.assert_array_equal(guess.view(0), seen)
            np.testing.assert_array_equal(guess.mask(), mask)
            assert [answer(table.v, level, guess.view(0), guess.mask()) for level in levels] == due


def test_what_is_hidden_changes_neither_text_words_nor_drawing(game: Any) -> None:
    told_apart = 0
    for table in situations(game, 10, every=17):
        v = table.v
        for seat in range(table.seats):
            one, other = (table.imagined(seat, seed=seed) for seed in (1, 2))  # the seat is seat 0 there
            text = game.text.write(v, one.s, 0)
            assert game.text.write(v, other.s, 0) == text
            np.testing.assert_array_equal(game.text.read_view(v, text), table.view(seat))
            for action in range(game.actions(v)):
                assert game.text.say(v, one.s, action, 0) == game.text.say(v, other.s, action, 0)
            if not table.over:  # a showdown lays hands open, which no view holds
                assert game.draw(v, one.s, 0) == game.draw(v, other.s, 0)
            told_apart += game.text.write(v, one.s) != game.text.write(v, other.s)
    assert (told_apart > 0) != capabilities.perfect_information(game.make_variant())


def test_a_real_position_with_other_hidden_cards_is_told_and_drawn_the_same(game: Any) -> None:
    told_apart = 0
    for table in situations(game, 8, every=4):
        other = swapped(table)
        if table.over or other is None:
            continue
        v = table.v
        np.testing.assert_array_equal(other.view(0), table.view(0))
        assert game.text.write(v, other.s, 0) == game.text.write(v, table.s, 0)
        assert game.draw(v, other.s, 0) == game.draw(v, table.s, 0)
        for action in np.flatnonzero(table.mask()).tolist():
            assert game.text.say(v, other.s, action, 0) == game.text.say(v, table.s, action, 0)
        told_apart += game.text.write(v, other.s) != game.text.write(v, table.s)
    assert (told_apart > 0) != capabilities.perfect_information(game.make_variant())


def swapped(table: Table) -> Table | None:
    """Return the position with what seat 0 cannot know as it imagines it, or None where that gives no position."""
    one, two, other = table.imagined(0, seed=1), table.imagined(0, seed=2), table.copy()
    for field in table.game.state.names:
        if (np.asarray(one.states[field]) != np.asarray(two.states[field])).any():
            other.states[field] = one.states[field]
    try:
        table.game.text.read(table.v, table.game.text.write(table.v, other.s))
    except ValueError:  # the imagined places are not counted from where the real ones are
        return None
    return other


def answer(v: Any, level: int, view: Any, mask: Any) -> int:
    actions = np.zeros(1, np.int64)
    tables.choose_batch(v, level, view[None], mask[None], generators(3, 1), actions)
    assert mask[actions[0]] == 1
    return int(actions[0])


def test_an_imagined_game_can_be_played_to_its_end(game: Any) -> None:
    for i, table in enumerate(situations(game, 6, every=23)):
        for seat in range(table.seats):
            guess = table.imagined(seat, seed=i)
            assert guess.play_out(i) <= game.bound(table.v)
            assert guess.over
            if not table.over and not guess.s.truncated:
                assert sum(guess.payoffs) == pytest.approx(game.payoff_sum, abs=1e-5)


def test_imagining_leaves_no_trace_of_what_was_there_before(game: Any) -> None:
    from kozyr.envs.core import dispatch

    for table in situations(game, 5, every=17):
        if table.over:
            continue
        used = table.copy()
        list(used.walk(1, FAR))
        dispatch.imagine(table.v, table.view(table.turn), 5, used.s)
        assert list(used.walk(3, FAR)) == list(table.imagined(table.turn, 5).walk(3, FAR))


def test_imagination_is_fixed_by_its_seed(game: Any) -> None:
    for table in situations(game, 4, every=29):
        assert table.imagined(0, 8).bytes == table.imagined(0, 8).bytes


def test_luck_ahead_is_hidden_from_the_imagined_state(game: Any) -> None:
    for table in situations(game, 4, every=29):
        assert table.imagined(0, 8).s.rng != table.s.rng
