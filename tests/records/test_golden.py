"""Games of the past replay as they were played: rules change with the game's version only."""

from ast import literal_eval
from pathlib import Path

import pytest

from kozyr import envs
from kozyr.envs.table import record
from tests.contract.digest import digests


@pytest.mark.parametrize("name", envs.games())
def test_golden_records_replay(name: str) -> None:
    golden = list(record.read_file(Path(__file__).parent / f"{name}.jsonl"))
    assert len(golden) >= 10
    assert {one.game.name for one in golden} == {name}
    assert len({one.variant for one in golden}) >= 10
    assert {one.starter for one in golden} >= {0, 1}
    assert any(one.payoffs[0] > 0 for one in golden)
    assert any(one.payoffs[0] < 0 for one in golden)


@pytest.mark.parametrize("name", envs.games())
def test_states_views_and_actions_are_what_they_were(name: str) -> None:
    """A change of code alone changes no byte, and a new option none of the games without it.

    `python -m tests.contract.digest GAME` prints the lines anew.
    """
    golden = (Path(__file__).parent / f"{name}.digests").read_text(encoding="utf-8").splitlines()
    options = dict.fromkeys(line.partition(" ")[2].rpartition(" ")[0] for line in golden)
    lines = digests(name, [literal_eval(one) for one in options])
    found = [line for line in lines if not line.startswith("scene ")]  # drawings may change
    assert found == golden
