"""Leagues on a Ray cluster: the same results. Run by `make test-rllib`."""

from typing import Any

import pytest

from kozyr.agents.arena.tournaments.league import BLOCK, League
from tests.plugs.required import library

library("ray", "2.60", "rllib")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own warnings are not ours
NAMES = ("random", "passive", "low")
PLAIN: dict[str, Any] = {"game": "durak", "names": NAMES, "deals": BLOCK + 10, "variant": {"deck": 20}}


def test_a_cluster_plays_the_same_league(tmp_path):
    here, there = League(**PLAIN), League(**PLAIN, path=tmp_path / "league.jsonl")
    here.play(here.pairs())
    there.play(there.pairs()[:1], ray="local")
    there.play(there.pairs(), ray="local")
    for pair in here.pairs():
        assert here.returns(pair).tolist() == there.returns(pair).tolist()
    assert len((tmp_path / "league.jsonl").read_text().splitlines()) == 3 * 2


def test_a_program_stays_connected_to_its_own_cluster():
    import ray

    ray.init(num_cpus=1, include_dashboard=False)
    try:
        league = League(**PLAIN)
        league.play(league.pairs()[:1], ray="local")
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_mistakes_are_counted_there_too(tmp_path):
    league = League("durak", ("low", "tests.agents.strange:Raising"), 4, path=tmp_path / "x.jsonl")
    league.play(league.pairs(), ray="local")
    assert sum(outcome.errors[side] for outcome, side in league.outcomes(1)) == 8


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "ray://127.0.0.1:x"])
def test_an_address_where_no_cluster_answers_is_named(address):
    league = League(**PLAIN)
    with pytest.raises(ValueError, match=f"no Ray cluster answers at '{address}'"):
        league.play(league.pairs(), ray=address)
