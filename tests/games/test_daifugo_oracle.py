"""The compiled Daifugo plays as the oracle does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr import agents
from kozyr.envs.daifugo import GAME
from tests.contract import variants
from tests.games.lockstep import Engine, play_both, play_led, seeds
from tests.oracles.daifugo import assert_same, dealt, knows

MOST_ROUNDS = 4


def by_rank(count: int, seed: int) -> list[Any]:
    """Draw variants without suits, which this oracle knows nothing of."""
    return [v for v in variants.drawn(GAME, count, seed) if knows(v)]


def short(v: Any) -> Any:
    """Return the variant with few rounds, so that many games fit into a test."""
    return v if v.rounds <= MOST_ROUNDS else v._replace(rounds=2 + v.rounds % (MOST_ROUNDS - 1))


@pytest.mark.parametrize("seed", seeds(4))
def test_random_games_over_random_variants_agree(seed: int) -> None:
    for i, v in enumerate(by_rank(80, seed)):
        play_both(GAME, short(v), 1000 * seed + i)


@pytest.mark.parametrize("seed", seeds(2))
def test_games_with_forbidden_last_sets_agree(seed: int) -> None:
    for i, v in enumerate(by_rank(40, 50 + seed)):
        play_both(GAME, short(v)._replace(foul_finish=True, dethrone=False), 1000 * seed + i)


@given(v=variants.strategy(GAME).filter(knows), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_any_variant_and_any_deal_agree(v: Any, seed: int) -> None:
    play_both(GAME, short(v), seed)


@pytest.mark.slow
def test_many_random_games_over_random_variants_agree() -> None:
    for i, v in enumerate(by_rank(6000, 99)):
        play_both(GAME, v, i)


LOCAL = {"revolution": True, "eight_stop": True, "exchange": True, "dethrone": True}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"players": 2},
        {"rounds": 3, **LOCAL},
        {"players": 8, "rounds": 3, "pass_lockout": True, **LOCAL},
        {"foul_finish": True},
    ],
)
def test_games_led_by_the_scripted_players_agree(options: dict[str, Any]) -> None:
    v = GAME.make_variant(**options)
    players = [agents.load(name, "daifugo", **options) for name in agents.names("daifugo")]
    for seed in range(8):
        play_led(GAME, v, seed, players)


def test_the_oracle_notices_a_difference() -> None:
    v = GAME.make_variant()
    engine, other = Engine(GAME, v, 1), Engine(GAME, v, 2)
    with pytest.raises(AssertionError):
        assert_same(engine, dealt(other))
