"""The network for boards: which patterns it tells apart, what it keeps when exported, and where it is refused."""

from typing import Any, cast

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.capabilities import Board
from kozyr.training.encoders.line_patterns.neighbour_sums import Look
from kozyr.training.encoders.line_patterns.network import PatternView
from kozyr.training.encoders.line_patterns.table import Patterns
from kozyr.training.learners.network import Logits
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from kozyr.training.settings import run_settings
from tests.training.tiny import ROLLOUT, edited

NET = ("trunk = [16]", "trunk = [8, 12]\npatterns = 16")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def ray(own: np.ndarray, end: np.ndarray, cell: tuple[int, int], step: tuple[int, int], reach: int) -> str:
    """Return what lies on one side of a cell, up to the first END: slow and obvious."""
    told = ""
    for i in range(1, reach + 1):
        row, column = cell[0] + i * step[0], cell[1] + i * step[1]
        if not (0 <= row < own.shape[0] and 0 <= column < own.shape[1]) or end[row, column]:
            break
        told += "o" if own[row, column] else "."
    return told


@pytest.mark.parametrize("board", [Board(2, 4, 6, 2), Board(3, 7, 5, 4), Board(2, 9, 9, 5)])
def test_equal_patterns_are_those_that_look_the_same_on_the_board(board):
    rng, n = np.random.default_rng(0), 4
    held = rng.choice(4, (n, board.rows, board.columns), p=[0.5, 0.2, 0.2, 0.1]) % (board.planes + 1)
    planes = np.stack([held == 1, held == 2, held == 3], 1)[:, : board.planes]
    module = Patterns(board, 4)
    read = module.read(torch.from_numpy(planes.reshape(n, -1)).float()).view(n, -1, 2, 4).numpy()
    seen: dict[int, set[Any]] = {}
    for game, cell, side, line in np.ndindex(*read.shape):
        own, end = planes[game, side], np.delete(planes[game], side, 0).max(0)
        where, (down, right) = divmod(cell, board.columns), DIRECTIONS[line]
        both = [ray(own, end, where, step, board.reach) for step in ((down, right), (-down, -right))]
        seen.setdefault(int(read[game, cell, side, line]), set()).add((side, *sorted(both)))
    assert all(len(looks) == 1 for looks in seen.values())
    assert len(set.union(*seen.values())) == len(seen)
    assert max(seen) < len(module.table)


def test_a_turned_board_gets_turned_logits(tiny, tmp_path):
    given = run_settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    game = envs.game("mnk")
    run = Run(game, game.make_variant(m=6, n=6, k=4), given, tmp_path)
    logits, tables = Logits(run.model.policy), envs.make_tables("mnk", 1, seed=2, m=6, n=6, k=4)
    for a in (0, 7, 3, 20, 14):
        tables.step(np.array([a]))
    view = torch.tensor(tables.views)
    flagged = game.parts(run.variant).spans()["x"].start
    planes, flags = view[:, :flagged].view(2, 6, 6), view[:, flagged:]
    answer = logits(view).view(6, 6)
    for turned in (planes.rot90(1, (1, 2)), planes.flip(2), planes.transpose(1, 2)):
        assert not torch.equal(turned, planes)
    there = torch.cat([planes.rot90(1, (1, 2)).reshape(1, -1), flags], 1)
    torch.testing.assert_close(logits(there).view(6, 6), answer.rot90(1, (0, 1)))
    there = torch.cat([planes.flip(2).reshape(1, -1), flags], 1)
    torch.testing.assert_close(logits(there).view(6, 6), answer.flip(1))


def plainly(view: PatternView, views: torch.Tensor) -> torch.Tensor:
    """Return what the layers tell of views, in operations of torch alone: slow and obvious."""
    board, cells = view.patterns.board, view.patterns.board.rows * view.patterns.board.columns
    found = view.patterns.read(views[:, : view.board_entries]).long()
    flags = view.flags(views[:, view.board_entries :])
    features = torch.relu(view.patterns.table[found].sum(2) + flags[:, None]).transpose(1, 2)
    for one in view.looks:
        layer = cast(Look, one)
        on_board = features.unflatten(2, (board.rows, board.columns))
        near = nn.functional.conv2d(on_board, layer.near.kernel, padding=1, groups=layer.features).flatten(2)
        top = features.max(2)[0] @ layer.whole.weight.T
        features = torch.relu(layer.cell.weight @ near + layer.cell.bias[:, None] + top[:, :, None])
    told = (view.summary.weights[:, None] * features).sum(1)
    assert told.shape == (len(views), cells)
    return torch.cat([told, features.mean(2), features.max(2)[0]], 1)


@pytest.mark.parametrize("board", [Board(2, 4, 6, 2), Board(3, 7, 5, 4), Board(2, 3, 3, 2)])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("widths", [(12, 8, 16, 4), (8, 8, 12), (40, 32, 48)])
def test_compiled_layers_tell_and_learn_what_plain_ones_do(board, threads, widths):
    cells, rng = board.rows * board.columns, np.random.default_rng(5)
    space = gymnasium.spaces.Box(0, 1, (board.planes * cells + 3,), np.float32)
    view = PatternView(space, board, widths[0], list(widths[1:]), threads)
    held = rng.choice(4, (7, 1, cells), p=[0.5, 0.2, 0.2, 0.1]) % (board.planes + 1)
    stones = (held == 1 + np.arange(board.planes)[:, None]).reshape(7, -1)
    views = torch.from_numpy(np.concatenate([stones, rng.random((7, 3)) < 0.5], 1).astype(np.float32))
    weights = torch.from_numpy(rng.normal(size=(7, view.features_dim)).astype(np.float32))
    with torch.no_grad():
        for each in view.parameters():
            each.normal_(0.1, 0.5)
    told = view(views)
    ours = torch.autograd.grad((told * weights).sum(), list(view.parameters()))
    plain = plainly(view, views)
    theirs = torch.autograd.grad((plain * weights).sum(), list(view.parameters()))
    torch.testing.assert_close(told, plain, rtol=1e-4, atol=1e-4)
    for one, other in zip(ours, theirs, strict=True):
        assert other.abs().max() > 0.1
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3 * float(other.abs().max()))


@pytest.mark.parametrize("options", [{"m": 5, "n": 7, "k": 4}, {"m": 6, "n": 5, "k": 3, "obstacles": 0.2}])
def test_what_is_exported_answers_as_what_was_trained(tmp_path, tiny, options):
    given = run_settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    game = envs.game("mnk")
    run = Run(game, game.make_variant(**options), given, tmp_path)
    with torch.no_grad():
        for weights in run.model.policy.parameters():
            weights.normal_()
    run.finish()
    policy, rng = OnnxPolicy(tmp_path / "policy.onnx"), np.random.default_rng(1)
    tables = envs.make_tables("mnk", 64, seed=2, **options)
    met = set[int]()
    for _ in range(9):
        actions = policy.act_batch(tables.views, tables.masks)
        with torch.no_grad():
            answers = Logits(run.model.policy)(torch.tensor(tables.views)).numpy()
        answers[tables.masks == 0] = -np.inf
        chosen = answers[np.arange(64), actions]  # cells that mirror each other are equal but for rounding
        np.testing.assert_allclose(chosen, answers.max(1), rtol=1e-4)
        met.update(actions.tolist())
        tables.step(np.where(tables.masks, rng.random(tables.masks.shape), -1.0).argmax(1))
    assert len(met) > 3


def test_a_board_is_learned_and_resumed(tmp_path, tiny):
    edited(tiny, *NET)
    train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, timesteps=ROLLOUT))
    content = train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=2 * ROLLOUT))
    assert content["timesteps"] == 2 * ROLLOUT


def test_games_without_a_board_are_refused(tiny):
    edited(tiny, "m = 3\nn = 3\nk = 3", "")
    tiny.write_text(tiny.read_text().replace(*NET).partition("[wide.variant]")[0])
    with pytest.raises(ValueError, match=r"net\.patterns=16 is not allowed: war has no board: it is 0"):
        run_settings.load(envs.game("war"), "default", tiny)


def test_actions_that_are_no_cells_are_refused(tiny):
    made = edited(tiny, "m = 3\nn = 3\nk = 3", 'm = 9\nn = 9\nlast_reply = false\nopening_rule = "swap2"')
    tiny.write_text(made.read_text().replace(*NET))
    with pytest.raises(ValueError, match=r"net\.patterns=16 is not allowed where some actions are no cells"):
        run_settings.load(envs.game("mnk"), "default", tiny)


def test_patterns_need_a_trunk(tiny):
    edited(tiny, "trunk = [16]", "trunk = []\npatterns = 16")
    with pytest.raises(ValueError, match=r"net.trunk=\[\] is not allowed with net.patterns"):
        run_settings.load(envs.game("mnk"), "default", tiny)


@pytest.mark.parametrize(("patterns", "trunk"), [(10, "[8]"), (8, "[8, 6]"), (4, "[4, 1]")])
def test_widths_are_multiples_of_four(tiny, patterns, trunk):
    edited(tiny, "trunk = [16]", f"trunk = {trunk}\npatterns = {patterns}")
    with pytest.raises(ValueError, match=rf"net\.patterns, net\.trunk=\({patterns}, .* is not allowed: all are multi"):
        run_settings.load(envs.game("mnk"), "default", tiny)
    with pytest.raises(ValueError, match="8 and 6 features of a cell are not allowed: both are multiples of 4"):
        Look(Board(2, 4, 6, 2), 8, 6)


def test_patterns_that_are_too_long_are_refused(tiny, tmp_path):
    game, given = envs.game("mnk"), run_settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    with pytest.raises(ValueError, match=r"net\.patterns=16 is not allowed where lines reach 6 cells to each side"):
        Run(game, game.make_variant(m=9, n=9, k=7), given, tmp_path)
