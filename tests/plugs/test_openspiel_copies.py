"""Games and states in OpenSpiel that are pickled, copied and serialised, and what holds them: solvers and policies."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr

from kozyr.envs.bridges import openspiel

MINI: dict[str, Any] = {"players": 2, "ranks": 2, "joker": False}
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("daifugo", {**MINI, "rounds": 2, "first": 0}),  # chance after the deal is listed
    ("daifugo", {"players": 4, "rounds": 2}),  # and drawn
    ("draw_poker", {}),
    ("durak", {}),
    ("durak", {"players": 3, "deck": 36, "chance": "dealt"}),
    ("mnk", {"m": 3, "n": 3, "k": 3, "first": 0}),
    ("war", {"deck": 8, "pickup": "random", "max_turns": 4}),
]
EACH = pytest.mark.parametrize(("name", "options"), GAMES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(GAMES)])


def line(game: Any, seed: int) -> list[Any]:
    """Return states of a random game, from its beginning to its end."""
    state, rng, states = game.new_initial_state(), np.random.default_rng(seed), []
    while not state.is_terminal():
        states.append(state.clone())
        state.apply_action(int(rng.choice(state.legal_actions())))
    return [*states[:: max(len(states) // 8, 1)], state]


def facts(state: Any) -> Any:
    """Return all that a state tells."""
    past = [(step.player, step.action) for step in state.full_history()]
    known = [(state.information_state_string(k), state.observation_string(k)) for k in range(state.num_players())]
    return str(state), past, state.move_number(), state.current_player(), state.returns(), known


@EACH
@pytest.mark.parametrize(
    "copied",
    [
        lambda game, state: pickle.loads(pickle.dumps(state)),
        lambda game, state: copy.deepcopy(state),
        lambda game, state: game.deserialize_state(state.serialize()),
        lambda game, state: pickle.loads(pickle.dumps(game)).deserialize_state(state.serialize()),
    ],
    ids=["pickle", "deepcopy", "serialize", "another game"],
)
def test_a_copy_of_a_state_is_that_state(name, options, copied):
    game = openspiel.load(name, **options)
    for state in line(game, seed=3):
        again = copied(game, state)
        assert facts(again) == facts(state)
        assert str(again.get_game()) == str(game)
        if not state.is_terminal() and not state.is_chance_node():
            before = facts(state)
            again.apply_action(again.legal_actions()[0])
            assert facts(state) == before


@EACH
def test_a_copy_of_a_game_is_that_game(name, options):
    game = openspiel.load(name, **options)
    for again in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
        assert str(again) == str(game)
        assert again.get_parameters() == game.get_parameters()
        assert type(again) is type(game)


def test_a_state_without_a_past_is_kept_too():
    game = openspiel.load("mnk", m=3, n=3, k=3, first=0)
    state = game.new_initial_state()
    state.apply_action(4)
    root = openspiel.state_of(game, state.at.state)
    root.apply_action(0)
    assert facts(pickle.loads(pickle.dumps(root))) == facts(root)
    assert root.history() == [0]


def test_a_solver_goes_on_where_it_was_kept():
    game = openspiel.load("daifugo", **MINI, first=0)
    solver = cfr.CFRSolver(game)
    solver.evaluate_and_update_policy()
    for again in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver)):
        again.evaluate_and_update_policy()
        rows = again.average_policy().action_probability_array
        expected = copy.deepcopy(solver)
        expected.evaluate_and_update_policy()
        np.testing.assert_array_equal(rows, expected.average_policy().action_probability_array)


def test_a_solved_policy_is_read_in_a_process_that_knows_nothing_yet(tmp_path: Path):
    game = openspiel.load("daifugo", **MINI, first=0)
    solver = cfr.CFRSolver(game)
    solver.evaluate_and_update_policy()
    file = tmp_path / "policy.pickle"
    file.write_bytes(pickle.dumps(solver.average_policy()))
    code = (
        "import pickle, pathlib, sys; policy = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "state = policy.game.new_initial_state()\n"
        "while state.is_chance_node(): state.apply_action(state.legal_actions()[0])\n"
        "print(sum(policy.action_probabilities(state).values()))"
    )
    said = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True).stdout
    assert float(said) == pytest.approx(1)


def returns_of(game: Any) -> list[float]:
    """Return the payoffs of a game that an actor process plays."""
    return line(game, seed=1)[-1].returns()


def test_actor_processes_are_given_games():
    game = openspiel.load("durak", deck=36, seed=5)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (result,) = pool.map(returns_of, [game])
    assert sum(result) == pytest.approx(0)


def test_openspiels_own_pair_of_functions_takes_games_whose_chance_is_listed():
    """With sampled chance it asks a Python game for its generator, which pyspiel does not let it tell."""
    game = openspiel.load("daifugo", **MINI)
    state = line(game, seed=2)[2]
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert facts(again) == facts(state)
