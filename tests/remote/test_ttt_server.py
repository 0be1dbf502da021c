"""Our server of the five-in-a-row wire, and clients written from its description."""

import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("zmq")

from kozyr import envs
from kozyr.agents.remote.ttt import seat
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.generate import HERE, generate
from kozyr.agents.remote.ttt.server import Outcome, standings
from kozyr.envs.table import record
from kozyr.envs.table.event import Event, Kind

from .peer import Peer, field, fields
from .served import serving

MNK = envs.game("mnk")
FACTS = seat.Facts(MNK.make_variant(), ("Ann", "Ben"))


def hexed(message: wire.Update) -> str:
    return message.SerializeToString().hex(" ")


def told(event: Event, facts: seat.Facts = FACTS) -> list[str]:
    return [hexed(one) for one in seat.updates(event, facts)]


def test_the_bytes_are_those_of_the_original() -> None:
    """What the original programs sent, as it was seen on the wire."""
    assert hexed(seat.new_game(FACTS, 0)) == "1a 0a 0a 08 08 0f 10 0f 18 05 20 00"
    assert hexed(seat.new_game(FACTS, 1)) == "1a 0c 0a 08 08 0f 10 0f 18 05 20 00 10 01"
    assert told(Event(Kind.MOVED, 1, 0, 15)) == ["0a 06 22 04 10 00 18 01"]  # X on (0, 1)
    assert told(Event(Kind.MOVED, 2, 1, 16)) == ["0a 08 22 06 08 01 10 01 18 01"]  # O on (1, 1)
    assert told(Event(Kind.ENDED, 9, payoffs=(1.0, -1.0))) == ["0a 02 2a 00"]
    assert told(Event(Kind.ENDED, 9, payoffs=(0.0, 0.0))) == ["0a 02 32 00"]
    off = seat.Facts(FACTS.variant, FACTS.names, wrong=(-333, -333))
    assert told(Event(Kind.FORFEITED, 1, 0, None, "illegal action"), off)[1] == "0a 02 3a 00"
    taken = seat.Facts(FACTS.variant, FACTS.names, wrong=(0, 0))
    assert told(Event(Kind.FORFEITED, 1, 0, None, "illegal action"), taken)[1] == "0a 04 3a 02 10 02"
    assert told(Event(Kind.ENDED, 1, payoffs=(-1.0, 1.0)), taken) == []  # no win follows
    assert hexed(wire.Update(ping_update=True)) == "20 01"
    assert hexed(wire.Update(move_request=True)) == "10 01"
    assert hexed(wire.Update(server_closed=True)) == "28 01"
    rejected = wire.JoinResponse(rejected=wire.JoinRejected(reason=wire.MALFORMED_MESSAGE))
    assert rejected.SerializeToString().hex(" ") == "12 02 08 03"
    accepted = wire.JoinResponse(accepted=wire.JoinAccepted(timelimit_ms=300))
    assert accepted.SerializeToString().hex(" ") == "0a 03 10 ac 02"
    assert wire.ClientResponse(move_x=7, move_y=7).SerializeToString().hex(" ") == "10 07 18 07"
    assert wire.ClientResponse().SerializeToString() == b""


def test_the_generated_code_is_that_of_the_proto(tmp_path: Path) -> None:
    generate(tmp_path)
    for name in ("ttt_pb2.py", "ttt_pb2.pyi"):
        made, kept = ((folder / name).read_text() for folder in (tmp_path, HERE))
        assert made == kept, "run python -m kozyr.agents.remote.ttt.generate"


def together(*peers: Peer) -> None:
    """Let all play until the server closes."""
    threads = [threading.Thread(target=one.play) for one in peers]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert all(peer.closed for peer in peers)


def test_two_clients_and_one_who_watches(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    with serving(games=4, record=file) as server, Peer(server.address, observes=True) as watcher:
        watching = threading.Thread(target=watcher.play)
        watching.start()
        with Peer(server.address, "a", seed=1) as a, Peer(server.address, "b", seed=2) as b:
            assert a.refused is None
            together(a, b)
        watching.join(20)
        assert watcher.ends == a.ends == b.ends
    assert len(server.outcomes) == len(watcher.ends) == 4
    first = server.outcomes[0].names
    assert sorted(first) == ["a", "b"]
    assert [one.names for one in server.outcomes] == [first, first[::-1]] * 2
    games = list(record.read_file(file))
    assert [one.agents for one in games] == [list(one.names) for one in server.outcomes]
    for one, end in zip(games, a.ends, strict=True):
        assert end == ("draw" if not any(one.payoffs) else "XO"[one.payoffs.index(1.0)])


def test_every_update_comes_in_the_order_of_the_original() -> None:
    with serving(("easy",), games=1, clients=1) as server, Peer(server.address, "a") as a:
        together(a)
    kinds = [next(iter(fields(one))) for one in a.heard if one != b"\x20\x01"]
    events = [next(iter(fields(one[2:]))) for one in a.heard if one[0] == 0x0A]
    assert kinds[:4] == [3, 1, 1, 1]  # new game; X and O have joined; the game has started
    assert events[:3] == [3, 3, 2]
    assert set(events[3:-1]) == {4}
    assert events[-1] in (5, 6)
    assert kinds[-1] == 5


def test_walls_are_told() -> None:
    with serving(("easy",), games=1, clients=1, obstacles=0.2) as server, Peer(server.address, "a", seed=3) as a:
        walls = set[tuple[int, int]]()
        see = a.see

        def saw(event: dict[int, int | bytes]) -> None:
            if 2 in event:
                body = event[2]
                assert isinstance(body, bytes)
                at = 0
                while at < len(body):  # a repeated message: each with its tag and length
                    point = fields(body[at + 2 : at + 2 + body[at + 1]])
                    walls.add((int(point[1]), int(point[2])))
                    at += 2 + body[at + 1]
                a.moves.update(dict.fromkeys(walls, 2))
            see(event)

        a.see = saw
        together(a)
    assert len(walls) == 5
    assert server.outcomes[0].reason == ""


@pytest.mark.parametrize(
    "answer",
    [field(2, 0) + field(3, 99), field(2, -1) + field(3, 0), field(2, 3), b"\xff\xff", b""],
)
def test_a_wrong_move_is_told_and_loses(answer: bytes) -> None:
    with serving(games=1) as server, Peer(server.address, "a") as a, Peer(server.address, "b") as b:
        a.move = lambda: answer
        together(a, b)
        [one] = server.outcomes or server.server.outcomes
        loser = one.names.index("a")
        assert a.ends == b.ends == [f"dq {'XO'[loser]}"]
    assert one.payoffs[loser] == -1.0
    assert one.reason == "illegal action"
    assert one.plies == loser


def test_who_is_late_is_let_go_and_the_other_wins() -> None:
    with serving(games=2, limit=0.15) as server, Peer(server.address, "a") as a, Peer(server.address, "b") as b:

        def slow() -> bytes:
            time.sleep(0.5)
            return field(2, 0) + field(3, 0)

        a.move = slow
        together(a, b)
    [one] = server.outcomes
    assert b.ends == ["XO"[one.names.index("b")]]
    assert (one.payoffs[one.names.index("a")], one.reason) == (-1.0, "time")
    assert any("is not played: a has gone" in line for line in server.said)


def test_who_dies_or_leaves_loses() -> None:
    for farewell in (None, field(1, 1)):
        with serving(games=1, limit=0.2) as server, Peer(server.address, "b") as b:
            waits = threading.Thread(target=b.play)
            waits.start()
            a = Peer(server.address, "a")

            def leave(a: Peer = a, farewell: bytes | None = farewell) -> bytes:
                if farewell is not None:
                    a.socket.send(farewell)
                    time.sleep(0.1)
                raise EOFError

            a.move = leave
            with pytest.raises(EOFError):
                a.play()
            a.close()
            waits.join(20)
            assert len(b.ends) == 1
        assert server.outcomes[0].payoffs[server.outcomes[0].names.index("a")] == -1.0
        assert server.outcomes[0].reason in ("did not answer", "time")


def test_who_may_not_come_in_is_told_why() -> None:
    with serving(games=1, password="word") as server:
        with Peer(server.address, "a") as one:
            assert one.refused == 1
        with Peer(server.address, observes=True) as one:
            assert one.refused == 1
        with Peer(server.address, password="word") as one:
            assert one.refused == 3
        with Peer(server.address, "x" * 65, password="word") as one:
            assert one.refused == 3
        for name in ("x" * 65, "\x1b]0;owned\x07", "a\nb"):
            with Peer(server.address, name, observes=True, password="word") as one:
                assert one.refused == 3
        with Peer(server.address, "a", password="word") as a:
            with Peer(server.address, "a", password="word") as one:
                assert one.refused == 0
            with Peer(server.address, "b", password="word") as b:
                together(a, b)
    assert len(server.outcomes) == 1


def test_standings_add_up() -> None:
    games = [Outcome(("a", "b"), (1.0, -1.0), "time", 3), Outcome(("b", "a"), (0.0, 0.0), "", 9)]
    a, b = standings(games)
    assert (a.name, a.games, a.wins, a.draws, a.losses, a.score) == ("a", 2, 1, 1, 0, 0.75)
    assert (b.name, b.forfeits, b.losses, b.score) == ("b", 1, 1, 0.25)
    assert a.low < a.score < a.high
