"""Durak's scripted and looking-ahead players."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.arena import match
from kozyr.agents.durak import LADDER
from kozyr.agents.durak import endgame as end
from kozyr.agents.durak.search import DurakSolver
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.rules import TABLE
from tests.contract import variants
from tests.contract.table import Table
from tests.games.durak_places import places

GAME = envs.game("durak")
HEURISTIC = LADDER.index("heuristic")


def positions(v: Any, seed: int, every: int = 1) -> Any:
    """Give a table at the decisions of a game in which the better scripted player plays all seats."""
    table, player = Table(GAME, v, seed), agents.load("durak:heuristic", **GAME.options(v))
    for ply in range(1000):
        if table.over:
            return
        if ply % every == 0:
            yield table
        table.play(player.act(table.view(table.turn), table.mask()))


def plain(table: Table) -> bool:
    return end.plain(table.v, table.view(table.turn))


def exact(v: Any, s: Any, known: dict[bytes, float]) -> float:
    """Return what seat 0 gets if both play perfectly, by looking at everything; `s` is an array of one."""
    if s[0].turn == OVER:
        return float(s[0].payoff[0])
    laid = [s[0][name][: s[0].laid] for name in ("attack", "defence")]
    key = b"".join(
        part.tobytes() for part in [*laid, *(s[name] for name in ("cards", "turn", "attacker", "limit", "taking"))]
    )
    if key not in known:
        mask, worths = np.zeros(GAME.actions(v), np.int8), list[float]()
        dispatch.legal(v, s[0], mask)
        for a in np.flatnonzero(mask):
            later = s.copy()
            dispatch.play(v, later[0], int(a))
            worths.append(exact(v, later, known))
        known[key] = max(worths) if s[0].turn == 0 else min(worths)
    return known[key]


@pytest.mark.parametrize(("deck", "deals"), [(36, 3000), (52, 3000)])
def test_each_scripted_player_beats_the_one_below(deck: int, deals: int) -> None:
    for better, worse in (("passive", "random"), ("low", "passive"), ("heuristic", "low")):
        assert match("durak", [better, worse], deals, deck=deck).agents[0].score_interval[0] > 0.5


def test_low_hardly_ever_loses_to_chance() -> None:
    assert match("durak", ["low", "random"], 3000).agents[0].score_interval[1] > 0.98


@pytest.mark.parametrize("options", [{}, {"open_trump": True}, {"pile_on": True, "refill": "old_attacker"}])
def test_the_endgame_is_played_perfectly(options: dict[str, Any]) -> None:
    v = GAME.make_variant(deck=20, **options)
    solver, checked = DurakSolver(GAME, v, HEURISTIC), 0
    for seed in range(90):
        for table in positions(v, seed):
            mask = table.mask()
            if not plain(table) or mask.sum() < 2 or (places(v, table.s) <= TABLE).sum() > 7:
                continue
            guess = np.zeros(1, GAME.state)
            dispatch.imagine(v, table.view(table.turn), 0, guess[0])
            known = dict[bytes, float]()
            due, action = exact(v, guess, known), solver.act(table.view(table.turn), mask)
            dispatch.play(v, guess[0], action)
            assert exact(v, guess, known) == due
            checked += 1
    assert checked > 20


def test_the_hands_of_an_endgame_are_known() -> None:
    for open_trump in (False, True):
        v, seen = GAME.make_variant(deck=36, open_trump=open_trump), 0
        for seed in range(10):
            for table in positions(v, seed):
                if plain(table):
                    guess = table.imagined(table.turn, 3)
                    place = places(v, table.s)
                    turned = place if table.turn == 0 else np.array([1, 0, *range(2, 9)])[place]
                    np.testing.assert_array_equal(places(v, guess.s), turned)
                    seen += 1
        assert seen > 50


@pytest.mark.parametrize("name", ["solver", "pimc"])
def test_players_survive_every_variant(name: str) -> None:
    for i, v in enumerate(variants.drawn(GAME, 12, seed=4)):
        player = search.makers(GAME)[name](GAME, v, HEURISTIC, budget=20)
        for table in positions(v, i, every=5):
            mask = table.mask()
            assert mask[player.act(table.view(table.turn), mask)] == 1


@pytest.mark.parametrize("name", ["solver", "pimc"])
def test_players_are_blind_and_remember_nothing(name: str) -> None:
    for i, v in enumerate(variants.drawn(GAME, 4, seed=5)):
        player, other = (search.makers(GAME)[name](GAME, v, HEURISTIC, budget=20) for _ in range(2))
        for table in positions(v, i, every=7):
            view, mask = table.view(table.turn), table.mask()
            due = player.act(view, mask)
            guess = table.imagined(table.turn, i)
            assert [player.act(guess.view(0), guess.mask()), other.act(view, mask)] == [due, due]


def test_an_endgame_without_nodes_is_left_to_the_scripted_player() -> None:
    v = GAME.make_variant(deck=36)
    solver, scripted = DurakSolver(GAME, v, HEURISTIC, budget=1), agents.load("durak:heuristic", deck=36)
    for table in positions(v, 1):
        view, mask = table.view(table.turn), table.mask()
        if not plain(table) or table.s.count[:2].sum() > 6:
            assert solver.act(view, mask) == scripted.act(view, mask)


def test_repeated_positions_end_the_search() -> None:
    v = GAME.make_variant(deck=20, transfer=True)
    solver = DurakSolver(GAME, v, HEURISTIC)
    for seed in range(10):
        for table in positions(v, seed):
            mask = table.mask()
            assert mask[solver.act(table.view(table.turn), mask)] == 1


@pytest.mark.long
def test_imagined_worlds_beat_the_solver() -> None:
    assert match("durak", ["pimc@100", "solver"], 100, deck=36).agents[0].score_interval[0] > 0.5
