"""Imagined worlds of a search: the view they come from is seen in them, and scripted players can play them on."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kozyr import agents
from kozyr.agents.roster import load_worlds
from kozyr.agents.search.determinization import sample_world, scratch
from kozyr.envs import registry
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.loops.single_table import allowed
from kozyr.envs.loops.tables import choose_batch

from . import variants
from .table import Table
from .words import assert_same_mask, assert_same_view, assert_sound, fail

PLIES = 120  # of a game, and of a world
WORLDS = 2  # for each scripted player
FITS = "a world that a search imagines must fit the view; `sample_world`, or `imagine` where there is none, is wrong"


def asked(game: Any, count: int, every: int) -> Iterator[Table]:
    """Give tables at some decisions in games of the strongest scripted player, who plays at random now and then."""
    registry.seat_bots(game)
    best, rngs = len(agents.names(game.name)) - 1, generators(5, 1)
    for i, v in enumerate(variants.drawn(game, count, seed=3)):
        table = Table(game, v, seed=i)
        for ply in range(PLIES):
            if table.over:
                break
            if ply % every == 0:
                yield table
            table.play(choice(table, best if ply % 4 else 0, rngs))


def choice(table: Table, level: int, rngs: Any) -> int:
    """Return the action of a scripted player."""
    actions = np.zeros(1, np.int64)
    choose_batch(table.v, level, table.view(table.turn)[None], table.mask()[None], rngs, actions)
    return int(actions[0])


def worlds(table: Table) -> Iterator[tuple[Table, int, int]]:
    """Give worlds of the seat to move for each scripted player, and who plays the first seat and the others there."""
    load_worlds(table.game)
    board, view = scratch(table.game, table.v), table.view(table.turn)
    for level in range(len(agents.names(table.game.name))):
        for world in range(WORLDS):  # a game may imagine each in another way
            rival = sample_world(table.v, view, spread(int(table.s.ply), level), world, level, board)
            yield Table.of(table.game, table.v, board.states[:1].copy()), level, rival


def test_a_world_of_a_search_gives_the_view_and_the_actions_it_is_imagined_from(game: Any) -> None:
    for table in asked(game, 10, every=5):
        for guess, _, _ in worlds(table):
            assert_sound(guess)
            views = ("the game", table.view(table.turn)), ("a world of a search", guess.view(0))
            assert_same_view(game, table.v, *views, FITS, table, table.turn)
            assert guess.turn == 0, FITS
            assert_same_mask(("the game", table.mask()), ("a world of a search", guess.mask()), FITS, table)


def test_scripted_players_play_legally_in_the_worlds_of_a_search(game: Any) -> None:
    """One that did not would let a search go on for ever, for compiled worlds are played without a look at that."""
    rngs = generators(7, 1)
    for table in asked(game, 10, every=11):
        for guess, level, rival in worlds(table):
            for _ in range(PLIES):
                if guess.over:
                    break
                action = choice(guess, rival if guess.turn else level, rngs)
                if not allowed(guess.mask(), action):
                    who = agents.names(game.name)[rival if guess.turn else level]
                    fail(f"{who} answers {action} in a world of a search, which is not legal there: {FITS}", guess)
                guess.play(action)
            assert_sound(guess)
