"""PPO in a single file: it learns, what it writes plays elsewhere, and it says what is wrong before it begins."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents
from kozyr.agents.arena.matches.match import match
from kozyr.training import ppo_single_file
from kozyr.training.ppo_single_file import Net, Rollout, Settings

SMALL: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
QUICK = Settings(game="mnk", variant=SMALL, decisions=512, tables=8, steps=16, width=16, deals=20)


def silent(line: str) -> None:
    assert "decisions" in line


def sampled(net: Net) -> Any:
    """Return what a network does against random play, not taking the likeliest move but drawing one."""
    players: list[Any] = [ppo_single_file.Player(net), "random"]
    return match("mnk", players, 300, **SMALL).agents[0]


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_it_learns_to_beat_random_play(opponent):
    settings = replace(QUICK, opponent=opponent, decisions=40_960, tables=64, width=64)
    short, long = (sampled(ppo_single_file.train(one, silent)) for one in (replace(settings, decisions=1), settings))
    assert long.errors == 0
    assert short.score_interval[1] < long.score_interval[0]
    assert long.score_interval[0] > 0.6


@pytest.mark.parametrize(
    ("game", "opponent", "variant"),
    [
        ("durak", "self", {"players": 4, "deck": 36, "transfer": True}),
        ("daifugo", "heuristic", {"players": 5}),
        ("draw_poker", "self", {}),
        ("war", "random", {"pickup": "choice"}),
    ],
)
def test_every_game_and_any_opponent(game, opponent, variant):
    settings = replace(QUICK, game=game, opponent=opponent, variant=variant)
    net = ppo_single_file.train(settings, silent)
    assert all(torch.isfinite(weights).all() for weights in net.parameters())
    assert ppo_single_file.measure(net, settings).errors == 0


def test_what_it_writes_decides_as_the_network_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "poker.onnx"
    numbers = {"decisions": 1, "tables": 8, "steps": 8, "width": 16, "deals": 10, "seed": 3}
    words = ["--game", "draw_poker", *(f"--{name}={number}" for name, number in numbers.items())]
    ppo_single_file.main([*words, "--out", str(path), "--set", "players=3"])
    assert "95 % interval" in capsys.readouterr().out
    policy = agents.load(str(path), "draw_poker", players=3)
    assert policy.about["trained by"] == "ppo_single_file"
    settings = replace(QUICK, game="draw_poker", variant={"players": 3}, **numbers)
    net = ppo_single_file.Player(ppo_single_file.train(settings, silent), greedy=True)
    results = [match("draw_poker", [agent, "priority"], 30, players=3) for agent in (policy, net)]
    np.testing.assert_array_equal(results[0].returns, results[1].returns)


def test_the_same_seed_gives_the_same_network():
    one, two, other = (ppo_single_file.train(replace(QUICK, seed=seed), silent) for seed in (4, 4, 5))
    for mine, same, else_ in zip(one.parameters(), two.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, same)
        assert mine.dim() == 1 or not torch.equal(mine, else_)


def test_illegal_actions_have_no_chance():
    net = Net(np.ones(4, np.int8), 5, 8)
    masks = torch.tensor([[1, 0, 0, 1, 0], [0, 0, 1, 0, 0]], dtype=torch.int8)
    chances, _ = net(torch.zeros((2, 4), dtype=torch.int8), masks)
    assert (chances.probs[masks == 0] == 0).all()
    assert torch.isfinite(chances.entropy()).all()
    assert chances.entropy()[1] == 0


def test_advantages_are_what_a_plain_sum_says():
    rng = torch.Generator().manual_seed(0)
    steps, n, gamma, trust = 7, 3, 0.9, 0.8
    values, rewards = (torch.randn((steps, n), generator=rng) for _ in range(2))
    ends = (torch.rand((steps, n), generator=rng) < 0.3).float()
    last, none = torch.randn(n, generator=rng), torch.zeros(0)
    found = ppo_single_file.advantages(Rollout(none, none, none, none, values, rewards, ends), last, gamma, trust)
    for row in range(n):
        for t in range(steps):
            due, weight = 0.0, 1.0
            for k in range(t, steps):
                after = last[row] if k == steps - 1 else values[k + 1, row]
                due += weight * (rewards[k, row] + gamma * (1 - ends[k, row]) * after - values[k, row])
                weight *= gamma * trust * (1 - ends[k, row])
            assert found[t, row] == pytest.approx(float(due), abs=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "the following arguments are required: --game"),
        ("--game chess", "unknown game 'chess'"),
        ("--game durak --set player=3", "did you mean 'players'"),
        ("--game durak --opponent lo", "Did you mean 'low'"),
        ("--game durak --against self", "unknown agent 'self'"),
        ("--tables 0", "tables=0 is not allowed"),
        ("--tables 1 --steps 2", "minibatches=4 is not allowed: a rollout has 2 decisions"),
        ("--learning-rate 0", "learning_rate=0.0 is not allowed"),
        ("--gamma 1.5", "gamma=1.5 is not allowed"),
        ("--out policy.pt", "it is the name of a file.onnx"),
        ("--out nowhere/policy.onnx", "there is no folder nowhere"),
        ("--set players", "write FIELD=VALUE"),
    ],
)
def test_a_wrong_command_is_answered_in_words(words, message, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        ppo_single_file.main(words.split() if "--game" in words or not words else ["--game", "durak", *words.split()])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
