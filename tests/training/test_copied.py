"""Runs that begin with the weights of a policy's file."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import helper

from kozyr import envs
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.condensed_loops import rate_all
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.export import load_weights
from kozyr.training.export.condense import condense
from kozyr.training.learners.network import Logits
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, TINY, drawn, edited, positions

BOARD = TINY.replace("m = 3\nn = 3\nk = 3", "m = 5\nn = 5\nk = 4").replace("trunk = [16]", "trunk = [8]\npatterns = 8")
DURAK = TINY.replace("m = 3\nn = 3\nk = 3", "deck = 36").replace("[default.net]", "[default.net]\nturned = true")
SUITED = DAIFUGO.replace("players = 3", 'rules = "uecda"\nrounds = 2')
OF = {
    "mnk": TINY.partition("[wide")[0],
    "board": BOARD.partition("[wide")[0],
    "durak": DURAK.replace("easy = 1", "low = 1").partition("[wide")[0],
    "daifugo": DAIFUGO.replace("[default.net]", "[default.net]\nlevels = 5"),
    "composed": SUITED.replace("[default.net]", "[default.net]\ncomposed = true"),
    "unseen": SUITED.replace("[default.net]", '[default.net]\nunseen = ["left", "total"]'),
}


@pytest.mark.parametrize("network", OF)
def test_a_copy_rates_all_actions_as_the_file_does(tmp_path: Path, network: str) -> None:
    name = {"board": "mnk", "composed": "daifugo", "unseen": "daifugo"}.get(network, network)
    first = drawn(tmp_path, name, OF[network])
    policy = OnnxPolicy(tmp_path / "policy.onnx")
    (tmp_path / "second").mkdir()
    second = Logits(drawn(tmp_path / "second", name, OF[network]).model.policy)
    views = torch.tensor(positions(64, 3, name, **first.game.options(first.variant)).views)
    with torch.no_grad():
        due = Logits(first.model.policy)(views)
        for weights in second.parameters():
            weights.neg_()
        assert not torch.allclose(second(views), due)
        load_weights.take(second, policy, {})
        assert torch.equal(second(views), due)


@pytest.mark.parametrize("network", ["board", "daifugo"])
def test_weights_have_the_names_of_the_state_dict_and_older_files_are_read_by_order(
    tmp_path: Path, network: str
) -> None:
    run = drawn(tmp_path, "mnk" if network == "board" else network, OF[network])
    logits, path = Logits(run.model.policy), tmp_path / "policy.onnx"
    model = onnx.load(path)
    names = [one.name for one in model.graph.initializer]
    assert {name for name, _ in logits.named_parameters()} <= set(names)
    older = {name: f"c{number}" for number, name in enumerate(names)}  # as files were written before
    for one in model.graph.initializer:
        one.name = older[one.name]
    for node in model.graph.node:
        node.input[:] = [older.get(name, name) for name in node.input]
    onnx.save(model, path)
    due = {name: weights.clone() for name, weights in logits.state_dict().items()}
    with torch.no_grad():
        for weights in logits.parameters():
            weights.neg_()
    load_weights.take(logits, OnnxPolicy(path), {})
    assert all(torch.equal(weights, due[name]) for name, weights in logits.named_parameters())


@pytest.mark.parametrize("network", ["mnk", "daifugo", "composed", "unseen"])
def test_a_copy_rates_all_actions_as_the_small_file_does(tmp_path: Path, network: str) -> None:
    name = "mnk" if network == "mnk" else "daifugo"
    first = drawn(tmp_path, name, OF[network])
    first.save()
    condense(tmp_path, tmp_path / "small.npz")
    small = CondensedPolicy(tmp_path / "small.npz")
    (tmp_path / "second").mkdir()
    second = Logits(drawn(tmp_path / "second", name, OF[network]).model.policy)
    views = positions(64, 3, name, **first.game.options(first.variant)).views
    due = np.zeros((64, first.game.actions(first.variant)))
    rate_all(small.net, views, due)
    with torch.no_grad():
        for weights in second.parameters():
            weights.neg_()
        load_weights.take(second, small, first.settings)
        rated = second(torch.tensor(views)).numpy()
    np.testing.assert_allclose(rated, due, atol=5e-3 * due.std())  # the file keeps three digits of each weight
    assert due.std() > 0.01


def test_another_small_network_is_refused(tmp_path: Path) -> None:
    run = drawn(tmp_path, "daifugo", OF["daifugo"])
    run.save()
    condense(tmp_path, tmp_path / "small.npz")
    small = CondensedPolicy(tmp_path / "small.npz")
    for key, value in (("levels", 0), ("levels", 2), ("trunk", [8]), ("heads", [8, 8]), ("activation", "tanh")):
        given = {**run.settings, "net": {**run.settings["net"], key: value}}
        logits = Logits(_with(run, key, value, tmp_path).model.policy)
        with pytest.raises(ValueError, match=r"small\.npz is another than that of .*default\]: choose the"):
            load_weights.take(logits, small, given)
    lines = {**run.settings, "net": {**run.settings["net"], "patterns": 8}}
    with pytest.raises(ValueError, match=r"is another than that of .*default\]"):
        load_weights.take(Logits(run.model.policy), small, lines)


def test_a_run_begins_with_a_small_file(tmp_path: Path) -> None:
    drawn(tmp_path, "daifugo", OF["daifugo"]).save()
    condense(tmp_path, tmp_path / "small.npz")
    start, tiny = tmp_path / "small.npz", tmp_path / "tiny.toml"
    tiny.write_text(OF["daifugo"])
    lessons = {"teacher": str(start), "decisions": 64, "critic_only": True}
    train(RunPlan("daifugo", out=tmp_path / "run", settings=tiny, imitation=lessons, start=start))
    tables = positions(200, 5)
    run, small = OnnxPolicy(tmp_path / "run" / "policy.onnx"), CondensedPolicy(start)
    mine, theirs = (one.act_batch(tables.views, tables.masks) for one in (run, small))
    assert (mine == theirs).mean() > 0.98


def test_another_network_or_variant_or_game_is_refused(tmp_path: Path, finished: Path) -> None:
    start = finished / "policy.onnx"
    deep = edited(tmp_path / "deep.toml", "heads = [8]", "heads = [8, 8]")
    with pytest.raises(ValueError, match=r"is another than that of .*default\]: choose the --preset"):
        train(RunPlan("mnk", out=tmp_path / "deep", settings=deep, start=start))
    with pytest.raises(ValueError, match="cannot play with m=4: its view or its actions are others"):
        train(RunPlan("mnk", out=tmp_path / "wide", settings=tmp_path / "tiny.toml", options={"m": 4}, start=start))
    with pytest.raises(ValueError, match="is for mnk_v0, not for durak_v0"):
        train(RunPlan("durak", out=tmp_path / "durak", start=start))
    with pytest.raises(ValueError, match="the engine rllib does not begin"):
        train(RunPlan("mnk", out=tmp_path / "rllib", start=start), engine=Run)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"there is no .*mine\.onnx: a run begins with a policy\.onnx, an \.npz, or the"
    ):
        train(RunPlan("mnk", out=tmp_path / "run", start=tmp_path / "mine.onnx"))
    assert not (tmp_path / "run").exists()


def test_a_network_that_reads_other_parts_is_refused(tmp_path: Path) -> None:
    run = drawn(tmp_path, "daifugo", OF["unseen"])
    policy = OnnxPolicy(tmp_path / "policy.onnx")
    with pytest.raises(ValueError, match=r"is another than that of .*default\]"):
        load_weights.take(Logits(_with(run, "unseen", ["left"], tmp_path).model.policy), policy, run.settings)


@pytest.mark.parametrize("told", [True, False])  # files from before 0.2 do not tell what is not read
def test_a_copy_is_trained_where_only_what_it_does_not_read_differs(
    told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_weights, "_LESSONS", 64)
    drawn(tmp_path, "daifugo", OF["unseen"])
    start, tiny, run = tmp_path / "policy.onnx", tmp_path / "tiny.toml", tmp_path / "run"
    tiny.write_text(OF["unseen"])
    if not told:
        model = onnx.load(start)
        helper.set_model_props(model, {one.key: one.value.replace('"unseen"', '"x"') for one in model.metadata_props})
        onnx.save(model, start)
    against = str(start if told else run / load_weights._START)
    content = train(RunPlan("daifugo", out=run, settings=tiny, options={"rounds": 3}, against=against, start=start))
    assert content["options"]["rounds"] == 3
    frozen, policy = OnnxPolicy(against), OnnxPolicy(start)
    assert frozen.variant.rounds == (2 if told else 3)
    tables = positions(64, 40, "daifugo", **policy.game.options(policy.variant))
    mine, theirs = (one.act_batch(tables.views, tables.masks) for one in (frozen, policy))
    np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(ValueError, match=r"cannot play with revolution=False: its view or its actions are others"):
        train(RunPlan("daifugo", out=tmp_path / "b", settings=tiny, options={"revolution": False}, start=start))
    assert train(RunPlan("daifugo", out=run, options={"rounds": 3}, resume=True, timesteps=512))["timesteps"] == 512


def test_first_the_critic_learns_alone_and_then_the_copy(
    tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, tiny = finished / "policy.onnx", tmp_path / "tiny.toml"
    due, views = OnnxPolicy(start), positions(32, 2, "mnk", m=3, n=3, k=3).views
    lessons = {"teacher": str(start), "decisions": 300, "critic_only": True}
    copy = tmp_path / "copy"
    train(RunPlan("mnk", out=copy, settings=tiny, imitation=lessons, start=start))
    np.testing.assert_array_equal(OnnxPolicy(copy / "policy.onnx")._run(views), due._run(views))
    before, after = (_critic(folder) for folder in (_fresh(tmp_path), copy))
    assert not torch.equal(before, after)
    monkeypatch.setattr(load_weights, "_LESSONS", 200)
    content = train(RunPlan("mnk", out=tmp_path / "more", settings=tiny, timesteps=256, start=start))
    assert (content["imitated"], content["timesteps"]) == (256, 256)
    assert not np.array_equal(OnnxPolicy(tmp_path / "more" / "policy.onnx")._run(views), due._run(views))
    kept = checkpoint.load(tmp_path / "more")["settings"]["imitation"]
    assert kept["critic_only"]
    assert kept["teacher"] == str(start)


def test_a_critic_waits_for_the_first_episode_to_end(tmp_path: Path) -> None:
    drawn(tmp_path, "durak", OF["durak"])
    path = tmp_path / "short.toml"
    path.write_text(OF["durak"].replace("n_steps = 16", "n_steps = 2").replace("batch_size = 64", "batch_size = 16"))
    lessons = {"teacher": "low", "decisions": 16, "critic_only": True}
    run = tmp_path / "run"
    assert (
        train(RunPlan("durak", out=run, settings=path, imitation=lessons, start=tmp_path / "policy.onnx"))["imitated"]
        == 16
    )


def _fresh(tmp_path: Path) -> Path:
    """Return the folder of a run of the same seed that has not learned anything."""
    game = envs.game("mnk")
    given = run_settings.load(game, "default", tmp_path / "tiny.toml")
    (tmp_path / "fresh").mkdir()
    run = Run(game, game.make_variant(**given["variant"]), given, tmp_path / "fresh")
    run.save()
    return tmp_path / "fresh"


def _critic(folder: Path) -> torch.Tensor:
    return checkpoint.load(folder)["policy"]["value_net.weight"]


def _with(run: Run, key: str, value: object, tmp_path: Path) -> Run:
    """Return a run like another whose network differs in a key."""
    return Run(run.game, run.variant, {**run.settings, "net": {**run.settings["net"], key: value}}, tmp_path)
