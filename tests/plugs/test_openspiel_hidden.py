"""OpenSpiel's algorithms for hidden cards on our games: imagined worlds for its search, histories for its networks."""

import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import exploitability, ismcts, mcts

from kozyr.envs.bridges import openspiel
from kozyr.envs.environments.game_tree import rules

MINI: dict[str, Any] = {"players": 2, "ranks": 2, "joker": False, "first": 0}
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("daifugo", MINI),
    ("daifugo", {"players": 4, "rounds": 2}),
    ("draw_poker", {}),
    ("durak", {"players": 3, "deck": 20, "max_rounds": 5}),
    ("durak", {"players": 3, "deck": 36, "chance": "dealt"}),
    ("war", {"deck": 8, "pickup": "choice", "max_turns": 4}),
]
EACH = pytest.mark.parametrize(("name", "options"), GAMES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(GAMES)])


def decisions(game: Any, seed: int) -> Any:
    """Yield the states of a random game in which a seat decides, a dozen at most."""
    state, rng, states = game.new_initial_state(), np.random.default_rng(seed), list[Any]()
    while not state.is_terminal():
        if not state.is_chance_node():
            states.append(state.clone())
        state.apply_action(int(rng.choice(state.legal_actions())))
    yield from states[:: len(states) // 12 + 1]


def knowledge(game: Any, state: Any, player: int) -> Any:
    """Return all that a player is told."""
    tensor = game.get_type().provides_information_state_tensor
    history = state.information_state_tensor(player) if tensor else None
    return (
        state.information_state_string(player),
        state.observation_string(player),
        state.observation_tensor(player),
        history,
        state.current_player(),
        state.legal_actions() if state.current_player() == player else None,
    )


@EACH
def test_an_imagined_world_is_one_that_the_player_cannot_tell_apart(name, options):
    game, rng, others = openspiel.load(name, **options), np.random.default_rng(4), 0
    for state in decisions(game, seed=2):
        for player in range(game.num_players()):
            world = state.resample_from_infostate(player, random.random)
            assert knowledge(game, world, player) == knowledge(game, state, player)
            again = world.resample_from_infostate(player)
            assert knowledge(game, again, player) == knowledge(game, state, player)
            rest = [k for k in range(game.num_players()) if k != player]
            others += any(world.observation_string(k) != state.observation_string(k) for k in rest)
            while not world.is_terminal():
                world.apply_action(int(rng.choice(world.legal_actions())))
            assert sum(world.returns()) == pytest.approx(0, abs=1e-6)
    assert others > 0 or name == "war" or options is MINI  # what is left of so few cards is known


def test_the_payoffs_of_an_imagined_world_are_those_of_its_players():
    """Cards that everybody knows leave one world, and both games end alike for whoever sits where."""
    game = openspiel.load("war", deck=8, pickup="choice", max_turns=4, first=0)
    for state in decisions(game, seed=1):
        for player in range(2):
            world = state.resample_from_infostate(player)
            record = world.at.state[0]
            assert world.seat(player) == 0
            assert world.current_player() == (int(record["turn"]) + player) % 2


def test_worlds_follow_the_seed_and_change_no_deal():
    tales = []
    for searches in (False, True, True):
        rules.cache_clear()  # the streams of a seed begin anew, as in another process
        game = openspiel.load("durak", deck=36, seed=7)
        first = next(decisions(game, seed=1))
        worlds = [str(first.resample_from_infostate(0)) for _ in range(8 * searches)]
        assert len({*worlds}) == len(worlds)
        tales.append((worlds, [str(state) for state in decisions(game, seed=2)]))
    assert tales[1] == tales[2]
    assert tales[0][1] == tales[1][1]
    with pytest.raises(ValueError, match="chance is to move"):
        game.new_initial_state().resample_from_infostate(0)


@EACH
def test_the_history_tensor_is_all_that_a_seat_saw_and_did(name, options):
    game = openspiel.load(name, **options)
    if not game.get_type().provides_information_state_tensor:
        pytest.skip("longer than a tensor may be")
    its = game.rules
    rows, entries = its.game.bound(its.variant) + 1, 1 + its.actions + its.game.size(its.variant)
    high = np.maximum(its.game.high(its.variant), 1).astype(np.float32)
    seen, acted = [[] for _ in range(game.num_players())], [-1] * game.num_players()
    state, rng = game.new_initial_state(), np.random.default_rng(6)
    assert game.information_state_tensor_size() == rows * entries
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        for player, steps in enumerate(seen):
            steps.append((acted[player], state.at.views()[player] / high))
            if len(steps) % 9 != 1 and len(steps) > 9:
                continue
            history = np.array(state.information_state_tensor(player), np.float32).reshape(rows, entries)
            assert not history[len(steps) :].any()
            for row, (action, view) in zip(history, steps, strict=False):
                assert row[0] == 1
                assert np.flatnonzero(row[1 : 1 + its.actions]).tolist() == ([] if action < 0 else [action])
                np.testing.assert_allclose(row[1 + its.actions :], view)
        mover, action = state.current_player(), int(rng.choice(state.legal_actions()))
        acted = [action if player == mover else -1 for player in range(game.num_players())]
        state.apply_action(action)


def test_large_games_have_a_name_for_the_history_and_no_tensor():
    game = openspiel.load("durak")
    assert not game.get_type().provides_information_state_tensor
    assert game.get_type().provides_information_state_string
    assert game.get_type().provides_observation_tensor


def bot(game: Any, simulations: int, seed: int, **how: Any) -> Any:
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(seed))
    return ismcts.ISMCTSBot(game, rollouts, 2.0, simulations, random_state=np.random.RandomState(seed), **how)


def score(game: Any, games: int, simulations: int) -> float:
    """Return what OpenSpiel's IS-MCTS wins of random players on average, in every seat in turn."""
    player, rng, total = bot(game, simulations, 1), np.random.default_rng(1), 0.0
    for number in range(games):
        state, seat = game.new_initial_state(), number % game.num_players()
        while not state.is_terminal():
            if not state.is_chance_node() and state.current_player() == seat:
                state.apply_action(int(player.step(state)))
            else:
                actions, chances = state.legal_actions(), None
                if state.is_chance_node():
                    actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(actions, p=chances)))
        total += state.returns()[seat]
    return total / games


@pytest.mark.parametrize("options", [MINI, {"players": 3, "ranks": 3, "joker": False}], ids=["two", "three"])
def test_openspiels_ismcts_beats_random_players(options):
    assert score(openspiel.load("daifugo", **options), 36, 50) > 0.2


def test_ismcts_is_the_same_again_with_the_same_seeds():
    policies = []
    for _ in range(2):
        rules.cache_clear()
        game = openspiel.load("durak", deck=20, seed=11)
        state = next(decisions(game, seed=3))
        policies.append(bot(game, 50, 2, max_world_samples=8).get_policy(state))
    assert policies[0] == policies[1]


@pytest.mark.long
def test_openspiels_deep_cfr_learns_a_hidden_game():
    """Batch sizes are named: with the default of none it reads memory that was never written (`findings/`)."""
    pytest.importorskip("torch")
    pytest.importorskip("tree")  # dm-tree, which OpenSpiel's PyTorch code imports and does not ask for
    from open_spiel.python.pytorch import deep_cfr

    game = openspiel.load("daifugo", **MINI)
    solver = deep_cfr.DeepCFRSolver(
        game,
        policy_network_layers=(32,),
        advantage_network_layers=(32,),
        num_iterations=10,
        num_traversals=15,
        learning_rate=3e-3,
        batch_size_advantage=32,
        batch_size_strategy=32,
        memory_capacity=10_000,
        advantage_network_train_steps=20,
        policy_network_train_steps=200,
        seed=1,
    )
    solver.solve()
    learned: Any = exploitability.nash_conv(
        game, policy.tabular_policy_from_callable(game, solver.action_probabilities)
    )
    uniform: Any = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert learned < uniform


def test_openspiels_nfsp_runs_on_a_hidden_game():
    pytest.importorskip("torch")
    pytest.importorskip("tree")
    from open_spiel.python.pytorch import nfsp

    env: Any = rl_environment.Environment(openspiel.load("daifugo", **MINI), seed=1)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    assert size == openspiel.load("daifugo", **MINI).information_state_tensor_size()
    agents = [
        nfsp.NFSP(
            player,
            state_representation_size=size,
            num_actions=actions,
            hidden_layers_sizes=[32],
            reservoir_buffer_capacity=1000,
            anticipatory_param=0.1,
        )
        for player in range(2)
    ]
    for _ in range(30):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        assert sum(step.rewards) == pytest.approx(0)
        for agent in agents:
            agent.step(step)


def test_games_without_secrets_are_not_for_ismcts():
    game = openspiel.load("mnk", m=3, n=3, k=3, first=0)
    assert game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
