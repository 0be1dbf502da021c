"""The worlds in which poker's search plays: whole decks, the same view, and hands that the others would have played."""

from typing import Any

import numpy as np
import pytest

from kozyr.agents.draw_poker import LADDER, search
from kozyr.agents.search.determinization import scratch
from kozyr.envs import registry
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.rules import EXCHANGE, FIRST
from kozyr.envs.loops.tables import choose_batch
from tests.contract.table import Table
from tests.contract.variants import drawn
from tests.contract.words import assert_sound

registry.seat_bots(GAME)

HEURISTIC = LADDER.index("heuristic")


def tables(v: Any, seed: int, games: int) -> Any:
    """Play hands between heuristic players, every fourth move at random; give the table at every decision."""
    rngs, chosen = generators(seed, 1), np.zeros(1, np.int64)
    for number in range(games):
        table = Table(GAME, v, seed + number)
        for n in range(60):
            if table.over:
                break
            yield table
            choose_batch(v, n % 4 and HEURISTIC, table.view(table.turn)[None], table.mask()[None], rngs, chosen)
            table.play(int(chosen[0]))


@pytest.mark.parametrize("v", drawn(GAME, 12, seed=3), ids=str)
@pytest.mark.parametrize("level", ["priority", "heuristic"])
def test_worlds_fit_the_view_and_no_card_is_twice(v: Any, level: str) -> None:
    board = scratch(GAME, v)
    for ply, table in enumerate(tables(v, 5, 6)):
        view = table.view(table.turn)
        for world in range(3):
            search.believe(v, view, spread(ply, world), LADDER.index(level), board)
            guess = Table.of(GAME, v, board.states[:1])
            np.testing.assert_array_equal(guess.view(0), view)
            assert_sound(guess)


def test_the_button_too_is_believed_to_hold_what_it_has_raised_with() -> None:
    """A raiser holds more than others: wherever it sits, worlds give it a better first hand than chance does."""
    v = GAME.make_variant()
    board, kept, plain = scratch(GAME, v), {True: list[int](), False: list[int]()}, list[int]()
    for ply, table in enumerate(tables(v, 11, 400)):
        s = table.s
        if s.phase not in (FIRST, EXCHANGE) or s.raiser < 0 or s.raiser == s.turn or (s.exchanged >= 0).any():
            continue
        view, raiser = table.view(table.turn), (s.raiser - s.turn) % v.players
        search.believe(v, view, spread(ply, 0), HEURISTIC, board)
        kept[bool(s.raiser == s.button)].append(pairs(board.states[0].hand[raiser]))
        dispatch.imagine(v, view, spread(ply, 1), board.states[0])
        plain.append(pairs(board.states[0].hand[raiser]))
    assert min(map(len, kept.values())) > 50
    for its in kept.values():
        assert np.mean(its) > np.mean(plain) + 0.2


def pairs(hand: Any) -> int:
    """Return how many pairs of equal ranks are in a hand."""
    return sum(hand[i] % 13 == hand[j] % 13 for i in range(5) for j in range(i))
