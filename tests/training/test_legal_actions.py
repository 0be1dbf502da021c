"""The distribution of legal actions among a great many: it says what sb3-contrib's says."""

from typing import Any

import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from kozyr import envs
from kozyr.training.encoders.view import LegalActions, to_the_left
from kozyr.training.learners.network import policy_of
from kozyr.training.learners.vec_env import TablesVecEnv

MANY, ROWS = 700, 33
NET = {"trunk": [8], "heads": [8], "activation": "relu"}


def both() -> tuple[LegalActions, MaskableCategoricalDistribution, torch.Tensor, torch.Tensor]:
    """Return the two distributions of the same logits, those logits, and masks; a row has one legal action, one all."""
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(ROWS, MANY, generator=generator, requires_grad=True)
    masks = torch.rand(ROWS, MANY, generator=generator) < 0.03
    masks[:, 5] |= ~masks.any(1)
    masks[0], masks[1] = False, True
    masks[0, MANY - 1] = True
    ours, theirs = LegalActions(MANY), MaskableCategoricalDistribution(MANY)
    for one in (ours, theirs):
        one.proba_distribution(logits)
        one.apply_masking(masks.numpy())
    return ours, theirs, logits, masks


def test_chances_entropy_and_the_likeliest_are_the_same() -> None:
    ours, theirs, logits, masks = both()
    assert ours.mode().tolist() == theirs.mode().tolist()
    torch.testing.assert_close(ours.entropy(), theirs.entropy())
    for actions in (masks.float().argmax(1), torch.multinomial(masks.float(), 1)[:, 0], theirs.mode()):
        torch.testing.assert_close(ours.log_prob(actions), theirs.log_prob(actions))
        slopes = [
            torch.autograd.grad(one.log_prob(actions).sum(), logits, retain_graph=True)[0] for one in (ours, theirs)
        ]
        torch.testing.assert_close(*slopes)
    slopes = [torch.autograd.grad(one.entropy().sum(), logits, retain_graph=True)[0] for one in (ours, theirs)]
    torch.testing.assert_close(*slopes)


def test_draws_are_legal_and_as_often_as_they_should_be() -> None:
    ours, theirs, _, masks = both()
    torch.manual_seed(2)
    drawn = torch.stack([ours.sample() for _ in range(4000)])
    assert masks.gather(1, drawn.T).all()
    often = torch.bincount(drawn[:, 2], minlength=MANY) / len(drawn)
    assert (often - theirs.distribution.probs[2]).abs().max() < 0.04


def test_without_masks_all_are_legal() -> None:
    ours, theirs, logits, _ = both()
    for one in (ours, theirs):
        one.proba_distribution(logits)
    torch.testing.assert_close(ours.entropy(), theirs.entropy())
    assert ours.mode().tolist() == logits.argmax(1).tolist()


def test_legal_actions_go_to_the_left_in_their_order() -> None:
    which, there = to_the_left(torch.tensor([[0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 1]]) != 0)
    assert which.tolist() == [[1, 3, 1], [3, 3, 3], [0, 1, 3]]
    assert there.tolist() == [[True, True, False], [True, False, False], [True, True, True]]


@pytest.mark.parametrize(("options", "wide"), [({"rules": "uecda", "rounds": 2}, True), ({}, False)])
def test_it_is_used_where_there_are_many(options: dict[str, Any], wide: bool) -> None:
    game = envs.game("daifugo")
    variant = game.make_variant(**options)
    its = game.options(variant)
    env = TablesVecEnv(game, 2, envs.players(game, "random", its), **its)
    kind, arguments = policy_of(game, variant, NET)
    policy = kind(env.observation_space, env.action_space, lambda _: 1e-3, **arguments)
    assert isinstance(policy.action_dist, LegalActions) == wide
