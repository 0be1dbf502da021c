"""The benchmark of exploitability: algorithms that differ in nothing else, and runs that go on."""

import sys
from pathlib import Path
from typing import Any

import pytest

from kozyr import envs
from kozyr.training.settings import run_settings
from tests.benchmarks import nash


@pytest.mark.parametrize("name", nash.GAMES)
def test_every_preset_is_sound_and_differs_in_the_algorithm_alone(name: str) -> None:
    game, own = envs.game(name), ("algorithm", "advantage", "mmd", "preset")
    kept = [run_settings.load(game, preset, nash.SETTINGS) for preset in nash.PRESETS]
    assert len({(str(one["algorithm"]), str(one["advantage"]), str(one["mmd"])) for one in kept}) == len(kept)
    shared = [{key: value for key, value in one.items() if key not in own} for one in kept]
    assert all(one == shared[0] for one in shared)


def test_a_run_that_goes_on_keeps_the_policies_that_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, seen = tmp_path / "mnk-ppo-1", dict[str, Any]()
    folder.mkdir()
    for name in ("checkpoint.pt", "20.onnx", "40.onnx"):
        (folder / name).touch()
    monkeypatch.setattr(nash, "train", lambda plan, callbacks: seen.update(plan=plan, callbacks=callbacks))
    nash.policies(tmp_path, nash.SETTINGS, "mnk", "ppo", 1, 100)
    assert seen["plan"].resume
    assert seen["callbacks"][0].points == [60, 80]


def test_a_folder_of_longer_runs_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results.jsonl").write_text('{"game": "war", "seed": 1, "timesteps": 9}\n{"timesteps": 5}\n')
    monkeypatch.setattr(sys, "argv", ["nash", "--out", str(tmp_path), "--timesteps", "8"])
    with pytest.raises(SystemExit):
        nash.main()
    assert "had 9 decisions, not 8: choose another --out" in capsys.readouterr().err


def test_the_table_has_the_mean_over_seeds_with_its_interval() -> None:
    its = {"game": "war", "timesteps": 9}
    known = [{**its, "preset": "ppo", "nash_conv": value} for value in (0.1, 0.2, 0.3)]
    known += [{**its, "preset": "mmd", "nash_conv": 0.5}, {**its, "preset": "mmd", "timesteps": 3, "nash_conv": 9.0}]
    [line] = [line for line in nash.table(known).splitlines() if line.startswith("| War")]
    # Student's t with two degrees of freedom is 4.303: 4.303 * 0.1 / sqrt(3)
    assert [cell.strip() for cell in line.strip("|").split("|")] == ["War", "0.200 ± 0.248", "0.500", "–", "–"]
