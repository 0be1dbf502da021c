"""Networks in Node: the forward pass as WebAssembly answers as it does here, for bundled files and operators."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.nets.forward.network import Forward
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play import site as web
from kozyr.agents.play.site import build, modules, site
from tests.agents.test_forward import BUNDLED, CASES, FEWEST, MOST, VIEW, written
from tests.site import node
from tests.site.policies import answered as by_module
from tests.site.policies import positions
from tests.test_cli import run as kozyr

SCRIPT = Path(build.__file__).parent / "static" / "forward.js"
KINDS = {np.dtype(np.int8): "Int8Array", np.dtype(np.int16): "Int16Array"}


def answered(folder: Path, asked: list[tuple[bytes, Any]]) -> list[dict[str, Any]]:
    """Return what Node makes of views by programs, or why it makes nothing."""
    module, rows = folder / "forward.wasm", folder / "rows.json"
    module.write_bytes(modules.forward())
    table = list[dict[str, Any]]()
    for k, (program, views) in enumerate(asked):
        (folder / f"{k}.net").write_bytes(program)
        table.append({"file": str(folder / f"{k}.net"), "views": views.tolist(), "kind": KINDS[views.dtype]})
    rows.write_text(json.dumps(table))
    return json.loads(node.run(node.HERE / "forward.mjs", SCRIPT, module, rows))


@pytest.mark.slow
def test_bundled_networks_answer_the_same_to_the_bit(tmp_path: Path) -> None:
    seen = [positions(one, 60) for one in BUNDLED]
    programs = [one.network.packed() for one in BUNDLED if isinstance(one.network, Forward)]
    answers = answered(tmp_path, [(program, views[:MOST]) for program, (views, _) in zip(programs, seen, strict=True)])
    for one, (views, _), answer in zip(BUNDLED, seen, answers, strict=True):
        wanted = one.network(views[:MOST])
        assert len(wanted) >= FEWEST
        np.testing.assert_array_equal(np.array(answer["logits"], np.float32), wanted)


def test_operators_do_the_same(tmp_path: Path) -> None:
    networks = list[Forward]()
    for case in CASES:
        written(tmp_path / "one.onnx", case)
        networks.append(Forward((tmp_path / "one.onnx").read_bytes()))
    answers = answered(tmp_path, [(one.packed(), VIEW) for one in networks])
    for case, one, answer in zip(CASES, networks, answers, strict=True):
        np.testing.assert_allclose(answer["logits"], one(VIEW), rtol=1e-6, err_msg=case[0])


def test_a_damaged_program_is_refused_in_words(tmp_path: Path) -> None:
    [war] = [one for one in BUNDLED if one.name == "war_52"]
    program, views = war.network.packed() if isinstance(war.network, Forward) else b"", positions(war, 1)[0][:1]
    asked = [(program[:1000], views), (b"", views), (b"\x02" + program[1:], views), (program, views[:, 1:])]
    words = ["it ends too early", "it has format undefined", "it has format 2, not 1", "it reads 117 numbers, not 116"]
    for answer, told in zip(answered(tmp_path, asked), words, strict=True):
        assert answer["why"].startswith(told)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more"), [("war_52", {}), ("daifugo_5", {"history": True})])
def test_it_plays_in_a_module(name: str, more: dict[str, Any], tmp_path: Path) -> None:
    [policy] = [one for one in BUNDLED if one.name == name]
    game, v = policy.game, policy.variant._replace(**more)
    _, script, *files = web.write(game, v, tmp_path, policies=[policy])
    [file] = [one for one in files if one.suffix == ".net"]
    assert isinstance(policy.network, Forward)
    assert file.read_bytes() == policy.network.packed()
    views, masks = positions(SimpleNamespace(game=game, variant=v, act=policy.act), 20)
    assert len(views) >= FEWEST
    found = by_module(script, views, masks)
    assert (found["name"], found["again"]) == (name, True)
    np.testing.assert_array_equal(found["actions"], policy.act_batch(views, masks))


def test_policies_beside_a_game_have_names_of_their_own(tmp_path: Path) -> None:
    path = next(one.path for one in BUNDLED if one.name == "war_52")
    game, options = envs.game("war"), {"pickup": "choice"}

    def named(*names: str) -> list[Trained]:
        copies = [shutil.copy(path, tmp_path / f"{name}.onnx") for name in names]
        return [web.load(Path(one)) for one in copies]

    assert [one.name for one in site.site_game(game, options, named("mine")).policies] == ["mine", "war_52"]
    assert site.site_game(game, {}, named("mine")).policies == []
    for names in (["war_52"], ["pimc"], [agents.names("war")[0]], ["mine", "mine"]):
        with pytest.raises(ValueError, match=f"another player is called '{names[0]}': give the file .* another name"):
            site.site_game(game, options, named(*names))
    with pytest.raises(ValueError, match="'my own' cannot name a policy there"):
        site.site_game(game, options, named("my own"))
    told = kozyr("web", "war", "--policy", str(tmp_path / "mine.onnx"), "--out", str(tmp_path / "site"), code=2).stderr
    assert "name its game too, as 'war pickup=choice'" in " ".join(told.split())
    assert not (tmp_path / "site").exists()
