"""The compiled Durak plays as the oracle does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr import agents, envs
from tests.contract import variants
from tests.games.lockstep import Engine, play_both, play_led, seeds
from tests.oracles.durak import assert_same, dealt

GAME = envs.game("durak")


def small(count: int, seed: int) -> list[Any]:
    """Return variants whose games are short, so that many fit into a test."""
    return [v for v in variants.drawn(GAME, count, seed) if v.deck <= 36]


@pytest.mark.parametrize("seed", seeds(8))
def test_random_games_over_random_variants_agree(seed: int) -> None:
    for i, v in enumerate(small(350, seed)):
        play_both(GAME, v, 1000 * seed + i)


@given(v=variants.strategy(GAME), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=60, deadline=None)
def test_any_variant_and_any_deal_agree(v: Any, seed: int) -> None:
    play_both(GAME, v, seed)


@pytest.mark.slow
def test_many_random_games_over_random_variants_agree() -> None:
    for i, v in enumerate(variants.drawn(GAME, 5000, seed=99)):
        play_both(GAME, v, i)


@pytest.mark.parametrize(
    "options",
    [
        {"transfer": True},
        {"pile_on": True, "players": 3, "deck": 36},
        {"deck": 20},
        {"rules": "podkidnoy"},
        {"rules": "perevodnoy", "players": 4},
        {"rules": "proyezdnoy"},
        {"rules": "proyezdnoy", "players": 4},
    ],
    ids=str,
)
def test_games_led_by_the_scripted_players_agree(options: dict[str, Any]) -> None:
    v = GAME.make_variant(**options)
    players = [agents.load(name, "durak", **options) for name in agents.names("durak")]
    for seed in range(30):
        play_led(GAME, v, seed, players)


def test_the_oracle_notices_a_difference() -> None:
    v = GAME.make_variant()
    engine, other = Engine(GAME, v, 1), Engine(GAME, v, 2)
    with pytest.raises(AssertionError):
        assert_same(engine, dealt(other))
