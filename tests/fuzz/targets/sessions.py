"""Whole sessions of programs that are played against: a Gomocup manager, engines, and bots of the protocol "kozyr"."""

import re
from io import BytesIO
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.agents.programs import messages as told
from kozyr.agents.programs.child import EngineError, lines_of, never
from kozyr.agents.programs.gomocup_engine import Brain
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, heard

_MOST = 200  # lines of a session
_PLIES = 24  # of a game with an engine
_VARIANTS: tuple[dict[str, Any], ...] = (
    {"m": 7, "n": 7, "k": 5, "last_reply": False},
    {"m": 5, "n": 9, "k": 5, "last_reply": False, "line": "exact"},
    {"m": 15, "n": 15, "k": 5, "last_reply": False, "bans": "renju"},
    {"m": 15, "n": 15, "k": 5, "last_reply": False, "opening_rule": "swap2"},
)
_CELL = re.compile(r"(\d{1,2}),(\d{1,2})")
_MANAGERS = (
    "START 15\nINFO timeout_turn 20\nBEGIN\nTURN 3,4\nTAKEBACK 3,4\nTURN 5,5\nBOARD\n7,7,1\n8,8,2\nDONE\nTURN 0,0",
    "INFO rule 1\r\nRECTSTART 7,5\r\nTURN 0,0\r\nTURN 6,4\r\nRESTART\r\nTURN 1,1\r\nABOUT\r\nTURN 2,2\r\nEND",
    "START 15\nINFO rule 4\nBOARD\n7,7,2\n8,8,1\n9,9,2\nDONE\nTURN 0,1\nTURN 1,1\nPLAY 2,2\nTURN 2,1",
    "START 15\nSWAP2BOARD\nDONE\nSWAP2BOARD\n7,7\n8,8\n11,7\nDONE\nRESTART\nSWAP2BOARD\n7,7\n0,0\n11,7\n1,1\n9,0\nDONE",
    "START 15\nINFO timeout_turn 20\n" + "\n".join(f"TURN {k % 15},{2 * (k // 15)}" for k in range(100)),
    "INFO rule 4\nSTART 15\n" + "\n".join(f"TURN {2 * (k // 15)},{k % 15}\nINFO time_left {k}" for k in range(60)),
    "START 9\rINFO rule 9\rBEGIN\rTURN 0,0\rTURN 0,1\rINFO time_left -5\rTURN 0,2\rINFO game_type 1\rTURN 0,3",
)


def play_manager(data: bytes) -> None:
    """Answer a manager to the end; moves are to free cells, errors change nothing, and a good game is played after."""
    brain = Brain("easy")
    for raw in list(lines_of(BytesIO(data)))[:_MOST]:
        heard()
        line, before = raw.decode("utf-8", "replace"), brain._board.copy()
        for answer in brain.answer(line):
            require(not re.search(r"[\r\n]", answer), f"{line!r} is answered by {answer!r}")
            _compare(before, brain._board, line, answer)
    for line in ("INFO rule 0", "INFO timeout_turn 20", "INFO time_left 1000", "START 6"):
        answers = brain.answer(line)
    require(answers[-1] == "OK", f"after all, START is answered by {answers}")
    require(_CELL.fullmatch(brain.answer("BEGIN")[0]), "after all, BEGIN is answered by no cell")


def _compare(before: Any, after: Any, line: str, answer: str) -> None:
    """Compare the board before and after an answer."""
    if answer.startswith(("ERROR", "UNKNOWN")):
        require(np.array_equal(before, after), f"{line!r} is refused, and has changed the board")
    cell = _CELL.fullmatch(answer)
    if cell is None:
        return
    x, y = map(int, cell.groups())
    require(y < after.shape[0] and x < after.shape[1] and after[y, x] == 1, f"{line!r} is answered by {answer}")
    if line.upper().lstrip("\ufeff \0\t").startswith(("TURN", "BEGIN", "PLAY")):
        require(before[y, x] == 0, f"{line!r} is answered by {answer}, which is not free")


class Voice:
    """A program that says lines, one after the other, then nothing any more; it has ended until it is started."""

    tail, answered_at, words, called = "", 0.0, ("program",), "program"

    def __init__(self, lines: list[str]) -> None:
        self._lines, self.running, self.overdue = lines[::-1], False, never

    def start(self) -> None:
        self.running = True

    def kill(self) -> None:
        self.running = False

    def close(self, goodbye: bytes) -> None:
        self.running = False

    def send(self, data: bytes, deadline: float) -> None:
        pass

    def line(self, deadline: float) -> str:
        if not self._lines:
            raise EngineError("it says nothing any more")
        heard()
        return self._lines.pop()


def _game_with(agent: Any, game: Any, v: Any) -> None:
    """Play a game: the agent begins, and its actions are legal; the other one takes the last legal action."""
    table = Table(game, v, 1)
    agent.begin(table.info(0)) if hasattr(agent, "begin") else agent.reset(0, 1)
    while not table.over and table.ply < _PLIES:
        if table.turn != 0:
            table.play(int(np.flatnonzero(table.mask)[-1]))
            continue
        action = agent.act(table.view(0), table.mask)
        require(type(action) is int and bool(table.mask[action]), f"an answer is taken for action {action!r}")
        table.play(action)


def _engines() -> list[bytes]:
    """Return what engines say in a game, behind a byte for the variant."""
    cells = [f"{x},{y}" for y in range(4) for x in range(5)]
    plain = "OK\n" + "\n".join(cells)
    chatty = "MESSAGE hello\nOK\nDEBUG 1\n2,2\n" + "\n\n".join(f"MESSAGE {cell}\n{cell}" for cell in cells)
    opening = "OK\n7,7 8,8 9,9\nOK\nSWAP\n" + "\n".join(cells)
    return [bytes([k]) + one.encode() for k in range(len(_VARIANTS)) for one in (plain, chatty, opening)]


def play_engine(data: bytes) -> None:
    """Play a game with an engine whose lines are given, from its start."""
    from kozyr.agents.programs import gomocup

    game = envs.game("mnk")
    v = game.make_variant(**_VARIANTS[int.from_bytes(data[:1], "big") % len(_VARIANTS)])
    agent, pause, gomocup._PAUSE = gomocup.GomocupAgent("python", game, v), gomocup._PAUSE, 0.0
    agent.child = Voice(mutate.text_of(data[1:]).split("\n"))
    try:
        _game_with(agent, game, v)
    finally:
        gomocup._PAUSE = pause


def _bots() -> list[bytes]:
    hello = told.encode({"type": "hello", "kozyr": 1, "wants": ["view", "words", "text", "events"]})
    moves = [told.encode({"type": "move", "id": k, "action": k - 1}) for k in range(1, 6)]
    return ["\n".join([one, *moves]).encode() for one in (told.GREETING, hello)]


def play_bot(data: bytes) -> None:
    """Play a game with a program whose lines are given, from its greeting."""
    from kozyr.agents.programs.process import ProcessAgent

    game = envs.game("mnk")
    v = game.make_variant(m=3, n=3, k=3)
    agent = ProcessAgent("python", game, v)
    agent.child = Voice(mutate.text_of(data).split("\n"))
    _game_with(agent, game, v)


def targets() -> list[Target]:
    """Return the targets."""
    words = ("kozyr.agents.programs.gomocup_engine", "kozyr.agents.programs.gomocup")
    bots = ("kozyr.agents.programs.process", "kozyr.agents.programs.messages")
    managers = [one.encode() for one in _MANAGERS]
    return [
        Target("manager-session", mutate.TEXT, lambda: managers, play_manager, (), words),
        Target("engine-session", mutate.TEXT, _engines, play_engine, (EngineError,), words),
        Target("program-session", mutate.JSON, _bots, play_bot, (EngineError,), bots),
    ]
