"""The pages that are made from measured data say what the data say."""

import json
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena.scores import load
from kozyr.agents.statistics.interquartile import stratified_bootstrap
from kozyr.envs import registry
from kozyr.training.settings import run_settings
from tests.benchmarks import answers, baseline_page, baselines, nash, regularisation
from tests.training.tiny import TINY

MADE = answers.pages()


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_what_its_data_make(name: str) -> None:
    page = (answers.PAGES / name).read_text(encoding="utf-8")
    assert page == MADE[name], "python -m tests.benchmarks.answers writes the pages"
    assert "{" not in page.replace("```{", "").replace("# {", "")


def run(task: str, algorithm: str, seed: int, points: float) -> dict[str, Any]:
    """Return a row as a run has it, whose points rise to the last one."""
    at = [{"decisions": 100 * k, "seconds": 2.0 * k, "points": points * k / 3} for k in (1, 2, 3)]
    its = [{**one, "low": one["points"] - 1, "high": one["points"] + 1, "scores": {}} for one in at]
    return {"task": task, "algorithm": algorithm, "seed": seed, "decisions": 300, "points": its}


def rows() -> list[dict[str, Any]]:
    every = [
        run(task, name, seed, 10.0 * k + seed)
        for k, name in enumerate(baselines.ALGORITHMS, 1)
        for task in ("durak_36", "war_20")
        for seed in (1, 2, 3)
    ]
    return [*every, *(run("mnk_15", name, 1, 0.0) for name in baselines.ALGORITHMS)]


def test_means_are_over_tasks_that_have_several_seeds() -> None:
    assert baseline_page.shared(rows()) == (["durak_36", "war_20"], [1, 2, 3])
    table = baseline_page.means(rows()).splitlines()
    expected = stratified_bootstrap([[11.0, 11.0], [12.0, 12.0], [13.0, 13.0]]).text()
    assert table[4].endswith(f"| 300 | 6 | {expected} |")
    one = [run(task, name, 1, 6.0) for name in baselines.ALGORITHMS for task in ("war_20", "mnk_15")]
    assert baseline_page.means(one).splitlines()[4].endswith("| 300 | 6 | 6.0 ± 0.7 |")
    assert baseline_page.shared([run("war_20", name, 1, 5.0) for name in baselines.ALGORITHMS]) == ([], [])


def test_a_cell_of_one_seed_has_the_interval_over_its_deals() -> None:
    (line,) = [line for line in baseline_page.points(rows()).splitlines() if line.startswith("| mnk_15")]
    assert line.count("0.0 ± 1.0") == len(baselines.ALGORITHMS)
    assert "| 50 |" in baseline_page.speeds(rows()).splitlines()[2]


def test_runs_of_openspiel_have_a_table_of_their_own() -> None:
    other = [run("war_20", "nfsp", 1, 9.0)]
    assert list(baseline_page.of_kozyr([*rows(), *other])) == rows()
    (line,) = baseline_page.openspiel([*rows(), *other]).splitlines()[2:]
    assert line == "| war_20 | NFSP | 1 | 300 | 6 | 9.0 ± 1.0 |"


def test_curves_are_drawn_light_and_dark(tmp_path: Path) -> None:
    baseline_page.draw(rows(), tmp_path)
    both = [path.read_bytes() for path in sorted(tmp_path.glob("*.webp"))]
    assert len(both) == 2
    assert both[0] != both[1]


def test_every_preset_learns_from_itself_alone() -> None:
    for task in load().tasks:
        for name in baselines.ALGORITHMS:
            its = run_settings.load(registry.game(task.game), name, baselines.SETTINGS)
            assert its["opponents"] == {"self": 1.0}
    small = registry.game("mnk")
    weights = [run_settings.load(small, name, nash.SETTINGS)["entropy"] for name in regularisation.PRESETS]
    assert weights == [0.0, 0.05, 0.2, 0.05, 0.2]


def test_a_run_is_scored_on_its_way_and_not_made_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, results = tmp_path / "mine.toml", tmp_path / "rows.jsonl"
    general = TINY.replace("[default.variant]\nm = 3\nn = 3\nk = 3\n", "").replace("easy = 1\n", "")
    settings.write_text(general.partition("[wide")[0] + "[ppo]\n")
    asked = ["war_20", "--out", tmp_path / "out", "--results", results, "--settings", settings]
    asked += ["--decisions", "1024", "--algorithms", "ppo"]
    baselines.main([*map(str, asked)])
    (row,) = baselines.read(results)
    assert [one["decisions"] for one in row["points"]] == [256, 512, 1024]
    assert list(row["points"][0]["scores"]) == ["random", "high_first", "lookahead@2"]
    assert all(one["low"] < one["points"] < one["high"] for one in row["points"])
    assert 0 < row["points"][0]["seconds"] < row["points"][-1]["seconds"]
    monkeypatch.setattr(baselines, "train", None)  # would be called for a run that is not there
    baselines.main([*map(str, asked)])
    assert [json.loads(line) for line in results.read_text().splitlines()] == [row]
    with pytest.raises(SystemExit):
        baselines.main([*map(str, asked), "--seeds", "0"])
    with pytest.raises(SystemExit):
        baselines.main(["chess", "--out", str(tmp_path)])
