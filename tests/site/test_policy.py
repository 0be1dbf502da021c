"""Condensed policies in Node take the same actions as here: the bundled ones, each on thousands of positions."""

from pathlib import Path

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.nets.condensed import CondensedPolicy, policies
from kozyr.agents.play import site
from kozyr.agents.play.site import policy as trained
from tests.site.policies import answered, positions

BUNDLED = [one for name in envs.games() for one in policies(name)]
GAMES, FEWEST = 60, 1_000


@pytest.mark.slow
@pytest.mark.parametrize("policy", BUNDLED, ids=lambda one: one.name)
def test_a_bundled_policy_plays_the_same_in_node(policy: CondensedPolicy, tmp_path: Path) -> None:
    assert site.bundled(policy.game, policy.variant)[0] is policy
    _, script, *_ = files = site.write(policy.game, policy.variant, tmp_path, policies=[policy])
    [numbers] = [one for one in files if one.suffix == ".weights"]
    assert numbers.stat().st_size == site.size(policy) < 250_000
    views, masks = positions(policy, GAMES)
    assert len(views) > FEWEST
    found = answered(script, views, masks)
    assert found["name"] == policy.name
    assert found["again"]
    # Floats are added up in another order there: what two actions are rated could differ in the last bit.
    assert (np.array(found["actions"]) != policy.act_batch(views, masks)).sum() == 0


@pytest.mark.parametrize("policy", BUNDLED, ids=lambda one: one.name)
def test_halves_lose_nothing(policy: CondensedPolicy) -> None:
    kinds, numbers = trained.pack(policy.net)
    at = 0
    for name, wanted in policy.net._asdict().items():
        size = wanted.size * np.dtype(kinds[name]).itemsize
        read = np.frombuffer(numbers[at : at + size], kinds[name]).reshape(wanted.shape)
        np.testing.assert_array_equal(read.astype(wanted.dtype), wanted)
        at += size
    assert at == len(numbers) == site.size(policy)


def test_a_policy_of_another_game_is_refused(tmp_path: Path) -> None:
    game = envs.game("mnk")
    with pytest.raises(ValueError, match="plays daifugo_v0, not mnk_v0"):
        site.write(game, game.make_variant(), tmp_path / "games", policies=BUNDLED[:1])
    assert not (tmp_path / "games").exists()
