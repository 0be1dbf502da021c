"""Every branch of the Gomocup protocol's page: a scripted manager for our engine, scripted engines for our manager.

`test_gomocup.py` and `test_pbrain.py` play whole games; here each line of the page is a row of a table.
"""

import json
import re
import shlex
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.agents.programs.child import EngineError
from kozyr.agents.programs.gomocup_engine import Brain, run
from kozyr.envs.table.table import Table

OK, MOVE, ERROR, UNKNOWN = "OK", r"\d+,\d+", "ERROR .+", "UNKNOWN.*"
STARTED = ("START 15", OK)
BOARD = [("BOARD", None), ("7,7,1", None), ("8,8,2", None)]
ABOUT = r'(\w+="[^"]*"(, |$))+'
Rows = list[tuple[str, str | None]]

ENGINE: dict[str, Rows] = {  # the manager's lines, with a pattern of the answer or None
    "START": [STARTED],
    "START with spaces": [("  START   15  ", OK)],
    "START with a tab": [("START\t15", OK)],
    "START behind a mark of UTF-8": [("\ufeffSTART 15", OK)],
    "START of the size of Gomocup": [("START 20", OK)],
    "START of the smallest and the largest board": [("START 5", OK), ("START 25", OK)],
    "START of an unsuitable size, then of another": [("START 4", ERROR), ("START 30", ERROR), ("START 10", OK)],
    "START without a size": [("START", ERROR), ("START 0", ERROR), ("START -5", ERROR), ("START 1e1", ERROR)],
    "START in Arabic digits": [("START ١٥", ERROR)],
    "START again": [STARTED, ("BEGIN", MOVE), ("START 6", OK), ("TURN 5,5", MOVE)],
    "START again, refused, goes on": [STARTED, ("START 99", ERROR), ("TURN 14,14", MOVE)],
    "RECTSTART": [("RECTSTART 10,6", OK), ("TURN 9,5", MOVE), ("TURN 5,9", ERROR)],
    "RECTSTART with spaces": [("RECTSTART 10 , 6", OK)],
    "RECTSTART of a square": [("RECTSTART 9,9", OK), ("BEGIN", MOVE)],
    "RECTSTART of an unsuitable size": [("RECTSTART 30,20", ERROR), ("RECTSTART 20", ERROR), ("BEGIN", ERROR)],
    "RESTART": [STARTED, ("TURN 7,7", MOVE), ("RESTART", OK), ("TURN 7,7", MOVE)],
    "RESTART before START": [("RESTART", ERROR), STARTED],
    "BEGIN": [STARTED, ("BEGIN", MOVE)],
    "BEGIN before START": [("BEGIN", ERROR)],
    "TURN": [STARTED, ("TURN 0,0", MOVE), ("TURN 14,14", MOVE)],
    "TURN with spaces": [STARTED, ("TURN  0 , 0 ", MOVE)],
    "TURN in small letters": [("start 15", OK), ("turn 0,0", MOVE)],
    "TURN on a stone, then elsewhere": [STARTED, ("TURN 0,0", MOVE), ("TURN 0,0", ERROR), ("TURN 14,0", MOVE)],
    "TURN off the board": [STARTED, ("TURN 15,0", ERROR), ("TURN -1,0", ERROR), ("TURN 0,15", ERROR)],
    "TURN that is none": [STARTED, ("TURN", ERROR), ("TURN 7", ERROR), ("TURN 7;7", ERROR), ("TURN a,b", ERROR)],
    "BOARD": [STARTED, *BOARD, ("DONE", MOVE), ("TURN 0,0", MOVE)],
    "BOARD in small letters": [STARTED, ("board", None), ("7,7,2", None), ("done", MOVE)],
    "BOARD that is empty": [STARTED, ("BOARD", None), ("DONE", MOVE)],
    "BOARD replaces the stones": [STARTED, ("TURN 0,0", MOVE), *BOARD, ("DONE", MOVE), ("TURN 0,0", MOVE)],
    "BOARD with spaces and empty lines": [STARTED, ("BOARD", None), (" 7 , 7 , 2 ", None), ("", None), ("DONE", MOVE)],
    "BOARD before START": [("BOARD", ERROR), STARTED],
    "BOARD of a continuous game": [STARTED, *BOARD, ("9,9,3", None), ("DONE", ERROR), ("BEGIN", MOVE)],
    "BOARD with a stone of nobody": [STARTED, *BOARD, ("9,9", None), ("DONE", ERROR)],
    "BOARD with two stones in a cell": [STARTED, *BOARD, ("7,7,2", None), ("DONE", ERROR)],
    "BOARD with a stone off the board": [STARTED, *BOARD, ("15,7,2", None), ("DONE", ERROR), ("TURN 7,7", MOVE)],
    "BOARD of more stones than cells": [("START 5", OK), ("BOARD", None), *([("0,0,1", None)] * 700), ("DONE", ERROR)],
    "BOARD that is full": [
        ("START 5", OK),
        ("BOARD", None),
        *((f"{x},{y},{1 + (x + 2 * y) % 4 // 2}", None) for x in range(5) for y in range(5)),
        ("DONE", ERROR),
    ],
    "BOARD with INFO inside": [STARTED, *BOARD, ("INFO time_left 9", None), ("DONE", MOVE), ("TURN 7,7", ERROR)],
    "BOARD, given up by another command": [STARTED, *BOARD, ("RESTART", OK), ("TURN 7,7", MOVE)],
    "BOARD, given up by END": [STARTED, *BOARD, ("END", None), ("ABOUT", None)],
    "INFO of all keys": [
        *((f"INFO {key} 1000", None) for key in ("timeout_turn", "timeout_match", "max_memory", "time_left")),
        *((f"INFO game_type {kind}", None) for kind in range(4)),
        ("INFO evaluate 3,4", None),
        ("INFO folder C:\\My Games\\ä", None),
        ("INFO rule 0", None),
        ("INFO thread_num 4", None),  # not on the page
        ("INFO", None),
        STARTED,
        ("BEGIN", MOVE),
    ],
    "INFO in capitals and with spaces": [("INFO  RULE   1 ", None), STARTED, ("BEGIN", MOVE)],
    "INFO of values that are none": [
        *((f"INFO {key} {value}", None) for key in ("timeout_turn", "time_left", "rule") for value in ("x", "", "1e9")),
        STARTED,
        ("BEGIN", MOVE),
    ],
    "INFO timeout_turn 0": [STARTED, ("INFO timeout_turn 0", None), ("BEGIN", MOVE)],
    "INFO time_left below 0": [STARTED, ("INFO time_left -500", None), ("BEGIN", MOVE)],
    "INFO rule of a continuous game": [("INFO rule 2", None), STARTED, ("BEGIN", ERROR)],
    "INFO rule that is changed after ERROR": [
        STARTED,
        ("INFO rule 16", None),
        ("TURN 7,7", ERROR),
        ("INFO rule 1", None),
        ("TURN 7,7", MOVE),
    ],
    "ABOUT": [("ABOUT", ABOUT), STARTED, ("ABOUT", ABOUT)],
    "END": [STARTED, ("END", None), ("ABOUT", None)],
    "END in small letters": [("end", None), ("ABOUT", None)],
    "TAKEBACK": [STARTED, ("TURN 0,0", MOVE), ("TAKEBACK 0,0", OK), ("TURN 0,0", MOVE)],
    "TAKEBACK off the board": [STARTED, ("TAKEBACK 15,0", ERROR), ("TAKEBACK", ERROR), ("BEGIN", MOVE)],
    "TAKEBACK before START": [("TAKEBACK 0,0", ERROR)],
    "PLAY, which answers SUGGEST": [STARTED, ("PLAY 7,7", UNKNOWN), ("BEGIN", MOVE)],
    "commands of nobody": [STARTED, ("YXSTOP", UNKNOWN), ("TURNS 1,1", UNKNOWN), ("7,7", UNKNOWN), ("BEGIN", MOVE)],
    "DONE without BOARD": [STARTED, ("DONE", UNKNOWN), ("BEGIN", MOVE)],
    "the manager's own words": [("OK", UNKNOWN), ("MESSAGE hello", UNKNOWN), ("ERROR", UNKNOWN), STARTED],
    "empty lines": [("", None), ("   ", None), STARTED],
    "zeros and other bytes": [("\0\1\2", UNKNOWN), ("ST\0ART 15", UNKNOWN), STARTED, ("TURN 7\0,7", ERROR)],
    "a long line": [("x" * 100_000, UNKNOWN), ("START " + "9" * 100_000, ERROR), STARTED, ("BEGIN", MOVE)],
}


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"], ids=["CRLF", "LF", "CR"])
@pytest.mark.parametrize("branch", ENGINE)
def test_our_engine_answers_a_scripted_manager(branch: str, end: str) -> None:
    rows, said = ENGINE[branch], list[str]()
    run(Brain("easy"), BytesIO("".join(line + end for line, _ in rows).encode()), said.append)
    patterns = [pattern for _, pattern in rows if pattern is not None]
    assert len(said) == len(patterns), said
    for answer, pattern in zip(said, patterns, strict=True):
        assert re.fullmatch(pattern, answer), (answer, pattern)
        assert "\n" not in answer
        assert answer.isascii()


def test_bytes_that_are_no_utf_8_are_a_line_like_any_other() -> None:
    said = list[str]()
    run(Brain("easy"), BytesIO(b"\xff\xfe\x80\r\nINFO folder \xe9\r\nSTART 15\r\nBEGIN \xff\r\n"), said.append)
    assert said[:2] == ["UNKNOWN command", "OK"]
    assert re.fullmatch(MOVE, said[2])


def moved(text: str) -> tuple[str, str]:
    return "BEGIN", text


GREETING, FIRST = ("START", "OK\r\n"), moved("7,7\r\n")
MANAGER: dict[str, tuple[list[tuple[str, str]], str]] = {  # an engine's answers, and the second move or the error
    "OK": ([GREETING, FIRST, ("TURN", "8,8\r\n")], "8,8"),
    "OK with words": ([("START", "OK - everything is good\n"), FIRST, ("TURN", "8,8\n")], "8,8"),
    "ok in small letters, ends with CR": ([("START", "ok\r"), moved("7,7\r"), ("TURN", "8,8\r")], "8,8"),
    "MESSAGE and DEBUG before OK": (
        [("START", "MESSAGE a,b\r\nDEBUG 1,1\r\n\r\nOK\r\n"), FIRST, ("TURN", "8,8\r\n")],
        "8,8",
    ),
    "MESSAGE in small letters, with a tab, or alone": (
        [GREETING, moved("message 1\nMESSAGE\t2\nMESSAGE\nDebug\n7,7\n"), ("TURN", "8,8\r\n")],
        "8,8",
    ),
    "MESSAGE in strange bytes": ([("START", "MESSAGE \xff\xfe\x00\r\nOK\r\n"), FIRST, ("TURN", "8,8\r\n")], "8,8"),
    "a move with spaces": ([GREETING, moved(" 7 , 7 \n"), ("TURN", "8,8 \n")], "8,8"),
    "SUGGEST, PLAY and the same move": ([GREETING, FIRST, ("TURN", "SUGGEST 8,8\n"), ("PLAY", "8,8\n")], "8,8"),
    "SUGGEST in small letters, and another move": (
        [GREETING, FIRST, ("TURN", "suggest  8,8\n"), ("PLAY", "9,9\n")],
        "9,9",
    ),
    "SUGGEST off the board": ([GREETING, FIRST, ("TURN", "SUGGEST 15,8\n")], "with a cell that is not free,"),
    "SUGGEST of nothing": ([GREETING, FIRST, ("TURN", "SUGGEST\n")], "answers with 'SUGGEST'"),
    "ERROR to START": ([("START", "ERROR unsupported size\n")], "says: ERROR unsupported size"),
    "UNKNOWN to START": ([("START", "UNKNOWN\n")], "says: UNKNOWN"),
    "another word to START": ([("START", "HELLO\n")], "answers to START with 'HELLO'"),
    "ERROR to a move": ([GREETING, FIRST, ("TURN", "ERROR no memory\n")], "says: ERROR no memory"),
    "ERROR behind a tab": ([GREETING, FIRST, ("TURN", "error\tno memory\n")], "says: error\tno memory"),
    "UNKNOWN to a move": ([GREETING, FIRST, ("TURN", "unknown command\n")], "says: unknown command"),
    "a move off the board": ([GREETING, FIRST, ("TURN", "15,0\n")], "with a cell that is not free, '15,0'"),
    "a move on a stone": ([GREETING, FIRST, ("TURN", "7,7\n")], "with a cell that is not free, '7,7'"),
    "a move below 0": ([GREETING, FIRST, ("TURN", "-1,0\n")], "answers with '-1,0'"),
    "a move of three numbers": ([GREETING, FIRST, ("TURN", "8,8,1\n")], "answers with '8,8,1'"),
    "a move of letters": ([GREETING, FIRST, ("TURN", "h8\n")], "answers with 'h8'"),
    "a move in Arabic digits": (
        [GREETING, FIRST, ("TURN", "MESSAGE x\n٨,٨\n".encode().decode("latin-1"))],
        "answers with",
    ),
    "a line without an end": ([GREETING, FIRST, ("TURN", "LONG")], "a line of more than"),
}
SENT = re.compile(
    r"START (?:[5-9]|1\d|2[0-5])|RECTSTART \d+,\d+|RESTART|BEGIN|TURN \d+,\d+|BOARD|\d+,\d+,[12]|DONE|END|PLAY \d+,\d+"
    r"|INFO (?:timeout_turn|timeout_match|max_memory|time_left|game_type|rule) -?\d+"
)


def scripted(log: Path, answers: list[tuple[str, str]]) -> Any:
    program = Path(__file__).parent / "bots" / "scripted.py"
    command = shlex.join([sys.executable, str(program), str(log), json.dumps(answers)])
    return agents.load(f"gomocup:{command}@5000ms", game="mnk", last_reply=False)


def lines_sent(log: Path) -> list[str]:
    """Return what the manager has sent, every line of which is one of the page's."""
    lines = log.read_bytes().decode("ascii").splitlines()
    assert [line for line in lines if not SENT.fullmatch(line)] == []
    return lines


@pytest.mark.parametrize("branch", MANAGER)
def test_our_manager_understands_a_scripted_engine(branch: str, tmp_path: Path) -> None:
    answers, end = MANAGER[branch]
    game, log = envs.game("mnk"), tmp_path / "log"
    table, agent = Table(game, game.make_variant(last_reply=False), 1, starter=0), scripted(log, answers)

    def play() -> int:
        table.play(agent.act(table.view(0), table.mask))
        table.play(0)
        return agent.act(table.view(0), table.mask)

    if re.fullmatch(r"\d,\d", end):
        x, y = map(int, end.split(","))
        assert play() == 15 * y + x
        assert table.last == 0
        assert agent.running
    else:
        with pytest.raises(EngineError, match=re.escape(end)):
            play()
        assert not agent.running
    agent.close()
    assert [line.split()[0] for line in lines_sent(log) if line[:4] != "INFO"][: len(answers)] == [
        command for command, _ in answers
    ]


RESTARTS: dict[str, tuple[str, int]] = {  # the answer to RESTART, and how often the engine is started
    "OK": ("OK\n", 1),
    "MESSAGE and ok": ("MESSAGE again\nok\n", 1),
    "UNKNOWN": ("UNKNOWN command\n", 2),
    "ERROR": ("error not now\n", 2),
}


@pytest.mark.parametrize("answer", RESTARTS)
def test_an_engine_that_knows_no_restart_is_started_anew(answer: str, tmp_path: Path) -> None:
    said, starts = RESTARTS[answer]
    script = [GREETING, FIRST, ("RESTART", said), ("BOARD", "0,1\n")]
    if starts == 2:  # the second process reads the same script from its beginning
        script = [GREETING, ("BOARD", "0,1\n"), ("RESTART", said)]
    agent = scripted(tmp_path / "log", script)
    game = envs.game("mnk")
    positions: list[Any] = []
    for cells in ((112, 3), (30, 200)):
        table = Table(game, game.make_variant(last_reply=False), 1, starter=0)
        for cell in cells if starts == 2 or positions else ():
            table.play(cell)
        positions.append(agent.act(table.view(0), table.mask))
    assert positions[-1] == 15
    assert agent.child.starts == starts
    agent.close()
    words = [line for line in lines_sent(tmp_path / "log") if line.split()[0] in ("START", "RESTART", "BOARD", "END")]
    assert words.count("START 15") == starts
    assert words.count("RESTART") == 1
    assert words[-1] == "END"


def test_another_word_to_restart_is_an_error(tmp_path: Path) -> None:
    agent = scripted(tmp_path / "log", [GREETING, FIRST, ("RESTART", "8,8\n")])
    game = envs.game("mnk")
    table = Table(game, game.make_variant(last_reply=False), 1, starter=0)
    agent.act(table.view(0), table.mask)
    for cell in (0, 1):
        table.play(cell)
    with pytest.raises(EngineError, match="answers to RESTART with '8,8'"):
        agent.act(table.view(0), table.mask)
    agent.close()


def test_time_that_is_over_is_told_as_little_and_not_as_none(tmp_path: Path) -> None:
    agent, game = scripted(tmp_path / "log", [GREETING, FIRST]), envs.game("mnk")
    table = Table(game, game.make_variant(last_reply=False), 1, starter=0)
    view, mask = table.view(0), table.mask
    agent.warm_up(view, mask)
    assert agent.act(view, mask, deadline=0.0) == 112
    agent.close()
    assert "INFO timeout_turn 1" in lines_sent(tmp_path / "log")
