"""A look back at a finished game: values, the biggest mistakes, and a table that goes on from there."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.play.session import messages
from kozyr.agents.play.session.host_protocol import Decision
from kozyr.agents.play.session.review import Review

from .served import Served, served

SMALL: dict[str, Any] = {"options": {"m": 3, "n": 3, "k": 3}, "seats": ["me", "random"], "starter": 0}


class Host:
    """A host whose analyst says what it was told to."""

    def __init__(self, rows: dict[int, list[list[Any]]]) -> None:
        self.rows, self.asked = rows, list[int]()

    async def decisions(self) -> list[Decision]:
        return [Decision(ply, ply % 2, 7, ("seven",)) for ply in self.rows]

    async def advise(self, agent: str, ply: int) -> messages.Advice:
        await asyncio.sleep(0)
        self.asked.append(ply)
        rows = self.rows[ply]
        kind = "values" if len(rows[0]) == 4 else "probabilities"
        words = [f"words {row[0]}" for row in rows]
        return messages.Advice(ply, agent, kind, rows, words, [(one,) for one in words])


def looked_at(rows: dict[int, list[list[Any]]], seat: int | None) -> Any:
    """Return the last message of a review."""

    async def run() -> Any:
        heard = list[Any]()
        review = Review(Host(rows), "pimc", lambda _, message: heard.append(message))  # pyright: ignore[reportArgumentType]
        review.begin("me", seat)  # pyright: ignore[reportArgumentType]
        while not heard or heard[-1].done < heard[-1].of:
            await asyncio.sleep(0)
        return heard[-1]

    return asyncio.run(run())


GAME = {
    0: [[7, 0.5, None, None], [8, 0.1, 0.0, 0.2]],  # the best was played
    1: [[8, 0.9, 0.8, 1.0], [7, -0.1, None, None]],  # clearly worse than the best
    2: [[8, 0.4, 0.0, 0.8], [7, 0.3, None, None]],  # not clearly
    3: [[8, 0.2, None, None], [7, 0.0, -0.1, 0.1]],  # clearly, by little
    4: [[8, 0.9, None, None], [7, 0.5, 0.4, 0.6]],
    5: [[8, 1.0], [7, 0.0]],  # solved: nothing was compared
    6: [[8, 0.7, None, None], [9, 0.1, 0.0, 0.2]],  # the search did not weigh what was played
    7: [[8, 0.502, None, None], [7, 0.5, 0.4999, 0.5001]],  # clearly, by nothing
}


def test_only_clear_mistakes_are_told_the_biggest_first() -> None:
    found = looked_at(GAME, None)
    assert [(one.ply, one.gap, one.move, one.best) for one in found.mistakes] == [
        (1, 1.0, "seven", "words 8"),
        (4, 0.4, "seven", "words 8"),
    ]
    assert [point[:2] for point in found.points] == [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0), (6, 0), (7, 1)]
    assert (found.done, found.of) == (8, 8)


def test_a_seat_is_told_its_own_mistakes() -> None:
    assert [one.ply for one in looked_at(GAME, 1).mistakes] == [1, 3]
    assert [one.ply for one in looked_at(GAME, 0).mistakes] == [4]


def test_a_review_stops_when_nobody_reads_it_and_goes_on_later() -> None:
    async def run() -> None:
        host, heard = Host(GAME), list[Any]()
        review = Review(host, "pimc", lambda _, message: heard.append(message))  # pyright: ignore[reportArgumentType]
        review.begin("me", None)  # pyright: ignore[reportArgumentType]
        while len(host.asked) < 3:
            await asyncio.sleep(0)
        review.leave("me")  # pyright: ignore[reportArgumentType]
        asked = len(host.asked)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(host.asked) == asked < len(GAME)
        review.begin("you", None)  # pyright: ignore[reportArgumentType]
        while not heard or heard[-1].done < len(GAME):
            await asyncio.sleep(0)
        assert host.asked == sorted(set(host.asked))  # nothing twice

    asyncio.run(run())


def finished(house: Served, **given: Any) -> tuple[Any, Any]:
    """Return a table whose game has been played to the end, and its client."""
    made = house.open("mnk", **{**SMALL, **given})
    me = house.client(made.table, made.host)
    me.play_out()
    return made, me


def test_a_game_is_looked_at_once_it_is_over(house: Served) -> None:
    made = house.open("mnk", **SMALL)
    with house.client(made.table, made.host) as me:
        assert me.hear("welcome")["analyst"] == "pimc"
        for message in ({"t": "review"}, {"t": "branch", "ply": 0}):
            me.say(**message)
            assert "once it is over" in me.hear("refused")["why"]
        me.play_out()
        me.say(t="review")
        last = me.hear(lambda m: m["t"] == "review" and m["of"] > 0 and m["done"] == m["of"])
        plies = [point[0] for point in last["points"]]
        assert plies == sorted(set(plies))
        assert plies[0] == 0
        assert all(-1 <= value <= 1 for _, _, value in last["points"])
        assert all(one["seat"] == 0 and one["gap"] > 0 for one in last["mistakes"])
        with house.client(made.table, made.watch) as watcher:
            watcher.say(t="review")
            assert watcher.hear("review")["done"] == last["done"]


def test_a_game_goes_on_from_an_earlier_position_and_does_not_count(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        _, me = finished(house)
        welcome, *states = [one for one in me.heard if one["t"] in ("welcome", "state")]
        log = [line for line in [*welcome["log"], *(line for one in states for line in one["events"])] if line[0] <= 2]
        me.say(t="branch", ply=99)
        assert "nobody had a choice" in me.hear("refused")["why"]
        me.say(t="branch", ply=2)
        table, token = me.hear("moved")["to"].removeprefix("/tables/").split("#")
        with house.client(table, token) as again:
            welcome, state = again.hear("welcome"), again.my_turn()
            assert (welcome["seat"], welcome["kinds"]) == (0, ["me", "agent"])
            assert [line[:2] for line in welcome["log"]] == [line[:2] for line in log]
            assert (state["ply"], state["helped"], state["undo"]) == (2, True, False)
            again.play()
            again.my_turn()
            ply = again.state["ply"]
    with served(tmp_path) as house, house.client(table, token) as again:
        assert again.my_turn()["ply"] == ply
        if again.state["undo"]:
            again.say(t="undo")
            assert again.hear(lambda m: m["t"] == "state" and m["ply"] == 2)["undo"] is False
        games = len(house.house._finished)
        again.play_out()
        assert len(house.house._finished) == games


@pytest.mark.parametrize("seat", [0, 1])
def test_who_goes_on_alone_has_an_agent_in_the_other_seat(house: Served, seat: int) -> None:
    made = house.open("mnk", **{**SMALL, "seats": ["me", "person"], "names": ["Ann", "Bob"]})
    clients = [house.client(made.table, token) for token in (made.host, made.seats[1])]
    for one in clients:
        one.hear("state")
    clients[0].play(clients[0].state["choices"][0][0])
    clients[1].my_turn()
    clients[1].say(t="resign")
    clients[seat].hear(lambda m: m["t"] == "state" and m["over"])
    clients[seat].say(t="branch", ply=0)
    table, token = clients[seat].hear("moved")["to"].removeprefix("/tables/").split("#")
    with house.client(table, token) as again:
        welcome = again.hear("welcome")
        assert welcome["seat"] == seat
        assert welcome["names"][seat] == ["Ann", "Bob"][seat]
        assert welcome["kinds"][1 - seat] == "agent"
    for one in clients:
        one.__exit__()
