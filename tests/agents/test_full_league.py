"""Leagues at full tables of different players."""

from itertools import combinations
from typing import Any

import pytest

from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments import report
from kozyr.agents.arena.tournaments.league import FullTableLeague
from kozyr.agents.arena.tournaments.rating import cross_table, ratings
from kozyr.agents.statistics.intervals import over_deals
from kozyr.envs.core.rng import spread


def test_full_tables_seat_different_players(tmp_path):
    names = ["random", "one_card", "low", "heuristic"]
    league = FullTableLeague("daifugo", names, 20, path=tmp_path / "x.jsonl", variant={"players": 3})
    league.play_all()
    assert {frozenset(table) for table in league.tables} == {frozenset(one) for one in combinations(range(4), 3)}
    found = ratings(league)
    assert found[0].name in ("low", "heuristic")
    assert {one.deals for one in found} == {3 * 20}
    assert sum(one.score for one in found) / 4 == pytest.approx(0.5)
    scores: Any = cross_table(league)
    for i, j in combinations(range(4), 2):
        assert scores[i][j].value + scores[j][i].value == pytest.approx(1)
        assert scores[i][j].half == pytest.approx(over_deals(league.against(j, i)).half / 2)
    assert len(league.against(0, 1)) == 2, "two tables seat both, over the same deals"
    [table] = [one for one in league.tables if 0 not in one]
    alone = match("daifugo", [names[i] for i in table], 20, int(spread(0, 0)), players=3)
    assert league.returns_of(table, 1).tolist() == alone.returns[:, 1].tolist()
    page = report.write(league, tmp_path)
    assert page == found
    assert "table of different players" in (tmp_path / "league.md").read_text(encoding="utf-8")


def test_full_tables_are_for_more_than_two():
    with pytest.raises(ValueError, match="more than two seats"):
        FullTableLeague("durak", ["random", "low"], 2)
