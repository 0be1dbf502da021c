"""Programs in seats of a table, over a WebSocket: the messages of docs/howto/process.md."""

import json
import random
import threading
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

from kozyr import envs
from kozyr.agents.remote.guest import Guest

from .served import WAIT, Served

TWO = {"seats": ["me", "person"]}


class Bot:
    """A program that was written from the page: it takes the first legal action, or one that it is told to try."""

    def __init__(self, place: str, table: str, token: Any, **hello: Any) -> None:
        address = f"{place.replace('http', 'ws')}/tables/{table}/program"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(connect(address, open_timeout=WAIT))
        self.heard = list[Any]()
        self.hello = self.read()
        self.say(**{"type": "hello", "kozyr": 1, "token": token, **hello})

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def read(self) -> Any:
        self.heard.append(json.loads(self.socket.recv(WAIT)))
        return self.heard[-1]

    def until(self, kind: str) -> Any:
        """Read up to a message of a kind."""
        while self.read()["type"] != kind:
            pass
        return self.heard[-1]

    def play(self) -> Any:
        """Play a game to its end, and return the result."""
        while True:
            message = self.read()
            if message["type"] == "act":
                self.say(type="move", id=message["id"], action=message["legal"][0])
            if message["type"] == "result":
                return message

    def code(self) -> int:
        """Return the code with which the socket is closed."""
        try:
            while True:
                self.read()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0

    def of(self, kind: str) -> list[Any]:
        return [message for message in self.heard if message["type"] == kind]


def both(one: Bot, other: Bot) -> tuple[Any, Any]:
    """Let two programs play a game against each other."""
    results = dict[int, Any]()
    playing = [
        threading.Thread(target=lambda k=k, it=it: results.update({k: it.play()})) for k, it in enumerate((one, other))
    ]
    for thread in playing:
        thread.start()
    for thread in playing:
        thread.join(WAIT)
    return results[0], results[1]


def test_two_programs_play_and_see_only_their_own(house: Served) -> None:
    made = house.open("durak", **TWO)
    one = Bot(house.place, made.table, made.seats[0], wants=["view", "words", "text", "events"])
    other = Bot(house.place, made.table, made.seats[1], wants=["events"])
    first, second = both(one, other)
    assert first["payoffs"] == second["payoffs"]
    assert (first["seat"], second["seat"]) == (0, 1)
    game = envs.game("durak")
    assert one.hello["game"] == "durak"
    assert one.hello["options"] == game.options(game.make_variant())
    moves = [event for event in one.of("event") if event["kind"] == "moved"]
    assert [event["ply"] for event in moves] == list(range(1, len(moves) + 1))
    assert [event["words"] for event in one.of("event")] == [event["words"] for event in other.of("event")]
    asked = one.of("act")
    assert len(asked) == sum(event["seat"] == 0 for event in moves)
    room = house.do(house.house.find(made.table))
    record = json.loads(room.state.record)
    assert record["actions"] == [event["action"] for event in moves]
    hands = [cards for act in asked for cards in act["text"].splitlines() if cards.startswith("player_1")]
    assert hands
    assert not any("(you)" in hand for hand in hands)
    assert set(other.of("act")[0]) == {"type", "id", "left", "legal"}


def test_a_person_and_a_program_play_on(house: Served) -> None:
    made = house.open("durak", **TWO)
    person = house.client(made.table, made.seats[0])
    bot = Bot(house.place, made.table, made.seats[1])
    results = list[Any]()
    playing = threading.Thread(target=lambda: results.extend([bot.play(), bot.play()]))
    playing.start()
    person.play_out()
    person.say(t="again", how="swap")
    table, _, token = person.hear("moved")["to"].rpartition("/")[2].partition("#")
    person = house.client(table, token)
    over = person.play_out(seat=1)["over"]
    playing.join(WAIT)
    assert [one["seat"] for one in bot.of("reset")] == [1, 0]
    assert results[1] == {"type": "result", "seat": 0, "payoffs": over["payoffs"]}


def test_wrong_answers_are_told_and_change_nothing(house: Served) -> None:
    made = house.open("war", **TWO)
    one = Bot(house.place, made.table, made.seats[0])
    other = Bot(house.place, made.table, made.seats[1])
    both_asked = {0: one, 1: other}
    room = house.do(house.house.find(made.table))
    bot = both_asked[room.state.turn]
    act = bot.until("act")
    for wrong in ({"type": "move"}, {"type": "dance"}, {"type": "move", "id": 99, "action": 0}):
        bot.say(**wrong)
        assert bot.read()["type"] == "error"
    bot.say(type="move", id=act["id"], action=10**6)
    assert "not legal" in bot.until("error")["why"]
    again = bot.until("act")
    assert again["id"] == act["id"] + 1
    assert again["legal"] == act["legal"]
    assert room.state.ply == 0
    bot.say(type="resign")
    assert bot.until("result")["payoffs"][bot.heard[-1]["seat"]] == -1


def test_strangers_are_not_let_in(house: Served) -> None:
    made = house.open("war", **TWO)
    assert Bot(house.place, made.table, "nothing").code() == 4403
    assert Bot(house.place, made.table, made.watch).code() == 4403
    assert Bot(house.place, made.table, made.seats[1], kozyr=9).code() == 4400
    assert Bot(house.place, made.table, made.seats[1], wants="all").code() == 4400
    assert Bot(house.place, made.table, ["x"]).code() == 4403
    with suppress(ConnectionClosed), connect(f"{house.place.replace('http', 'ws')}/tables/none/program") as socket:
        socket.recv(WAIT)
        pytest.fail("there is no such table")


def test_an_agent_of_ours_takes_a_seat_by_its_link(house: Served) -> None:
    made = house.open("daifugo", seats=["me", "low", "person", "low", "low"], options={"players": 5})
    said = list[str]()
    guests = [
        Guest(f"{house.place}/tables/{made.table}#{made.seats[k]}", name, said.append)
        for k, name in ((0, "low"), (2, "heuristic"))
    ]
    threads = [threading.Thread(target=guest.run) for guest in guests]
    for thread in threads:
        thread.start()
    room = house.do(house.house.find(made.table))
    for _ in range(600):
        if room.state.payoffs is not None and all(guest.games for guest in guests):
            break
        threads[0].join(0.1)
    payoffs: Any = room.state.payoffs
    assert [guest.games for guest in guests] == [[payoffs[0]], [payoffs[2]]]
    house.do(_closed(house, room))
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    assert "heuristic has seat 3 of 5" in said


async def _closed(house: Served, room: Any) -> None:
    house.house.forget(room)


def test_a_link_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match="is no link to a seat"):
        Guest("http://localhost:8000/tables/x", "low", print)
    with pytest.raises(RuntimeError, match=r"nobody plays at ws://127\.0\.0\.1:9/tables/x/program"):
        Guest("http://127.0.0.1:9/tables/x#y", "low", print).run()


HELLO = {"type": "hello", "game": "mnk", "version": 0, "options": {"m": 3, "n": 3, "k": 3}}
RESET = {"type": "reset", "seat": 0}
ACT = {"type": "act", "id": 1, "left": None, "legal": [0]}


def hello(**other: Any) -> dict[str, Any]:
    """Return the first message of a table of tic-tac-toe, with other fields."""
    game = envs.game("mnk")
    v = game.make_variant(m=3, n=3, k=3)
    view = {name: {} for name, *_ in game.declaration(v)}
    return {**HELLO, "version": game.version, "options": game.options(v), "view": view, **other}


def act(**other: Any) -> dict[str, Any]:
    """Return a question with a view that fits, with other fields."""
    game = envs.game("mnk")
    v = game.make_variant(m=3, n=3, k=3)
    view = {name: [0] * (last - first) for name, first, last, _ in game.declaration(v)}
    return {**ACT, "view": view, **other}


LIES: dict[str, list[Any]] = {
    "no game": [{"type": "hello"}],
    "a game that nobody knows": [hello(game="chess")],
    "options that are none": [hello(options={"m": "\x1b[2J"})],
    "another version": [hello(version=99)],
    "a question before hello": [act()],
    "a seat that is not there": [hello(), {**RESET, "seat": 7}],
    "no seat": [hello(), {"type": "reset"}],
    "no view": [hello(), RESET, ACT],
    "a short view": [hello(), RESET, act(view={"board": [0]})],
    "numbers that no view has": [hello(), RESET, act(view={"board": [10**9] * len(act()["view"])})],
    "an action that is not there": [hello(), RESET, act(legal=[10**6])],
    "no legal action": [hello(), RESET, act(legal=[])],
    "time that is none": [hello(), RESET, act(left="soon")],
    "payoffs for others": [hello(), RESET, {"type": "result", "seat": 0, "payoffs": [1.0]}],
    "a result before hello": [{"type": "result", "seat": 0, "payoffs": [1.0, -1.0]}],
}


@pytest.mark.parametrize("lie", LIES)
def test_a_table_that_lies_ends_our_client_in_a_sentence(lie: str) -> None:
    told = list[str]()

    def lying(socket: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            for message in [{"type": "error", "why": "\x1b[2Jno\nline"}, *LIES[lie]]:
                socket.send(json.dumps(message))
            socket.recv(WAIT)  # its greeting, if it says one
            socket.recv(WAIT)

    with serve(lying, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        link = f"http://127.0.0.1:{server.socket.getsockname()[1]}/tables/x#y"
        with pytest.raises(RuntimeError, match=r"not the protocol of kozyr's tables|is another version there"):
            Guest(link, "random", told.append).run()
        server.shutdown()
        thread.join(WAIT)
    assert told[0] == r"the table says: '\x1b[2Jno\nline'"
    assert all(line.isprintable() for line in told)


def rage(house: Served, frames: int) -> None:
    """Send malformed frames, then play on as if nothing had been."""
    rng, made = random.Random(3), house.open("durak", **TWO)
    one, other = (Bot(house.place, made.table, token, wants=["events"]) for token in made.seats)
    whole = '{"type":"move","id":1,"action":0}'
    for _ in range(frames):
        line = list(rng.choice((whole, '{"type":"hello","kozyr":1}', "[]", "{" * 2000, '"' + "9" * 60_000)))
        for _ in range(rng.randrange(1, 4)):
            line[rng.randrange(len(line))] = rng.choice(("", "é", "{", '"', "\\", "7", "-"))
        if "".join(line) != whole:
            one.socket.send("".join(line).replace('"id":1,', '"id":77,'))
        if rng.random() < 0.05:
            one.socket.send(json.dumps({"type": "move", "id": 77, "action": 0}))
            while "77" not in one.until("error")["why"]:
                pass
    for act in one.of("act"):  # it came in between
        one.say(type="move", id=act["id"], action=act["legal"][0])
    first, second = both(one, other)
    assert first["payoffs"] == second["payoffs"]


def test_malformed_frames_change_nothing(house: Served) -> None:
    rage(house, 3_000)


@pytest.mark.slow
def test_malformed_frames_for_a_long_time(house: Served) -> None:
    rage(house, 100_000)
