"""`pimc` in Node: the same choice for the same seed as here, on hundreds of positions of each game that has it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.play import site
from kozyr.agents.search.pimc import Pimc
from tests.site.policies import answered, positions

SEARCHED = [name for name in envs.games() if site.find_search(envs.game(name), envs.game(name).make_variant())]
MOST, FEWEST = 300, 100
LARGEST = {"draw_poker": 300_000}


def test_which_games_have_it() -> None:
    assert SEARCHED == ["daifugo", "draw_poker", "durak"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHED)
def test_it_chooses_the_same_in_node(name: str, tmp_path: Path) -> None:
    game = envs.game(name)
    v, known = game.make_variant(), site.find_search(game, game.make_variant())
    assert known is not None
    _, module, script, *_ = site.write(game, v, tmp_path, search=known)
    assert module.name == f"{name}.search.wasm"
    assert module.stat().st_size < LARGEST.get(name, 60_000)
    best = agents.names(name)[-1]
    scripted = agents.load(best, game=name)
    scripted.reset(0, 1)
    views, masks = positions(SimpleNamespace(game=game, variant=v, act=scripted.act), 60)
    views, masks = views[:MOST], masks[:MOST]
    assert len(views) >= FEWEST
    native = Pimc(game, v, len(agents.names(name)) - 1, known.budget, z=known.z)
    chosen = [native.search(view, mask, seed) for seed, (view, mask) in enumerate(zip(views, masks, strict=True))]
    usual = [
        native.default_action(view, mask, seed) for seed, (view, mask) in enumerate(zip(views, masks, strict=True))
    ]
    assert (np.array(chosen) != usual).sum() > 5, "it departs from the scripted player now and then"
    found = answered(script, views, masks, "search")
    assert found["name"] == "pimc"
    np.testing.assert_array_equal(found["actions"], chosen)
