"""A search learns from its own games, round by round."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kozyr.training import mnk_evaluation
from kozyr.training.cli import app
from kozyr.training.imitation import search_lessons
from tests.docs.test_json import wrong


def plan(out: Path, **more: Any) -> search_lessons.Plan:
    usual: dict[str, Any] = {"rounds": 2, "games": 120, "nodes": 20, "epochs": 0.5, "deals": 1}
    return search_lessons.Plan("mnk", out, **usual | more)


def test_rounds_that_were_stopped_go_on_and_end_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = search_lessons.learn(plan(tmp_path / "whole"))
    kept, files = search_lessons.play_file, list[Path]()

    def torn(module: str, path: Path, *given: Any) -> int:
        if len(files) == 3:
            raise KeyboardInterrupt
        files.append(path)
        return kept(module, path, *given)

    monkeypatch.setattr(search_lessons, "play_file", torn)
    with pytest.raises(KeyboardInterrupt):
        search_lessons.learn(plan(tmp_path / "torn"))
    monkeypatch.setattr(search_lessons, "play_file", kept)
    rest = search_lessons.learn(plan(tmp_path / "torn"))
    assert [(one.score, one.positions, one.curve) for one in rest] == [
        (one.score, one.positions, one.curve) for one in whole
    ]
    for number in (1, 2):
        one, other = (
            mnk_evaluation.read(tmp_path / name / f"round-{number}" / search_lessons.RESULT)
            for name in ("whole", "torn")
        )
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name])
    assert (tmp_path / "whole" / search_lessons.CURVE).read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="choose another folder"):
        search_lessons.learn(plan(tmp_path / "torn", nodes=30))


def test_a_game_without_lessons_and_impossible_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no search of durak learns"):
        search_lessons.learn(search_lessons.Plan("durak", tmp_path))
    with pytest.raises(ValueError, match="games=0"):
        search_lessons.learn(plan(tmp_path / "none", games=0))
    assert not (tmp_path / "none").exists()


def test_the_command_prints_what_the_page_says(tmp_path: Path) -> None:
    asked = [
        "train-search",
        "mnk",
        "--rounds",
        "1",
        "--games",
        "2",
        "--nodes",
        "20",
        "--deals",
        "1",
        "--out",
        str(tmp_path),
    ]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0
    assert "value loss" in told.stdout
    again = CliRunner().invoke(app, [*asked, "--json"])
    assert wrong(json.loads(again.stdout), "kozyr train-search") == []
