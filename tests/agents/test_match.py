import io
import json
import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from kozyr.agents import load
from kozyr.agents.arena import MatchResult, match
from kozyr.agents.arena.matches.match import split_deals
from kozyr.agents.statistics.intervals import mean_interval
from kozyr.envs.table import record
from tests.agents import strange

FAST: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
PATH = "tests.agents.strange"


def test_equal_players_score_exactly_nothing() -> None:
    result = match("durak", ["low", "low"], 50, deck=36)
    assert [one.mean for one in result.agents] == [0.0, 0.0]
    assert all(-0.1 < one.interval[0] < 0 < one.interval[1] < 0.1 for one in result.agents)
    assert [one.name for one in result.agents] == ["low", "low #2"]


def test_a_better_player_wins() -> None:
    result = match("durak", ["low", "passive"], 200, deck=36)
    assert result.agents[0].score_interval[0] > 0.5 > result.agents[1].score_interval[1]


@pytest.mark.parametrize("players", [2, 3])
def test_the_interval_is_over_deals(players: int, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("durak", ["low", "passive"], 40, 3, record=file, players=players)
    by_deal: dict[int, list[float]] = {}
    for one in record.read_file(file):
        assert one.agents is not None
        by_deal.setdefault(one.seed, []).append(one.payoffs[one.agents.index("low")])
    means = [sum(payoffs) / players for payoffs in by_deal.values()]
    assert {len(payoffs) for payoffs in by_deal.values()} == {players}
    low = result.agents[0]
    assert low.mean == pytest.approx(np.mean(means), abs=1e-6)
    assert low.interval == pytest.approx(mean_interval(means)[1:], abs=1e-6)
    assert low.interval[0] < low.mean < low.interval[1]
    assert low.score_interval == pytest.approx([(1 + x) / 2 for x in low.interval])
    np.testing.assert_allclose(result.returns[:, 0], means, atol=1e-6)
    assert (result.deals, result.games) == (40, 40 * players)


@pytest.mark.parametrize("players", [2, 3])
def test_scores_by_turn_are_counted_from_the_seat_that_began(players: int, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("durak", ["low", "passive"], 40, 3, record=file, players=players)
    won: dict[tuple[str, int], list[list[float]]] = {}  # by agent and turn: the payoffs of each deal
    for i, one in enumerate(record.read_file(file)):
        assert one.agents is not None
        for seat, name in enumerate(one.agents):
            deals = won.setdefault((name, (seat - one.starter) % players), [[] for _ in range(40)])
            deals[i // players].append(one.payoffs[seat])
    for agent, name in zip(result.agents, ("low", "passive"), strict=True):
        means = [np.mean(won[name, turn], 1) for turn in range(players)]
        for one, values in zip(agent.by_turn, means, strict=True):
            assert one == pytest.approx(mean_interval(values).score, abs=1e-6)
        assert np.mean([one.value for one in agent.by_turn]) == pytest.approx(agent.score, abs=1e-6)


def test_payoffs_of_all_agents_cancel_and_shares_add_up() -> None:
    result = match("durak", ["low", "passive"], 60, players=4)
    first, rest = result.agents
    assert first.mean + 3 * rest.mean == pytest.approx(0, abs=1e-6)
    for one in result.agents:
        assert one.wins + one.draws + one.losses == pytest.approx(1)


def test_a_deal_keeps_seed_and_starter_while_entries_rotate(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    match("durak", ["low", "passive", "random"], 10, record=file, players=3)
    games = list(record.read_file(file))
    for deal in range(10):
        three = games[3 * deal : 3 * deal + 3]
        assert len({(one.seed, one.starter) for one in three}) == 1
        names = ["low", "passive", "random"]
        assert [one.agents for one in three] == [names, names[-1:] + names[:-1], names[-2:] + names[:-2]]


@pytest.mark.parametrize("names", [["easy", "random"], [f"{PATH}:Lucky", "easy"], [f"{PATH}:Raising", "random"]])
def test_the_result_does_not_depend_on_workers(names: list[str], tmp_path: Path) -> None:
    files = [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    one, two = (
        match("mnk", names, 40, 5, workers, record=file, **FAST) for workers, file in zip((1, 2), files, strict=True)
    )
    assert one == two
    assert np.array_equal(one.returns, two.returns)
    assert files[0].read_text() == files[1].read_text()


def test_recording_and_outside_play_change_nothing(tmp_path: Path) -> None:
    plain = match("mnk", ["easy", "random"], 30, **FAST)
    assert match("mnk", ["easy", "random"], 30, record=tmp_path / "games", **FAST) == plain
    first = [match("durak", [f"{PATH}:First", "low"], 20, seed) for seed in (1, 1, 2)]
    assert first[0] == first[1] != first[2]
    assert first[0].agents[0].ms_per_move is not None
    assert first[0].agents[1].ms_per_move is None


def test_a_raising_agent_loses_only_the_games_in_which_it_raises(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("mnk", [strange.Raising(), "random"], 100, record=file, **FAST)
    lost = [one for one in record.read_file(file) if one.forfeit is not None]
    assert 0 < len(lost) == result.agents[0].errors < result.games
    assert result.agents[1].errors == 0
    assert "RuntimeError: no idea" in str(result.agents[0].first_error)
    for one in lost:
        assert one.forfeit is not None
        assert one.payoffs[one.forfeit] == -1


@pytest.mark.parametrize("answer", [10**6, -1, 0.0, float("nan"), None, True, "a", [0], 2**80])
def test_no_answer_but_a_legal_whole_number_counts(answer: Any) -> None:
    result = match("mnk", [strange.Wrong(answer), "random"], 3, **FAST)
    assert result.agents[0].errors == result.games == 6
    assert [one.mean for one in result.agents] == [-1, 1]
    assert result.agents[0].first_error


def test_who_errs_pays_all_others() -> None:
    result = match("durak", ["low", strange.Wrong(), "low"], 4, players=3)
    assert [one.mean for one in result.agents] == [0.5, -1.0, 0.5]


def test_a_bad_batch_is_asked_one_by_one() -> None:
    good, bad = (match("mnk", [agent, "easy"], 10, **FAST) for agent in (strange.First(), strange.WrongBatch()))
    assert np.array_equal(good.returns, bad.returns)
    assert bad.agents[0].errors == 0


def test_an_agent_cannot_change_what_is_legal() -> None:
    result = match("mnk", [strange.Vandal(), "easy"], 10, **FAST)
    assert result.agents[0].errors > 0


def test_an_interrupt_ends_the_match() -> None:
    with pytest.raises(KeyboardInterrupt):
        match("mnk", [strange.Impatient(), "easy"], 10, **FAST)


def test_what_fails_in_a_worker_leaves_no_process_behind() -> None:
    before = multiprocessing.active_children()  # sandboxed agents of other tests wait for the next match
    with pytest.raises(KeyboardInterrupt):
        match("mnk", [strange.Impatient(), "easy"], 40, workers=2, **FAST)
    assert set(multiprocessing.active_children()) <= set(before)


def test_agents_that_do_not_pickle_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'Stuck' cannot be sent to worker processes"):
        match("mnk", [strange.Stuck(), "easy"], 4, workers=2, **FAST)
    assert match("mnk", [strange.Stuck(), "easy"], 4, **FAST).games == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"agents": ["nobody"]}, "unknown agent 'nobody' of mnk"),
        ({"agents": []}, "0 agents for 2 seats"),
        ({"agents": ["easy"] * 3}, "3 agents for 2 seats"),
        ({"agents": [load("durak:low")]}, "does not play mnk"),
        ({"deals": 0}, "deals=0"),
        ({"workers": 1.5}, "workers=1.5"),
        ({"seed": -1}, "seed=-1"),
        ({"colour": 3}, "unknown variant field 'colour'"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    usual: dict[str, Any] = {"game": "mnk", "agents": ["easy"], "deals": 2}
    with pytest.raises(ValueError, match=words):
        match(**{**usual, **arguments})


def test_an_agent_may_be_an_object_of_the_ladder() -> None:
    by_object = match("durak", [load("durak:low"), "passive"], 20)
    assert np.array_equal(by_object.returns, match("durak", ["low", "passive"], 20).returns)


def test_chunks_cover_the_deals() -> None:
    for deals in (1, 15, 16, 17, 1000, 5000):
        ranges = split_deals(deals)
        assert [one.number for one in ranges] == list(range(len(ranges)))
        assert [d for one in ranges for d in range(one.first, one.first + one.size)] == list(range(deals))
        assert max(one.size for one in ranges) <= 256


def test_a_single_deal_says_nothing() -> None:
    assert match("mnk", ["easy", "random"], 1, **FAST).agents[0].interval == (-1.0, 1.0)


def test_the_result_is_shown_and_written() -> None:
    result = match("mnk", [strange.Wrong(), "easy"], 3, **FAST)
    assert isinstance(result, MatchResult)
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert document["agents"][0]["errors"] == 6
    assert document["variant"]["m"] == 3
    console = Console(width=100, file=io.StringIO())
    with console.capture() as shown:
        console.print(result.table())
    assert "actions run from 0 to 8" in " ".join(shown.get().split())
    with console.capture() as shown:
        console.print(result.turns_table())
    rows = [line.split() for line in shown.get().splitlines() if "…" in line]
    assert [(row[1], row[3], row[8], row[11]) for row in rows] == [(turn, "0.0", "100.0", "100.0)") for turn in "12"]


def test_games_of_a_deal_open_with_the_same_random_plies(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("mnk", ["easy", "hard"], 6, record=file, opening=3, m=8, n=8)
    games = [json.loads(line)["actions"] for line in file.read_text().splitlines()]
    opened = [tuple(game[:3]) for game in games]
    assert opened[::2] == opened[1::2]
    assert len(set(opened)) == 6
    assert result.opening == 3
    assert sum(map(len, games)) == result.plies
    assert [match("mnk", ["easy"], 1).opening, match("mnk", ["easy"], 1, **FAST).opening] == [4, 0]
    with pytest.raises(ValueError, match="opening=-1 is not allowed"):
        match("mnk", ["easy"], 1, opening=-1)
