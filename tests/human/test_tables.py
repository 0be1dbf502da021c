"""Tables over a real socket: whole games, and what becomes of those who come, go, or ask for what they may not."""

import pytest

from kozyr import envs
from kozyr.agents.human.setup import Setup
from kozyr.envs.api import record
from tests.human.served import Served, served


@pytest.fixture(scope="module")
def house():
    with served() as one:
        yield one


@pytest.mark.parametrize("game", ["durak", "war", "mnk", "daifugo", "draw_poker"])
def test_a_whole_game_is_played(house: Served, game: str) -> None:
    made = house.open(game)
    with house.client(made.table, made.host) as me:
        welcome = me.hear("welcome")
        assert welcome["seat"] == 0
        assert welcome["host"]
        assert welcome["game"] == game
        last = me.play_out()
    assert len(last["over"]["payoffs"]) == welcome["seats"] == len(last["over"]["results"])
    kept = house.house.store.find(made.table)
    played = record.read(kept.record)
    assert played.actions
    assert played.payoffs == pytest.approx(last["over"]["payoffs"], abs=1e-5)
    plies = [line[0] for message in me.heard if message["t"] == "state" for line in message["events"]]
    assert plies == list(range(1, len(played.actions) + 1))


def test_a_setup_that_cannot_be_is_refused() -> None:
    two = {"seats": ["me", "low"], "names": ["a", "b"]}
    for wrong, words in (
        ({"seats": ["me"]}, "has 2 seats"),
        ({"seats": ["me", "me"]}, "one seat only"),
        ({"seats": ["me", "os:system"]}, "files and classes play only if"),
        ({"seats": ["me", "/etc/passwd.onnx"]}, "files and classes play only if"),
        ({"seats": ["me", "pimc+/tmp/x.onnx"]}, "files and classes play only if"),
        ({"seats": ["me", "pimc@60001ms"]}, "at most 60,000 milliseconds"),
        ({"names": ["a", "b\n"]}, "characters that can be seen"),
        ({"options": {"deck": 5}}, "deck=5"),
    ):
        with pytest.raises(ValueError, match=words):
            Setup(game="durak", **{**two, **wrong}).check()
    assert envs.game("durak").title == "Durak"
