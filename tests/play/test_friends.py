"""People at a table: names, emotes, the next game that both want, ratings, and what makes a game not count."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from kozyr.agents.play.session import table_talk

from .served import Client, Served, served

SMALL: dict[str, Any] = {"options": {"m": 3, "n": 3, "k": 3}, "starter": 0}
TWO: dict[str, Any] = {"seats": ["me", "person"], "names": ["Ann", "Guest 2"], **SMALL}
SCRIPT = "<script>alert(1)</script>"


def end(house: Served, made: Any) -> tuple[Client, Client]:
    """Return the clients of a table whose game the second one has given up."""
    me, you = house.client(made.table, made.host), house.client(made.table, made.seats[1])
    you.hear("state")
    you.say(t="resign")
    for one in (me, you):
        one.hear(lambda m: m["t"] == "state" and m["over"])
    return me, you


def test_a_guest_gives_a_name_that_everybody_sees_and_the_record_keeps(house: Served) -> None:
    made = house.open("mnk", **TWO)
    with house.client(made.table, made.host) as me, house.client(made.table, made.seats[1]) as you:
        you.say(t="name", name=f" {SCRIPT[:20]}\u202e ")
        called = me.hear(lambda m: m["t"] == "names" and m["names"][1] != "Guest 2")["names"]
        assert called == ["Ann", SCRIPT[:20]]  # the page shows it as text
        you.say(t="resign")
        over = me.hear(lambda m: m["t"] == "state" and m["over"])["over"]
        headers = {"x-token": made.host}
        assert httpx.get(f"{house.place}{over['record']}", headers=headers).json()["agents"] == called
        you.say(t="name", name="Late")
        assert "over" in you.hear("refused")["why"]
    assert [one for one in house.house._finished if set(one.names) == set(called)]


@pytest.mark.parametrize(
    ("name", "why"), [("", "at least one"), ("\u200b \n", "at least one"), ("Ann", "has that name")]
)
def test_a_name_that_cannot_be_is_refused(house: Served, name: str, why: str) -> None:
    made = house.open("mnk", **TWO)
    with house.client(made.table, made.seats[1]) as you:
        you.say(t="name", name=name)
        assert why in you.hear("refused")["why"]
        you.say(t="name", name="Bob")
        assert "once a second" in you.hear("refused")["why"]
    with house.client(made.table, made.watch) as watcher:
        watcher.say(t="name", name="Bob")
        assert "watch" in watcher.hear("refused")["why"]


def test_the_name_of_the_lobby_comes_along(house: Served) -> None:
    made = house.open("mnk", **TWO)
    cookie = {"additional_headers": {"Cookie": "kozyr_name=Zo%C3%AB"}}
    with Client(house.place, made.table, made.seats[1], **cookie) as you:
        assert you.hear("welcome")["names"] == ["Ann", "Zoë"]
    with Client(house.place, made.table, made.host, **cookie) as me:  # who has a name keeps it
        assert me.hear("welcome")["names"] == ["Ann", "Zoë"]


def test_a_name_is_kept_when_the_server_is_started_again(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        made = house.open("mnk", **TWO)
        with house.client(made.table, made.seats[1]) as you:
            you.say(t="name", name="Bob")
            you.hear(lambda m: m["t"] == "names" and "Bob" in m["names"])
    with served(tmp_path) as house, house.client(made.table, made.seats[1]) as you:
        assert you.hear("welcome")["names"] == ["Ann", "Bob"]
        you.say(t="resign")
        over = you.hear(lambda m: m["t"] == "state" and m["over"])["over"]
        record = httpx.get(f"{house.place}{over['record']}", headers={"x-token": made.host}).json()
        assert record["agents"] == ["Ann", "Bob"]


def test_emotes_reach_everybody_and_are_numbers(house: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    made = house.open("mnk", **TWO)
    with (
        house.client(made.table, made.host) as me,
        house.client(made.table, made.seats[1]) as you,
        house.client(made.table, made.watch) as watcher,
    ):
        assert me.hear("welcome")["emotes"]
        watcher.hear("state")
        you.say(t="emote", emote=1)
        for one in (me, you, watcher):
            assert one.hear("emote") == {"t": "emote", "seat": 1, "emote": 1}
        you.say(t="emote", emote=2)
        assert "wait a moment" in you.hear("refused")["why"]
        me.say(t="emote", emote=0)
        assert you.hear("emote")["seat"] == 0
        assert not watcher.heard[0]["emotes"]
        watcher.say(t="emote", emote=0)
        assert "people who play" in watcher.hear("refused")["why"]


def test_who_plays_agents_has_nobody_to_show_an_emote(house: Served) -> None:
    made = house.open("mnk", **SMALL)
    with house.client(made.table, made.host) as me:
        assert not me.hear("welcome")["emotes"]
        me.say(t="emote", emote=0)
        assert "people who play" in me.hear("refused")["why"]


@pytest.mark.parametrize("message", [{"emote": 3}, {"emote": -1}, {"emote": "👋"}, {}, {"emote": 1, "text": "hello"}])
def test_an_emote_that_there_is_not_closes_the_socket(house: Served, message: dict[str, Any]) -> None:
    made = house.open("mnk", **TWO)
    with house.client(made.table, made.host) as me:
        me.hear("state")
        me.say(t="emote", **message)
        assert me.closed() == 4400


def test_the_host_accepts_the_game_that_a_guest_asks_for(house: Served) -> None:
    me, you = end(house, made := house.open("mnk", **TWO))
    you.say(t="again", how="again")
    assert me.hear("rematch") == {"t": "rematch", "how": "again", "seats": [False, True]}
    me.say(t="again", how="again")
    addresses = me.hear("moved")["to"], you.hear("moved")["to"]
    assert len({one.split("#")[0] for one in addresses}) == 1
    assert made.table not in addresses[0]


def test_who_is_left_alone_begins_the_next_game_alone(house: Served) -> None:
    me, you = end(house, house.open("mnk", **TWO))
    me.say(t="again", how="again")
    me.hear("rematch")
    you.__exit__()
    me.hear(lambda m: m["t"] == "people" and m["here"] == [True, False])
    me.say(t="again", how="again")
    assert me.hear("moved")


@pytest.mark.parametrize(
    ("asked", "present", "host", "agreed"),
    [
        ([0], {0, 1, 2}, 0, False),
        ([1], {0, 1, 2}, 0, False),
        ([1, 2], {0, 1, 2}, 0, False),
        ([1, 0], {0, 1, 2}, 0, True),
        ([0, 1, 2], {0, 1, 2}, None, True),
        ([1], {1}, None, True),
    ],
)
def test_who_has_to_want_the_next_game(asked: list[int], present: set[int], host: int | None, agreed: bool) -> None:
    requests = table_talk.RematchRequests()
    for seat in asked:
        requests.ask(seat, "again")
    assert requests.agreed(present, host) == agreed
    requests.ask(9, "swap")
    assert requests.seats == {9}


def test_ratings_come_from_games_that_count() -> None:
    with served() as house:
        for one in end(house, house.open("mnk", **{**TWO, "names": ["Ann", "Bob"]})):
            one.__exit__()
        made = house.open("mnk", **{**TWO, "names": ["Ann", "Eve"]})
        with house.client(made.table, made.host) as me:
            ann, eve = me.hear("names")["ratings"]
        assert ann > 25
        assert eve is None  # she has not played yet


def test_ratings_are_told_after_the_game() -> None:
    with served() as house:
        me, you = end(house, house.open("mnk", **{**TWO, "names": ["Ann", "Bob"]}))
        ann, bob = me.hear(lambda m: m["t"] == "names" and any(m["ratings"]))["ratings"]
        assert ann > bob
        for one in (me, you):
            one.__exit__()


def test_an_undo_makes_a_game_not_count(house: Served) -> None:
    made = house.open("mnk", options={"m": 5, "n": 5, "k": 4}, seats=["me", "random"], starter=0)
    with house.client(made.table, made.host) as me:
        assert not me.my_turn()["helped"]
        me.play()
        assert not me.my_turn()["helped"]
        me.say(t="undo")
        assert me.hear("state")["helped"]
