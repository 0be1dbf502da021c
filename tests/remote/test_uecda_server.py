"""The server of the UECda wire against five peers and a referee that know only the wire's page and the oracle."""

import asyncio
import random
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kozyr.agents.remote.uecda.results import standings
from kozyr.agents.remote.uecda.server import Plan, Server
from kozyr.envs.table import record
from tests.oracles.daifugo_suits import LONE, Card, Laid, Round, sets_of

from .uecda_peer import Cells, Peer, blank, hand_of, pack, profile, show_hand, show_set, some, strongest

FIVE = range(5)


class Running:
    """A server that runs in a thread."""

    def __init__(self, plan: Plan) -> None:
        self.said, self._listening = list[str](), threading.Event()
        self.server = Server(plan, self._say)
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.run()))
        self.thread.start()
        assert self._listening.wait(20)

    def _say(self, line: str) -> None:
        self.said.append(line)
        self._listening.set()


@contextmanager
def serving(
    games: int, agents: tuple[str, ...] = (), limit: float = 20.0, path: Path | None = None
) -> Generator[Running]:
    running = Running(Plan(port=0, agents=agents, games=games, limit=limit, seed=3, record=path))
    yield running
    running.thread.join(120)
    assert not running.thread.is_alive(), running.said


class Referee:
    """Plays games for five peers and compares every number that they are sent with what the page says."""

    def __init__(self, peers: list[Peer], seed: int) -> None:
        self.peers, self.rng = peers, random.Random(seed)
        self.places: list[int] | None = None
        self.orders = list[list[int]]()
        self.refused = [0] * 5

    def play(self) -> int:
        """Play a game and return the last integer."""
        hands, order = self.deal()
        tables = [peer.table() for peer in self.peers]
        first = next(k for k in FIVE if (1, "D") in hands[k])
        it = Round(hands, order, first)
        while True:
            self.compare_hands(tables, it)
            state = self.turn(it)
            if state:
                break
            tables = [peer.table() for peer in self.peers]
        assert it.over
        rest = [k for k in FIVE if k not in it.out]
        self.places = [(*it.out, *rest).index(k) for k in FIVE] if len(rest) == 1 else None
        return state

    def deal(self) -> tuple[list[set[Card]], list[int]]:
        """Take the deal and do the exchange; return the hands to play with and the order of turns."""
        tables = [peer.table() for peer in self.peers]
        hands, order = [hand_of(cells) for cells in tables], tables[0][6][10:]
        assert sorted(order) == list(FIVE)
        self.orders.append(order)
        places = self.places
        up = (2, 1, 0, 0, 0)
        for k, cells in enumerate(tables):
            gives = 0 if places is None else up[places[k]]
            assert cells[5] == [1, gives, 0, 6, *[0] * 11]
            assert cells[6][5:10] == ([0] * 5 if places is None else places)
            assert cells[6] == tables[0][6]
            assert cells[7] == [0] * 15
        counts = tables[0][6][:5]
        assert sorted(counts) == [10, 10, 11, 11, 11]
        if places is None:
            assert [len(hand) for hand in hands] == counts
            return hands, order
        assert counts[places.index(0)] == 11
        for place in (0, 1):
            self.exchange(hands, places.index(place), places.index(4 - place), 2 - place)
        assert [len(hand) for hand in hands] == counts
        return hands, order

    def exchange(self, hands: list[set[Card]], giver: int, taker: int, count: int) -> None:
        """Give cards back, sometimes wrong ones, for which the server gives the strongest."""
        gift = strongest(hands[taker], count)
        assert gift <= hands[giver]
        hands[taker] -= gift
        back, good = set(self.rng.sample(sorted(hands[giver]), count)), self.rng.random() < 0.7
        cells = blank()
        show_hand(cells, back if good else set(sorted(hands[giver])[: count + 1]))
        self.peers[giver].send(cells)
        back = back if good else strongest(hands[giver], count)
        hands[giver] -= back
        hands[taker] |= back

    def compare_hands(self, tables: list[Cells], it: Round) -> None:
        for k, cells in enumerate(tables):
            wanted = blank()
            show_hand(wanted, it.hands[k])
            wanted[5] = [0, 0, k == it.turn, it.turn, it.table is None, 0, it.upside, it.lock is not None, *[0] * 7]
            wanted[6] = [*map(len, it.hands), *(self.places or [0] * 5), *self.orders[-1]]
            assert cells == wanted

    def turn(self, it: Round) -> int:
        """Let the player on turn submit something, and compare what all hear."""
        player, under, lock, free = it.turn, it.table, it.lock is not None, it.table is None
        chosen, sent = self.submission(it)
        self.refused[player] += chosen is None and sent != blank()
        self.peers[player].send(sent)
        assert self.peers[player].integer() == (9 if chosen is not None or (free and sent == blank()) else 8)
        lies = chosen if chosen is not None else under
        if chosen is not None:
            lock = chosen != LONE and (lock or (under is not None and under.suits == chosen.suits))
        it.act(chosen)
        wanted = blank()
        if lies is not None:
            shown = sent if chosen is not None else self.shown
            wanted[:5] = [list(row) for row in shown[:5]]
        self.shown = wanted
        counts = [len(hand) for hand in it.hands]
        wanted[5] = [0, 0, 0, player, free and chosen is None, 0, it.upside, lock, *[0] * 7]
        wanted[6] = [*counts, *(self.places or [0] * 5), *self.orders[-1]]
        states = set[int]()
        for peer in self.peers:
            assert peer.table() == wanted
            states.add(peer.integer())
        assert len(states) == 1
        assert (states != {0}) == it.over
        return states.pop()

    def submission(self, it: Round) -> tuple[Laid | None, Cells]:
        """Return what is laid, None for a pass or what counts as one, and the table that is sent."""
        cells, roll = blank(), self.rng.random()
        if roll < 0.05:  # cards of somebody else, or what is no set
            others = [card for k in FIVE if k != it.turn for card in it.hands[k]]
            show_hand(cells, {self.rng.choice(others)} if roll < 0.025 and others else set(list(it.hands[it.turn])[:6]))
            taken = self.as_set(cells)
            return (taken if taken in it.legal() else None), cells
        chosen = some(self.rng, it.legal() - {None} or {None}) if roll < 0.8 else None
        if chosen is not None:
            show_set(cells, chosen, it.upside)
        cells[7][3] = 77  # rows 5 to 7 are not read
        if chosen is None:
            cells = blank()
        return chosen, cells

    def as_set(self, cells: Cells) -> Laid | None:
        """Return the one set without a joker that these cells could be."""
        cards = hand_of(cells)
        return next((it for it in sets_of(cards) if it.cards == frozenset(cards) == it.places), None)


@pytest.mark.long
def test_every_number_is_what_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with serving(30, path=path) as running:
        peers = [Peer(running.server.port, f"peer{k}") for k in FIVE]
        assert [peer.number for peer in peers] == list(FIVE)
        referee = Referee(peers, 5)
        states = [referee.play() for _ in range(30)]
        assert states == [1] * 29 + [2]
        with pytest.raises(ConnectionError):
            peers[0].table()
        for peer in peers:
            peer.close()
    orders = referee.orders
    assert all(orders[n] == orders[n - n % 3] for n in range(30))
    assert len({tuple(order) for order in orders}) > 5
    assert running.server.names == [f"peer{k}" for k in FIVE]
    (game,) = record.read_file(path)
    assert game.variant.rounds == 300
    assert int(record.replay(game)[0].rounds) == 31
    points = standings(running.server.names, running.server.points, running.server.refused)
    assert sum(one["points"] for one in points) == pytest.approx(15)
    assert [sum(one["places"]) for one in points] == [30] * 5
    assert running.server.refused == referee.refused
    assert sum(referee.refused) > 20


@pytest.mark.long
def test_the_games_of_a_long_match_follow_each_other_as_the_page_says() -> None:
    """Places are forgotten before games 1, 101, 201 …, and seats are drawn before 1, 4, 7 …, at every table of ours."""
    with serving(305, ("low", "low", "random", "random")) as running:
        peer, begun, orders = Peer(running.server.port, "one"), list[list[int]](), list[list[int]]()
        while True:
            cells = peer.table()
            begun.append(cells[6][5:10])
            orders.append(cells[6][10:])
            if cells[5][1]:
                peer.send(blank())
            state = 0
            while not state:
                cells = peer.table()
                if cells[5][2]:
                    peer.send(blank())
                    assert peer.integer() == (9 if cells[5][4] else 8)
                peer.table()
                state = peer.integer()
            if state == 2:
                break
        peer.close()
    assert [n for n, places in enumerate(begun) if not any(places)] == [0, 100, 200, 300]
    assert all(orders[n] == orders[n - n % 3] for n in range(305))
    assert sum(orders[n] != orders[n - 1] for n in range(3, 305, 3)) > 90
    assert running.server.names == ["one", "low", "low", "random", "random"]
    assert [len(one) for one in running.server.points] == [305] * 5


def test_bytes_are_those_of_the_page() -> None:
    assert pack(profile("ab"))[:4].hex() == "00004e66"
    assert pack(profile("ab"))[60:72].hex() == "000000610000006200000000"
    assert len(pack(blank())) == 480


def test_who_has_gone_passes_and_the_games_go_on() -> None:
    with serving(3, ("heuristic", "low"), limit=0.5) as running:
        peers = [Peer(running.server.port, f"peer{k}") for k in range(3)]
        peers[0].close()
        peers[1].socket.sendall(b"\0" * 100)  # and no more
    lost = running.server.lost()
    assert len(lost) == 3
    assert [len(one) for one in running.server.points] == [3] * 5
    for peer in peers[1:]:
        peer.close()


def test_agents_of_ours_that_fail_pass_and_the_games_go_on() -> None:
    wrong = tuple(f"tests.remote.wrong:{name}" for name in ("Raises", "Illegal", "Leaves"))
    with serving(3, (*wrong, "low", "low")) as running:
        pass
    assert [len(one) for one in running.server.points] == [3] * 5
    assert all(running.server.refused[:3])
    assert running.server.refused[3:] == [0, 0]
    for name, words in zip(wrong, ("a bug", "actions run from 0 to 2421", "3"), strict=True):
        (said,) = (line for line in running.said if line.startswith(f"{name} has failed"))
        assert said.endswith(words)
    assert len(running.server.lost()) == 3


def test_strangers_are_not_let_in() -> None:
    with serving(1, ("low",) * 4, limit=0.3) as running:
        for first in (b"GET / HTTP/1.1\r\n" * 40, pack([[20060, *[0] * 14], *blank()[1:]]), b"\xff" * 480):
            with socket.create_connection(("127.0.0.1", running.server.port), 20) as stranger:
                stranger.sendall(first)
                with suppress(ConnectionError):
                    assert stranger.recv(4) == b""
        Peer(running.server.port, "me").close()
    assert running.server.names[0] == "me"


def test_what_cannot_be_is_told_before_anything_waits() -> None:
    with pytest.raises(ValueError, match="6 agents for 5 seats"):
        Server(Plan(agents=("low",) * 6), print)
    with pytest.raises(ValueError, match="heuristc"):
        Server(Plan(agents=("heuristc",)), print)
    server = Server(Plan(host="203.0.113.1", port=1), print)
    with pytest.raises(ValueError, match=r"203\.0\.113\.1:1 cannot be used"):
        asyncio.run(server.run())
