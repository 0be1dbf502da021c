"""The client of the UECda wire against a server that knows only the wire's page and the oracle."""

import random
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from itertools import cycle

import pytest

from kozyr.agents import player
from kozyr.agents.remote.uecda.client import Client, ClientResult, JoinSettings
from kozyr.agents.search import Searcher
from tests.oracles.daifugo_suits import LONE, RANKS, SUITS, Card, Laid, Round

from .uecda_peer import Accepted, Cells, blank, hand_of, pack, show_hand, show_set, some, strongest

FIVE = range(5)
DECK: list[Card] = [(column, suit) for column in RANKS.values() for suit in SUITS] + [(0, "*")]


class Host:
    """A server with four players of its own, who lay what luck says.

    Args:
        me: the number that the client is given; luck: fixes everything; passing: how often the others pass.

    Attributes:
        places: of all players after each game; counted: how many things our client could do, at each of its turns.
    """

    def __init__(self, me: int, luck: int, passing: float = 0.2) -> None:
        self.me, self.rng, self.passing = me, random.Random(luck), passing
        self.places, self.counted = list[list[int | None]](), list[int]()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.failed: BaseException | None = None
        self.order, self.drawn = list(FIVE), list[int]()

    def serve(self, games: int) -> None:
        """Let one client in and play games with it."""
        try:
            with self.listener:
                self.client = Accepted(self.listener.accept()[0])
            assert self.client.table()[0][0] == 20070
            self.client.integer(self.me)
            for number in range(games):
                if number % 3 == 0:
                    self.rng.shuffle(self.order)
                self.play(self.drawn if number % 100 else None, last=number == games - 1)
            self.client.close()
        except BaseException as error:
            self.failed = error
            self.client.close()

    def play(self, before: list[int] | None, last: bool) -> None:
        """Play a game."""
        hands = self.deal(before)
        it = Round(hands, self.order, next(k for k in FIVE if (1, "D") in hands[k]))
        shown = blank()
        while not it.over:
            cells = blank()
            show_hand(cells, hands[self.me])
            empty = it.table is None
            cells[5][2:8] = [it.turn == self.me, it.turn, empty, 0, it.upside, it.lock is not None]
            self.client.send(self.row6(cells, [len(hand) for hand in hands], before))
            shown = blank() if empty else shown
            shown, locked = self.act(it, shown)
            told = [list(row) for row in shown]
            told[5], told[6] = [0] * 15, [0] * 15
            told[5][3:8] = [self.player, empty and told[:5] == blank()[:5], 0, it.upside, locked]
            self.client.send(self.row6(told, [len(hand) for hand in hands], before))
            self.client.integer(0 if not it.over else 2 if last else 1)
        rest = [k for k in FIVE if k not in it.out]
        self.places.append([it.out.index(k) if k in it.out else None if len(rest) > 1 else 4 for k in FIVE])
        self.rng.shuffle(rest)
        self.drawn = [(*it.out, *rest).index(k) for k in FIVE]

    def act(self, it: Round, shown: Cells) -> tuple[Cells, bool]:
        """Let somebody act; return the set on the table, and whether it was locked before it was cleared."""
        self.player, under, lock = it.turn, it.table, it.lock is not None
        legal, sent = it.legal(), blank()
        chosen: Laid | None = None
        if it.turn == self.me:
            self.counted.append(len(legal))
            sent = self.client.table()
            chosen = next((one for one in legal if one is not None and as_sent(one, it.upside) == sent), None)
            assert chosen is not None or sent == blank(), "what our client sends is a legal set or a pass"
            self.client.integer(9 if chosen is not None or under is None else 8)
        elif self.rng.random() > self.passing:
            chosen = some(self.rng, legal - {None} or {None})
            sent = blank() if chosen is None else as_sent(chosen, it.upside)
        if chosen is not None:
            lock = chosen != LONE and (lock or (under is not None and under.suits == chosen.suits))
        it.act(chosen)
        return (shown if chosen is None else sent), lock

    def deal(self, before: list[int] | None) -> list[set[Card]]:
        """Deal, send the table, and do the exchange."""
        self.rng.shuffle(DECK)
        begins = before.index(0) if before else self.rng.choice(FIVE)
        turns = cycle(self.order[self.order.index(begins) :] + self.order[: self.order.index(begins)])
        hands = [set[Card]() for _ in FIVE]
        for card in DECK:
            hands[next(turns)].add(card)
        counts, cells = [len(hand) for hand in hands], blank()
        cells[5][:4] = [1, 0, 0, 6]
        if before is None:
            show_hand(cells, hands[self.me])
            self.client.send(self.row6(cells, counts, before))
            return hands
        mine = hands[self.me].copy()
        for place, count in ((0, 2), (1, 1)):
            giver, taker = before.index(place), before.index(4 - place)
            gift = strongest(hands[taker], count)
            hands[taker] -= gift
            hands[giver] |= gift
        place = before[self.me]
        cells[5][1] = max(0, 2 - place)
        show_hand(cells, hands[self.me] if place < 2 else mine)
        self.client.send(self.row6(cells, counts, before))
        for place, count in ((0, 2), (1, 1)):
            self.give_back(hands, before.index(place), before.index(4 - place), count)
        return hands

    def give_back(self, hands: list[set[Card]], giver: int, taker: int, count: int) -> None:
        back = set(self.rng.sample(sorted(hands[giver]), count))
        if giver == self.me:
            back = hand_of(self.client.table())
            assert len(back) == count
            assert back <= hands[giver]
        hands[giver] -= back
        hands[taker] |= back

    def row6(self, cells: Cells, counts: list[int], before: list[int] | None) -> Cells:
        cells[6] = [*counts, *(before or [0] * 5), *self.order]
        return cells


def as_sent(it: Laid, upside: bool) -> Cells:
    cells = blank()
    show_set(cells, it, upside)
    return cells


def play(host: Host, games: int, agent: str = "random") -> tuple[ClientResult, list[int]]:
    """Let our client play there; return what it saw, and how many things it could do at each turn of play."""
    thread = threading.Thread(target=host.serve, args=(games,))
    thread.start()
    said = list[str]()
    client = Client(JoinSettings("127.0.0.1", host.port, "me", agent, 20.0, 1), said.append)
    counted, decide = list[int](), client._player.act

    def act(view: player.Any, mask: player.Any) -> int | None:
        if mask[0]:  # to give a card away is no pass
            counted.append(int(mask.sum()))
        return decide(view, mask)

    client._player.act = act  # pyright: ignore[reportAttributeAccessIssue]
    try:
        played = client.run()
    finally:
        thread.join(60)
    if host.failed is not None:
        raise host.failed
    assert len(said) == 1, said
    return played, counted


@pytest.mark.parametrize("me", FIVE)
def test_our_client_knows_at_every_turn_what_is_legal_and_how_games_end(me: int) -> None:
    host = Host(me, luck=me)
    played, counted = play(host, 7)
    assert counted == host.counted
    assert played.places == host.places
    assert played.player == me
    assert played.refused == 0
    assert sum(map(len, played.points)) == 5 * 7


@pytest.mark.long
def test_places_are_forgotten_and_drawn_after_many_passes() -> None:
    host = Host(2, luck=9, passing=0.9)
    played, counted = play(host, 103)
    assert counted == host.counted
    assert any(None in places for places in host.places)
    assert [[k for k in FIVE if one[k] is not None] for one in host.places[-1:]] == [
        [k for k in FIVE if one[k] is not None] for one in played.places[-1:]
    ]


@pytest.mark.parametrize("agent", ["pimc@2ms", "heuristic"])
def test_nothing_is_compiled_or_loaded_once_it_has_joined(agent: str) -> None:
    host = Host(1, luck=4)
    thread = threading.Thread(target=host.serve, args=(12,))
    thread.start()
    command = [sys.executable, "-m", "tests.remote.cold", "uecda", f"127.0.0.1:{host.port}", agent]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    thread.join(60)
    assert host.failed is None
    before, after = map(int, shown.stdout.split())
    assert before == after
    assert {one[1] for one in host.places} & {0, 1}  # it has given cards, too


@pytest.mark.parametrize(("agent", "words"), [("Raises", "a bug"), ("Illegal", "actions run")])
def test_an_agent_that_fails_passes_and_stays(agent: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(1, luck=4, passing=0.9)
    thread = threading.Thread(target=host.serve, args=(9,))
    thread.start()
    said = list[str]()
    monkeypatch.setattr("kozyr.agents.remote.uecda.client.rehearse", lambda player: None)
    played = Client(JoinSettings("127.0.0.1", host.port, "me", f"tests.remote.wrong:{agent}", 20.0), said.append).run()
    thread.join(60)
    assert host.failed is None
    assert len(played.places) == 9
    assert played.failures >= len(host.counted)
    assert sum(words in line for line in said) == 1


def hostile(port_data: bytes) -> str:
    """Return what our client says of a server that sends this and goes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError), listener, listener.accept()[0] as there:
            there.recv(480)
            there.sendall(port_data)
            there.shutdown(socket.SHUT_WR)
            while there.recv(4096):
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    client = Client(JoinSettings("127.0.0.1", listener.getsockname()[1], "me", "pimc@1ms", 5.0), lambda _: None)
    with pytest.raises(RuntimeError) as caught:
        client.run()
    thread.join(20)
    return str(caught.value)


def test_a_server_that_is_none_or_goes_is_told_in_a_sentence() -> None:
    assert "does not speak this protocol" in hostile(b"HTTP/1.1 400")
    assert "gone after 0 games" in hostile(b"\0\0\0\1")
    deal = blank()
    deal[6][:5], deal[6][10:] = [11, 11, 11, 10, 10], [0, 1, 2, 3, 3]
    assert "seats [0, 1, 2, 3, 3]" in hostile(b"\0\0\0\1" + pack(deal))


def bent(rng: random.Random, cells: Cells) -> Cells:
    """Return a table with some numbers that are wrong."""
    cells = [list(row) for row in cells]
    for _ in range(rng.randrange(6)):
        cells[rng.randrange(8)][rng.randrange(15)] = rng.choice((0, 1, 2, 3, 5, 11, 200, 2**31, 2**32 - 1))
    return cells


@pytest.mark.parametrize("luck", range(3))
def test_a_server_that_sends_nonsense_ends_our_client_in_a_sentence(luck: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Searcher, "warm", lambda _: None)  # which each of the clients would do anew
    rng, said = random.Random(luck), set[str]()
    for _ in range(20):
        deal, hand = blank(), blank()
        show_hand(deal, set(rng.sample(DECK, 11)))
        deal[6] = [11, 11, 11, 10, 10, *rng.sample(FIVE, 5), *rng.sample(FIVE, 5)]
        show_hand(hand, set(rng.sample(DECK, rng.randrange(12))))
        hand[5][2:5], hand[6] = [rng.randrange(2), rng.randrange(5), rng.randrange(2)], deal[6]
        data = b"\0\0\0\1" + pack(bent(rng, deal))
        for _ in range(rng.randrange(6)):
            data += pack(bent(rng, hand)) + pack(bent(rng, hand)) + rng.choice((b"\0\0\0\0", b"\0\0\0\1"))
        said.add(hostile(data)[:15])
    assert said


def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(RuntimeError, match=f"nobody answers at 127.0.0.1:{port}"):
        Client(JoinSettings("127.0.0.1", port), lambda _: None).run()
