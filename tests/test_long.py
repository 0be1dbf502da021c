"""The long random play compares with an oracle what the oracle knows."""

from typing import Any

import pytest
from rich.console import Console

from kozyr import envs
from tests import long
from tests.games.lockstep import known


def test_variants_that_no_oracle_knows_are_watched_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = envs.game("daifugo")
    suited, plain = game.make_variant(rules="uecda", rounds=2), game.make_variant()
    drawn = iter([suited, plain])

    def one(*_: Any) -> Any:
        return next(drawn)

    monkeypatch.setattr(long.variants, "one", one)
    monkeypatch.setattr(long, "CHUNK", 6)
    assert not known(game, suited)
    long.play_games(game, 12, seed=1, share=0.5, console=Console(width=200))
    assert "12 random games" in (said := capsys.readouterr().out)
    assert "3 of them" in said
