"""Cups: tables at which all sit equally often, results that the records bear out, and cups that go on."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr.agents.arena.matches import workers
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.schedule import Contest
from kozyr.agents.arena.tournaments import cup_report
from kozyr.agents.arena.tournaments.cup import FORMS, Cup, paired, tables_of
from kozyr.agents.arena.tournaments.cup_result import CupResult, places
from kozyr.envs.table import record_format

FIVE = ["random", "one_card", "little_think", "course", "low", "heuristic"]


def contest(game: str, names: list[str], deals: int = 12, **given: Any) -> Contest:
    return Contest(game, names, deals, **given)


@pytest.mark.parametrize(("players", "seats"), [(2, 2), (7, 2), (3, 5), (5, 5), (6, 5), (8, 5), (11, 4), (4, 3)])
def test_everybody_sits_as_often_as_anybody(players: int, seats: int) -> None:
    tables = tables_of(range(players), seats, np.random.default_rng(1))
    assert len({*Counter(i for table in tables for i in table).values()}) == 1
    assert {i for table in tables for i in table} == {*range(players)}
    for table in tables:
        assert len({*table}) == len(table) == min(players, seats)
    if seats == 2:
        assert {frozenset(table) for table in tables} == {frozenset((i, j)) for i in range(players) for j in range(i)}
    if players < seats:  # the last one takes the seats that are left: each once
        assert {table[-1] for table in tables} == {*range(players)}


def counted(records: list[str]) -> dict[str, float]:
    """Return the score of each player by the records of some games, game by game."""
    paid: dict[str, list[float]] = {}
    for line in records:
        one = record_format.parse(line)
        for player, payoff in zip(one.agents or [], one.payoffs, strict=True):
            paid.setdefault(player, []).append(payoff)
    return {player: float((1 + np.mean(row)) / 2) for player, row in paid.items()}


@pytest.mark.parametrize(
    ("game", "names", "form", "variant"),
    [
        ("daifugo", FIVE, "groups", {"players": 5}),
        ("durak", ["random", "passive", "low", "heuristic"], "double-elimination", {"deck": 20}),
        ("draw_poker", ["random", "priority", "heuristic"], "round-robin", {"players": 2}),
        ("war", ["random", "low_first", "high_first", "flip", "own_first"], "groups", {"pickup": "choice", "deck": 20}),
    ],
)
def test_scores_are_what_a_slow_count_of_the_records_says(
    game: str, names: list[str], form: str, variant: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks: list[list[str]] = []

    def recorded(*asked: Any, **given: Any) -> Any:
        found = match(*asked, record=tmp_path / "one.jsonl", **given)
        blocks.append((tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines())
        return found

    monkeypatch.setattr(workers, "match", recorded)
    cup = Cup(contest(game, names, variant=variant), form)
    result = cup.play(3)
    assert sorted(result.ranking) == sorted(names)
    done = 0
    for stage in result.stages:
        its, done = blocks[done : done + len(stage.tables)], done + len(stage.tables)
        slow = counted([line for block in its for line in block])
        for row in stage.rows:
            assert row.score == pytest.approx(slow[row.name], abs=1e-6)  # records round what is paid
            assert row.errors == 0
    assert done == len(blocks)


def test_two_groups_and_a_final() -> None:
    cup = Cup(contest("war", ["random", "low_first", "high_first", "flip"], variant={"pickup": "choice"}), groups=2)
    result = cup.play(5)
    titles = [stage.title for stage in result.stages]
    assert titles == ["Group A", "Group B", "Final"]
    through = [row.name for stage in result.stages[:2] for row in stage.rows if row.through]
    assert sorted(row.name for row in result.stages[2].rows) == sorted(through)
    assert result.ranking[:2] == [row.name for row in result.stages[2].rows]
    assert [row.score for stage in result.stages for row in stage.rows] == [
        row.score for stage in cup.play(5).stages for row in stage.rows
    ]


@pytest.mark.parametrize("seed", range(6))
def test_who_has_lost_two_matches_is_out(seed: int) -> None:
    names = ["random", "passive", "low", "heuristic"]
    result = Cup(contest("durak", names, 10, variant={"deck": 20}), "double-elimination").play(seed)
    lost = Counter[str]()
    for stage in result.stages:
        if any(other.title == f"{stage.title}, match 2" for other in result.stages):
            continue  # a match that went on
        for winner, loser in zip(stage.rows[::2], stage.rows[1::2], strict=True):
            lost[loser.name if winner.through else winner.name] += 1
    assert all(lost[name] == 2 for name in result.ranking[1:])
    assert lost[result.ranking[0]] < 2
    assert result.ranking[-1] == "random"


def test_equal_players_are_told_apart_by_lot() -> None:
    given: Any = {"variant": {"m": 3, "n": 3, "k": 3}, "opening": 0}
    players = Contest("mnk", ["a", "b"], 1, sources={"a": "easy", "b": "easy"}, **given)
    result = Cup(players, "double-elimination").play(1)
    assert sorted(result.ranking) == ["a", "b"]


def test_where_all_of_the_groups_go_on_there_is_a_final() -> None:
    names = ["random", "low", "heuristic", "passive"]
    result = Cup(contest("durak", names, 20, variant={"deck": 20}), groups=2, advance=2).play(3)
    assert [stage.title for stage in result.stages] == ["Group A", "Group B", "Final"]
    assert result.ranking == [row.name for row in result.stages[-1].rows]
    assert set(result.ranking[:2]) == {"low", "heuristic"}


def test_where_nothing_follows_nobody_goes_on() -> None:
    [stage] = Cup(contest("durak", ["low", "random"], variant={"deck": 20})).play(1).stages
    assert not any(row.through for row in stage.rows)


def test_a_tie_is_played_again_and_one_has_won() -> None:
    given: Any = {"variant": {"m": 3, "n": 3, "k": 3}, "opening": 0}
    sources = dict.fromkeys("abc", "easy")
    result = Cup(Contest("mnk", list("abc"), 1, sources=sources, **given), "double-elimination").play(1)
    assert {"Round 1", "Round 1, match 2", "Round 1, match 3"} <= {stage.title for stage in result.stages}
    for stage in result.stages:
        won = [row.through for row in stage.rows]
        assert won in ([False, False], [True, False])
        assert any(won) or any(other.title > stage.title for other in result.stages)


def test_pairs_meet_again_only_where_all_have_met() -> None:
    everybody = {frozenset((i, j)) for i in range(4) for j in range(i)}
    assert paired([0, 1, 2, 3], set()) == [(0, 1), (2, 3)]
    assert paired([0, 1, 2, 3], everybody) == [(0, 1), (2, 3)]
    assert paired([0, 1, 2], {frozenset((0, 1))}) == [(0, 2)]


def test_several_cups_make_a_ranking() -> None:
    cup = Cup(contest("durak", ["random", "low", "heuristic"], variant={"deck": 20}))
    found = cup.play_often(1, 4)
    ranked = places(found)
    assert ranked[-1].name == "random"
    assert sum(one.won for one in ranked) == 4
    for one in ranked:
        taken = [1 + result.ranking.index(one.name) for result in found]
        assert one.mean == pytest.approx(np.mean(taken))
    assert len({result.seed for result in found}) == 4


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"form": "knockout"}, "form='knockout' is not allowed"),
        ({"groups": 9}, "groups"),
        ({"advance": 9}, "advance"),
        ({"form": FORMS[1], "groups": 2}, "groups and advance are for the form groups"),
        ({"form": FORMS[2]}, "double elimination is for games of two seats, and this one has 5"),
    ],
)
def test_a_cup_that_cannot_be_is_refused(given: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Cup(contest("daifugo", FIVE, variant={"players": 5}), **given)


def test_the_report_says_all_and_holds_names_as_they_are(tmp_path: Path) -> None:
    names = ["<b>|$x_$", "low", "random"]
    players = Contest("durak", names, 4, variant={"deck": 20}, sources={names[0]: "heuristic"})
    results = Cup(players).play_often(1, 2)
    cup_report.write(players, results, tmp_path)
    markdown, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("cup.md", "cup.html"))
    assert "## Cup 2: Final" in markdown
    assert r"\<b\>\|\$x_\$" in markdown
    assert "&lt;b&gt;|$x_$" in page
    assert "<b>" not in page
    assert "games/" in page
    assert all(one.stat().st_size > 1000 for one in (tmp_path / "games").iterdir())


def run(out: Path, *more: str) -> list[str]:
    players = ["random", "course", "low", "heuristic", "one_card", "little_think"]
    how = ["--deals", "30", "--set", "players=5", "--json", "--out", str(out), *more]
    return [sys.executable, "-m", "kozyr.training.cli", "cup", "daifugo", *players, *how]


@pytest.mark.long
def test_a_cup_that_was_killed_ends_with_the_same_table(tmp_path: Path) -> None:
    whole = subprocess.run(run(tmp_path / "whole"), capture_output=True, text=True, check=True).stdout
    rng, kept = np.random.default_rng(0), tmp_path / "killed" / "cup.jsonl"
    for lines in sorted(rng.integers(1, 12, 2).tolist()):
        process = subprocess.Popen(run(tmp_path / "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if kept.exists() and kept.read_bytes().count(b"\n") >= lines:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.005)
        process.wait(120)
    again = subprocess.run(run(tmp_path / "killed"), capture_output=True, text=True, check=True).stdout
    assert json.loads(again) == json.loads(whole)
    assert {*kept.read_text().splitlines()} == {*(tmp_path / "whole" / "cup.jsonl").read_text().splitlines()}


def test_results_are_of_their_type() -> None:
    assert isinstance(Cup(contest("durak", ["random", "low"], 2, variant={"deck": 20})).play(0), CupResult)
