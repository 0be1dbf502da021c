"""The network for boards: which patterns it tells apart, what it keeps when exported, and where it is refused."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.game import Board
from kozyr.training import settings
from kozyr.training.board_network import Patterns, RowSums
from kozyr.training.network import Logits
from kozyr.training.run import Run, train
from tests.training.tiny import ROLLOUT, edited

NET = ("trunk = [16]", "trunk = [12, 8]\npatterns = 10")
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
    luck, n = np.random.default_rng(0), 4
    held = luck.choice(4, (n, board.rows, board.columns), p=[0.5, 0.2, 0.2, 0.1]) % (board.planes + 1)
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
    given = settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    game = envs.game("mnk")
    run = Run(game, game.agree(m=6, n=6, k=4), given, tmp_path)
    logits, tables = Logits(run.model.policy), envs.make_tables("mnk", 1, seed=2, m=6, n=6, k=4)
    for a in (0, 7, 3, 20, 14):
        tables.step(np.array([a]))
    view = torch.from_numpy(tables.views.copy())
    planes, flags = view[:, :72].view(2, 6, 6), view[:, 72:]
    answer = logits(view).view(6, 6)
    for turned in (planes.rot90(1, (1, 2)), planes.flip(2), planes.transpose(1, 2)):
        assert not torch.equal(turned, planes)
    there = torch.cat([planes.rot90(1, (1, 2)).reshape(1, -1), flags], 1)
    torch.testing.assert_close(logits(there).view(6, 6), answer.rot90(1, (0, 1)))
    there = torch.cat([planes.flip(2).reshape(1, -1), flags], 1)
    torch.testing.assert_close(logits(there).view(6, 6), answer.flip(1))


def test_sums_of_rows_have_the_gradient_of_a_plain_sum():
    luck = torch.Generator().manual_seed(3)
    table = torch.randn(9, 4, generator=luck, dtype=torch.float64, requires_grad=True)
    rows = torch.randint(0, 8, (30, 5), generator=luck, dtype=torch.int32)  # row 8 is never met
    weights = torch.randn(30, 4, generator=luck, dtype=torch.float64)
    found: Any = RowSums.apply(table, rows)
    torch.testing.assert_close(found, table[rows.long()].sum(1))
    ours = torch.autograd.grad((found * weights).sum(), table)[0]
    theirs = torch.autograd.grad((table[rows.long()].sum(1) * weights).sum(), table)[0]
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("options", [{"m": 5, "n": 7, "k": 4}, {"m": 6, "n": 5, "k": 3, "obstacles": 0.2}])
def test_what_is_exported_answers_as_what_was_trained(tmp_path, tiny, options):
    given = settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    game = envs.game("mnk")
    run = Run(game, game.agree(**options), given, tmp_path)
    with torch.no_grad():
        for weights in run.model.policy.parameters():
            weights.normal_()
    run.finish()
    policy, luck = OnnxPolicy(tmp_path / "policy.onnx"), np.random.default_rng(1)
    tables = envs.make_tables("mnk", 64, seed=2, **options)
    met = set[int]()
    for _ in range(9):
        actions = policy.act_batch(tables.views, tables.masks)
        with torch.no_grad():
            answers = Logits(run.model.policy)(torch.from_numpy(tables.views)).numpy()
        answers[tables.masks == 0] = -np.inf
        chosen = answers[np.arange(64), actions]  # cells that mirror each other are equal but for rounding
        np.testing.assert_allclose(chosen, answers.max(1), rtol=1e-4)
        met.update(actions.tolist())
        tables.step(np.where(tables.masks, luck.random(tables.masks.shape), -1.0).argmax(1))
    assert len(met) > 3


def test_a_board_is_learned_and_resumed(tmp_path, tiny):
    edited(tiny, *NET)
    train("mnk", out=tmp_path / "run", settings=tiny, timesteps=ROLLOUT)
    content = train("mnk", out=tmp_path / "run", resume=True, timesteps=2 * ROLLOUT)
    assert content["timesteps"] == 2 * ROLLOUT


def test_games_without_a_board_are_refused(tiny):
    edited(tiny, "m = 3\nn = 3\nk = 3", "")
    tiny.write_text(tiny.read_text().replace(*NET).partition("[wide.variant]")[0])
    with pytest.raises(ValueError, match=r"net\.patterns=10 is not allowed: war has no board: it is 0"):
        settings.load(envs.game("war"), "default", tiny)


def test_patterns_need_a_trunk(tiny):
    edited(tiny, "trunk = [16]", "trunk = []\npatterns = 10")
    with pytest.raises(ValueError, match=r"net.trunk=\[\] is not allowed with net.patterns"):
        settings.load(envs.game("mnk"), "default", tiny)


def test_patterns_that_are_too_long_are_refused(tiny, tmp_path):
    game, given = envs.game("mnk"), settings.load(envs.game("mnk"), "default", edited(tiny, *NET))
    with pytest.raises(ValueError, match=r"net\.patterns=10 is not allowed where lines reach 6 cells to each side"):
        Run(game, game.agree(m=9, n=9, k=7), given, tmp_path)
