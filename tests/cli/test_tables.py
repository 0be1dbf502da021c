"""Tables of results fit 80 columns, with names that are short and unlike each other."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.agents.arena.results.escape import short
from kozyr.envs.core.capabilities import stake
from kozyr.training.cli import app, terminal
from kozyr.training.run.evaluation import measure

BOT = """from kozyr.agents.agent import Solo


class {}(Solo):
    def act(self, view, mask):
        {}
"""
SMALL = ("--set", "m=3", "--set", "n=3", "--set", "k=3")


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a bot that plays and one that errs into a package of the current folder."""
    folder = tmp_path / "bots_of_a_long_name" / "of_mine"
    folder.mkdir(parents=True)
    (folder / "fine.py").write_text(BOT.format("Lowest", "return int(mask.argmax())"), encoding="utf-8")
    (folder / "bad.py").write_text(BOT.format("Wrong", "raise ValueError('no idea')"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def shown(*arguments: str) -> list[str]:
    done = CliRunner(env={"COLUMNS": "80", "KOZYR_DEBUG": ""}).invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return [line.rstrip() for line in done.stdout.splitlines()]


@pytest.mark.usefixtures("bots")
def test_a_match_of_own_bots_fits_and_says_which_is_which() -> None:
    fine, bad = "bots_of_a_long_name.of_mine.fine:Lowest", "bots_of_a_long_name.of_mine.bad:Wrong"
    lines = shown("match", "mnk", fine, bad, "--deals", "3", *SMALL)
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("│ Lowest ") for line in lines)
    assert f"Lowest is {fine}" in lines
    assert any("Errors" in line for line in lines)


@pytest.mark.usefixtures("bots")
def test_a_league_of_many_fits() -> None:
    own = "bots_of_a_long_name.of_mine.fine:Lowest"
    lines = shown("league", "mnk", "random", "easy", "hard", "search@2", "pimc@2", own, "--deals", "1", *SMALL)
    assert max(map(len, lines)) <= 80
    assert f"Lowest is {own}" in lines
    crossing = lines[next(i for i, line in enumerate(lines) if "Score of the row" in line) :]
    assert any(line.startswith("│ 1 ") for line in crossing)
    assert not any("±" in line for line in crossing)


def test_a_narrow_table_leaves_out_what_follows_from_the_score() -> None:
    result = match("war", ["random", "random"], 2)
    narrow = [str(one.header) for one in result.table(40).columns]
    assert "Return" in [str(one.header) for one in result.table().columns]
    assert narrow == ["Agent", "Score %"]


def test_names_become_short_where_that_leaves_them_different() -> None:
    assert short(["my.bots:Mine", "my.bots:Mine #2", "low"]) == ["Mine", "my.bots:Mine #2", "low"]
    assert short(["a:Mine", "b:Mine"]) == ["a:Mine", "b:Mine"]
    assert short(["pimc@5++long/way/to/policy.onnx"]) == ["pimc@5++to/policy.onnx"]
    assert short(["llm:qwen@temperature=0.2", "gomocup:wine ./engines/rapfi@100ms"]) == ["llm:qwen", "gomocup:rapfi"]


def test_forms_of_a_table_give_way_to_narrower_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["Agent", "Score", "Remarks"], ["low", "50.0", "x" * 60]]
    monkeypatch.setenv("COLUMNS", "40")
    console = Console(width=200)
    narrow = terminal.fit_table("t", rows, terminal.without(rows, "Remarks"))
    assert console.measure(narrow).maximum <= 40
    monkeypatch.setenv("COLUMNS", "120")
    assert len(terminal.fit_table("t", rows, terminal.without(rows, "Remarks")).columns) == 3


@pytest.mark.parametrize("options", [{}, {"players": 2, "max_bet": 3, "ante": 2}])
def test_chips_are_what_changes_hands(options: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("draw_poker", ["heuristic", "random"], 30, 1, record=file, **options)
    from kozyr.envs.table import record

    changes: dict[str, list[float]] = {"heuristic": [], "random": []}
    for one in record.read_file(file):
        *_, (_, states) = enumerate(record.states(one))
        for seat, name in enumerate(one.agents or []):
            changes[name].append(float(states[0]["change"][seat]))
    for agent in result.agents:
        assert agent.won is not None
        assert agent.won.mean == pytest.approx(np.mean(changes[agent.name]))
        assert agent.won.per_100 == pytest.approx(100 * agent.won.mean)
        assert agent.won.half_per_100 == pytest.approx(100 * agent.won.half)
        low, high = agent.won.interval
        assert low <= agent.won.mean <= high
        assert (agent.won.unit, agent.won.game) == ("chips", "hand")


def test_chips_are_told_in_words_and_in_json() -> None:
    lines = shown("match", "draw_poker", "heuristic", "random", "--deals", "20")
    assert any("Chips a hand" in line and "Chips per 100 hands" in line for line in lines)
    assert max(map(len, lines)) <= 80
    policy = Path(__file__).parents[2] / "training" / "policies" / "draw_poker_4.onnx"
    assert any("Chips a hand" in line for line in shown("evaluate", str(policy), "--against", "random", "--deals", "4"))
    told = json.loads("\n".join(shown("match", "draw_poker", "heuristic", "random", "--deals", "4", "--json")))
    assert told["agents"][0]["won"]["unit"] == "chips"


def test_only_what_is_played_for_something_tells_it() -> None:
    for name in ("durak", "mnk", "war", "daifugo"):
        assert stake(envs.game(name).make_variant()) is None
    assert stake(envs.game("draw_poker").make_variant(episode="tournament")) is None
    assert match("war", ["random", "random"], 2).won_table() is None


def test_decisions_are_told_with_their_rounding() -> None:
    schedule = pytest.importorskip("kozyr.training.run.schedule", reason="comes with the extra [train]")
    given = {"num_tables": 4, "n_steps": 8, "timesteps": 33}
    assert schedule.decisions_text(given) == "64 decisions of the learner; 33 rounded up to whole rollouts of 32"
    assert schedule.decisions_text({**given, "timesteps": 64}) == "64 decisions of the learner"


def test_the_last_evaluation_shows_a_bar_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[str] = []

    def bar(played: Any, total: int, words: str) -> Any:
        bars.append(words)
        return played

    monkeypatch.setattr(sys.modules["kozyr.agents.arena.matches.match"], "with_bar", bar)
    game = envs.game("war")
    for progress in (False, True):
        measure(game, game.make_variant(), "random", {"random": "random"}, 2, 0, progress)
    assert bars == ["random v random #2"]
