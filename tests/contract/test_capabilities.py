"""Capabilities: defaults without a word, sense where there is one, the same in any process."""

import pickle
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np

from kozyr import envs
from kozyr.envs.core import capabilities
from kozyr.envs.loops.chance_outcomes import distinct

from . import variants
from .plugin import VIEW

DEFAULTS = {
    "board": None,
    "symmetry": None,
    "two_lines": None,
    "optional_parts": (),
    "infos": (),
    "episode_statistics": (),
    "opening_plies": 0,
    "perfect_information": False,
}


class Silent(NamedTuple):
    """The variant of a game that tells nothing."""

    players: int = 2


class Loud(NamedTuple):
    """The variant of somebody else's game that tells of its board."""

    players: int = 2


@capabilities.board.register(Loud)
def _board(v: Loud) -> capabilities.Board:
    return capabilities.Board(v.players, 3, 4, 1)


def test_a_game_that_tells_nothing_gets_the_defaults():
    assert {name: getattr(capabilities, name)(Silent()) for name in DEFAULTS} == DEFAULTS
    assert capabilities.counted_parts(Silent()).shape == (0, 2)
    states = np.arange(3)
    capabilities.canonical_deal(Silent(), states)
    assert states.tolist() == [0, 1, 2]


def test_a_game_of_anybody_tells_by_its_variant_and_no_other_game_hears_it():
    assert capabilities.board(Loud(players=3)) == (3, 3, 4, 1)
    assert capabilities.board(Silent()) is None


@VIEW
def test_fields_that_are_named_are_there(game: Any):
    v = game.make_variant()
    for name in (*capabilities.infos(v), *capabilities.episode_statistics(v)):
        assert name in game.state.names
    for name in capabilities.infos(v):
        assert game.state[name].shape[0] >= game.seats(v)
    for name in capabilities.optional_parts(v):
        assert isinstance(getattr(v, name), bool)


@VIEW
def test_optional_parts_only_make_a_view_longer(game: Any, drawn: list[Any]):
    for v in drawn:
        for name in capabilities.optional_parts(v):
            without, whole = v._replace(**{name: False}), v._replace(**{name: True})
            assert game.declaration(whole)[: len(game.declaration(without))] == game.declaration(without)
            assert game.size(whole) > game.size(without)


@VIEW
def test_a_board_is_the_beginning_of_the_view_and_its_cells_are_the_first_actions(game: Any, drawn: list[Any]):
    for v in drawn:
        if (at := capabilities.board(v)) is not None:
            assert at.rows * at.columns <= game.actions(v)
            assert at.planes * at.rows * at.columns <= game.size(v)
            assert (game.high(v)[: at.planes * at.rows * at.columns] == 1).all()


@VIEW
def test_a_symmetry_is_its_own_inverse(game: Any, drawn: list[Any]):
    for v in drawn:
        if (it := capabilities.symmetry(v)) is not None:
            for places in (it.views, it.actions):
                each = np.arange(places.shape[1])
                np.testing.assert_array_equal(np.take_along_axis(places, places, 1), np.tile(each, (len(places), 1)))
            assert it.views.shape == (it.last - it.first, game.size(v))
            assert it.actions.shape == (it.last - it.first, game.actions(v))


@VIEW
def test_what_counts_up_has_the_same_highest_value(game: Any, drawn: list[Any]):
    for v in drawn:
        parts = capabilities.counted_parts(v)
        assert (game.high(v)[parts] == game.high(v)[parts[:, :1]]).all()


@VIEW
def test_canonical_deals_stay_as_they_are(game: Any, drawn: list[Any]):
    for v in drawn:
        tables = envs.make_tables(game.name, 32, seed=5, **game.options(v))
        once = tables.states.copy()
        capabilities.canonical_deal(v, once)
        again = once.copy()
        capabilities.canonical_deal(v, again)
        assert (again == once).all()
        assert len(distinct(once)[0]) <= len(distinct(tables.states)[0])


def test_nothing_needs_to_be_loaded_before_a_variant_is(game: Any):
    v = variants.drawn(game, 2)[-1]
    code = (
        "import pickle, sys; from kozyr.envs.core import capabilities; v = pickle.loads(sys.stdin.buffer.read());"
        f"print([repr(getattr(capabilities, name)(v)) for name in {list(DEFAULTS)}])"
    )
    process = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(v), capture_output=True, check=True)
    here = [repr(getattr(capabilities, name)(v)) for name in DEFAULTS]
    assert process.stdout.decode().strip() == repr(here)
