"""Blindness: views, texts and drawings of a seat hold its own knowledge and nothing else."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kozyr import agents
from kozyr.envs import registry
from kozyr.envs.core import capabilities
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text import Texts
from kozyr.envs.loops import tables

from . import variants
from .plugin import IMAGINE, SCENE, TEXT
from .table import Table
from .words import (
    LEAK,
    SAME_MOVES,
    assert_payoffs,
    assert_same_mask,
    assert_same_view,
    assert_sound,
    position,
)

SEEDS = 10  # so many are tried to find two states that differ: where few cards are hidden, two may well be equal
ACTIONS = 100  # so many are named at a time, of all that a game has: some have thousands
FAR = 80  # plies: some games go on for thousands
TELLS = "tells seat 0 what its view does not show, or `imagine` does not follow the view"
READS = "`read_view` must give the view that the text tells"


def situations(game: Any, count: int, every: int = 7) -> Any:
    """Give tables in the middle of random games over random variants, and their ends."""
    for i, v in enumerate(variants.drawn(game, count, seed=2)):
        table = Table(game, v, seed=i)
        for ply, _ in enumerate(table.walk(i, plies=400)):
            if ply % every == 0 or table.over:
                yield table


@IMAGINE
def test_a_state_imagined_from_a_view_gives_that_view(game: Any) -> None:
    for table in situations(game, 10):
        for seat in range(table.seats):
            guess = table.imagined(seat, seed=int(table.s.ply))
            assert_sound(guess)
            real, imagined = ("the game", table.view(seat)), ("the state imagined from it", guess.view(0))
            assert_same_view(game, table.v, real, imagined, LEAK, table, seat)
            due = OVER if table.over else (table.turn - seat) % table.seats
            assert guess.turn == due, f"`imagine` for seat {seat} gives another `turn`\n{position(table, seat)}"
            masks = ("the game", table.mask()), ("the state imagined from it", guess.mask())
            assert masks[0][1].any() == masks[1][1].any(), SAME_MOVES
            if table.turn == seat:
                assert_same_mask(*masks, SAME_MOVES, table)


def test_what_is_hidden_changes_neither_view_mask_nor_bot(game: Any) -> None:
    registry.seat_bots(game)
    levels = range(len(agents.names(game.name)))
    for table in situations(game, 6, every=11):
        if table.over:
            continue
        view, mask = table.view(table.turn), table.mask()
        due = [answer(table.v, level, view, mask) for level in levels]
        for seed in range(3):
            guess = table.imagined(table.turn, seed)
            views = ("the game", view), ("the state imagined from it", guess.view(0))
            assert_same_view(game, table.v, *views, LEAK, table, table.turn)
            assert_same_mask(("the game", mask), ("the state imagined from it", guess.mask()), SAME_MOVES, table)
            assert [answer(table.v, level, guess.view(0), guess.mask()) for level in levels] == due, (
                f"a player of {agents.names(game.name)} takes another action for the same view, mask and generator"
            )


@TEXT
def test_what_is_hidden_changes_neither_text_nor_words(game: Any) -> None:
    differing = 0
    for table in situations(game, 10, every=17):
        v = table.v
        for seat in range(table.seats):
            one, other = told_apart_by_all(table, seat)  # the seat is seat 0 there
            text = game.text.write(v, one.s, 0)
            assert game.text.write(v, other.s, 0) == text, f"`write` {TELLS}"
            views = ("`read_view` of the seat's text", game.text.read_view(v, text)), ("the game", table.view(seat))
            assert_same_view(game, v, *views, READS, table, seat)
            assert Texts(game).write(v, other.s, 0) == Texts(game).write(v, one.s, 0), f"the derived `write` {TELLS}"
            step = 1 + game.actions(v) // ACTIONS
            for action in range(seat % step, game.actions(v), step):
                assert game.text.say(v, one.s, action, 0) == game.text.say(v, other.s, action, 0), f"`say` {TELLS}"
            differing += whole(one) != whole(other)
    assert_something_is_hidden(game, differing > 0)


@SCENE
def test_what_is_hidden_changes_no_drawing(game: Any) -> None:
    for table in situations(game, 10, every=17):
        for seat in range(table.seats):
            if not table.over:  # a showdown lays hands open, which no view holds
                one, other = told_apart_by_all(table, seat)
                assert game.draw(table.v, one.s, 0) == game.draw(table.v, other.s, 0), f"`draw` {TELLS}"


@TEXT
def test_a_real_position_with_other_hidden_cards_has_the_same_text(game: Any) -> None:
    differing = 0
    for table, other in real_pairs(game):
        v = table.v
        views = ("the game", table.view(0)), ("the game with other hidden cards", other.view(0))
        assert_same_view(game, v, *views, LEAK, table, 0)
        for texts in (game.text, Texts(game)):
            assert texts.write(v, other.s, 0) == texts.write(v, table.s, 0), f"`write` {TELLS}"
        for action in np.flatnonzero(table.mask()).tolist():
            assert game.text.say(v, other.s, action, 0) == game.text.say(v, table.s, action, 0), f"`say` {TELLS}"
        differing += whole(other) != whole(table)
    assert_something_is_hidden(game, differing > 0)


@SCENE
def test_a_real_position_with_other_hidden_cards_is_drawn_the_same(game: Any) -> None:
    for table, other in real_pairs(game):
        assert game.draw(table.v, other.s, 0) == game.draw(table.v, table.s, 0), f"`draw` {TELLS}"


def real_pairs(game: Any) -> Iterator[tuple[Table, Table]]:
    """Give positions of games with the same ones where hidden cards are others."""
    for table in situations(game, 8, every=4):
        other = None if table.over else swapped(table)
        if other is not None:
            yield table, other


def whole(table: Table) -> str:
    """Return the text of a position without the luck that is still to come."""
    state = table.copy().s
    state.rng = 0
    return table.game.text.write(table.v, state)


def assert_something_is_hidden(game: Any, found: bool) -> None:
    """Fail unless a game hides something or says that it does not."""
    if capabilities.perfect_information(game.make_variant()):
        assert not found, "`perfect_information` says that nothing is hidden, but `imagine` gives different states"
    else:
        assert found, (
            "`imagine` gives one state whatever the seed: the view shows all that is hidden, or `imagine` does not "
            "deal it; a game that hides nothing declares `perfect_information`"
        )


def told_apart_by_all(table: Table, seat: int) -> tuple[Table, Table]:
    """Return two imagined states that differ in what is hidden, if some seeds give such."""
    one = other = table.imagined(seat, seed=1)
    for seed in range(2, SEEDS):
        other = table.imagined(seat, seed)
        if whole(other) != whole(one):
            break
    return one, other


def fields(table: Table) -> list[Any]:
    """Return the names of the fields of a table's state."""
    return list(table.states.dtype.names or ())


def swapped(table: Table) -> Table | None:
    """Return the position with what seat 0 cannot know as it imagines it, or None where that gives no position."""
    one, two = told_apart_by_all(table, 0)
    other = table.copy()
    for field in fields(table):
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


@IMAGINE
def test_an_imagined_game_can_be_played_to_its_end(game: Any) -> None:
    for i, table in enumerate(situations(game, 6, every=23)):
        for seat in range(table.seats):
            guess = table.imagined(seat, seed=i)
            plies = guess.play_out(i)
            assert plies <= game.bound(table.v), f"an imagined game has {plies} plies, `bound` allows fewer"
            assert guess.over
            if not table.over:
                assert_payoffs(guess)


@IMAGINE
def test_imagining_leaves_no_trace_of_what_was_there_before(game: Any) -> None:
    for table in situations(game, 5, every=17):
        if table.over:
            continue
        used = table.copy()
        list(used.walk(1, FAR))
        used.imagine(table.view(table.turn), 5, used.states)
        assert list(used.walk(3, FAR)) == list(table.imagined(table.turn, 5).walk(3, FAR))


@IMAGINE
def test_imagination_is_fixed_by_its_seed(game: Any) -> None:
    for table in situations(game, 4, every=29):
        assert table.imagined(0, 8).bytes == table.imagined(0, 8).bytes


@IMAGINE
def test_luck_ahead_is_hidden_from_the_imagined_state(game: Any) -> None:
    for table in situations(game, 4, every=29):
        assert table.imagined(0, 8).s.rng != table.s.rng
