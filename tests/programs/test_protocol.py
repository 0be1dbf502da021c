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

Rows = list[tuple[str, str | None]]
OK, MOVE, ERROR, UNKNOWN = "OK", r"\d+,\d+", "ERROR .+", "UNKNOWN.*"
STARTED = ("START 15", OK)
BOARD = [("BOARD", None), ("7,7,1", None), ("8,8,2", None)]
SWAP2: Rows = [("SWAP2BOARD", None), ("7,7", None), ("9,9", None), ("7,8", None)]
FAR: Rows = [("SWAP2BOARD", None), ("0,0", None), ("7,7", None), ("0,14", None)]
THREE = r"\d+,\d+ \d+,\d+ \d+,\d+"
ABOUT = r'(\w+="[^"]*"(, |$))+'

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
    "PLAY, which answers SUGGEST": [STARTED, ("PLAY 7,7", "7,7"), ("TURN 7,7", ERROR), ("TURN 8,8", MOVE)],
    "PLAY off the board or on a stone": [STARTED, ("PLAY 15,7", ERROR), ("PLAY 7,7", "7,7"), ("PLAY 7,7", ERROR)],
    "PLAY before START": [("PLAY 7,7", ERROR)],
    "SWAP2BOARD without stones": [STARTED, ("SWAP2BOARD", None), ("DONE", THREE), ("TURN 0,0", MOVE)],
    "SWAP2BOARD of three near stones, which X wins": [STARTED, *SWAP2, ("DONE", "SWAP"), ("TURN 0,0", MOVE)],
    "SWAP2BOARD of three far stones": [STARTED, *FAR, ("DONE", MOVE), ("TURN 14,14", MOVE)],
    "SWAP2BOARD of five near stones": [STARTED, *SWAP2, ("0,0", None), ("7,9", None), ("DONE", "SWAP")],
    "SWAP2BOARD of five far stones": [STARTED, *FAR, ("1,1", None), ("14,0", None), ("DONE", MOVE)],
    "SWAP2BOARD twice, then BOARD": [
        STARTED,
        ("SWAP2BOARD", None),
        ("DONE", THREE),
        *SWAP2,
        ("8,8", None),
        ("8,6", None),
        ("DONE", f"SWAP|{MOVE}"),
        *BOARD,
        ("DONE", MOVE),
        ("TURN 0,0", MOVE),
    ],
    "SWAP2BOARD in small letters and with spaces": [
        STARTED,
        ("swap2board", None),
        *((f" {x} , {y} ", None) for x, y in ((7, 7), (9, 9), (7, 8))),
        ("done", "SWAP"),
    ],
    "SWAP2BOARD of two stones": [STARTED, *SWAP2[:-1], ("DONE", ERROR)],
    "SWAP2BOARD of four stones": [STARTED, *FAR, ("0,1", None), ("DONE", ERROR), ("BEGIN", MOVE)],
    "SWAP2BOARD with two stones in a cell": [STARTED, *SWAP2[:-1], ("7,7", None), ("DONE", ERROR), ("BEGIN", MOVE)],
    "SWAP2BOARD with a stone off the board": [STARTED, *SWAP2[:-1], ("15,7", None), ("DONE", ERROR), ("BEGIN", MOVE)],
    "SWAP2BOARD with owners": [STARTED, *SWAP2[:-1], ("7,8,1", None), ("DONE", ERROR), ("BEGIN", MOVE)],
    "SWAP2BOARD before START": [("SWAP2BOARD", ERROR), STARTED],
    "SWAP2BOARD, given up by another command": [STARTED, *SWAP2, ("RESTART", OK), ("TURN 7,7", MOVE)],
    "SWAP2BOARD with exactly five": [("INFO rule 1", None), STARTED, *SWAP2, ("DONE", "SWAP")],
    "SWAP2BOARD under renju": [
        ("INFO rule 4", None),
        STARTED,
        *FAR,
        ("DONE", ERROR),
        ("BEGIN", MOVE),
    ],
    "SWAP2BOARD on the smallest board": [("START 5", OK), ("SWAP2BOARD", None), ("DONE", THREE)],
    "SWAP2BOARD on a board that is no square": [("RECTSTART 20,15", OK), ("SWAP2BOARD", None), ("DONE", THREE)],
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
    r"START (?:[5-9]|1\d|2[0-5])|RECTSTART \d+,\d+|RESTART|BEGIN|TURN \d+,\d+|(?:SWAP2)?BOARD"
    r"|\d+,\d+(?:,[12])?|DONE|END|PLAY \d+,\d+"
    r"|INFO (?:timeout_turn|timeout_match|max_memory|time_left|game_type|rule) -?\d+"
)


def scripted(log: Path, answers: list[tuple[str, str]], v: Any = None) -> Any:
    options = envs.game("mnk").options(v) if v else {"last_reply": False}
    program = Path(__file__).parent / "bots" / "scripted.py"
    command = shlex.join([sys.executable, str(program), str(log), json.dumps(answers)])
    return agents.load(f"gomocup:{command}@5000ms", game="mnk", **options)


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


THREE_LAID, FIVE_LAID = [112, 0, 113], [112, 0, 113, 1, 114]
OPENINGS: dict[str, tuple[list[int], str, str]] = {  # cells laid, the answer, our actions or the error
    "three stones": ([], "7,7 8,7 9,9\r\n", "h8 i8 j10"),
    "three stones with spaces and a comment": ([], "MESSAGE x\n 7 , 7  8,7\t9,9\n", "h8 i8 j10"),
    "SWAP": (THREE_LAID, "SWAP\r\n", "take-x"),
    "swap in small letters": (THREE_LAID, "swap\n", "take-x"),
    "a cell": (THREE_LAID, "8,8\r\n", "take-o i9"),
    "two cells": (THREE_LAID, "8,8 8,6\r\n", "two-more i9 i7"),
    "SWAP after five stones": (FIVE_LAID, "SWAP\n", "take-x"),
    "a cell after five stones": (FIVE_LAID, "6,8\n", "take-o g9"),
    "two stones for three": ([], "7,7 8,7\n", "answers to SWAP2BOARD with '7,7 8,7'"),
    "SWAP for three stones": ([], "SWAP\n", "answers to SWAP2BOARD with 'SWAP'"),
    "a stone twice": ([], "7,7 8,7 7,7\n", "answers to SWAP2BOARD with '7,7 8,7 7,7'"),
    "three cells for a choice": (THREE_LAID, "1,1 1,2 1,3\n", "answers to SWAP2BOARD with"),
    "two cells after five stones": (FIVE_LAID, "1,1 1,2\n", "answers to SWAP2BOARD with"),
    "a cell on a stone": (THREE_LAID, "7,7\n", "with a cell that is not free, '7,7'"),
    "a cell off the board": (THREE_LAID, "15,7\n", "with a cell that is not free, '15,7'"),
    "another word": (THREE_LAID, "STAY\n", "answers with 'STAY'"),
    "UNKNOWN": (THREE_LAID, "UNKNOWN command\n", "says: UNKNOWN command"),
    "ERROR": ([], "ERROR no swap2\n", "says: ERROR no swap2"),
}


@pytest.mark.parametrize("branch", OPENINGS)
def test_our_manager_asks_for_an_opening(branch: str, tmp_path: Path) -> None:
    cells, answer, end = OPENINGS[branch]
    game, log = envs.game("mnk"), tmp_path / "log"
    v = game.make_variant(last_reply=False, line="exact", opening_rule="swap2")
    table, agent = Table(game, v, 1, starter=0), scripted(log, [GREETING, ("SWAP2BOARD", answer)], v)
    for number, cell in enumerate(cells):
        if number == 3:
            table.play(game.text.parse(v, "two-more"))
        table.play(cell)
    me, said = table.turn, list[str]()
    if "with" in end or "says" in end:
        with pytest.raises(EngineError, match=re.escape(end)):
            agent.act(table.view(me), table.mask)
        assert not agent.running
    else:
        while len(said) < len(end.split()):
            action = agent.act(table.view(me), table.mask)
            said.append(game.text.say(v, None, action))
            table.play(action)
        assert said == end.split()
        assert table.turn == 1 - me
        assert agent.running
    agent.close()
    lines = [line for line in lines_sent(log) if line[:4] != "INFO"]
    asked = [f"{cell % 15},{cell // 15}" for cell in cells]
    assert lines[: len(cells) + 3] == ["START 15", "SWAP2BOARD", *asked, "DONE"]
    assert "INFO rule 1" in lines_sent(log)


def test_a_game_goes_on_by_board_after_its_opening(tmp_path: Path) -> None:
    game = envs.game("mnk")
    v = game.make_variant(last_reply=False, opening_rule="swap2")
    three, board = ("SWAP2BOARD", "7,7 8,7 9,9\n"), ("BOARD", "1,1\n")
    answers = [three, board, ("TURN", "2,2\n"), ("RESTART", "OK\n"), three, ("SWAP2BOARD", "SWAP\n"), board]
    agent, laid = scripted(tmp_path / "log", [GREETING, *answers], v), list[str]()
    for others in ([["take-x"], ["o1"], []], [["two-more", "a1", "b1"], ["c1"], []]):
        table = Table(game, v, 1, starter=0)
        for words in others:
            while table.turn == 0:
                table.play(agent.act(table.view(0), table.mask))
                laid.append(game.text.say(v, None, table.last))
            for word in words:
                table.play(game.text.parse(v, word))
    agent.close()
    assert laid == ["h8", "i8", "j10", "b2", "c3", "h8", "i8", "j10", "take-x", "b2"]
    lines = [line for line in lines_sent(tmp_path / "log") if line[:4] != "INFO"]
    after = ["BOARD", "7,7,2", "8,7,1", "9,9,2", "DONE", "TURN 14,0"]
    five = ["SWAP2BOARD", "1,0", "0,0", "7,7", "8,7", "9,9", "DONE"]
    third = ["BOARD", "1,0,1", "0,0,2", "7,7,1", "2,0,2", "9,9,1", "8,7,2", "DONE"]
    asked = ["SWAP2BOARD", "DONE"]
    assert lines == ["START 15", *asked, *after, "RESTART", *asked, *five, *third, "END"]


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
