"""All that is sent to a seat or a watcher during whole games: it would be the same if what they may not know were else.

A game is played over the wire by people in all seats, with somebody watching. After every action the position is made
anew with other hidden cards, as each seat imagines it, and every field of every message is compared with what it would
be there.
"""

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core import labels as words
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.pictures import scene
from kozyr.envs.table import event
from kozyr.envs.table.table import Table as Live
from tests.contract import variants
from tests.contract.table import Table

from .wire import ME, PERSON, Client, Server

TRIES = 6  # worlds that are imagined until two differ
PLIES = 25  # that are looked at; what comes later is played all the same
SEED = 918273645546372819
FIELDS = {
    "t", "ply", "turn", "scene", "number", "choices", "events", "undo", "left", "deadline", "over", "pace",
    "helped", "phrases",
}  # fmt: skip
TOLD = {  # of `welcome`
    "t", "table", "game", "title", "options", "seats", "seat", "host", "names", "kinds", "labels", "log", "hints",
    "ranks", "clock", "links", "analyst", "emotes", "phrases",
}  # fmt: skip


def fields(table: Any) -> list[Any]:
    """Return the names of the fields of a table's state."""
    return list(table.states.dtype.names or ())


def other_world(table: Table, seat: int) -> Table:
    """Return a position that `seat` cannot tell from the table's: what it does not know is as it imagines it."""
    if perfect_information(table.v):
        return table
    one = other = imagined(table, seat, 1)
    for seed in range(2, TRIES):
        other = imagined(table, seat, seed)
        if table.game.text.write(table.v, other.s) != table.game.text.write(table.v, one.s):
            break
    found = table.copy()
    for field in fields(table):
        if (np.asarray(one.states[field]) != np.asarray(other.states[field])).any():
            found.states[field] = one.states[field]
    try:
        table.game.text.read(table.v, table.game.text.write(table.v, found.s))
    except ValueError:  # the imagined places are not counted from where the real ones are
        found = one
    np.testing.assert_array_equal(found.view(seat), table.view(seat))
    return found


def imagined(table: Table, seat: int, seed: int) -> Table:
    """Return a position as `seat` imagines it, with the seats in their places."""
    game, v = table.game, table.v
    guess = table.imagined(seat, seed)  # the seat is seat 0 there
    text = re.sub(
        r"player_(\d+)", lambda found: f"player_{(int(found[1]) + seat) % table.seats}", game.text.write(v, guess.s)
    )
    lines = text.split("\n")
    own = [i for i, line in enumerate(lines) if re.match(r"player_\d+: ", line)]
    sorted_lines = sorted((lines[i] for i in own), key=lambda line: int(line.split(":")[0].removeprefix("player_")))
    for i, line in zip(own, sorted_lines, strict=True):
        lines[i] = line
    return Table.of(game, v, np.atleast_1d(game.text.read(v, "\n".join(lines))))


def drawn(table: Table, sees: int) -> list[list[int]]:
    """Return the scene of a table as rows."""
    out = np.zeros((scene.MOST, scene.COLUMNS), np.int32)
    count = scene.fill(table.v, table.states, sees, out)
    return out[:count].tolist()


def choices(table: Table, names: list[str]) -> list[Any]:
    """Return what a seat to move may choose from, as the protocol has it."""
    found, labels, row = [], getattr(table.game, "labels", {}), np.zeros(input_spec.ENTRIES, np.int32)
    for action in np.flatnonzero(table.mask()).tolist():
        row[:] = 0
        dispatch.elements(table.v, table.s, action, row)
        said, *more = row.tolist()[input_spec.SAID : input_spec.TARGET]
        phrase = (
            (labels[said], *more)
            if said in labels
            else table.game.text.say_phrase(table.v, table.s, action, table.turn)
        )
        text = words.say(phrase, names)
        keys = row.tolist()[input_spec.KEYS : input_spec.KEYS + int(row[input_spec.COUNT])]
        found.append([action, text, int(row[input_spec.HOW]), more[0], int(row[input_spec.TARGET]), keys])
        if words.has_words(phrase[0]):
            found[-1].append([said if said in labels else phrase[0], *phrase[1:]])
    return found


class Game:
    """A game over the wire, and the same game here."""

    def __init__(self, server: Server, v: Any, game: Any) -> None:
        seats = game.seats(v)
        self.game, self.v = game, v
        self.made = server.make(game.name, [ME, *[PERSON] * (seats - 1)], seed=SEED, **game.options(v))
        self.live = Live(game, v, SEED)
        self.clients: dict[int | None, Client] = {}
        self.looked, self.differed = 0, 0

    async def play(self, address: str) -> None:
        """Play at random to the end, and look at everything that is sent."""
        tokens: list[tuple[int | None, str]] = [*enumerate(self.made.seats), (None, self.made.watch)]
        for seat, token in tokens:
            client = self.clients[seat] = await Client.sit(address, self.made.table, token)
            assert client.welcome["seat"] == seat
            assert set(client.welcome) <= TOLD
            await self._look(seat, client, None)
        rng = random.Random(1)
        while not self.live.over:
            before = Table.of(self.game, self.v, self.live.state())
            mover = self.clients[self.live.turn]
            action = rng.choice(mover.state["choices"])[0]
            await mover.send({"t": "play", "ply": self.live.ply, "action": action})
            self.live.play(action)
            for seat, client in self.clients.items():
                while client.state["ply"] < self.live.ply:
                    await asyncio.wait_for(client.until("state"), 20)
                if self.live.ply <= PLIES and not self.live.over:
                    await self._look(seat, client, (before, action))
        for client in self.clients.values():
            await client.close()

    async def _look(self, seat: int | None, client: Client, moved: tuple[Table, int] | None) -> None:
        """Compare what a client was sent with what it would be in worlds that it cannot tell apart."""
        table, state, names = Table.of(self.game, self.v, self.live.state()), client.state, client.welcome["names"]
        await client.send({"t": "text"})
        words = await client.until("text")
        assert set(state) <= FIELDS
        assert (state["ply"], state["turn"], state["over"]) == (self.live.ply, self.live.turn, None)
        for eyes in range(table.seats) if seat is None else [seat]:  # what a seat does not know, no watcher knows
            other = other_world(table, eyes)
            self.looked += 1
            self.differed += self.game.text.write(self.v, other.s) != self.game.text.write(self.v, table.s)
            sees = scene.SEES_PUBLIC if seat is None else seat
            assert [client.rows[i] for i in range(state["scene"]["count"])] == drawn(other, sees)
            known = "" if seat is None else self.game.text.write(self.v, other.s, seat)
            assert words == {"t": "text", "ply": self.live.ply, "text": known}
            assert state["choices"] == (choices(other, names) if seat == other.turn else [])
            if moved is not None:
                self._look_at_events(seat, eyes, state, moved)

    def _look_at_events(self, seat: int | None, eyes: int, state: Any, moved: tuple[Table, int]) -> None:
        """Compare what was told of an action with what would be told of it in another world."""
        before, action = moved
        other = other_world(before, eyes)
        if other.mask()[action] or seat == before.turn:
            told = event.moved(self.game, self.v, other.s, action).for_seat(seat)
            assert state["events"] == [[self.live.ply, before.turn, told.words]]
            translated = words.has_words(told.phrase[0] if told.phrase else "")
            assert state["phrases"] == [list(told.phrase) if translated else None]

    def assert_no_secrets(self) -> None:
        """No seed is sent to anybody, and no link but to the one who made the table."""
        secrets = {*self.made.seats, self.made.watch}
        for seat, client in self.clients.items():
            everything = "\n".join(client.received[:-1])  # the last message is the end, whose record tells the deal
            assert str(SEED) not in everything
            if seat != 0:
                assert not [one for one in secrets if one in everything]


@pytest.mark.parametrize("name", envs.games())
def test_no_byte_depends_on_what_is_hidden(server: Server, name: str) -> None:
    game = envs.game(name)
    differed = 0
    for v in _variants(game):
        one = Game(server, v, game)
        asyncio.run(one.play(server.address))
        one.assert_no_secrets()
        assert one.looked
        differed += one.differed
    assert differed or perfect_information(game.make_variant())


def _variants(game: Any) -> list[Any]:
    """Return the default variant and another one, with choices in them."""
    found = [v for v in variants.drawn(game, 8, seed=4, most=400) if game.bound(v) < 5000]
    return found[:2]


def test_no_secret_of_a_table_is_in_the_servers_log(server: Server) -> None:
    made = server.make("durak", [ME, PERSON])
    log = Path(server.log.name).read_text(encoding="utf-8")
    assert not [one for one in (*made.seats, made.watch) if one in log]
    assert json.dumps(SEED) not in log
