"""Names by which games of other people import shared code: they stay, wherever the code is kept."""

from importlib import import_module

import pytest

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


@pytest.mark.parametrize("name", ["openspiel", "structured"])
def test_the_former_home_of_bridges_leads_to_them_and_says_so(name: str) -> None:
    former = import_module("kozyr.envs.api")
    with pytest.warns(DeprecationWarning, match="from kozyr.envs.bridges"):
        assert getattr(former, name) is import_module(f"kozyr.envs.bridges.{name}")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = former.nothing
