"""Games in Node are those of this machine: every view, mask, drawing, imagined state and decision, to the byte."""

from pathlib import Path
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.agents.play import site
from kozyr.envs import registry
from tests.site.native import Native
from tests.site.node import played

GAMES, OF_PLAYERS, LIMIT = 200, 40, 300
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "durak": [{}, {"players": 4, "deck": 36, "transfer": True, "pile_on": True, "open_trump": True}],
    "draw_poker": [{}, {"players": 4}],
    "daifugo": [{}, {"rules": "uecda"}],
    "mnk": [{}, {"m": 3, "n": 3, "k": 3}, {"m": 7, "n": 9, "k": 4, "obstacles": 0.1}],
    "war": [{}, {"deck": 8, "pickup": "choice"}],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [(name, one) for name, some in VARIANTS.items() for one in some])
def test_a_module_plays_as_this_machine_does(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    game = envs.game(name)
    v = game.make_variant(**options)
    registry.seat_bots(game)
    module, script, *_ = site.write(game, v, tmp_path)
    most = 300_000 if name == "draw_poker" else 60_000
    assert module.stat().st_size < most or options, "a usual game is loaded in no time"
    for player in ("", *agents.names(name)):
        games = OF_PLAYERS if player else GAMES
        native = Native(game, v)
        digest, found = native.play(games, player, LIMIT), played(script, games, player, LIMIT)
        assert (found["plies"], found["digest"]) == (native.plies, digest), player or "random moves"
