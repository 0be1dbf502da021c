"""The network for two lines of cards that meet: what it reads is what slow, obvious code finds, exported or not."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.capabilities import two_lines
from kozyr.training.encoders.two_lines_attention import POOL, Lines
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import ROLLOUT, TINY, drawn, edited

WAR = TINY.replace("m = 3\nn = 3\nk = 3", 'deck = 52\npickup = "choice"').replace("easy = 1", "high_first = 1")
MEETING = WAR.replace("[default.net]", "[default.net]\nmeeting = true").partition("[wide")[0]


def deck_of(view: np.ndarray, lineup: Any, side: int) -> tuple[list[int], list[int]]:
    """Return the ranks of a side's deck from the top, 0 for an unknown card, and those of its laid cards."""
    first = (lineup.mine, lineup.theirs)[side]
    laid, size = int(view[lineup.laid + side]), int(view[lineup.sizes + side])
    line = [0] * (laid + size)
    for card, rank in enumerate(lineup.ranks):
        if view[first + card]:
            line[view[first + card] - 1] = int(rank)
    return line[laid:], line[:laid]


def read(view: np.ndarray, lineup: Any) -> list[float]:
    """Return what `Lines` reads of one view, card by card."""
    decks, laid = zip(*(deck_of(view, lineup, side) for side in range(2)), strict=True)
    deck, top = len(lineup.ranks), max(lineup.ranks)
    pool = sorted((rank for rank in laid[0] + laid[1] if rank), reverse=True)
    count = len(laid[0] + laid[1]) * int(view[lineup.picking])
    lines = [list(cards) for cards in decks]
    for side in range(2):
        lines[side] += [0] * count * int(view[lineup.turn + side])
    for mine, theirs in zip(*decks, strict=False):
        if mine and theirs and mine != theirs:
            lines[int(theirs > mine)] += [max(mine, theirs), min(mine, theirs)]
    whole = [line + [0] * 300 for line in lines]
    shown = (pool + [0] * POOL)[:POOL]
    rising = (shown[:count][::-1] + [0] * POOL)[:POOL]
    met, meets = (whole[1 - side][len(decks[side]) :][:POOL] for side in range(2))

    def worth(mine: list[int], theirs: list[int]) -> list[float]:
        return [(min(a, b) / top) ** 2 * np.sign(a - b) for a, b in zip(mine, theirs, strict=True)]

    plain = [whole[0][:deck], whole[1][:deck], shown, met, meets]
    pairs = [worth(*(line[:deck] for line in whole)), worth(shown, met), worth(rising, met)]
    more = sum(a**2 for a in decks[0]) - sum(b**2 for b in decks[1])
    sums = [*(sum(pair) for pair in pairs), more / sum(int(rank) ** 2 for rank in lineup.ranks)]
    return [rank / top for part in plain for rank in part] + [x for pair in pairs for x in pair] + sums


@pytest.mark.parametrize("deck", [24, 52])
def test_what_is_read_is_what_counting_by_hand_finds(deck):
    game = envs.game("war")
    v = game.make_variant(deck=deck, pickup="choice")
    lineup, rng = two_lines(v), np.random.default_rng(0)
    assert lineup is not None
    lines, tables = Lines(lineup), envs.make_tables("war", 16, seed=3, deck=deck, pickup="choice")
    wars = chosen = 0
    for _ in range(70):
        found = lines.read(torch.tensor(tables.views).float()).numpy()
        assert found.shape == (16, lines.features)
        for view, row in zip(tables.views, found, strict=True):
            np.testing.assert_allclose(row, read(view, lineup), atol=1e-5)
        picking = tables.views[:, lineup.picking] == 1
        chosen += int(picking.sum())
        wars += int((picking & (tables.views[:, lineup.laid] > 1)).sum())
        tables.step(np.where(tables.masks, rng.random(tables.masks.shape), -1.0).argmax(1))
    assert wars > 0
    assert chosen > wars


@pytest.mark.parametrize("critic", ["view", "everything"])
def test_what_is_exported_answers_as_what_was_trained(tmp_path, critic):
    run = drawn(tmp_path, "war", MEETING.replace("meeting = true", f'meeting = true\ncritic = "{critic}"'))
    policy, rng = OnnxPolicy(tmp_path / "policy.onnx"), np.random.default_rng(1)
    tables, met = envs.make_tables("war", 64, seed=2, **run.game.options(run.variant)), set[int]()
    own = run.game.size(run.variant)
    for _ in range(60):
        actions = policy.act_batch(tables.views, tables.masks)
        shown = np.zeros((64, run.env.observations().shape[1]), tables.views.dtype)
        shown[:, :own] = tables.views
        theirs, _ = run.model.predict(shown, action_masks=tables.masks.copy(), deterministic=True)
        np.testing.assert_array_equal(actions, theirs)
        met.update(actions.tolist())
        tables.step(np.where(tables.masks, rng.random(tables.masks.shape), -1.0).argmax(1))
    assert len(met) > 3


def test_it_is_taught_trained_with_snapshots_and_resumed(tmp_path):
    path = tmp_path / "meeting.toml"
    path.write_text(MEETING)
    train(
        RunPlan("war", out=tmp_path / "run", settings=path, imitation={"teacher": "lookahead@2", "decisions": ROLLOUT})
    )
    assert train(RunPlan("war", out=tmp_path / "run", resume=True, timesteps=ROLLOUT))["timesteps"] == ROLLOUT


def test_games_without_such_lines_are_refused(tiny):
    edited(tiny, "[default.net]", "[default.net]\nmeeting = true")
    with pytest.raises(ValueError, match=r"net\.meeting=true is not allowed: mnk has no lines of cards that meet"):
        run_settings.load(envs.game("mnk"), "default", tiny)
