"""OpenSpiel over our games: its checks, solvers and best responses, and its search as one of our agents."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr

from kozyr import agents, envs
from kozyr.agents.arena import match
from kozyr.envs.bridges import openspiel
from kozyr.envs.environments.game_tree import EXPLICIT, Rules, gambit, unfold
from kozyr.envs.loops.chance_outcomes import Chance
from kozyr.training.exploitability import measure

SAMPLED = pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
TINY: dict[str, Any] = {  # variants whose chance is listed
    "daifugo": {"players": 2, "ranks": 2, "joker": False},
    "draw_poker": {"players": 2, "deck": 6, "max_bet": 1, "stack": 2},
    "durak": {"deck": 8, "hand": 4, "open_trump": True, "max_rounds": 2},
    "mnk": {"m": 3, "n": 2, "k": 2},
    "war": {"deck": 8, "pickup": "choice", "max_turns": 3},
}
MINUTES = pytest.param("draw_poker", marks=pytest.mark.slow)
SOLVED = ("daifugo", "mnk", MINUTES)  # small enough for OpenSpiel's solvers in Python
MATCHED = {
    "mnk": {"m": 3, "n": 3, "k": 3},
    "daifugo": {"players": 4, "ranks": 3},
    "durak": {"deck": 20, "max_rounds": 5},
}


def simulate(game: Any, games: int) -> None:
    kept = game.get_type().chance_mode != SAMPLED  # OpenSpiel cannot keep a Python game's generator
    pyspiel.random_sim_test(game, num_sims=games, serialize=kept, verbose=False)


@pytest.mark.parametrize("name", envs.games())
def test_full_games_pass_openspiels_checks(name):
    game = openspiel.load(name)
    assert game.num_distinct_actions() == envs.game(name).actions(envs.game(name).make_variant())
    simulate(game, 1)


@pytest.mark.parametrize(("name", "options"), TINY.items())
def test_tiny_games_with_listed_chance_pass_openspiels_checks(name, options):
    game = openspiel.load(name, chance=EXPLICIT, **options)
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    simulate(game, 5)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    outcomes = again.new_initial_state().chance_outcomes()
    assert sum(chance for _, chance in outcomes) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("war", {"deck": 8, "pickup": "random", "max_turns": 4}),
        ("daifugo", {"players": 2, "ranks": 2, "joker": False, "rounds": 2}),
    ],
)
def test_chance_after_the_deal_is_listed_too(name, options):
    game = openspiel.load(name, chance=EXPLICIT, first=0, **options)
    state, later, rng = game.new_initial_state(), 0, np.random.default_rng(1)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                assert sum(chances) == pytest.approx(1)
                later += len(state.history()) > 0 and len(actions) > 1
                state.apply_action(int(rng.choice(actions, p=np.array(chances) / sum(chances))))
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
    assert later > 0


def test_listed_deals_are_as_likely_as_dealt_ones():
    """Daifugo's hands of four cards of two ranks: how many of the lower rank seat 0 gets is hypergeometric."""
    game = envs.game("daifugo")
    states, chances = Chance(game.make_variant(**TINY["daifugo"]), game.state).deals(0)
    got = {int(state["hand"][0, 0]): float(chance) for state, chance in zip(states, chances, strict=True)}
    assert got == pytest.approx({0: 1 / 70, 1: 16 / 70, 2: 36 / 70, 3: 16 / 70, 4: 1 / 70})


def test_what_a_seat_cannot_tell_apart_has_one_name():
    rules = Rules("durak", EXPLICIT, first=0, deck=8, hand=3, open_trump=True)
    names: dict[str, bytes] = {}
    for i in range(len(rules.deals[0])):
        at: Any = rules.begin()
        at = at.follow(i)
        seen = at.views()[0].tobytes()
        assert names.setdefault(at.digest(0), seen) == seen
    assert len(names) == len(set(names.values())) < len(rules.deals[0])


def test_a_history_survives_pickling():
    game = openspiel.load("mnk", first=0, m=3, n=3, k=3)
    state = game.new_initial_state()
    for action in (4, 0, 2):
        state.apply_action(action)
    copy = pickle.loads(pickle.dumps(state.at))
    assert copy.digest(1) == state.at.digest(1)
    assert copy.legal() == state.legal_actions() == [1, 3, 5, 6, 7, 8]


@pytest.mark.parametrize("name", SOLVED)
def test_the_tree_in_arrays_is_the_game(name):
    """OpenSpiel finds the same NashConv by walking through the Python game and in the unfolded tree."""
    game = openspiel.load(name, chance=EXPLICIT, **TINY[name])
    tree = unfold(Rules(name, EXPLICIT, **TINY[name]))
    small = pyspiel.load_efg_game(gambit(tree)[0])
    uniform: Any = exploitability.nash_conv(game, policies.UniformRandomPolicy(game))
    assert pyspiel.nash_conv(small, pyspiel.UniformRandomPolicy(small)) == pytest.approx(uniform)
    sets = [s for s in policies.TabularPolicy(game).states if len(s.legal_actions()) > 1]
    assert len(sets) == int((tree.masks.sum(1) > 1).sum())
    (row,) = measure(name, ["random"], **TINY[name]).rows
    assert (row.nash_conv, row.how) == (pytest.approx(uniform), "exact")


@pytest.mark.parametrize("name", SOLVED)
def test_openspiels_solvers_run_on_the_game(name):
    game = openspiel.load(name, chance=EXPLICIT, first=0, **TINY[name])
    uniform: Any = exploitability.nash_conv(game, policies.UniformRandomPolicy(game))
    solver = cfr.CFRSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    solved: Any = exploitability.nash_conv(game, solver.average_policy())
    assert solved < uniform / 2
    sampling = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(20):
        sampling.iteration()
    assert exploitability.exploitability(game, sampling.average_policy()) < uniform
    best: Any = exploitability.best_response(game, policies.UniformRandomPolicy(game), 0)
    assert best["nash_conv"] > 0


def test_a_draw_at_random_is_counted_out_exactly():
    player = agents.load("daifugo:one_card", **TINY["daifugo"])
    tree = unfold(Rules("daifugo", EXPLICIT, **TINY["daifugo"]))
    asked = np.flatnonzero(tree.masks.sum(1) > 1)[:20]
    views, masks = tree.views[asked], tree.masks[asked]
    exact, counts = player.chances(views, masks), np.zeros(masks.shape)
    np.testing.assert_allclose(exact.sum(1), 1)
    assert ((exact > 0) & (exact < 1)).any()
    for seed in range(400):
        player.reset(-1, seed)
        counts[np.arange(len(asked)), player.act_batch(views, masks)] += 1
    np.testing.assert_allclose(counts / 400, exact, atol=0.15)  # six standard errors


def test_solvers_leave_little_to_win_and_players_more():
    report = measure("daifugo", ["random", "little_think", "cfr@100", "mccfr@2000"], **TINY["daifugo"])
    random, bot, solved, sampled = (row.nash_conv for row in report.rows)
    assert solved < 0.05 < bot < random
    assert sampled < bot
    assert "| little_think |" in report.markdown()


def test_in_poker_with_two_cards_counting_leaves_less_to_win_than_the_plan_and_the_plan_less_than_luck():
    report = measure("draw_poker", ["random", "priority", "heuristic", "cfr@20"], first=0, **TINY["draw_poker"])
    random, priority, heuristic, solved = (row.nash_conv for row in report.rows)
    assert report.positions == 180 * 137  # deals of 6 cards, moments in each
    assert 0 < solved < heuristic < priority < random
    assert {row.how for row in report.rows} == {"exact"}


def test_a_player_that_cannot_tell_its_chances_is_asked_often():
    report = measure("mnk", ["pimc@2"], asks=3, **TINY["mnk"])
    assert report.rows[0].how == "3 answers a set"


@pytest.mark.parametrize(("name", "options"), MATCHED.items())
def test_openspiels_search_plays_legally_in_matches(name, options):
    result = match(name, ["openspiel-mcts@20", "random"], deals=2, **options)
    assert [agent.errors for agent in result.agents] == [0] * len(result.agents)


def test_openspiels_search_wins_what_is_won():
    player = agents.load("mnk:openspiel-mcts@200", m=3, n=3, k=3, last_reply=False)
    rules = Rules("mnk", first=0, m=3, n=3, k=3, last_reply=False)
    at: Any = rules.begin()
    for action in (0, 3, 1, 4):  # X has the top row but for its corner, O the middle row but for its end
        at = at.play(action)
    mask = np.zeros(9, np.int8)
    mask[at.legal()] = 1
    assert player.act(at.views()[0], mask) == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: openspiel.load("durak", chance=EXPLICIT), "too many to list; take a smaller variant"),
        (lambda: openspiel.load("mnk", chance="none"), "chance='none' is not allowed"),
        (lambda: openspiel.load("mnk", first=2), "first=2 is not allowed"),
        (lambda: measure("mnk", ["random"]), "more than 2,000,000 positions"),
        (lambda: measure("mnk", ["cfr"], m=3, n=3, k=3), "write the iterations, as cfr@500"),
        (lambda: agents.load("mnk:openspiel-mcts@10ms"), "its budget is a number of simulations"),
    ],
)
def test_what_cannot_be_done_is_said(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_illegal_action_raises_in_words_and_changes_nothing():
    state = openspiel.load("mnk", m=3, n=3, k=3, first=0).new_initial_state()
    state.apply_action(4)
    for action in (4, 9, -2):
        with pytest.raises(ValueError, match=rf"(?s)action {action} of player_1 at ply 1: .*The position, unchanged:"):
            state.apply_action(action)
    assert state.legal_actions() == [0, 1, 2, 3, 5, 6, 7, 8]


def test_a_process_that_has_loaded_a_game_ends_well():
    """OpenSpiel lets go of registered games only after Python's end, when nothing of Python's may be freed."""
    code = "from kozyr.envs.bridges import openspiel; openspiel.load('mnk', first=0, m=3, n=2, k=2)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ImportError, match=r"\[openspiel\]"):
        openspiel._pyspiel()
