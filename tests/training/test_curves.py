"""The benchmark of learning curves: it trains once, and orders what the runs have measured."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kozyr import envs
from kozyr.training.settings import run_settings
from tests.benchmarks import curves, exploiters
from tests.training.tiny import TINY

MINE = TINY.replace("[default]\n", "[mnk]\n").replace("[default.", "[mnk.").partition("[wide")[0]
MMD = '[mnk_mmd]\nlike = "mnk"\nalgorithm = "mmd"\n'


def called(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> None:
    monkeypatch.setattr(sys, "argv", ["curves", *map(str, arguments)])
    curves.main()


@pytest.mark.parametrize("path", [curves.SETTINGS, exploiters.SETTINGS], ids=lambda path: path.stem)
def test_every_preset_is_sound_and_differs_in_the_algorithm_alone(path: Path) -> None:
    own = ("algorithm", "advantage", "mmd", "preset")
    for name in curves.GAMES:
        game, kept, told = envs.game(name), list[dict[str, Any]](), set[tuple[str, ...]]()
        for algorithm in curves.NAMES:
            given = run_settings.load(game, curves.preset(name, algorithm), path)
            assert len(given["evaluation"]["against"]) == 1
            if path == exploiters.SETTINGS:
                assert [one for one, share in given["opponents"].items() if share] == ["self"]
            kept.append({key: x for key, x in given.items() if key not in own})
            told.add((str(given["algorithm"]), str(given["advantage"]), str(given["mmd"])))
        assert all(one == kept[0] for one in kept)
        assert len(told) == len(curves.NAMES)


def test_runs_are_made_once_and_their_evaluations_become_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(MINE + MMD)
    asked = ("mnk", "--out", tmp_path / "out", "--settings", tmp_path / "mine.toml", "--times")
    called(monkeypatch, *asked, 1)
    known = json.loads((tmp_path / "out" / "curves.json").read_text())["rows"]
    assert [(row["algorithm"], row["timesteps"]) for row in known] == [
        (name, n) for name in ("ppo", "mmd") for n in (256, 512)
    ]
    for name in ("ppo", "mmd"):
        [run] = curves.by_seed(known, "mnk", name)
        seconds = [row["trained_seconds"] for row in run]
        assert 0 < seconds[0] <= seconds[1]
    assert all(0 < row["core_seconds"] <= row["trained_seconds"] for row in known)
    assert (tmp_path / "out" / "learning_curves.webp").read_bytes()[8:12] == b"WEBP"
    monkeypatch.setattr(curves, "train", None)  # would be called for a run that is not there
    called(monkeypatch, *asked, 1)
    assert json.loads((tmp_path / "out" / "curves.json").read_text())["rows"] == known
    monkeypatch.undo()
    called(monkeypatch, *asked, 1, "--algorithms", "ppo", "--seeds", 2)
    several = json.loads((tmp_path / "out" / "curves.json").read_text())["rows"]
    assert [row["seed"] for row in several] == [1, 1, 1, 1, 2, 2]
    assert several[-1]["score"] != several[1]["score"]  # the runs differ
    with pytest.raises(SystemExit):
        called(monkeypatch, *asked, 2)


def row(n: int, seconds: float, score: float, **more: Any) -> dict[str, Any]:
    """Return a row with an interval of ± 2."""
    known = {"game": "war", "algorithm": "ppo", "against": "high_first", "seed": 1}
    known |= {"timesteps": n, "core_seconds": seconds, "score": score}
    return {**known, "low": score - 0.02, "high": score + 0.02, **more}


def test_tables_take_the_last_score_before_a_place() -> None:
    known = [row(10**6, 30.0, 0.2), row(2 * 10**6, 61.0, 0.4), row(3 * 10**6, 121.0, 0.6), row(5 * 10**6, 240.0, 0.7)]
    [line] = curves.table(known).splitlines()[2:]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[3:] == ["20.0 ± 2.0", "40.0 ± 2.0", "60.0 ± 2.0", "70.0 ± 2.0"]
    assert curves.costs(known).splitlines()[2] == "| War | PPO | 1 | 5.00 M | 4.0 | 20,833 |"
    slow = [row(2 * 10**6, 50.0, 0.3, algorithm="mmd"), row(5 * 10**6, 100.0, 0.5, algorithm="mmd")]
    lines = [line.strip("|").split("|") for line in curves.by_time([*known, *slow]).splitlines()[2:]]
    assert [[cell.strip() for cell in line[1:]] for line in lines] == [
        ["0.8", "20.0 ± 2.0", "30.0 ± 2.0"],
        ["1.2", "40.0 ± 2.0", "30.0 ± 2.0"],
        ["1.7", "40.0 ± 2.0", "50.0 ± 2.0"],
    ]


def test_of_several_runs_it_is_the_mean_with_the_interval_over_runs(tmp_path: Path) -> None:
    known = [row(10**6, 50.0 + seed, 0.2 + 0.02 * seed, seed=seed) for seed in (1, 2, 3)]
    known += [row(2 * 10**6, 100.0 + 10 * seed, 0.5, seed=seed) for seed in (1, 2, 3)]
    [line] = curves.table(known).splitlines()[2:]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    # Student's t with two degrees of freedom is 4.303: 4.303 * 2 points / sqrt(3)
    assert cells[3:] == ["–", "24.0 ± 5.0", "24.0 ± 5.0", "50.0 ± 0.0"]
    assert curves.costs(known).splitlines()[2] == "| War | PPO | 3 | 2.00 M | 2.0 | 16,667 |"
    times = [line.strip("|").split("|")[1:] for line in curves.by_time(known).splitlines()[2:]]
    assert [[cell.strip() for cell in line] for line in times] == [
        ["1.0", "24.0 ± 5.0"],
        ["1.5", "24.0 ± 5.0"],
        ["2.0", "42.0 ± 34.4"],  # the third run is slower: it had 26 % by then
    ]
    curves.draw(tmp_path / "several.webp", known)
    assert (tmp_path / "several.webp").read_bytes()[8:12] == b"WEBP"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess"], "there is no game 'chess'; the games are durak"),
        (["war", "--seeds", 0], "--seeds must be at least 1, not 0"),
        (["war", "--times", 0], "--times must be above 0, not 0"),
        (["war", "--algorithms", "sac"], "invalid choice: 'sac'"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[Any],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        called(monkeypatch, *arguments, "--out", tmp_path)
    assert words in capsys.readouterr().err
