"""Expert iteration: rounds that pay and do not, a stop on the way, and weights that go on from round to round."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from kozyr.training.cli import app
from kozyr.training.imitation import expert_iteration
from kozyr.training.imitation.expert_iteration import Plan, Round, best, iterate
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.docs.test_json import wrong
from tests.training.tiny import TINY

LESSONS = '[default.imitation]\nteacher = "easy"\ndecisions = 512\n'


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.partition("[wide")[0] + LESSONS)
    return Plan("mnk", tmp_path / "out", settings=path, search="pimc@2", rounds=2, decisions=256, deals=8)


def weights(folder: Path) -> torch.Tensor:
    return checkpoint.load(folder)["policy"]["action_net.weight"]


def test_a_round_begins_with_the_weights_of_the_one_before(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Round, "pays", property(lambda _: True))
    starts = list[tuple[str, Any]]()

    def watched(plan: RunPlan) -> dict[str, Any]:
        starts.append(((plan.imitation or {}).get("teacher", ""), plan.start))
        return train(plan)

    monkeypatch.setattr(expert_iteration, "train", watched)
    done = iterate(plan)
    first, one = plan.out / "first", plan.out / "round-1"
    assert starts == [
        ("", None),
        (f"pimc@2+{first / 'policy.onnx'}", first),
        (f"pimc@2+{one / 'policy.onnx'}", one),
    ]
    assert [(it.number, it.decisions) for it in done] == [(1, 256), (2, 256)]
    assert [row["against"] for row in done[0].results] == ["random"]
    assert best(plan, done) == plan.out / "round-2" / "policy.onnx"
    far, near = (weights(plan.out / "round-2") - weights(first)).norm(), (weights(one) - weights(first)).norm()
    fresh = torch.randn_like(weights(first)).norm()
    assert 0 < near < fresh
    assert 0 < far < fresh


def test_it_ends_with_the_first_round_that_does_not_pay(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Round, "pays", property(lambda it: it.number < 1))
    done = iterate(replace(plan, rounds=5))
    assert [it.number for it in done] == [1]
    assert best(plan, done) == plan.out / "first" / "policy.onnx"
    assert iterate(replace(plan, rounds=5)) == done


def test_a_round_pays_if_its_interval_is_above_a_half() -> None:
    it = Round(1, "", 1, 1.0, 0.55, 0.501, 0.6, [])
    assert it.pays
    assert not replace(it, low=0.5).pays


def test_a_stopped_iteration_goes_on_where_it_was(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Round, "pays", property(lambda _: True))

    def stopped(*args: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(expert_iteration, "match", stopped)
        with pytest.raises(KeyboardInterrupt):
            iterate(plan)
    assert (plan.out / "round-1" / "run.json").is_file()
    assert json.loads((plan.out / expert_iteration.NAME).read_text())["rounds"] == []
    done = iterate(plan)
    assert [it.number for it in done] == [1, 2]
    (plan.out / expert_iteration.NAME).write_text('{"how": 3}')
    with pytest.raises(ValueError, match=r"iteration.json is damaged \(Expected `object`, got `int`"):
        iterate(plan)


def test_rounds_that_were_asked_for_otherwise_are_not_taken_for_ones_own(plan: Plan) -> None:
    [done] = iterate(replace(plan, rounds=1))
    assert iterate(replace(plan, rounds=1)) == [done]
    others: list[tuple[dict[str, Any], str]] = [
        ({"search": "pimc@3"}, "search = 'pimc@2'"),
        ({"seed": 99, "learning_rate": 9.0}, "seed = 1, learning_rate = None"),
        ({"start": Path("nowhere.onnx")}, "start = ''"),
        ({"first": "hard"}, "first = None"),
        ({"options": {"m": 9}}, "options = {}"),
        ({"game": "durak", "settings": None}, "game = 'mnk', settings = "),
    ]
    for other, words in others:
        with pytest.raises(ValueError, match=rf"were made with {words}.*: choose another folder"):
            iterate(replace(plan, rounds=1, **other))


def test_a_first_policy_has_one_origin(plan: Plan) -> None:
    with pytest.raises(ValueError, match="give one of the two"):
        iterate(replace(plan, first="easy", start=Path("mine.onnx")))
    assert not plan.out.exists()


def test_the_command_prints_what_the_page_says(plan: Plan) -> None:
    given = ["--settings", str(plan.settings), "--out", str(plan.out), "--search", "pimc@2", "--rounds", "1"]
    asked = ["iterate", "mnk", *given, "--decisions", "128", "--deals", "4"]
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert "The best policy is" in shown.stdout
    again = CliRunner().invoke(app, [*asked, "--json"])
    assert wrong(json.loads(again.stdout), "kozyr iterate") == []


@pytest.mark.parametrize(
    ("search", "words"), [("pimcc", "unknown agent 'pimcc"), ("ismcts@2", "guide"), ("pimc@0", "^'pimc@0': the budget")]
)
def test_a_search_that_cannot_teach_is_refused_before_the_first_lesson(plan: Plan, search: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        iterate(replace(plan, search=search))
    assert not list(plan.out.iterdir())


def test_a_run_of_ones_own_is_the_first_policy(plan: Plan) -> None:
    start = plan.out.parent / "mine"
    train(RunPlan("mnk", out=start, settings=plan.settings, timesteps=128))
    done = iterate(replace(plan, start=start, rounds=1))
    assert done[0].teacher == f"pimc@2+{start / 'policy.onnx'}"
    assert not (plan.out / "first").exists()
    named = torch.load(start / checkpoint.NAME, weights_only=True)
    named["settings"]["opponents"]["bots:Mine"] = 1.0
    torch.save(named, start / checkpoint.NAME)
    with pytest.raises(ValueError, match="bots:Mine"):
        train(RunPlan("mnk", out=plan.out.parent / "another", start=start))
    with pytest.raises(ValueError, match=r"there is no .*nothing: a run begins with a policy\.onnx"):
        iterate(replace(plan, out=plan.out.parent / "other", start=plan.out.parent / "nothing"))


@pytest.mark.long
def test_a_policy_of_a_file_is_the_first_one_and_then_learns(plan: Plan, tmp_path: Path) -> None:
    train(RunPlan("mnk", out=tmp_path / "mine", settings=plan.settings, timesteps=128))
    start = tmp_path / "mine" / "policy.onnx"
    iterate(replace(plan, start=start, rounds=1))
    mine, first, taught = (weights(folder) for folder in (tmp_path / "mine", plan.out / "first", plan.out / "round-1"))
    assert torch.equal(first, mine)
    assert not torch.equal(taught, first)
