"""Hostile clients of the UECda wire: the games go on, and nobody takes another's seat."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kozyr.agents.remote.uecda import tables as wire

from .test_uecda_server import Referee, Running, serving
from .uecda_peer import Cells, Peer, blank, pack, profile

SOME, ALL = 5_000, 100_000  # tables


def nonsense(rng: random.Random) -> Cells:
    """Return a table that no client of ours sends."""
    cells = blank()
    for _ in range(rng.choice((0, 1, 2, 5, 120))):
        cells[rng.randrange(8)][rng.randrange(15)] = rng.choice((1, 1, 1, 2, 2, 3, 255, 2**31, 2**32 - 1))
    return cells


def rave(running: Running, tables: int, seed: int) -> int:
    """Answer all with nonsense, in one piece or byte by byte, until so many tables are sent or it is over."""
    rng, sent = random.Random(seed), 0
    peer = Peer(running.server.port, "raver")
    peer.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with suppress(OSError):
        while sent < tables:
            cells = peer.table()
            answers = cells[5][1] > 0
            state = 0
            if answers:
                peer.send(nonsense(rng))
            while not state:
                cells = peer.table()
                if cells[5][2]:
                    data = pack(nonsense(rng))
                    cut = rng.randrange(480)
                    peer.socket.sendall(data[:cut])
                    peer.socket.sendall(data[cut:])
                    sent += 1
                    assert peer.integer() in (8, 9)
                peer.table()
                state = peer.integer()
            if state == 2:
                break
    peer.close()
    return sent


def rage(tables: int) -> None:
    """Let one rave against four agents of ours."""
    games = tables // 8
    with serving(games, ("random",) * 4) as running:
        sent = rave(running, 2 * tables, 1)
    assert [len(one) for one in running.server.points] == [games] * 5
    assert sent > tables / 2
    assert 0 < running.server.refused[0] <= sent
    assert running.server.refused[1:] == [0] * 4


@pytest.mark.long
def test_nonsense_is_a_pass_and_every_game_ends() -> None:
    rage(SOME)


@pytest.mark.slow
def test_nonsense_for_a_long_time() -> None:
    rage(ALL)


def test_strangers_disturb_no_game_and_take_no_seat() -> None:
    stop = threading.Event()

    def storm(port: int) -> None:
        rng = random.Random(6)
        while not stop.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as stranger:
                stranger.settimeout(5)
                stranger.sendall(rng.choice((pack(profile("late")), rng.randbytes(rng.randrange(600)), b"")))
                if rng.random() < 0.5:
                    assert stranger.recv(4) == b""

    with serving(12) as running:
        peers = [Peer(running.server.port, f"peer{k}") for k in range(5)]
        storms = threading.Thread(target=storm, args=(running.server.port,))
        storms.start()
        referee = Referee(peers, 8)
        assert [referee.play() for _ in range(12)] == [1] * 11 + [2]
        stop.set()
        storms.join(30)
        for peer in peers:
            peer.close()
    assert running.server.names == [f"peer{k}" for k in range(5)]
    assert running.server.refused == referee.refused


def test_who_sends_ahead_and_never_reads_is_let_go() -> None:
    with serving(40, ("low",) * 4, limit=1.0) as running:
        flood = Peer(running.server.port, "flood")
        with suppress(OSError):
            flood.socket.settimeout(1.0)
            for _ in range(100_000):
                flood.socket.sendall(b"\xff" * 480)
    flood.close()
    assert [len(one) for one in running.server.points] == [40] * 5


@pytest.fixture(scope="module")
def waiting() -> Iterator[Running]:
    """A server that waits for its last player."""
    with serving(1, ("low",) * 4) as running:
        yield running
        peer = Peer(running.server.port, "last")
        assert peer.number == 0
        peer.close()


@settings(max_examples=60, deadline=None)
@given(first=st.binary(max_size=1000) | st.binary(min_size=480, max_size=480))
def test_whoever_begins_with_anything_else_is_not_let_in(waiting: Running, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", waiting.server.port), 20) as stranger, suppress(OSError):
        stranger.sendall(first)
        stranger.shutdown(socket.SHUT_WR)
        assert stranger.recv(4) == b""
    assert waiting.server.names == []


CELLS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 14), st.integers(0, 3) | st.integers(0, 2**32 - 1)))


@settings(max_examples=500, deadline=None)
@given(cells=CELLS)
def test_any_table_is_a_set_or_none_and_some_cards(cells: list[tuple[int, int, int]]) -> None:
    told = blank()
    for row, column, number in cells:
        told[row][column] = number
    table = wire.decode(pack(told))
    action, gift = wire.read_set(table), wire.read_gift(table)
    assert len(set(gift)) == len(gift)
    assert all(0 <= card < 53 for card in gift)
    if action is not None and action not in (wire.PASS, wire.LONE_JOKER):
        again = wire.blank()
        wire.write_set(again, action)
        seen = np.where(table[:5] > 2, 0, table[:5])  # a cell of 3 or more counts as no card
        assert (again[:5] == seen).all()
