"""Exploitability in a report: mini variants are measured exactly, kept, and measured again."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from kozyr.agents.arena import scores
from kozyr.agents.arena.scores import card, minis, report
from kozyr.agents.arena.scores.minis import MiniScore
from kozyr.agents.arena.scores.report import Report
from kozyr.agents.arena.scores.reproducible_result import Verdict
from kozyr.agents.arena.scores.suite import Suite, load
from kozyr.training import mini_scores
from kozyr.training.cli import app
from tests.reports import REPORTS

OWN = """
suite = "mine"
seed = 5

[[tasks]]
name = "tiny"
game = "mnk_v0"
variant = { m = 3, n = 3, k = 3 }
opponents = [{ agent = "random", deals = 4 }]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("minis") / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def suite(file: Path) -> Suite:
    return load(file)


@pytest.fixture(scope="module")
def claim() -> MiniScore:
    pytest.importorskip("pyspiel")
    (one,) = mini_scores.scores({"mnk_mini": "random"})
    return one


@pytest.fixture(scope="module")
def made(suite: Suite, claim: MiniScore) -> Report:
    return report.with_minis(scores.score("random", suite), [claim])


def changed(claim: MiniScore, **values: Any) -> MiniScore:
    return msgspec.structs.replace(claim, **values)


def test_random_play_of_the_small_board_loses_what_theory_says(claim: MiniScore) -> None:
    """Against random play a best response as X and as O wins more than random play does there."""
    assert claim.nash_conv == sum(claim.gains)
    assert len(claim.gains) == 2
    assert sum(claim.values) == pytest.approx(0)
    assert min(claim.gains) > 0
    assert not claim.stochastic
    assert claim.libraries["open_spiel"] != "not installed"


def test_a_report_without_mini_variants_is_the_file_that_it_was() -> None:
    for path in REPORTS:
        one = report.read(path)
        assert one.minis is msgspec.UNSET
        assert b"minis" not in msgspec.json.encode(one)
        assert one.mini_scores == []


def test_the_report_keeps_it_and_the_page_shows_it(made: Report, suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report.write(path, made)
    assert report.read(path) == made
    assert report.verify(made, suite).verdict == Verdict.HOLDS
    number = f"{made.mini_scores[0].nash_conv:.4f}"
    assert card.exploitability(made)[1] == ["mnk_mini", "random", "as in a match", number]
    assert "mnk_mini" in card.page(made, suite)
    assert "Exploitability" not in card.page(scores.score("random", suite), suite)


def test_a_report_may_have_mini_variants_alone(claim: MiniScore, suite: Suite) -> None:
    none = report.build("mine", suite, suite.seed, False, {})
    assert report.verify(none, suite).words.startswith("the report says nothing")
    alone = report.with_minis(none, [claim])
    assert report.verify(alone, suite).verdict == Verdict.HOLDS
    assert "mnk_mini" in card.page(alone, suite)
    assert card.order(alone) < card.order(scores.score("random", suite))


def test_each_wrong_number_is_found_without_playing(made: Report, suite: Suite) -> None:
    claim = made.mini_scores[0]
    for wrong, words in (
        (changed(claim, nash_conv=claim.nash_conv + 0.1), "the sum of the gains"),
        (changed(claim, gains=[*claim.gains, 0.0]), "gains of 3 seats and values of 2"),
        (changed(claim, gains=[-1.0, 1.0 + claim.nash_conv]), "NashConv of mnk_mini"),
        (changed(claim, mini="mnk_huge"), "is no mini variant: draw_poker_mini"),
    ):
        verdict, why = report.verify(report.with_minis(made, [wrong]), suite)
        assert verdict == Verdict.DIFFERS
        assert words in why


@pytest.mark.long
def test_it_is_measured_again_to_the_last_digit(claim: MiniScore) -> None:
    assert mini_scores.check(claim).verdict == Verdict.HOLDS
    more = [claim.gains[0] + 1e-12, claim.gains[1]]
    wrong = changed(claim, gains=more, nash_conv=sum(more))
    assert mini_scores.check(wrong).verdict == Verdict.DIFFERS
    assert mini_scores.check(changed(claim, values=[0.5, -0.5])).verdict == Verdict.DIFFERS
    old = changed(wrong, code={**claim.code, "rules": "0" * 64})
    assert mini_scores.check(old).verdict == Verdict.UNCHECKED
    other = changed(wrong, libraries={**claim.libraries, "open_spiel": "0.1"})
    assert "it was made with open_spiel 0.1, here " in mini_scores.check(other).words


def test_nothing_that_a_file_names_is_run(claim: MiniScore) -> None:
    for agent in ("tests.agents.strange:First", "process:./low"):
        verdict, words = mini_scores.check(changed(claim, agent=agent))
        assert verdict == Verdict.UNCHECKED
        assert "is code or lies elsewhere" in words
    trained = mini_scores.check(changed(claim, trained="0" * 64))
    assert trained == (Verdict.UNCHECKED, "what random was trained to is not the same here")


def test_each_variant_is_played_by_the_first_that_tells_its_chances() -> None:
    lineup, alone = minis.line_up(["policy", "high_first", "pimc", "random", "heuristic"])
    assert lineup["war_mini"] == "high_first"
    assert lineup["durak_mini"] == lineup["mnk_mini"] == "random"
    assert set(alone) == {"policy", "pimc", "heuristic"}
    assert alone["heuristic"].startswith("those before it")


def test_the_mini_variants_are_frozen() -> None:
    known = [(one.name, one.game, one.variant, one.first) for one in minis.MINIS]
    assert known == [
        ("draw_poker_mini", "draw_poker", {"players": 2, "deck": 6, "max_bet": 1}, -1),
        ("durak_mini", "durak", {"deck": 8, "hand": 3, "open_trump": True, "max_rounds": 2}, 0),
        ("daifugo_mini", "daifugo", {"players": 3, "ranks": 2, "joker": False}, -1),
        ("war_mini", "war", {"deck": 8, "pickup": "choice", "max_turns": 7}, -1),
        ("mnk_mini", "mnk", {"m": 3, "n": 3, "k": 3, "max_moves": 6}, 0),
    ]


@pytest.mark.long
def test_the_command_measures_and_checks(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    path, runner = tmp_path / "report.json", CliRunner(env={"COLUMNS": "200", "KOZYR_DEBUG": ""})
    done = runner.invoke(app, ["score", "easy", "--suite", str(file), "--exploitability", "--out", str(path)])
    assert done.exit_code == 0, done.output
    assert "NashConv" in done.stdout
    again = runner.invoke(app, ["score", "check", str(path), "--suite", str(file)])
    assert again.exit_code == 0, again.output
    assert "mnk_mini, easy, NashConv" in again.stdout
    assert "3 hold" in again.stdout


def test_an_agent_of_large_variants_is_told_so(file: Path) -> None:
    runner = CliRunner(env={"COLUMNS": "200", "KOZYR_DEBUG": ""})
    done = runner.invoke(app, ["score", "ismcts@5", "--suite", str(file), "--exploitability"])
    assert done.exit_code == 0, done.output
    assert "No exploitability of ismcts@5, which plays no mini variant" in done.stdout
    assert "`kozyr exploit` measures" in done.stdout
