"""Leagues: what is played, kept and gone on with; ratings, reports and swiss rounds."""

import json
import re
import sys
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments import report
from kozyr.agents.arena.tournaments.compare import expected
from kozyr.agents.arena.tournaments.league import BLOCK, League, neighbours
from kozyr.agents.arena.tournaments.rating import cross_table, ratings
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store, versioned_name
from kozyr.agents.statistics.elo import bradley_terry
from kozyr.agents.statistics.intervals import mean_interval
from kozyr.envs.core import install_hint
from kozyr.envs.core.rng import spread

NAMES = ("random", "passive", "low")
DEALS = BLOCK + 10
PLAIN: dict[str, Any] = {"game": "durak", "names": NAMES, "deals": DEALS, "variant": {"deck": 20}}


def played(path=None, **changed):
    given: dict[str, Any] = PLAIN | {"path": path} | changed
    league = League(**given)
    league.play(league.pairs())
    return league


def test_a_league_that_was_stopped_goes_on_and_counts_nothing_twice(tmp_path):
    path = tmp_path / "deep" / "league.jsonl"
    whole = played(path)
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 3 * 2
    path.write_text("".join([*lines[:2], lines[1], lines[2][:40]]))  # one is there twice, one was being written
    again = played(path)
    assert again.store.known == whole.store.known
    assert len(path.read_text().splitlines()) == 6 + 1
    for pair in whole.pairs():
        assert (again.returns(pair) == whole.returns(pair)).all()
        assert len(whole.returns(pair)) == DEALS


def test_workers_play_the_same_league(tmp_path):
    alone = played()
    shared = League("durak", NAMES, DEALS, path=tmp_path / "x.jsonl", variant={"deck": 20})
    shared.play(shared.pairs(), workers=2)
    assert [alone.returns(pair).tolist() for pair in alone.pairs()] == [
        shared.returns(pair).tolist() for pair in shared.pairs()
    ]


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    league = League(**PLAIN)
    with pytest.raises(ImportError, match=re.escape(install_hint.command("ray"))):
        league.play(league.pairs(), ray="local")


def test_an_interrupted_league_keeps_what_was_finished(tmp_path, monkeypatch):
    from kozyr.agents.arena.matches import workers as module

    real, asked = module.play_block, []

    def failing(*task):
        asked.append(task)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(*task)

    monkeypatch.setattr(module, "play_block", failing)
    with pytest.raises(KeyboardInterrupt):
        played(tmp_path / "x.jsonl")
    assert len(Store(tmp_path / "x.jsonl").known) == 2


def test_in_two_seats_a_table_has_two_sides():
    league = played()
    scores: Any = cross_table(league)
    for i, row in enumerate(scores):
        assert row[i] is None
        for j in range(i):
            assert row[j].value == pytest.approx(1 - scores[j][i].value)
            assert (row[j].low, row[j].high) == pytest.approx((1 - scores[j][i].high, 1 - scores[j][i].low))
    assert scores[2][0].value > scores[1][0].value > 0.7


def test_in_more_seats_each_sits_alone_among_the_others():
    league = League("daifugo", ["random", "course"], 20, variant={"players": 3})
    assert league.pairs() == [(0, 1), (1, 0)]
    league.play(league.pairs())
    assert league.returns((1, 0)).mean() > 0 > league.returns((0, 1)).mean()
    assert all(one.elo is None for one in ratings(league))
    assert "Elo" not in report.markdown(league, ratings(league))


def test_other_terms_are_another_league(tmp_path):
    path = tmp_path / "x.jsonl"
    first = played(path, deals=10)
    others: list[dict[str, Any]] = [{"seed": 1}, {"variant": {"deck": 24}}, {"opening": 2}]
    for changed in others:
        given: dict[str, Any] = PLAIN | {"path": path, "deals": 10} | changed
        assert len(League(**given).returns((0, 1))) == 0
    assert len(first.returns((0, 1))) == 10


def test_a_policy_with_another_content_is_another_agent(tmp_path):
    file = tmp_path / "policy.onnx"
    policy = SimpleNamespace(path=file)
    for name, agent in (("policy", policy), ("pimc+policy", SimpleNamespace(guide=policy))):
        file.write_bytes(b"one")
        before = versioned_name(name, agent)
        file.write_bytes(b"two")
        assert before.startswith(f"{name}#")
        assert before != versioned_name(name, agent)
    assert versioned_name("low", agents.load("low", "durak")) == "low"
    assert "#" in versioned_name("policy", agents.load("durak:policy", deck=36))
    ahead: Any = agents.load("daifugo:pimc", players=4)
    before = versioned_name("pimc", ahead)
    ahead.net = ahead.net._replace(end=ahead.net.end + 1)
    assert before.startswith("pimc#")
    assert before != versioned_name("pimc", ahead)
    assert versioned_name("pimc", agents.load("daifugo:pimc", players=3)) == "pimc"
    assert "#" in versioned_name("pimc@5+policy", agents.load("durak:pimc@5+policy", deck=36))


def test_ratings_put_the_agents_in_their_order():
    found: Any = ratings(played())
    assert [one.name for one in found] == ["low", "passive", "random"]
    assert all(better.mu > worse.mu and better.elo > worse.elo for better, worse in pairwise(found))
    assert all(one.elo_low < one.elo < one.elo_high for one in found)
    assert sum(one.elo for one in found) == pytest.approx(0, abs=1e-6)


def test_bradley_and_terry_find_the_strengths_that_made_the_results():
    strength = np.array([-150.0, 20.0, 130.0])
    games = {(i, j): 10**7 for i in range(3) for j in range(i + 1, 3)}
    won = {(i, j): n * expected(strength[i] - strength[j]) for (i, j), n in games.items()}
    np.testing.assert_allclose(bradley_terry(3, won, games), strength, atol=0.01)


def test_neighbours_meet_once():
    met = set()
    for _ in range(3):
        found = neighbours([2, 0, 3, 1], met)
        assert len(found) == 2
        assert met.isdisjoint(map(frozenset, found))
        met |= set(map(frozenset, found))
    assert len(met) == 6
    assert neighbours([2, 0, 3, 1], met) == []
    assert len(neighbours([0, 1, 2], set())) == 1


def test_a_swiss_league_plays_rounds():
    league = League("durak", ["random", "passive", "low", "heuristic"], 20, variant={"deck": 20})
    rounds = league.swiss(2)
    assert [len(one) for one in rounds] == [2, 2]
    assert len({frozenset(pair) for one in rounds for pair in one}) == 4
    assert set(league.standing()[:2]) == {2, 3}
    assert len(ratings(league)) == 4


def test_a_swiss_league_that_goes_on_pairs_as_before(tmp_path):
    names = ["random", "passive", "low", "heuristic"]
    path = tmp_path / "x.jsonl"
    given: dict[str, Any] = {"game": "durak", "names": names, "deals": 20, "path": path, "variant": {"deck": 20}}
    whole = League(**given)
    rounds, lines = whole.swiss(2), path.read_text().splitlines(keepends=True)
    for kept in (len(lines), 3):
        path.write_text("".join(lines[:kept]))
        again = League(**given)
        assert again.swiss(2) == rounds
        assert again.store.known == whole.store.known


def test_ratings_count_what_was_played_on_their_terms(tmp_path):
    path = tmp_path / "x.jsonl"
    for changed in ({}, {"seed": 1}, {"deals": DEALS + 20}):
        played(path, **changed)
    for deals in (DEALS, DEALS + 20):
        given: dict[str, Any] = PLAIN | {"path": path, "deals": deals}
        league = League(**given)
        assert len(league.store.known) == 3 * 2 * 3 - 3  # the first block of both numbers of deals is the same
        for i in range(len(NAMES)):
            assert sum(len(outcome.returns[0]) for outcome, _ in league.outcomes(i)) == 2 * deals
        assert [one.deals for one in ratings(league)] == [2 * deals] * 3


def test_draws_are_told():
    league = League("mnk", ["random", "easy"], 30, opening=0, variant={"m": 3, "n": 3, "k": 3})
    league.play(league.pairs())
    found: Any = ratings(league)
    drawn = match("mnk", ["random", "easy"], 30, int(spread(0, 0)), opening=0, m=3, n=3, k=3)
    assert drawn.draws > 0
    assert [one.draws for one in found] == [pytest.approx(drawn.draws / drawn.games)] * 2
    drawn_score = mean_interval(league.returns((0, 1))).score
    assert (found[0].low, found[0].high) == pytest.approx((1 - drawn_score.high, 1 - drawn_score.low))
    assert f"| {100 * found[0].draws:.1f} |" in report.markdown(league, found)


def test_intervals_know_that_pairings_share_their_deals():
    league = played()
    rows = [league.returns((0, j)) for j in (1, 2)]
    [mine] = [one for one in ratings(league) if one.name == NAMES[0]]
    assert mine.estimate == pytest.approx(mean_interval(np.mean(rows, 0)).score)


def test_the_report_says_it_all_and_stands_alone(tmp_path):
    league = played()
    found = report.write(league, tmp_path / "out")
    text = (tmp_path / "out" / report.MARKDOWN).read_text()
    page = (tmp_path / "out" / report.PAGE).read_text()
    for one in found:
        assert f"| {one.name} | {one.estimate.times(100).text()} |" in text
        assert f"<td>{one.name}</td>" in page
    assert page.count("data:image/png;base64,") == 2
    links = re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page)
    assert set(links) == {f"games/{one}-game.html" for one in ("longest", "shortest")} | set(links[2:])
    for one in links:
        assert f"({one})" in text
        assert "<script" in (tmp_path / "out" / one).read_text()


def test_the_report_shows_how_long_decisions_take(tmp_path):
    league = League("durak", ["low", "pimc@4"], 4, variant={"deck": 20})
    league.play(league.pairs())
    found: Any = report.write(league, tmp_path)
    assert sorted((one.ms is not None, one.name) for one in found) == [(False, "low"), (True, "pimc@4")]
    assert (tmp_path / report.PAGE).read_text().count("data:image/png;base64,") == 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"names": ["low"]}, "two agents or more, all different, not low"),
        ({"names": ["low", "low"]}, "all different"),
        ({"names": ["low", "lower"]}, "unknown agent 'lower'"),
        ({"deals": 0}, "deals=0"),
        ({"variant": {"deck": 21}}, "deck=21"),
    ],
)
def test_a_league_that_cannot_be_is_refused(tmp_path, changed, words):
    given = {"game": "durak", "names": NAMES, "path": tmp_path / "x.jsonl"} | changed
    with pytest.raises(ValueError, match=words):
        League(**given)
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("line", ["word", "{}", '{"format": 99}', "[1]"])
def test_a_file_of_something_else_is_left_alone(tmp_path, line, end):
    path = tmp_path / "notes.jsonl"
    path.write_text(line + end)
    with pytest.raises(ValueError, match="line 1 is no result of a league"):
        Store(path)
    assert path.read_text() == line + end


def test_a_result_comes_back_as_it_was(tmp_path):
    block = Block("durak_v0", json.dumps({"deck": 20}), 3, None, ("low", "random"), 2, 2)
    outcome = Outcome(((1.0, -0.5), (-1.0, 0.5)), (0, 1), (None, "it fell"), (None, 0.25), 0.125, 77)
    store = Store(tmp_path / "x.jsonl")
    store.add(block, outcome)
    store.add(block, Outcome((), (0, 0), (None, None), (None, None), 0.0, 0))
    assert Store(tmp_path / "x.jsonl").known == {block: outcome} == store.known


def test_where_all_score_the_same_all_ratings_are_equal():
    league = League("war", agents.names("war"), 10)  # nothing is decided: only the deal counts
    league.swiss(2)
    found = ratings(league)
    assert {one.elo for one in found} == {0.0}
    assert "All have scored the same" in report.markdown(league, found)
    assert "All have scored the same" not in report.markdown(played(), ratings(played()))


def test_who_has_met_nobody_in_common_is_rated_apart():
    won, games = {(0, 1): 30.0, (2, 3): 10.0}, {(0, 1): 40, (2, 3): 40}
    found = bradley_terry(4, won, games)
    assert found[0] - found[1] == pytest.approx(found[3] - found[2])
    assert found[0] > 0 > found[2]
    assert found[:2].sum() == pytest.approx(0)
