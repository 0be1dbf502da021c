"""Training: settings, a whole small run, Ctrl-C and resume, checkpoints that are refused, the exported policy."""

import json
import pickle
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents.base import Agent
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training import checkpoint, settings
from kozyr.training.network import ACTIVATIONS, Logits
from kozyr.training.pool import TorchAgent
from kozyr.training.progress import Watch
from kozyr.training.run import Run, train

ROLLOUT = 8 * 16
TINY = """
[default]
timesteps = 512
num_tables = 8
n_steps = 16
batch_size = 64
n_epochs = 1
learning_rate = 1e-3
anneal = true
entropy = 0.01
clip = 0.2
gae_lambda = 0.95
gamma = 1
max_grad_norm = 0.5
value_weight = 0.5
threads = 1
seed = 3
snapshot_every = 1
pool_size = 2
[default.variant]
m = 3
n = 3
k = 3
[default.net]
trunk = [16]
heads = [8]
activation = "relu"
[default.opponents]
self = 1
snapshots = 1
easy = 1
[default.evaluation]
against = ["random"]
deals = 4
final_deals = 8
every = 256
seed = 1
[wide.variant]
m = 4
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture
def finished(tmp_path, tiny):
    train("mnk", out=tmp_path / "run", settings=tiny)
    return tmp_path / "run"


def edited(path, old, new):
    assert old in TINY
    path.write_text(TINY.replace(old, new))
    return path


@pytest.mark.parametrize("game", envs.games())
def test_the_settings_that_come_along_are_right(game):
    text = (Path(settings.__file__).parent / "configs" / f"{game}.toml").read_text()
    presets = tomllib.loads(text)
    assert {"default", "demo"} <= set(presets)
    for preset in presets:
        given = settings.load(envs.game(game), preset)
        named = {*given["opponents"], *given["evaluation"]["against"]}
        assert named <= {"self", "snapshots", *agents.names(game)}
        assert given["imitation"].get("teacher", "random") in [*agents.names(game), *agents.searchers(game)]


def test_a_preset_changes_what_it_names(tiny):
    mnk = envs.game("mnk")
    plain, wide = settings.load(mnk, "default", tiny), settings.load(mnk, "wide", tiny)
    assert wide["variant"] == {"m": 4, "n": 3, "k": 3}
    assert {**wide, "variant": None} == {**plain, "variant": None}
    assert isinstance(plain["gamma"], float)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("n_steps = 16", "n_step = 16", r"tiny.toml \[default\]: unknown key 'n_step'. Did you mean 'n_steps'\?"),
        ("n_steps = 16", "", "n_steps is missing"),
        ("n_steps = 16", "n_steps = 1.5", r"n_steps=1.5 is not allowed: n_steps is a whole number from 1"),
        ("anneal = true", "anneal = 1", "anneal=1 is not allowed: anneal is true or false"),
        ("learning_rate = 1e-3", "learning_rate = 0", "learning_rate is a number above 0"),
        ("learning_rate = 1e-3", "learning_rate = nan", "learning_rate=nan is not allowed"),
        ("gamma = 1\n", "gamma = 1.1\n", "gamma is a number from 0 to 1"),
        ("batch_size = 64", "batch_size = 256", "num_tables × n_steps = 128"),
        ("trunk = [16]", "trunk = [0]", r"net: trunk=\[0\] is not allowed: trunk is a list, each entry a whole number"),
        ('"relu"', '"gelu"', "activation is one of 'relu', 'tanh', 'silu'"),
        ("easy = 1", "easy = -1", "opponents: easy=-1 is not allowed"),
        ("self = 1\nsnapshots = 1\neasy = 1", "self = 0", "some weight must be above 0"),
        ("k = 3", "q = 3", r"variant: mnk: unknown variant field 'q'"),
        ("[default.net]", "[default.nett]", "unknown key 'nett'. Did you mean 'net'"),
        ("[default]", "[default", "is not valid TOML"),
    ],
)
def test_wrong_settings_are_named(tiny, old, new, words):
    with pytest.raises(ValueError, match=words):
        settings.load(envs.game("mnk"), "default", edited(tiny, old, new))


def test_unknown_presets_files_and_agents_are_named(tiny, tmp_path):
    with pytest.raises(ValueError, match="no preset 'quick': its presets are default, wide"):
        settings.load(envs.game("mnk"), "quick", tiny)
    with pytest.raises(ValueError, match="cannot be read"):
        settings.load(envs.game("mnk"), "default", tmp_path / "none.toml")
    with pytest.raises(ValueError, match="unknown agent 'harder' of mnk"):
        train("mnk", out=tmp_path / "run", settings=edited(tiny, "easy = 1", "harder = 1"))
    with pytest.raises(ValueError, match="timesteps=0 is not allowed"):
        train("mnk", out=tmp_path / "run", settings=tiny, timesteps=0)
    with pytest.raises(ValueError, match="mnk: k=5"):
        train("mnk", out=tmp_path / "run", settings=tiny, options={"k": 5})


def test_a_run_leaves_everything_behind(finished):
    kept = json.loads((finished / "run.json").read_text())
    assert (kept["timesteps"], kept["seed"], kept["game"]) == (512, 3, "mnk_v0")
    assert [row["timesteps"] for row in kept["evaluations"]] == [256, 512]
    assert [row["deals"] for row in kept["results"]] == [8]
    assert 0 <= kept["results"][0]["low"] <= kept["results"][0]["score"] <= kept["results"][0]["high"] <= 1.5
    assert kept["results"][0]["errors"] == 0
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert not list(finished.glob("*.part"))


def test_a_run_is_not_written_over(finished, tiny):
    before = (finished / "checkpoint.pt").read_bytes()
    with pytest.raises(ValueError, match=r"there is a run in .* already"):
        train("mnk", out=finished, settings=tiny)
    assert (finished / "checkpoint.pt").read_bytes() == before


def test_ctrl_c_loses_the_current_rollout_only(tmp_path, tiny, monkeypatch):
    on_step = Watch._on_step

    def interrupted(self):
        if self.num_timesteps >= 2 * ROLLOUT + 24:
            raise KeyboardInterrupt
        return on_step(self)

    monkeypatch.setattr(Watch, "_on_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train("mnk", out=tmp_path / "run", settings=tiny)
    monkeypatch.undo()
    kept = checkpoint.load(tmp_path / "run")
    assert kept["timesteps"] == 2 * ROLLOUT
    assert len(kept["pool"]["snapshots"]) == 2
    weights = kept["policy"]
    run = Run(envs.game("mnk"), envs.game("mnk").agree(m=3, n=3, k=3), kept["settings"], tmp_path / "run", kept)
    assert all(torch.equal(value, weights[name]) for name, value in run.model.policy.state_dict().items())
    moments = run.model.policy.optimizer.state_dict()["state"]
    assert torch.equal(moments[0]["exp_avg"], kept["optimizer"]["state"][0]["exp_avg"])
    content = train("mnk", out=tmp_path / "run", resume=True)
    assert content["timesteps"] == 512
    assert [row["timesteps"] for row in content["evaluations"]] == [256, 512]
    assert train("mnk", out=tmp_path / "run", resume=True, timesteps=600)["timesteps"] == 5 * ROLLOUT


def test_the_same_seed_trains_the_same_policy(tmp_path, tiny):
    for name in ("one", "two"):
        train("mnk", out=tmp_path / name, settings=tiny, timesteps=ROLLOUT)
    one, two = (checkpoint.load(tmp_path / name)["policy"] for name in ("one", "two"))
    assert all(torch.equal(value, two[name]) for name, value in one.items())


def test_foreign_checkpoints_are_refused(finished, tmp_path):
    content = checkpoint.load(finished)
    path = finished / "checkpoint.pt"
    with pytest.raises(ValueError, match="trains mnk_v0, not durak_v0"):
        train("durak", out=finished, resume=True)
    with pytest.raises(ValueError, match="another variant: m=3, not 4"):
        train("mnk", out=finished, resume=True, options={"m": 4})
    torch.save({**content, "game": "mnk_v7"}, path)
    with pytest.raises(ValueError, match="trains mnk_v7, not mnk_v0"):
        train("mnk", out=finished, resume=True)
    torch.save({**content, "view": [*content["view"][:-1], ["old", 0, 1, 1]]}, path)
    with pytest.raises(ValueError, match="another view of mnk_v0"):
        train("mnk", out=finished, resume=True)
    torch.save({"weights": 1}, path)
    with pytest.raises(ValueError, match="is no checkpoint"):
        train("mnk", out=finished, resume=True)
    path.write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match="cannot be read"):
        train("mnk", out=finished, resume=True)
    with pytest.raises(ValueError, match="there is no run to resume"):
        train("mnk", out=tmp_path / "nowhere", resume=True)


def positions(game, variant, n=200):
    """Return views and masks from random play."""
    tables = envs.make_tables(game.name, n, seed=4, **game.options(variant))
    luck = np.random.default_rng(0)
    for _ in range(6):
        tables.step(np.array([luck.choice(np.flatnonzero(mask)) for mask in tables.masks]))
    return tables.views.copy(), tables.masks.copy()


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_the_exported_policy_is_the_trained_one(tmp_path, tiny, activation):
    given = settings.load(envs.game("mnk"), "default", edited(tiny, "relu", activation))
    game = envs.game("mnk")
    variant = game.agree(**given["variant"])
    run = Run(game, variant, given, tmp_path)
    with torch.no_grad():
        for weights in run.model.policy.action_net.parameters():
            weights.normal_()
    run.finish()
    policy = OnnxPolicy(tmp_path / "policy.onnx")
    views, masks = positions(game, variant)
    actions = policy.act_batch(views, masks)
    theirs, _ = run.model.predict(views, action_masks=masks, deterministic=True)
    np.testing.assert_array_equal(actions, theirs)
    np.testing.assert_array_equal(
        actions, TorchAgent(Logits(run.model.policy), "", greedy=True).act_batch(views, masks)
    )
    assert len(set(actions.tolist())) > 1
    assert policy.act(views[0], masks[0]) == actions[0]


def test_a_policy_is_an_agent(finished):
    policy: Any = agents.load(str(finished / "policy.onnx"), game="mnk", m=3, n=3, k=3)
    assert isinstance(policy, Agent)
    assert isinstance(policy, OnnxPolicy)
    assert (policy.game.id, policy.name, policy.about["timesteps"]) == ("mnk_v0", "policy", 512)
    views, masks = positions(policy.game, policy.variant)
    again = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(again.act_batch(views, masks), policy.act_batch(views, masks))
    drawn = OnnxPolicy(finished / "policy.onnx", greedy=False)
    drawn.reset(0, 1)
    actions = drawn.act_batch(views, masks)
    assert masks[np.arange(len(masks)), actions].all()
    drawn.reset(0, 1)
    np.testing.assert_array_equal(drawn.act_batch(views, masks), actions)


def test_a_policy_is_refused_where_it_does_not_fit(finished, tmp_path):
    path = finished / "policy.onnx"
    with pytest.raises(ValueError, match="plays mnk_v0, not durak_v0"):
        agents.load(str(path), game="durak")
    with pytest.raises(ValueError, match="another variant of mnk_v0: m=3, not 15; n=3, not 15; k=3, not 5"):
        agents.load(str(path), game="mnk")
    with pytest.raises(ValueError, match="there is no policy"):
        OnnxPolicy(tmp_path / "none.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="cannot be read"):
        OnnxPolicy(tmp_path / "bad.onnx")
    data = path.read_bytes()
    for old, new, words in ((b"mnk_v0", b"mnk_v7", "which is not here"), (b'["mine"', b'["hers"', "another view")):
        assert old in data
        (tmp_path / "other.onnx").write_bytes(data.replace(old, new))
        with pytest.raises(ValueError, match=words):
            OnnxPolicy(tmp_path / "other.onnx")


def test_a_policy_plays_without_torch(finished):
    code = f"""
        import sys
        sys.modules.update(dict.fromkeys(("torch", "stable_baselines3", "sb3_contrib", "onnx")))
        from kozyr.agents.arena.match import match
        print(match("mnk", [{str(finished / "policy.onnx")!r}, "random"], 4, 0, m=3, n=3, k=3).agents[0].errors)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


def test_without_onnxruntime_the_extra_is_named(finished, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=r"kozyr\[policies\]"):
        OnnxPolicy(Path(finished / "policy.onnx"))


LESSONS = """
[default.imitation]
teacher = "easy"
decisions = 3_000
learning_rate = 5e-3
epochs = 4
memory = 1_000
"""


def test_a_learner_takes_after_its_teacher(tmp_path, tiny):
    tiny.write_text(TINY.replace("[wide.variant]", LESSONS + "[wide.variant]"))
    content = train("mnk", out=tmp_path / "run", settings=tiny, imitation={"own": 0.25})
    assert content["imitated"] >= 3_000
    assert content["timesteps"] == 0
    taught, easy = OnnxPolicy(tmp_path / "run" / "policy.onnx"), agents.load("mnk:easy", m=3, n=3, k=3)
    tables = envs.make_tables("mnk", 64, seed=5, m=3, n=3, k=3)
    agreed = []
    for _ in range(4):
        answers = easy.act_batch(tables.views, tables.masks)
        agreed.append((answers == taught.act_batch(tables.views, tables.masks)).mean())
        tables.step(answers)
    assert np.mean(agreed) > 0.4  # a guess among the free cells agrees less than one time in six
    trained = train("mnk", out=tmp_path / "run", resume=True, timesteps=256)
    assert trained["timesteps"] == 256
    assert trained["imitated"] == content["imitated"]


def test_a_teacher_who_looks_ahead_answers_the_same_in_worker_processes(tmp_path, tiny):
    def taught(folder: str, workers: int) -> Any:
        lessons = {"teacher": "pimc@4", "decisions": 128}
        train("mnk", out=tmp_path / folder, settings=tiny, imitation=lessons, workers=workers)
        return checkpoint.load(tmp_path / folder)["policy"]

    alone, shared = taught("alone", 1), taught("shared", 2)
    assert all(torch.equal(alone[name], shared[name]) for name in alone)


@pytest.mark.parametrize(
    ("lessons", "words"),
    [
        ({"decisions": 10}, "imitation: teacher is missing"),
        ({"teacher": "nobody", "decisions": 10}, "imitation: teacher: unknown agent 'nobody' of mnk"),
        ({"teacher": "easy", "decisions": 0}, "decisions=0 is not allowed: decisions is a whole number from 1"),
        ({"teacher": "easy", "decisions": 9, "own": 2}, "own=2 is not allowed"),
        ({"teacher": "easy", "decisions": 9, "epoch": 2}, "unknown key 'epoch'. Did you mean 'epochs'"),
    ],
)
def test_wrong_lessons_are_named(tmp_path, tiny, lessons, words):
    with pytest.raises(ValueError, match=words):
        train("mnk", out=tmp_path / "run", settings=tiny, imitation=lessons)
    assert not (tmp_path / "run" / "checkpoint.pt").exists()


def test_a_frozen_policy_is_played_against(finished, tmp_path, tiny):
    policy = str(finished / "policy.onnx")
    content = train("mnk", out=tmp_path / "exploit", settings=tiny, against=policy)
    assert content["settings"]["opponents"] == {policy: 1.0}
    assert [row["against"] for row in content["results"]] == [policy]
