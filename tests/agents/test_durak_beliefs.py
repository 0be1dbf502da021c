"""The worlds in which Durak's looking-ahead players search fit the view and what the others have laid."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.durak import LADDER, beliefs
from kozyr.agents.search.determinization import scratch
from kozyr.envs import registry
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import spread
from kozyr.envs.durak.cards import RANK, SUIT
from kozyr.envs.durak.rules import TABLE
from tests.contract import variants
from tests.contract.table import Table
from tests.games.durak_places import places, put

GAME = envs.game("durak")
registry.seat_bots(GAME)
HEURISTIC = LADDER.index("heuristic")


def positions(v: Any, seed: int, player: str = "heuristic") -> Any:
    """Give a table at the decisions of a game between equal players."""
    table, same = Table(GAME, v, seed), agents.load(f"durak:{player}", **GAME.options(v))
    for _ in range(600):
        if table.over:
            return
        yield table
        table.play(same.act(table.view(table.turn), table.mask()))


def truth(table: Table) -> Any:
    """Return the state as the seat to move would imagine it if it saw all cards; places below TABLE are seats."""
    states, seats = table.imagined(table.turn, 1).states, table.seats
    place = places(table.v, table.s)
    put(states[0], np.where(place < seats, (place - table.turn) % seats, place))
    return states


@pytest.mark.parametrize("options", [{}, {"deck": 36, "pile_on": True}, {"players": 3}, {"players": 4, "deck": 36}])
def test_what_scripted_players_have_laid_fits_their_cards(options: dict[str, Any]) -> None:
    """All but a few, whose players saw that a card since laid had been taken up before."""
    v, fitting = GAME.make_variant(**options), list[bool]()
    board = scratch(GAME, v)
    for seed in range(10):
        for table in positions(v, seed):
            if table.s.laid > 0:
                board.states[:1] = truth(table)
                fitting.append(beliefs.fits(v, HEURISTIC, board))
    assert len(fitting) > 200
    assert np.mean(fitting) > 0.95


def test_what_others_would_not_have_laid_does_not_fit() -> None:
    v = GAME.make_variant(deck=36)
    board, fitting = scratch(GAME, v), list[bool]()
    for seed in range(10):
        for table in positions(v, seed, "random"):
            if table.s.laid > 0:
                board.states[:1] = truth(table)
                fitting.append(beliefs.fits(v, HEURISTIC, board))
    assert np.mean(fitting) < 0.5


@pytest.mark.parametrize("player", ["heuristic", "random"])
def test_worlds_agree_with_the_view(player: str) -> None:
    for i, v in enumerate(variants.drawn(GAME, 12, seed=8)):
        board = scratch(GAME, v)
        for ply, table in enumerate(positions(v, i, player)):
            view = table.view(table.turn)
            beliefs.believe(v, view, spread(i, ply), HEURISTIC, board)
            np.testing.assert_array_equal(Table.of(GAME, v, board.states[:1]).view(0), view)
            counts = np.bincount(places(v, board.states[0]), minlength=TABLE)
            assert counts[: v.players].tolist() == board.states[0].count[: v.players].tolist()


@pytest.mark.parametrize("deck", [36, 52])
def test_worlds_are_like_the_games_of_scripted_players(deck: int) -> None:
    """Count, where somebody opens a round late, the saved trumps and the low cards in the other hand."""
    v, board = GAME.make_variant(deck=deck), scratch(GAME, GAME.make_variant(deck=deck))
    counts = {"real": np.zeros(2), "believed": np.zeros(2), "even": np.zeros(2)}
    for seed in range(150):
        for ply, table in enumerate(positions(v, seed)):
            if table.s.laid > 0 or not 0 < v.deck - table.s.drawn < deck // 3:
                continue
            view = table.view(table.turn)
            counts["real"] += saved_and_low(v, truth(table)[0])
            beliefs.believe(v, view, spread(seed, ply), HEURISTIC, board)
            counts["believed"] += saved_and_low(v, board.states[0])
            dispatch.imagine(v, view, spread(seed, ply), board.states[0])
            counts["even"] += saved_and_low(v, board.states[0])
    off = {name: np.abs(counts[name] - counts["real"]) for name in ("believed", "even")}
    assert (off["believed"] < off["even"] / 2).all()


def saved_and_low(v: Any, s: Any) -> Any:
    """Count seat 1's trumps of the four highest ranks and its other suits' cards of the four lowest."""
    ranks, trump, held = RANK[v.deck, : v.deck], SUIT[v.deck, : v.deck] == s.trump, places(v, s) == 1
    high, low = trump & (ranks >= v.deck // 4 - 4), ~trump & (ranks < 4)
    return np.array([(held & high).sum(), (held & low).sum()])
