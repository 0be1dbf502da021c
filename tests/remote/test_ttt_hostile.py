"""Hostile clients of the five-in-a-row wire: the server goes on, and nobody takes another's seat."""

import random
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("zmq")

import zmq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .peer import Peer, field
from .served import Running, serving

SOME, ALL = 5_000, 100_000  # frames


def rubbish(rng: random.Random) -> list[bytes]:
    """Return the frames of a message that no client of ours sends."""
    body = rng.choice(
        [
            b"",
            b"\xff",
            rng.randbytes(rng.randrange(40)),
            field(2, "a"),
            field(1, 1),
            field(2, 3) + field(3, 3),
            b"x" * 2000,
        ]
    )
    return rng.choice([[b"", body], [body], [b"", body, b"more"], [b"x", body], [b"", b"", body]])


def storm(address: str, frames: int, seed: int) -> None:
    """Send rubbish from many sockets, some with an identity that they chose."""
    rng, context = random.Random(seed), zmq.Context()
    sockets = list[zmq.Socket[bytes]]()
    for i in range(20):
        socket = context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        if i % 3 == 0:
            socket.setsockopt(zmq.IDENTITY, rng.choice([b"a", b"b", rng.randbytes(4) + b"x"]) + bytes([i]))
        socket.connect(address)
        sockets.append(socket)
    for _ in range(frames):
        socket = rng.choice(sockets)
        socket.send_multipart(rubbish(rng))
        while socket.poll(0):
            socket.recv_multipart()
    for socket in sockets:
        socket.close()
    context.term()


def rage(frames: int) -> None:
    """Let two play while a storm goes on."""
    with serving(games=6, limit=5.0, m=9, n=9, k=5) as server:
        storms = threading.Thread(target=storm, args=(server.address, frames, 1))
        with Peer(server.address, "a", seed=1) as a, Peer(server.address, "b", seed=2) as b:
            storms.start()
            players = [threading.Thread(target=one.play) for one in (a, b)]
            for one in players:
                one.start()
            for one in [*players, storms]:
                one.join(300)
            assert a.closed
            assert b.closed
            assert a.ends == b.ends
    mine = [one for one in server.outcomes if sorted(one.names) == ["a", "b"]]
    assert len(mine) == len(server.outcomes) == 6
    assert not [one for one in mine if one.reason]


def test_a_storm_disturbs_no_game() -> None:
    rage(SOME)


def test_nobody_waits_for_those_who_watch_and_fall_silent() -> None:
    with serving(games=2, limit=3.0) as server:
        silent = [Peer(server.address, observes=True) for _ in range(40)]
        for one in silent:
            one.socket.send(b"")  # ready, and no word more
        with Peer(server.address, "a", seed=1) as a, Peer(server.address, "b", seed=2) as b:
            players = [threading.Thread(target=one.play) for one in (a, b)]
            for one in players:
                one.start()
            for one in players:
                one.join(300)
            assert a.closed
            assert len(a.ends) == len(b.ends) == 2
        for one in silent:
            one.close()
    assert not [one for one in server.outcomes if one.reason]


@pytest.mark.slow
def test_a_long_storm_disturbs_no_game() -> None:
    rage(ALL)


@pytest.fixture(scope="module")
def open_server() -> Iterator[Running]:
    """A server that waits for more clients than come."""
    with serving(games=1, clients=50) as server:
        yield server
        server.stop()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=st.binary(max_size=300))
def test_any_first_message_is_answered_or_dropped(open_server: Running, payload: bytes) -> None:
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(open_server.address)
    socket.send(payload)
    assert socket.poll(20_000)
    assert socket.recv()[:1] in (b"\x0a", b"\x12")  # accepted, or rejected
    socket.close()
    context.term()


def test_a_thousand_who_never_speak(open_server: Running) -> None:
    context = zmq.Context()
    context.max_sockets = 2000
    sockets = [context.socket(zmq.REQ) for _ in range(1000)]
    for one in sockets:
        one.setsockopt(zmq.LINGER, 0)
        one.connect(open_server.address)
    with Peer(open_server.address, "late") as peer:
        assert peer.refused is None
    for one in sockets:
        one.close()
    context.term()
