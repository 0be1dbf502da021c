"""The network for boards: which cells its lines show, what it keeps when exported, and where it is refused."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.game import Board
from kozyr.training import settings
from kozyr.training.board_network import LineView
from kozyr.training.run import Run, train
from tests.training.tiny import ROLLOUT, edited

NET = ("trunk = [16]", "trunk = [12, 8]\nlines = [10, 6]")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def lines_of(planes: np.ndarray, reach: int, cell: tuple[int, int], direction: tuple[int, int]) -> list[float]:
    """Return what a line through a cell shows, plane by plane, 0 outside: slow and obvious."""
    shown: list[float] = []
    for plane in planes:
        for i in range(-reach, reach + 1):
            row, column = cell[0] + i * direction[0], cell[1] + i * direction[1]
            inside = 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]
            shown.append(float(plane[row, column]) if inside else 0.0)
    return shown


@pytest.mark.parametrize("board", [Board(2, 4, 6, 3), Board(3, 7, 5, 5), Board(1, 1, 3, 3)])
def test_lines_are_read_as_they_lie_on_the_board(board):
    size = board.planes * board.rows * board.columns + 4
    view = LineView(Box(0, 1, (size,), np.int8), board, [4], [4], torch.nn.ReLU)
    stones = np.random.default_rng(0).integers(0, 2, (2, board.planes, board.rows, board.columns)).astype(np.float32)
    rows = np.pad(stones, ((0, 0), (0, 0), (0, 0), (0, board.reach))).reshape(2, board.planes, -1)
    read = view.read(torch.from_numpy(np.pad(rows, ((0, 0), (0, 0), (view.margin, view.margin))))).numpy()
    inside, outside = np.ones((1, board.rows, board.columns)), view.read(view.outside).numpy()
    for d, direction in enumerate(DIRECTIONS):
        for cell in range(board.rows * board.columns):
            where = divmod(cell, board.columns)
            for n in range(2):
                assert read[d, n, cell].tolist() == lines_of(stones[n], board.reach, where, direction)
            assert outside[d, 0, cell].tolist() == [1 - one for one in lines_of(inside, board.reach, where, direction)]


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
        theirs, _ = run.model.predict(tables.views, action_masks=tables.masks, deterministic=True)
        np.testing.assert_array_equal(actions, theirs)
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
    with pytest.raises(ValueError, match=r"net.lines=\[10, 6\] is not allowed: war has no board, so it is \[\]"):
        settings.load(envs.game("war"), "default", tiny)


def test_lines_need_a_trunk(tiny):
    edited(tiny, "trunk = [16]", "trunk = []\nlines = [10]")
    with pytest.raises(ValueError, match=r"net.trunk=\[\] is not allowed with net.lines"):
        settings.load(envs.game("mnk"), "default", tiny)
