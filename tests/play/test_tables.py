"""Tables over a real socket: whole games, and what becomes of those who come, go, or ask for what they may not."""

from contextlib import suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kozyr import envs
from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.envs.table import record
from tests.play.served import Client, Served, served


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
    kept: Any = house.house.store.find(made.table)
    played = record.read(kept.record)
    assert played.actions
    assert played.payoffs == pytest.approx(last["over"]["payoffs"], abs=1e-5)
    plies = [line[0] for message in me.heard if message["t"] == "state" for line in message["events"]]
    assert plies == list(range(1, len(played.actions) + 1))


def test_a_setup_that_cannot_be_is_refused() -> None:
    two: dict[str, Any] = {"seats": ["me", "low"], "names": ["a", "b"]}
    refused: list[tuple[dict[str, Any], str]] = [
        ({"seats": ["me"]}, "has 2 seats"),
        ({"seats": ["me", "me"]}, "one seat only"),
        ({"seats": ["me", "os:system"]}, "files and classes play only if"),
        ({"seats": ["me", "/etc/passwd.onnx"]}, "files and classes play only if"),
        ({"seats": ["me", "pimc+/tmp/x.onnx"]}, "files and classes play only if"),
        ({"seats": ["me", "pimc@60001ms"]}, "at most 60,000 milliseconds"),
        ({"names": ["a", "b\n"]}, "characters that can be seen"),
        ({"options": {"deck": 5}}, "deck=5"),
    ]
    for wrong, words in refused:
        with pytest.raises(ValueError, match=words):
            TableConfig(game="durak", **{**two, **wrong}).check()
    assert envs.game("durak").title == "Durak"


def test_a_move_is_taken_back_where_nothing_was_revealed(house: Served) -> None:
    made, counted = house.open("mnk", options={"m": 3, "n": 3, "k": 3}), len(house.do(house.house.finished_games()))
    with house.client(made.table, made.host) as me:
        me.my_turn()
        assert not me.state["undo"]
        rows, ply = me.rows, me.state["ply"]
        me.play()
        assert me.my_turn()["undo"]
        me.say(t="undo")
        assert me.hear("state")["ply"] == ply
        assert me.rows == rows
        me.play_out()
        me.say(t="undo")
        assert "cannot be taken back" in me.hear("refused")["why"]
    kept: Any = house.house.store.find(made.table)
    assert kept.helped
    assert len(house.do(house.house.finished_games())) == counted


def test_no_move_is_taken_back_where_others_have_shown_cards(house: Served) -> None:
    made = house.open("durak")
    with house.client(made.table, made.host) as me:
        me.my_turn()
        me.play()
        me.my_turn()
        me.say(t="undo")
        assert "cannot be taken back" in me.hear("refused")["why"]


@pytest.mark.parametrize("how", ["again", "swap", "duplicate"])
def test_another_game_follows(house: Served, how: str) -> None:
    made = house.open("mnk", options={"m": 3, "n": 3, "k": 3})
    with house.client(made.table, made.host) as me:
        me.my_turn()
        me.say(t="again", how=how)
        assert "not over" in me.hear("refused")["why"]
        me.say(t="resign")
        assert me.hear(lambda m: m["t"] == "state" and m["over"])["over"]["payoffs"] == [-1, 1]
        me.say(t="again", how=how)
        _, _, table, token = me.hear("moved")["to"].replace("#", "/").split("/")
    kept: Any = [house.house.store.find(one) for one in (made.table, table)]
    first, second = kept
    same = record.read(first.deal).seed == record.read(second.deal).seed
    assert same == (how == "duplicate")
    with house.client(table, token) as me:
        assert me.hear("welcome")["seat"] == (0 if how == "again" else 1)


def test_the_seat_is_given_back_to_whoever_comes_with_its_token(house: Served) -> None:
    made = house.open("durak")
    with house.client(made.table, made.host) as one:
        one.my_turn()
        one.play()
        with house.client(made.table, made.host) as other:
            assert one.closed() == 4409
            other.hear("welcome")
            assert other.my_turn()["choices"]
            other.play()
        log = [line[0] for line in one.heard[0]["log"]]
        assert log == [0]
    with house.client(made.table, made.host) as again:
        assert len(again.hear("welcome")["log"]) > 2
        assert again.play_out()["over"]


def test_who_may_not_is_refused(house: Served) -> None:
    made = house.open("durak", seats=["me", "person"])
    for table, token, code in ((made.table, "x" * 32, 4403), ("nowhere", made.host, 4404)):
        with house.client(table, token) as stranger:
            assert stranger.closed() == code
    with house.client(made.table, made.host) as me, house.client(made.table, made.seats[1]) as you:
        me.hear("state")
        you.hear("state")
        turn = me.state["turn"]
        ready, waiting = (me, you) if turn == 0 else (you, me)
        assert ready.state["choices"]
        assert not waiting.state["choices"]
        waiting.say(t="play", ply=0, action=ready.state["choices"][0][0])
        assert waiting.hear("refused")["why"] == "it is not your turn"
        ready.say(t="play", ply=1, action=ready.state["choices"][0][0])
        assert "too late or too early" in ready.hear("refused")["why"]
        legal = {choice[0] for choice in ready.state["choices"]}
        ready.say(t="play", ply=0, action=next(a for a in range(53) if a not in legal))
        assert "not legal now" in ready.hear("refused")["why"]
        ready.say(t="hint", agent="low")
        assert "gives no hints" in ready.hear("refused")["why"]
        with house.client(made.table, made.watch) as watcher:
            assert watcher.hear("welcome")["seat"] is None
            watcher.hear("state")
            watcher.say(t="text")
            assert watcher.hear("text")["text"] == ""
            watcher.say(t="play", ply=0, action=ready.state["choices"][0][0])
            assert "do not play" in watcher.hear("refused")["why"]
            watcher.say(t="resign")
            assert watcher.hear("refused")
            assert me.hear(lambda m: m["t"] == "people" and m["watchers"] == 1)["here"] == [True, True]


@pytest.mark.parametrize(
    "said", ["", "{", "[]", '{"t": "sit"}', '{"t": "play", "ply": 0, "action": -1}', '{"t": "no"}']
)
def test_what_is_no_message_closes_the_socket(house: Served, said: str) -> None:
    made = house.open("durak")
    with house.client(made.table, made.host) as me:
        me.my_turn()
        me.socket.send(said)
        assert me.closed() == 4400


def test_a_table_of_agents_goes_at_the_hosts_pace(house: Served) -> None:
    made = house.open("mnk", seats=["random", "random"], options={"m": 3, "n": 3, "k": 3})
    with house.client(made.table, made.host) as host, house.client(made.table, made.watch) as guest:
        assert host.hear("welcome")["host"]
        guest.hear("state")
        guest.say(t="pace", running=False)
        assert "only the host" in guest.hear("refused")["why"]
        host.say(t="pace", running=False, delay=0)
        host.hear(lambda m: m["t"] == "state" and not m["pace"]["running"])
        host.say(t="step", by=2)
        two = host.hear(lambda m: m["t"] == "state" and m["ply"] == 2)
        host.say(t="step", by=-1)
        assert host.hear(lambda m: m["t"] == "state" and m["ply"] == 1)["pace"]["plies"] == two["pace"]["plies"] == 2
        host.say(t="pace", running=True, delay=0)
        assert host.hear(lambda m: m["t"] == "state" and m["over"])
        assert guest.hear(lambda m: m["t"] == "state" and m["over"])


def test_a_search_answers_and_gives_hints(house: Served) -> None:
    made = house.open("mnk", seats=["me", "pimc@20"], options={"m": 3, "n": 3, "k": 3})
    with house.client(made.table, made.host) as me:
        hints = me.hear("welcome")["hints"]
        assert "pimc" in hints
        me.my_turn()
        me.say(t="hint", agent="pimc")
        advice = me.hear("advice")
        assert {row[0] for row in advice["rows"]} <= {choice[0] for choice in me.state["choices"]}
        assert me.play_out()["over"]


def test_who_is_too_late_loses(house: Served) -> None:
    made = house.open("durak", clock={"move": 0.2})
    with house.client(made.table, made.host) as me:
        state = me.hear(lambda m: m["t"] == "state" and m["over"])
    assert state["over"]["payoffs"] == [-1, 1]
    kept: Any = house.house.store.find(made.table)
    assert record.read(kept.record).reason == "time"


def test_the_page_gets_its_drawings_and_strict_headers(house: Served) -> None:
    cards = httpx.get(f"{house.place}/viewer/cards.svg")
    assert cards.headers["content-type"] == "image/svg+xml"
    assert cards.text.count("<symbol") > 54
    assert "script-src 'self'" in cards.headers["content-security-policy"]
    made = house.open("durak")
    assert httpx.get(f"{house.place}/tables/{made.table}").status_code == 200
    assert httpx.get(f"{house.place}/tables/nowhere").status_code == 404
    assert httpx.get(house.place, headers={"Host": "evil.example"}).status_code == 421


def test_a_record_is_for_those_who_sat_there_and_after_the_game(house: Served) -> None:
    made = house.open("durak")
    address = f"{house.place}/tables/{made.table}/record"
    mine = {"X-Token": made.host}
    assert httpx.get(address).status_code == 404
    assert httpx.get(address, headers=mine).status_code == 409
    with house.client(made.table, made.host) as me:
        me.my_turn()
        me.say(t="resign")
        me.hear(lambda m: m["t"] == "state" and m["over"])
    assert record.read(httpx.get(address, headers=mine).text.strip()).reason == "resigned"


def test_a_page_of_another_site_opens_no_socket(house: Served) -> None:
    made = house.open("durak")
    with pytest.raises(InvalidStatus), Client(house.place, made.table, made.host, origin="http://evil.example"):
        pass


def test_who_says_too_much_is_dropped() -> None:
    with served(rate=10.0) as house:
        made = house.open("durak")
        with house.client(made.table, made.host) as me:
            with suppress(ConnectionClosed):  # before all was said
                for _ in range(200):
                    me.say(t="ping")
            assert me.closed() == 4429
