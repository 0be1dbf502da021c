"""What goes on around a game: the next one, agents that are watched, the viewer, and how much may be said."""

import random

import httpx

from kozyr.agents.play.session.connections import BURST

from .served import Served, served


def test_two_who_ask_for_another_game_come_to_the_same_table(house: Served) -> None:
    made = house.open("mnk", seats=["me", "person"], options={"m": 3, "n": 3, "k": 3})
    with house.client(made.table, made.host) as me, house.client(made.table, made.seats[1]) as you:
        me.hear("state")
        you.hear("state")
        me.say(t="resign")
        for one in (me, you):
            one.hear(lambda m: m["t"] == "state" and m["over"])
        me.say(t="again", how="swap")
        assert you.hear("rematch")["seats"] == [True, False]
        you.say(t="again", how="again")  # another wish, which the first one has to agree to
        assert me.hear(lambda m: m["t"] == "rematch" and m["how"] == "again")["seats"] == [False, True]
        me.say(t="again", how="again")
        first = me.hear("moved")["to"], you.hear("moved")["to"]
        you.say(t="again", how="swap")
        assert (me.hear("moved")["to"], you.hear("moved")["to"]) == first
    seats = []
    for address in first:
        _, _, table, token = address.replace("#", "/").split("/")
        with house.client(table, token) as one:
            seats.append(one.hear("welcome")["seat"])
    assert seats == [0, 1]


def test_who_watches_agents_sees_what_was_settled(house: Served) -> None:
    made = house.open("durak", seats=["low", "low"], sees="public")
    with house.client(made.table, made.host) as host, house.client(made.table, made.watch) as guest:
        host.say(t="pace", running=False, delay=1)
        host.say(t="text")
        guest.say(t="text")
        assert host.hear("text")["text"]
        assert guest.hear("text")["text"] == ""


def test_agents_tell_those_who_see_everything_what_they_would_do(house: Served) -> None:
    made = house.open("mnk", seats=["easy", "random"], options={"m": 3, "n": 3, "k": 3}, sees="public")
    with house.client(made.table, made.host) as host, house.client(made.table, made.watch) as guest:
        host.say(t="pace", running=False, delay=1)
        host.say(t="step", by=1)
        host.hear(lambda m: m["t"] == "state" and m["ply"] == 1)
        said = {(one := host.hear(lambda m: m["t"] == "advice" and m["ply"] == 1))["agent"]: one for _ in range(2)}
        assert set(said) == {"easy", "random"}
        assert [len(one["rows"]) for one in said.values()] == [8, 8]
        assert len(set(said["random"]["words"])) == 8
        host.say(t="step", by=-1)
        assert len(host.hear(lambda m: m["t"] == "advice" and m["ply"] == 0)["rows"]) == 9
        guest.say(t="ping")
        guest.hear("pong")
        assert not [one for one in guest.heard if one["t"] == "advice"]


def test_a_finished_game_opens_in_the_viewer(house: Served) -> None:
    made = house.open("mnk", options={"m": 3, "n": 3, "k": 3})
    address = f"{house.place}/tables/{made.table}/viewer"
    assert httpx.post(address, data={"token": made.host}).status_code == 409
    with house.client(made.table, made.host) as me:
        me.my_turn()
        me.say(t="resign")
        me.hear(lambda m: m["t"] == "state" and m["over"])
    assert httpx.post(address, data={"token": "x"}).status_code == 404
    foreign = {"Origin": "http://evil.example"}
    assert httpx.post(address, data={"token": made.host}, headers=foreign).status_code == 403
    shown = httpx.post(address, data={"token": made.host})
    assert shown.status_code == 200
    assert "'unsafe" not in shown.headers["content-security-policy"]
    assert "sha256-" in shown.headers["content-security-policy"]


def test_legal_moves_count_in_no_rate() -> None:
    with served(rate=1.0) as house:
        made = house.open("mnk", options={"m": 15, "n": 15, "k": 15}, seats=["me", "random"])
        with house.client(made.table, made.host) as me:
            luck, played = random.Random(1), 0
            while not me.my_turn()["over"]:
                me.play(luck.choice(me.state["choices"])[0])
                played += 1
            assert played > BURST + 20
