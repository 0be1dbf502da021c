"""The bundled policies: small, legal, with a card that still holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena import match
from kozyr.agents.nets import condensed
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.export.publish import LARGEST, facts, publish
from kozyr.training.settings import run_settings

FOLDER = Path(agents.__file__).parents[1] / "training" / "policies"
ONNX, CONDENSED = (sorted(FOLDER.glob(pattern)) for pattern in ("*.onnx", "*.npz"))
FEW = 60
DEALS = [FEW, pytest.param(10 * FEW, marks=pytest.mark.long)]


@pytest.fixture(params=[*ONNX, *CONDENSED], ids=lambda path: path.stem)
def path(request: Any) -> Path:
    return request.param


def test_there_are_policies_and_each_has_a_card() -> None:
    assert ONNX
    assert CONDENSED
    assert sorted(one.stem for one in FOLDER.glob("*.md")) == sorted(one.stem for one in (*ONNX, *CONDENSED))
    assert sorted(one for game in envs.games() for one in agents.policies(game)) == ONNX
    assert sorted(one.path for game in envs.games() for one in condensed.policies(game)) == CONDENSED


def test_a_policy_is_found_by_its_game_and_variant(path: Path) -> None:
    policy, card = agents.load(str(path)), facts(path.with_suffix(".md"))
    assert path.stat().st_size <= LARGEST
    assert policy.game.make_variant(**card["options"]) == policy.variant
    if path in ONNX:
        assert agents.load(f"{policy.game.name}:policy", **card["options"]).path.samefile(path)
    else:
        assert (condensed.bundled_policy(policy.game, policy.variant).rows == policy.net.rows).all()


def test_a_card_names_file_seed_wall_time_and_machine(path: Path) -> None:
    card, game = facts(path.with_suffix(".md")), agents.load(str(path)).game
    file, preset = card["settings"]["preset"].rstrip("]").split(" [")
    given = run_settings.load(game, preset)
    assert file == f"{game.name}.toml"
    assert (card["settings"]["net"]["heads"], card["settings"]["seed"]) == (given["net"]["heads"], given["seed"])
    assert card["seconds"] > 0
    assert card["machine"]["processor"]
    assert card["machine"]["cores"] > 0


def test_a_policy_plays_legally_at_many_tables(path: Path) -> None:
    policy = agents.load(str(path))
    tables = envs.make_tables(policy.game.name, 64, seed=11, **policy.game.options(policy.variant))
    for _ in range(200):
        actions = policy.act_batch(tables.views, tables.masks)
        assert tables.masks[np.arange(64), actions].all()
        tables.step(actions)


@pytest.mark.parametrize("deals", DEALS)
def test_a_policy_still_scores_what_its_card_says(path: Path, deals: int) -> None:
    card = facts(path.with_suffix(".md"))
    scripted = [row for row in card["results"] if row["against"] in agents.names(card["game"].rpartition("_v")[0])]
    assert scripted
    many = max(deals // card["options"].get("rounds", 1), 4 if deals == FEW else 20)  # of as many rounds in all
    for row in scripted[-1:] if deals == FEW else scripted:
        me = match(card["game"], [str(path), row["against"]], many, seed=1, **card["options"]).agents[0]
        deviation = np.hypot(me.half / 2, (row["high"] - row["low"]) / 2) / 1.96
        assert abs(me.score - row["score"]) <= 3.5 * deviation, row["against"]
        assert me.errors == 0


@pytest.mark.parametrize("path", ONNX, ids=lambda path: path.stem)
def test_a_policy_guides_players_that_look_ahead(path: Path) -> None:
    policy = OnnxPolicy(path)
    options = policy.game.options(policy.variant)
    guided = agents.load(f"{policy.game.name}:pimc@8+policy", **options)
    tables = envs.make_tables(policy.game.name, 4, seed=3, **options)
    for _ in range(3):
        actions = guided.act_batch(tables.views, tables.masks)
        assert tables.masks[np.arange(4), actions].all()
        view, mask = tables.views[0], tables.masks[0]
        assert guided.default_action(view, mask, 0) == policy.act(view, mask)
        tables.step(actions)


@pytest.mark.parametrize("path", CONDENSED, ids=lambda path: path.stem)
def test_a_condensed_policy_is_what_pimc_improves_on(path: Path) -> None:
    policy = agents.load(str(path))
    options = policy.game.options(policy.variant)
    ahead = agents.load(f"{policy.game.name}:pimc@8", **options)
    tables = envs.make_tables(policy.game.name, 64, seed=3, **options)
    usual = [ahead.default_action(view, mask, 0) for view, mask in zip(tables.views, tables.masks, strict=True)]
    assert usual == policy.act_batch(tables.views, tables.masks).tolist()
    scripted = agents.load(f"{policy.game.name}:heuristic", **options)
    assert usual != scripted.act_batch(tables.views, tables.masks).tolist()
    assert len(ahead.net.rows)
    options["players"] = 3
    other = agents.load(f"{policy.game.name}:pimc@8", **options)
    assert not len(other.net.rows)


def test_a_variant_without_a_policy_is_told_which_have_one() -> None:
    with pytest.raises(ValueError, match=r"no policy of durak is bundled for this variant; those that are: .*deck=36"):
        agents.load("durak:policy", players=3, deck=24)


def test_an_unfinished_run_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no finished run: it needs policy.onnx and run.json"):
        publish(tmp_path, tmp_path / "out", "mine", ["low"])
    assert not (tmp_path / "out").exists()
