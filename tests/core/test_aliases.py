"""Names by which games of other people import shared code: they stay, wherever the code is kept."""

from importlib import import_module

import numpy as np
import pytest

from kozyr.envs.pictures.layout import place
from kozyr.envs.pictures.scene import COLUMNS, LABEL

KEPT = {
    "compile": "kozyr.envs.compile",
    "scene": "kozyr.envs.pictures.scene",
    "choice": "kozyr.envs.core.input_spec",
}


@pytest.mark.parametrize("name", ["dispatch", "compile", "layout", "state", "scene", "choice", "rng", "variant"])
def test_names_that_games_import_stay(name: str) -> None:
    alias = import_module(f"kozyr.envs.core.{name}")
    home = import_module(KEPT.get(name, alias.__name__))
    public = getattr(home, "__all__", [one for one in vars(home) if not one.startswith("_")])
    assert public
    assert all(getattr(alias, one) is getattr(home, one) for one in public)


@pytest.mark.parametrize("name", ["put", "words", "card", "tag"])
def test_elements_with_places_are_written_as_before_and_lead_to_zones(name: str) -> None:
    former = import_module("kozyr.envs.core.scene")
    with pytest.warns(DeprecationWarning, match=f"{name} is to go: .* kozyr.envs.pictures.zones"):
        assert getattr(former, name) is getattr(import_module("kozyr.envs.pictures.coordinates"), name)


def test_a_scene_of_places_alone_is_drawn_as_it_is() -> None:
    with pytest.warns(DeprecationWarning, match="list zones"):
        from kozyr.envs.core.scene import PICTURE, SLOT, card, put, words
    out = np.zeros((4, COLUMNS), np.int32)
    n = put(out, 0, PICTURE, 0, 0, 0, 0, 0, 3000, 2000, 0, 0, 0, 0)
    n = put(out, n, SLOT, 0, 0, 0, 100, 100, 600, 840, 0, 0, 0, 0)
    n = card(out, n, 7, 8, 9, 100, 100)
    n = words(out, n, LABEL, 1, 800, 300, 120, 0)
    assert n == len(out)
    assert place(out.tolist()) == out.tolist()


@pytest.mark.parametrize("name", ["openspiel", "structured"])
def test_the_former_home_of_bridges_leads_to_them_and_says_so(name: str) -> None:
    former = import_module("kozyr.envs.api")
    with pytest.warns(DeprecationWarning, match="from kozyr.envs.bridges"):
        assert getattr(former, name) is import_module(f"kozyr.envs.bridges.{name}")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = former.nothing
