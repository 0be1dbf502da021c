"""Small networks in their compiled form: they answer as the run's policy does, in worlds too, and refuse in words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.nets import condensed_loops as loops
from kozyr.agents.nets.condensed import ABOUT, CondensedPolicy
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.search.determinization import compare, question, scratch
from kozyr.agents.search.guided_rollouts import compare_guided, rolls
from kozyr.training.export.condense import condense
from kozyr.training.export.publish import facts, publish
from tests.training.tiny import DAIFUGO, TINY, drawn, positions

SMALL = r"only one layer of up to 512 features, one of up to 64 by fours, and relu"
OTHERS = [
    ("trunk = [16]", "trunk = [16, 16]", r"net\.trunk=\[16, 16\], .*" + SMALL),
    ("trunk = [16]", "trunk = []", r"net\.trunk=\[\], .*" + SMALL),
    ("trunk = [16]", f"trunk = [{loops.WIDEST + 1}]", SMALL),
    ("heads = [8]", "heads = [6]", r"net\.heads=\[6\], .*" + SMALL),
    ('"relu"', '"tanh"', r"net\.activation='tanh': " + SMALL),
    ("trunk = [16]", "trunk = [16]\npatterns = 8", r"net\.patterns=8, which has no small form"),
]


@pytest.fixture(scope="module", params=[0, 11])
def run(request: Any, tmp_path_factory: Any) -> Path:
    return made(tmp_path_factory.mktemp("run"), "daifugo", f"[default.net]\nlevels = {request.param}")


def made(folder: Path, game: str, net: str, changed: Callable[[str], str] = str) -> Path:
    """Return the folder of a run whose weights were drawn."""
    text = DAIFUGO if game == "daifugo" else TINY
    drawn(folder, game, changed(text.replace("[default.net]", net))).save()
    return folder


def condensed(run: Path, tmp_path: Path) -> CondensedPolicy:
    condense(run, tmp_path / "small.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["small.npz"]
    return CondensedPolicy(tmp_path / "small.npz")


def test_it_answers_as_the_policy_of_the_run(run, tmp_path):
    small, whole = condensed(run, tmp_path), OnnxPolicy(run / "policy.onnx")
    agreed, asked, met = 0, 0, set[int]()
    for plies in (0, 3, 9, 20, 31):
        tables = positions(400, plies)
        mine, theirs = (one.act_batch(tables.views, tables.masks) for one in (small, whole))
        assert tables.masks[np.arange(400), mine].all()
        agreed, asked, met = agreed + int((mine == theirs).sum()), asked + 400, met | set(mine.tolist())
        assert small.act(tables.views[7], tables.masks[7]) == mine[7]
    assert agreed >= 0.99 * asked  # its numbers have three digits
    assert len(met) > 10


def test_a_board_is_condensed_too(tmp_path):
    run = made(tmp_path, "mnk", "[default.net]")
    condense(run, tmp_path / "small.npz")
    small, whole = agents.load(str(tmp_path / "small.npz")), OnnxPolicy(run / "policy.onnx")
    tables = envs.make_tables("mnk", 64, seed=1, m=3, n=3, k=3)
    tables.step(np.arange(64) % 9)
    mine, theirs = (one.act_batch(tables.views, tables.masks) for one in (small, whole))
    assert (mine == theirs).mean() > 0.95
    assert len(set(mine.tolist())) > 1


def test_in_worlds_it_gives_the_numbers_of_the_same_player_asked_from_outside(run, tmp_path):
    small, it = condensed(run, tmp_path), envs.game("daifugo")
    v, level = it.make_variant(players=3), agents.names("daifugo").index("heuristic")
    agents.load("daifugo:pimc", players=3)  # seats players and worlds
    board, lines, met = scratch(it, v, small.net), rolls(it, v, 12, it.actions(v)), 0
    tables = positions(40, 9)
    for i in np.flatnonzero(tables.masks.sum(1) > 1)[:6]:
        view, mask = tables.views[i], tables.masks[i]
        inside, outside = (question(view, mask, int(mask.argmax()), 77, level, 0) for _ in range(2))
        compare(v, inside, 3, 15, 10**9, board)
        compare_guided(v, outside, 3, 15, small, board, lines)
        np.testing.assert_allclose(inside.sums, outside.sums, atol=1e-12)
        np.testing.assert_allclose(inside.squares, outside.squares, atol=1e-12)
        met += int(np.abs(inside.sums).sum() > 0)
    assert met > 2


def test_a_file_is_an_agent_by_its_name(run, tmp_path):
    small = condensed(run, tmp_path)
    same = agents.load(str(small.path), game="daifugo", players=3, history=True)
    tables = positions(32, 5)
    np.testing.assert_array_equal(
        same.act_batch(tables.views, tables.masks), small.act_batch(tables.views, tables.masks)
    )
    assert "relu" in str(same.about["settings"])
    with pytest.raises(ValueError, match=r"another variant of daifugo_v0: players=3, not 4$"):
        agents.load(str(small.path), game="daifugo", players=4)
    with pytest.raises(ValueError, match=r"plays daifugo_v0, not durak_v0"):
        agents.load(str(small.path), game="durak")


def test_it_is_published_with_a_card(run, tmp_path):
    told = publish(run, tmp_path, "mine", ["random"], deals=20, condensed=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.md", "mine.npz"]
    assert facts(tmp_path / "mine.md") == told
    assert told["results"][0]["deals"] == 20


@pytest.mark.parametrize(("old", "new", "complaint"), OTHERS)
def test_other_networks_are_refused(tmp_path, old, new, complaint):
    game = "mnk" if "patterns" in new else "daifugo"
    run = made(tmp_path, game, "[default.net]", lambda text: text.replace(old, new))
    with pytest.raises(ValueError, match=complaint):
        condense(run, tmp_path / "small.npz")
    assert not (tmp_path / "small.npz").exists()


def test_other_files_are_refused(run, tmp_path):
    with pytest.raises(ValueError, match=r"is no condensed policy of this version of kozyr: .*No such file"):
        agents.load(str(tmp_path / "none.npz"))
    small = condensed(run, tmp_path)
    small.path.write_bytes(small.path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="is no condensed policy"):
        CondensedPolicy(small.path)
    np.savez(small.path, rows=np.zeros(3))
    with pytest.raises(ValueError, match="is no condensed policy"):
        CondensedPolicy(small.path)
    small.path.write_bytes(b"")
    with pytest.raises(ValueError, match="is no condensed policy"):
        CondensedPolicy(small.path)
    with small.path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(ValueError, match="is no condensed policy"):
        CondensedPolicy(small.path)


def test_a_policy_of_another_view_is_refused(run, tmp_path):
    small = condensed(run, tmp_path)
    small.about["view"][0][2] += 1
    arrays: dict[str, Any] = {**small.net._asdict(), ABOUT: np.array(json.dumps(small.about))}
    np.savez(small.path, **arrays)
    with pytest.raises(ValueError, match=r"another view of daifugo_v0, first at 'hand': train it anew"):
        CondensedPolicy(small.path)
