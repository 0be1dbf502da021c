"""Parts of the view that a network does not read, and policies that are published for a variant where they differ."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.export.condense import condense
from kozyr.training.export.publish import facts, publish
from kozyr.training.learners.network import Logits
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, TINY, drawn, positions

UNSEEN = 'unseen = ["left", "total"]'
TWO = DAIFUGO.replace("players = 3", "players = 3\nrounds = 2").replace(
    "[default.net]", f"[default.net]\nlevels = 5\n{UNSEEN}"
)


def kozyr(*words: str) -> str:
    from typer.testing import CliRunner

    from kozyr.training.cli import app

    told = CliRunner().invoke(app, list(words))
    return told.output + str(told.exception or "")


def test_the_network_reads_the_other_parts_only(tmp_path: Path) -> None:
    run = drawn(tmp_path, "daifugo", TWO)
    at = run.game.parts(run.variant)
    views = positions(64, 30, "daifugo", players=3, rounds=2).views.copy()
    changed = views.copy()
    changed[:, at.left], changed[:, at.total : at.total + 3] = 1 - changed[:, at.left], 4
    assert (changed != views).any()
    logits = Logits(run.model.policy)
    with torch.no_grad():
        told = [logits(torch.tensor(shown)).numpy() for shown in (views, changed)]
    np.testing.assert_array_equal(*told)
    changed[:, at.before] += 1
    with torch.no_grad():
        assert (logits(torch.tensor(changed)).numpy() != told[0]).any()


def test_a_policy_is_published_for_a_variant_that_differs_in_them(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    drawn(tmp_path / "run", "daifugo", TWO)
    told = publish(tmp_path / "run", tmp_path, "longer", ["low"], deals=2, options={"rounds": 7})
    assert (told["options"]["rounds"], told["settings"]["variant"]["rounds"]) == (7, 2)
    assert facts(tmp_path / "longer.md")["options"]["rounds"] == 7
    policy, before = OnnxPolicy(tmp_path / "longer.onnx"), OnnxPolicy(tmp_path / "run" / "policy.onnx")
    assert policy.about == before.about
    tables = positions(64, 200, "daifugo", players=3, rounds=7)
    played = policy.act_batch(tables.views, tables.masks)
    assert tables.masks[np.arange(64), played].all()
    for rounds in (7, 2, 70):
        assert agents.load(str(tmp_path / "longer.onnx"), game="daifugo", players=3, rounds=rounds)
    np.testing.assert_array_equal(before.act_batch(tables.views.copy(), tables.masks.copy()), played)
    with pytest.raises(ValueError, match=r"another variant of daifugo_v0: pass_lockout=False, not True$"):
        agents.load(str(tmp_path / "longer.onnx"), game="daifugo", players=3, rounds=2, pass_lockout=True)
    with pytest.raises(ValueError, match=r"another variant of daifugo_v0: rounds=7, not 1"):  # no part for totals there
        agents.load(str(tmp_path / "longer.onnx"), game="daifugo", players=3, rounds=1)
    # as the network has it: where nothing but those parts differs, both play the same
    two = positions(64, 30, "daifugo", players=3, rounds=2)
    np.testing.assert_array_equal(policy.act_batch(two.views.copy(), two.masks), before.act_batch(two.views, two.masks))


@pytest.mark.parametrize("rounds", [2, 100, 300])
def test_the_bundled_policy_for_the_contest_plays_matches_of_any_length(rounds: int) -> None:
    policy = agents.load("policy", game="daifugo", rules="uecda", rounds=rounds)
    tables = positions(32, 400, "daifugo", rules="uecda", rounds=rounds)
    played = policy.act_batch(tables.views, tables.masks)
    assert tables.masks[np.arange(32), played].all()
    views, at = tables.views.copy(), tables.game.parts(tables.variant)
    views[:, at.left], views[:, at.total : at.total + 5] = 0, 0
    np.testing.assert_array_equal(policy.act_batch(views, tables.masks.copy()), played)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (TWO.replace(UNSEEN, 'unseen = ["left"]'), ("rounds=3",), "reads 'total', which has other numbers there"),
        (TWO, ("revolution=true",), "its view or its actions are others"),
        (TWO, ("rounds=1",), "its view or its actions are others"),
        (TWO, ("round=3",), "unknown variant field 'round'"),
    ],
)
def test_other_variants_are_refused(text: str, options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    drawn(tmp_path / "run", "daifugo", text)
    asked = [word for one in options for word in ("--set", one)]
    told = kozyr("publish", str(tmp_path / "run"), "mine", "--out", str(tmp_path / "out"), *asked)
    assert words in told
    assert not (tmp_path / "out").exists()


def test_options_that_change_the_actions_are_refused(tmp_path: Path) -> None:
    drawn(tmp_path, "daifugo", DAIFUGO.replace("[default.net]", '[default.net]\nunseen = ["sizes"]'))
    with pytest.raises(ValueError, match="another variant of daifugo_v0: ranks=13, not 12"):
        agents.load(str(tmp_path / "policy.onnx"), game="daifugo", players=3, ranks=12)


def test_a_search_knows_the_policy_in_other_variants(tmp_path: Path) -> None:
    drawn(tmp_path, "daifugo", TWO)
    search = "exploit", str(tmp_path / "policy.onnx"), "--by", "search", "--simulations", "2", "--deals", "1", "--json"
    said = kozyr(*search, "--set", "rounds=3")
    assert json.loads(said[said.index("{") :])["variant"]["rounds"] == 3  # before it stands what has been compiled
    assert "another variant of daifugo_v0: players=3, not 5" in kozyr(*search, "--set", "rules=uecda")


def test_what_is_wrong_with_the_names_is_said(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(TWO.replace('"total"', '"totals"'))
    with pytest.raises(ValueError, match=r"net.unseen: 'totals' is no part of the view; its parts are hand, .*total"):
        run_settings.load(envs.game("daifugo"), "default", path)
    text = TINY.replace("m = 3\nn = 3\nk = 3", 'pickup = "choice"').replace("easy = 1", "high_first = 1")
    path.write_text(
        text.replace("trunk = [16]", 'trunk = [16]\nmeeting = true\nunseen = ["turn"]').partition("[wide")[0]
    )
    with pytest.raises(ValueError, match=r"meeting=true is not allowed with net.unseen=\['turn'\]: it reads the whole"):
        run_settings.load(envs.game("war"), "default", path)
    path.write_text(TINY.replace("trunk = [16]", 'trunk = [16]\npatterns = 8\nunseen = ["turn"]'))
    with pytest.raises(ValueError, match=r"net.unseen=\['turn'\] is not allowed with net.patterns: it is \[\]"):
        run_settings.load(envs.game("mnk"), "default", path)


def test_the_small_form_does_not_read_them_either(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    run: Any = drawn(tmp_path / "run", "daifugo", TWO)
    run.save()
    told = publish(tmp_path / "run", tmp_path, "small", ["low"], deals=2, options={"rounds": 7}, condensed=True)
    assert told["options"]["rounds"] == 7
    longer = agents.load(str(tmp_path / "small.npz"), game="daifugo", players=3, rounds=7)
    tables = positions(200, 260, "daifugo", players=3, rounds=7)
    logits = Logits(run.model.policy)
    with torch.no_grad():
        due = np.where(tables.masks, logits(torch.tensor(tables.views)).numpy(), -np.inf).argmax(1)
    assert (longer.act_batch(tables.views, tables.masks) == due).mean() > 0.97  # its numbers have three digits
    at, views = envs.game("daifugo").parts(longer.variant), tables.views.copy()
    assert views[:, at.total : at.total + 3].max() > 4
    views[:, at.left], views[:, at.total : at.total + 3] = 0, 0
    np.testing.assert_array_equal(longer.act_batch(views, tables.masks), longer.act_batch(tables.views, tables.masks))


def test_the_small_form_is_refused_where_what_is_read_differs(tmp_path: Path) -> None:
    run: Any = drawn(tmp_path, "daifugo", TWO.replace(UNSEEN, 'unseen = ["left"]'))
    run.save()
    with pytest.raises(ValueError, match=r"its network reads 'total', which has other numbers there"):
        condense(tmp_path, tmp_path / "small.npz", {"rounds": 7})
    assert not (tmp_path / "small.npz").exists()


def test_the_small_form_is_refused_where_a_part_is_added_up(tmp_path: Path) -> None:
    run: Any = drawn(tmp_path, "daifugo", TWO.replace(UNSEEN, 'unseen = ["left", "played"]'))
    run.save()
    with pytest.raises(ValueError, match=r"net.unseen=\['left', 'played'\]: take out what net.levels adds up"):
        condense(tmp_path, tmp_path / "small.npz")
