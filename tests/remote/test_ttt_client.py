"""Our client of the five-in-a-row wire, and servers written from its description."""

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

pytest.importorskip("zmq")

import zmq

from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.board import Board
from kozyr.agents.remote.ttt.client import Client, GameEnd, GameFollower, JoinSettings
from kozyr.agents.remote.ttt.thinker import Thinker

from .peer import field, fields, sub

ACCEPTED = bytes.fromhex("0a 03 10 ac 02")
READY, CLOSED, PING, MOVE = b"", b"\x28\x01", b"\x20\x01", b"\x10\x01"


def new_game(rows: int, columns: int, line: int, sign: int = 0) -> bytes:
    options = field(1, rows) + field(2, columns) + field(3, line) + field(4, 0)
    return field(3, field(1, options) + (field(2, sign) if sign else b""))


def event(number: int, body: bytes = b"") -> bytes:
    return field(1, field(number, body))


def moved(sign: int, x: int, y: int) -> bytes:
    return event(4, (field(1, sign) if sign else b"") + field(2, x) + field(3, y))


STARTED, NONSENSE, DIES = event(2), b"\xff\xff\xff", b"dies"


class Script:
    """A server that says what it is told to, and keeps the answers.

    Attributes:
        requests: what clients asked to come in with; answers: to each update.
    """

    def __init__(self, updates: list[bytes], joins: list[bytes] | None = None, lose: int = 0) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.setsockopt(zmq.LINGER, 200)
        self.socket.bind("tcp://127.0.0.1:*")
        address: Any = self.socket.getsockopt(zmq.LAST_ENDPOINT)
        self.address = address.decode().rstrip("\0")
        self.requests, self.answers = list[bytes](), list[bytes]()
        self._updates, self._join, self._lose = updates, (joins or [ACCEPTED])[0], lose
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _hear(self) -> tuple[bytes, bytes]:
        assert self.socket.poll(20_000)
        identity, _, payload = self.socket.recv_multipart()
        return identity, payload

    def _run(self) -> None:
        identity, request = self._hear()
        self.requests.append(request)
        for _ in range(self._lose):  # a lost join is silence
            identity, request = self._hear()
            self.requests.append(request)
        self.socket.send_multipart([identity, b"", self._join])
        if self._join == ACCEPTED:
            assert self._hear()[1] == READY
            for update in self._updates[: self._updates.index(DIES)] if DIES in self._updates else self._updates:
                self.socket.send_multipart([identity, b"", update])
                if update != NONSENSE:  # nobody answers that
                    self.answers.append(self._hear()[1])
            if DIES not in self._updates:
                self.socket.send_multipart([identity, b"", CLOSED])
        self.socket.close()
        self.context.term()


def joined(script: Script, agent: str | None = "threat", **given: Any) -> tuple[int, list[GameEnd], list[str]]:
    """Let a client of ours join, and return how many games there were, how they ended, and what it said."""
    ended, said = list[GameEnd](), list[str]()
    try:
        games = Client(JoinSettings(script.address, "kozyr", agent, **given), said.append, ended.append).run()
    finally:
        script.thread.join(20)
    assert not script.thread.is_alive()
    return games, ended, said


def test_a_game_is_followed_and_the_winning_stone_put() -> None:
    game = [new_game(5, 5, 3), STARTED, moved(0, 0, 0), moved(1, 4, 4), moved(0, 1, 0), moved(1, 3, 2), MOVE]
    script = Script([*game, moved(0, 2, 0), moved(1, 4, 2), event(5), PING])
    games, [one], _ = joined(script)
    assert script.requests == [field(2, "kozyr")]
    assert script.answers[6] == field(2, 2) + field(3, 0)
    assert [one for i, one in enumerate(script.answers) if i != 6] == [READY] * 10
    assert (games, one.winner, one.disqualified, one.seat) == (1, 0, None, 0)


def test_o_answers_a_line_of_x() -> None:
    line = [moved(0, 0, 0), moved(1, 0, 4), moved(0, 1, 0), moved(1, 1, 4), moved(0, 2, 0), MOVE]
    script = Script([new_game(5, 5, 3, 1), STARTED, *line, moved(1, 2, 4), event(6)])
    _, [one], _ = joined(script)
    assert script.answers[7] == field(2, 2) + field(3, 4)
    assert one.board.turn == -1
    assert "draw" in str(one.board)


@pytest.mark.parametrize("board", [(40, 40, 5), (3, 30, 4), (100, 100, 100), (2, 2, 2)])
def test_a_board_that_the_game_does_not_have_is_answered(board: tuple[int, int, int]) -> None:
    script = Script([new_game(*board), STARTED, MOVE, moved(0, 1, 1), moved(1, 0, 0), MOVE, event(5, field(1, 1))])
    _, [one], _ = joined(script)
    for k in (2, 5):
        move = fields(script.answers[k])
        assert 0 <= int(move[2]) < board[1]
        assert 0 <= int(move[3]) < board[0]
    assert one.winner == 1


def test_obstacles_are_not_played_on() -> None:
    walls = [(x, y) for x in range(3) for y in range(3) if (x, y) not in ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2))]
    points = b"".join(field(1, field(1, x) + field(2, y)) for x, y in walls)
    script = Script([new_game(3, 3, 3), event(2, points), MOVE, moved(0, 1, 1), moved(1, 0, 0), MOVE, event(6)])
    _, [one], said = joined(script)
    for k in (2, 5):
        move = fields(script.answers[k])
        assert (int(move[2]), int(move[3])) not in walls
    assert one.board.walls == [y * 3 + x for x, y in walls]
    assert not [line for line in said if "empty cells" in line]


LOOSE, LINE, OTHER = [(6, 6), (3, 3), (4, 3)], [(0, 0), (1, 0), (2, 0)], [(2, 4), (3, 4), (4, 4)]


def game_of(side: int, sign: int) -> list[bytes]:
    """Return a game in which our client, with a sign, is asked for three moves, and for one after a line as O."""
    told = [new_game(side, side, 3, sign), STARTED]
    for x, o in zip(LINE if sign else LOOSE, OTHER if sign else LINE, strict=True):
        told += [moved(0, *x), MOVE, moved(1, *o)] if sign else [MOVE, moved(0, *x), moved(1, *o)]
    return [*told, event(6) if sign else event(5, field(1, 1))]


@pytest.mark.parametrize("agent", ["search@20ms", "threat"])
def test_nothing_is_compiled_or_loaded_once_it_has_joined(agent: str) -> None:
    script = Script([update for side in (8, 15, 20, 25, 12) for sign in (0, 1) for update in game_of(side, sign)])
    command = [sys.executable, "-m", "tests.remote.cold", "ttt", script.address, agent]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    script.thread.join(20)
    before, after = map(int, shown.stdout.split())
    assert before == after
    assert len(script.answers) > 100


def test_a_free_cell_is_played_where_the_agent_is_not_back_in_time() -> None:
    script = Script([*game_of(5, 0)[:3], moved(0, 2, 2), event(5)])
    _, [one], said = joined(script, "tests.remote.wrong:Slow")
    assert script.answers[2] == field(2, 2) + field(3, 2)
    assert one.winner == 0
    assert [line for line in said if "not back in time" in line]


@pytest.mark.parametrize(("agent", "words"), [("Raises", "a bug"), ("Illegal", "actions run"), ("Leaves", "3")])
def test_an_agent_that_fails_does_not_leave_the_game(agent: str, words: str) -> None:
    script = Script(game_of(8, 0))
    games, _, said = joined(script, f"tests.remote.wrong:{agent}")
    assert games == 1
    assert [script.answers[k] for k in (2, 5)] == [field(2, 3) + field(3, 3)] * 2
    assert (
        sum(line.endswith(words) or f": {words}" in line for line in said) == 1 + 3
    )  # boards before it has joined have agents of their own


def test_the_thread_of_an_agent_ends_with_it() -> None:
    before = set(threading.enumerate())
    following = GameFollower(Thinker("random", 0, print), True, print, lambda _: None)
    for data in game_of(5, 0)[:3]:
        update = wire.Update()
        update.ParseFromString(data)
        following.respond(update)
    mine = set(threading.enumerate()) - before
    assert mine
    del following
    for one in mine:
        one.join(20)
        assert not one.is_alive()


def test_the_slowest_answer_may_be_one_to_any_update() -> None:
    ended = list[GameEnd]()
    following = GameFollower(None, True, lambda _: time.sleep(0.2), ended.append)
    for data in (new_game(5, 5, 3), STARTED, event(6)):
        update = wire.Update()
        update.ParseFromString(data)
        following.respond(update)
    assert ended[0].slowest >= 0.2


def test_a_disqualification_is_told() -> None:
    script = Script([new_game(5, 5, 4), STARTED, moved(0, 9, 9), event(7, field(2, 2))])
    _, [one], _ = joined(script)
    assert (one.winner, one.disqualified, one.reason) == (1, 0, "place occupied")


def test_a_join_that_is_lost_is_tried_again() -> None:
    script = Script([PING], lose=1)
    games, _, said = joined(script)
    assert games == 0
    assert len(script.requests) == 2
    assert any("trying again" in line for line in said)


@pytest.mark.parametrize(
    ("answer", "words"), [("12 00", "name is taken"), ("12 02 08 01", "password"), ("12 02 08 03", "could not read")]
)
def test_a_refusal_is_one_sentence(answer: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        joined(Script([], [bytes.fromhex(answer)]))


def test_what_is_no_update_ends_it_in_a_sentence() -> None:
    with pytest.raises(RuntimeError, match="no update"):
        joined(Script([NONSENSE]))


def test_a_server_that_dies_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="has gone"):
        joined(Script([new_game(3, 3, 3), DIES]))


def test_an_observer_sees_the_game() -> None:
    script = Script([new_game(3, 3, 3, 2), STARTED, moved(0, 1, 1), event(5)])
    games, [one], _ = joined(script, agent=None)
    assert script.requests == [field(1, 1) + field(2, "kozyr")]
    assert (games, one.seat, one.winner) == (1, None, 0)
    assert "X" in str(one.board)


def test_a_players_name_cannot_move_the_cursor_or_forge_a_line() -> None:
    name = field(2, "\x1b]0;owned\x07a\nin, as root")
    script = Script([new_game(3, 3, 3), event(3, name), STARTED, moved(0, 1, 1), event(5)])
    _, _, said = joined(script)
    assert any("]0;owned a in, as root" in line for line in said)
    assert all(line.isprintable() for line in said)


def test_an_agent_of_another_game_is_refused_before_joining() -> None:
    with pytest.raises(ValueError, match="does not play"):
        Client(JoinSettings("tcp://127.0.0.1:9", "kozyr", "durak:low"), print, print)


def test_a_board_starts_with_x() -> None:
    board = Board(wire.GameOptions(rows=3, cols=4, win_length=3, max_moves=0), wire.O, last_reply=True)
    assert (board.turn, board.seat, len(board.mask)) == (0, 1, 12)
    board.put(wire.X, 3, 2)
    assert board.turn == 1
    assert board.actions == [11]
    board.put(wire.X, 3, 2)  # illegal: the server disqualifies, and nothing changes
    assert board.turn == 1
    assert sub({3: field(1, b"")}, 3) == {1: b""}
