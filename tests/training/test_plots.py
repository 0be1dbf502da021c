"""Learning curves: what is drawn of records, what page and picture hold, and errors for what cannot be drawn."""

import json
import re
import struct
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kozyr.agents.statistics.interquartile import stratified_bootstrap
from kozyr.training.cli import app
from kozyr.training.plots import curves, figure, page, write
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train

EVIL = "<script>alert(1)</script> & $x$"


def record(folder: Path, seed: int = 1, **more: Any) -> Path:
    """Write the record of a run that was evaluated three times against two agents, the better the higher its seed."""
    rows = [
        {"timesteps": 1000 * k, "trained_seconds": 2.0 * k + seed, "against": name, "deals": 10}
        | {"score": 0.2 * k + 0.01 * seed + off, "low": 0.2 * k + off, "high": 0.2 * k + 0.1 + off}
        for k in (1, 2, 3)
        for name, off in (("low", 0.0), ("<i>high</i>", 0.1))
    ]
    folder.mkdir(parents=True, exist_ok=True)
    content = {"game": "durak_v0", "options": {"deck": 36}, "seed": seed, "evaluations": rows, **more}
    (folder / curves.RECORD).write_text(json.dumps(content), encoding="utf-8")
    return folder


def several(folder: Path, seeds: int) -> Path:
    for seed in range(1, seeds + 1):
        record(folder / f"seed-{seed}", seed)
    return folder


def command(*arguments: Any, code: int = 0) -> Any:
    done = CliRunner(env={"COLUMNS": "300", "KOZYR_DEBUG": ""}).invoke(app, ["plot", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


def test_a_point_is_over_all_seeds(tmp_path: Path) -> None:
    every = curves.curves([several(tmp_path / "mine", 5)])
    assert [(one.name, one.against, list(one.seeds)) for one in every] == [
        ("mine", "low", [1, 2, 3, 4, 5]),
        ("mine", "<i>high</i>", [1, 2, 3, 4, 5]),
    ]
    assert [one.decisions for one in every[0].points] == [1000, 2000, 3000]
    assert [one.seconds for one in every[0].points] == [5.0, 7.0, 9.0]
    for k, point in enumerate(every[0].points, 1):
        assert point.score == pytest.approx(stratified_bootstrap([0.2 * k + 0.01 * seed for seed in range(1, 6)]))


def test_one_seed_has_the_interval_of_its_deals_and_two_have_their_range(tmp_path: Path) -> None:
    [one, _] = curves.curves([record(tmp_path / "one")])
    assert one.points[0].score == pytest.approx((0.21, 0.2, 0.3))
    assert "one seed" in one.text
    [two, _] = curves.curves([several(tmp_path / "two", 2)])
    assert two.points[0].score == pytest.approx((0.215, 0.21, 0.22))
    assert "two seeds" in two.text
    assert [len(points) for points in two.seeds.values()] == [3, 3]


def test_a_line_ends_with_the_seed_that_has_not_come_as_far(tmp_path: Path) -> None:
    folder = several(tmp_path / "mine", 3)
    rows = json.loads((folder / "seed-2" / curves.RECORD).read_text())["evaluations"]
    record(folder / "seed-2", 2, evaluations=rows[:2])
    record(folder / "seed-4", 4, evaluations=[])
    every = curves.curves([folder])
    assert [list(one.seeds) for one in every] == [[1, 2, 3]] * 2
    assert [len(one.points) for one in every] == [1, 1]
    assert command(folder).stderr.startswith("mine: seed 2 has 1 evaluations and others have up to 3")


def test_of_two_evaluations_after_as_many_decisions_the_last_counts(tmp_path: Path) -> None:
    row = {"trained_seconds": 1.0, "against": "low", "low": 0.0, "high": 1.0}
    rows = [{**row, "timesteps": n, "score": score} for n, score in ((100, 0.1), (200, 0.5), (200, 0.6))]
    [curve] = curves.curves([record(tmp_path / "run", evaluations=rows)])
    assert [(point.decisions, point.score.value) for point in curve.points] == [(100, 0.1), (200, 0.6)]


def data(path: Path) -> Any:
    [found] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"))
    return json.loads(found)


def test_the_page_has_all_values_and_fetches_nothing(tmp_path: Path) -> None:
    folders = [several(tmp_path / "mine", 5), several(tmp_path / "other", 1), record(tmp_path / "a" / "mine")]
    command(*folders, "--out", tmp_path / "out" / "curves.html", "--by", "time")
    text = (tmp_path / "out" / "curves.html").read_text("utf-8")
    found = data(tmp_path / "out" / "curves.html")
    assert found["by"] == "time"
    assert found["names"] == [f"{tmp_path.name}/mine", f"{tmp_path.name}/other", "a/mine"]
    assert [one["against"] for one in found["panels"]] == ["low", "<i>high</i>"]
    assert found["unit"] == {"words": "seconds of training, without evaluations", "short": "seconds", "seconds": 1.0}
    lines = found["panels"][0]["curves"]
    assert [(one["line"], len(one["points"]), len(one["seeds"])) for one in lines] == [(0, 3, 5), (1, 3, 1), (2, 3, 1)]
    middle = mean(0.2 + 0.01 * seed for seed in (2, 3, 4))
    assert lines[0]["points"][0][:3] == pytest.approx([1000, 5.0, middle])
    assert "durak_v0 deck=36" in text
    assert "interquartile mean of 5 seeds" in text
    assert len(re.findall("<tr><td>", text)) == 2 * 3 * 3
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|<link|@import|url\(", text)
    assert "default-src 'none'" in text


def test_names_are_escaped(tmp_path: Path) -> None:
    folder = record(tmp_path / EVIL.replace("/", "⁄"), evaluations=[
        {"timesteps": 1, "trained_seconds": 1.0, "against": EVIL, "score": 0.5, "low": 0.4, "high": 0.6}
    ])  # fmt: skip
    every = curves.curves([folder])
    text = page.page(EVIL, every)
    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;alert") >= 3
    figure.draw(tmp_path / "x.png", EVIL, every)  # a formula between dollars would be an error
    assert (tmp_path / "x.png").is_file()


@pytest.mark.parametrize("by", write.BY)
def test_the_picture_has_a_panel_for_each_opponent(tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    kept, save = list[Figure](), Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *more, **how: (kept.append(self), save(self, *more, **how))[1])
    command(several(tmp_path / "mine", 3), record(tmp_path / "other"), "--by", by, "--out", tmp_path / "x.PNG")
    wide, tall = struct.unpack(">II", (tmp_path / "x.PNG").read_bytes()[16:24])
    assert (wide, tall) == (1536, 552)
    [drawn] = kept
    assert [axes.get_title() for axes in drawn.axes] == ["against low", "against <i>high</i>"]
    legend: Any = drawn.axes[0].get_legend()
    assert [one.get_text() for one in legend.get_texts()] == ["mine", "other"]
    lines = drawn.axes[0].get_lines()
    assert len(lines) == 1 + 3 + 1  # the mean, its seeds, and a run that is alone
    assert list(np.asarray(lines[0].get_xdata())) == ([1000, 2000, 3000] if by == "decisions" else [4.0, 6.0, 8.0])
    assert list(np.asarray(lines[0].get_ydata())) == pytest.approx([22.0, 42.0, 62.0])
    assert drawn.axes[0].get_xlabel() == {"decisions": "decisions of the learner"}.get(
        by, "seconds of training, without evaluations"
    )


def test_a_run_that_goes_on_is_drawn_from_its_checkpoint(finished: Path) -> None:
    path = finished / curves.RECORD
    [before] = curves.curves([finished])
    path.unlink()
    [curve] = curves.curves([finished])
    assert [one.decisions for one in curve.points] == [256]  # the last evaluation is of the exported file
    train(RunPlan("mnk", out=finished, resume=True))
    [again] = curves.curves([finished])
    assert [one.score for one in again.points] == [one.score for one in before.points]


def test_scores_that_do_not_change_are_drawn(tmp_path: Path) -> None:
    row = {"trained_seconds": 0.0, "against": "low", "score": 1.0, "low": 1.0, "high": 1.0, "timesteps": 0}
    every = curves.curves([record(tmp_path / "run", evaluations=[row])])
    low, high = curves.limits(every)
    assert low < 1 < high
    figure.draw(tmp_path / "x.png", "one", every)


def test_names_are_as_short_as_they_may_be() -> None:
    assert curves.short_names([Path("/a/b/x"), Path("/a/b/y")]) == ["x", "y"]
    assert curves.short_names([Path("/a/b/x"), Path("/a/c/x")]) == ["b/x", "c/x"]


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    mine = record(tmp_path / "mine")
    (tmp_path / "empty").mkdir()
    broken = record(tmp_path / "broken")
    (broken / curves.RECORD).write_text('{"game": "durak_v0"')
    wrong = record(tmp_path / "wrong", seed=-1)
    twice = several(tmp_path / "twice", 2)
    record(twice / "seed-3", 2)
    for words, arguments in {
        "there is no run in .*empty: name the folder of a run": [tmp_path / "empty"],
        "there is no run in .*nowhere": [mine, tmp_path / "nowhere"],
        "the run in .*none has no evaluations yet": [record(tmp_path / "none", evaluations=[])],
        "mine trains durak_v0 and .*mnk mnk_v0: compare runs of one game": [
            mine,
            record(tmp_path / "mnk", game="mnk_v0"),
        ],
        "trains deck=36 and .*52 52: compare runs of one variant": [
            mine,
            record(tmp_path / "52", options={"deck": 52}),
        ],
        "a folder is named twice": [mine, mine],
        "run.json is damaged: this is not JSON": [broken],
        r"run.json is damaged: Expected `int` >= 0 - at `\$.seed`": [wrong],
        "two runs in .*twice have the same seed": [twice],
        "x.gif is not allowed: its name ends with .html or with .png": [mine, "--out", tmp_path / "x.gif"],
        "by='epochs' is not allowed: choose one of 'decisions', 'time'": [mine, "--by", "epochs"],
    }.items():
        assert re.search(words, command(*arguments, code=2).stderr), words
    assert not list(tmp_path.rglob("*.html"))


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = record(tmp_path / "mine")
    for name in ("matplotlib.figure", "matplotlib.ticker"):
        monkeypatch.setitem(sys.modules, name, None)
    words = command(mine, "--out", tmp_path / "x.png", code=1).stderr
    assert "a picture needs matplotlib: pip install" in words
    command(mine)  # a page needs none
