"""Programs as agents: what they are told, and what becomes of those that fail."""

import copy
import json
import os
import pickle
import queue
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.player import play
from kozyr.agents.programs import bot_runner, child, program_agent
from kozyr.agents.programs.child import EngineError
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table
from tests.docs import pages

BOTS = Path(__file__).parent / "bots"
PAGE = (pages.ROOT / "docs" / "howto" / "process.md").read_text(encoding="utf-8")
GAMES = ("durak", "daifugo", "draw_poker", "mnk", "war")


def bot(name: str, *words: str) -> str:
    """Return the name of a bot of ours."""
    return "process:" + shlex.join([sys.executable, str(BOTS / f"{name}.py"), *words])


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The bots of the page, by language, as names of agents."""
    folder, found = tmp_path_factory.mktemp("bots"), dict[str, str]()
    for language, file in (("cpp", "low.cpp"), ("js", "low.js")):
        (block,) = pages.blocks(PAGE, language)
        (folder / file).write_text(block, encoding="utf-8")
        assert len(block.splitlines()) <= 35
    if shutil.which("g++"):
        subprocess.run(["g++", "-O2", "-Wall", "-Werror", "-o", "low", "low.cpp"], cwd=folder, check=True)
        found["cpp"] = f"process:{folder / 'low'}"
    if shutil.which("node"):
        found["js"] = f"process:node {folder / 'low.js'}"
    return found


def lowest(view: Any, mask: Any) -> int:
    """Play the lowest card, as the page's bots do; written from the page's words."""
    legal = np.flatnonzero(mask).tolist()
    return min(legal, key=lambda action: (action % 13 if action < 52 else 13, action))


@pytest.mark.parametrize("language", ["cpp", "js"])
def test_the_bots_of_the_page_play_durak_as_they_say(built: dict[str, str], language: str) -> None:
    if language not in built:
        pytest.skip(f"no compiler or interpreter for {language} here")
    theirs = match("durak", [built[language], "random"], deals=40, seed=3)
    ours = match("durak", [lowest, "random"], deals=40, seed=3)
    assert theirs.agents[0].errors == 0
    assert theirs.returns.tolist() == ours.returns.tolist()
    assert theirs.agents[0].score > 0.6


@pytest.mark.parametrize("name", GAMES)
def test_a_program_is_told_what_the_table_knows(name: str, tmp_path: Path) -> None:
    game, file = envs.game(name), tmp_path / "told.jsonl"
    variant = game.make_variant()
    agent: Any = agents.load(bot("told", str(file), "view", "words", "text"), game=name)
    agent.reset(0, 5)
    table, asked = Table(game, variant, 4), list[Any]()
    while not table.over and len(asked) < 40:
        seat, legal = table.turn, np.flatnonzero(table.mask).tolist()
        view = table.view(seat)
        words = [game.text.say(variant, table.states[0], action, seat) for action in legal]
        asked.append((legal, words, view.tolist(), game.text.write_view(variant, view, 0)))
        action = agent.act(view, table.mask)
        assert action == legal[-1]
        table.play(action)
    agent.close()
    hello, reset, *acts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (hello["game"], hello["options"], hello["seats"]) == (name, game.options(variant), game.seats(variant))
    assert hello["actions"] == game.actions(variant)
    assert sum(part["size"] for part in hello["view"].values()) == game.size(variant)
    assert reset == {"type": "reset", "seat": 0, "seed": 5}
    assert [one["id"] for one in acts] == list(range(1, len(asked) + 1))
    told = [(one["legal"], one["words"], [*chain.from_iterable(one["view"].values())], one["text"]) for one in acts]
    assert told == asked
    assert all(list(one["view"]) == list(hello["view"]) for one in acts)
    assert list(acts[0]) == ["type", "id", "left", "legal", "words", "view", "text"]


def test_a_program_is_told_only_what_it_wants(tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    match("war", [bot("told", str(file)), "random"], deals=2)
    acts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if '"act"' in line]
    assert {tuple(one) for one in acts} == {("type", "id", "left", "legal")}


def test_at_a_table_it_hears_events_the_time_and_the_result(tmp_path: Path) -> None:
    game, file = envs.game("draw_poker"), tmp_path / "told.jsonl"
    table = Table(game, game.make_variant(players=2), 3, clock=Clock(move=60.0))
    agent: Any = agents.load(bot("told", str(file), "words", "events"), game="draw_poker", players=2)
    payoffs = play(table, [agent, agents.load("draw_poker:random", players=2)])
    agent.close()  # it ends when it has read all
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    heard = [one for one in told if one["type"] == "event"]
    wanted = [event.for_seat(0) for event in table.events()]
    assert [(one["kind"], one["seat"], one["action"], one["words"]) for one in heard] == [
        (event.kind, event.seat, event.action, event.text or event.words) for event in wanted
    ]
    assert told[-1] == {"type": "result", "seat": 0, "payoffs": payoffs}
    assert all(0 < one["left"] <= 60 for one in told if one["type"] == "act")


DEAD = {
    "dies": r"ended with code 3\n  \| out of cards",
    "closes": "closed its output",
    "leaves a child": "ended with code 0",
}
WRONG = {
    "talks": r"hello, I am thinking.*write nothing else to standard output",
    "illegal": "plays '1000000000': ",
    "float": r"plays '1\.0': it is no whole number",
    "digits": "no JSON object",
    "deep": "no JSON object",
    "old": r'write \{"type":"move","id":[36],',
    "list": "no JSON object",
    "binary": "no JSON object",
    "endless": "a line of more than 1,048,576 bytes",
}


@pytest.mark.parametrize("what", DEAD)
def test_a_program_that_dies_is_asked_again_and_lost_if_it_dies_again(what: str) -> None:
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    agent: Any = agents.load(bot("wrong", what, "2"), game="war")
    for _ in range(5):
        assert agent.act(table.view(table.turn), table.mask) == int(table.mask.argmax())
    assert agent.child.starts == 3
    agent.close()
    agent = agents.load(bot("wrong", what), game="war")
    with pytest.raises(EngineError, match=DEAD[what]):
        agent.act(table.view(table.turn), table.mask)
    assert agent.child.starts == 2


@pytest.mark.parametrize("what", WRONG)
def test_a_program_that_fails_is_told_of_and_started_anew(what: str) -> None:
    agent: Any = agents.load(bot("wrong", what, "2"), game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    view, mask = table.view(table.turn), table.mask
    for _ in range(2):
        first = [agent.act(view, mask), agent.act(view, mask)]
        assert set(first) == {int(mask.argmax())}
        with pytest.raises(EngineError, match=WRONG[what]):
            agent.act(view, mask)
    assert agent.child.starts == 2
    agent.close()


@pytest.mark.parametrize("what", ["sleeps", "many"])
def test_who_is_late_is_ended(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.1)
    agent: Any = agents.load(bot("wrong", what, "1") + "@50ms", game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    agent.act(table.view(table.turn), table.mask)
    running = agent.child._process
    with pytest.raises(EngineError, match=r"has not answered in time|no JSON object"):
        agent.act(table.view(table.turn), table.mask)
    assert running.wait(5) is not None


@pytest.mark.parametrize(("what", "why"), [("greets wrongly", "answers to hello"), ("wants wrongly", "it may want")])
def test_a_wrong_greeting_is_told(what: str, why: str) -> None:
    agent: Any = agents.load(bot("wrong", what), game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    with pytest.raises(EngineError, match=why):
        agent.act(table.view(table.turn), table.mask)


def test_who_fails_again_and_again_is_given_up_and_every_game_has_a_result() -> None:
    result = match("durak", [bot("wrong", "dies"), "random"], deals=20, seed=1)
    assert result.games == 40
    assert result.agents[0].errors > 0
    assert "ended with code 3" in (result.agents[0].first_error or "")
    agent: Any = agents.load(bot("wrong", "dies"), game="durak")
    table = Table(envs.game("durak"), envs.game("durak").make_variant(), 1)
    for _ in range(2):
        with pytest.raises(EngineError, match="ended with code 3"):
            agent.act(table.view(table.turn), table.mask)
    for _ in range(9):
        with pytest.raises(EngineError, match=r"failed 5 times in a row and is given up: .* ended with code 3"):
            agent.act(table.view(table.turn), table.mask)
    assert agent.child.starts == 5


def test_who_is_late_at_a_table_with_a_clock_loses_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.1)
    game = envs.game("war")
    table = Table(game, game.make_variant(), 1, starter=0, clock=Clock(move=0.3))
    agent = agents.load(bot("wrong", "sleeps", "2"), game="war")
    from kozyr.envs.environments.illegal import OnIllegal

    payoffs = play(table, [agent, agents.load("war:random")], on_illegal=OnIllegal.FORFEIT)
    assert payoffs[0] < 0
    assert any("out of time" in str(event) for event in table.events())


PARENT = """import os, subprocess, sys
child = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
words = [sys.executable, "-c", child, "{file}"]
quiet = {{name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}}
if {orphan}:
    if os.fork() == 0:
        subprocess.Popen(words, start_new_session=True, **quiet)
        os._exit(0)
    os.wait()
else:
    subprocess.Popen(words, start_new_session=True, **quiet)


class Bot:
    def act(self, view, mask):
        return int(mask.argmax())
"""


def state(process: int) -> str:
    """Return the letter of a process's state: T where it is halted, "" where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0].replace("Z", "")
    except OSError:
        return ""


def reaches(process: int, wanted: str) -> bool:
    """Wait until a process has one of some states; tell whether it got there."""
    until = time.monotonic() + 20
    while state(process) not in wanted.split("|") and time.monotonic() < until:
        time.sleep(0.01)
    return state(process) in wanted.split("|")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc, on Linux")
@pytest.mark.parametrize("orphan", [False, True])
@pytest.mark.parametrize("how", ["close", "kill", "exit"])
def test_a_child_in_a_session_of_its_own_is_halted_and_ended_too(orphan: bool, how: str, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    (tmp_path / "bot.py").write_text(PARENT.format(file=file, orphan=orphan))
    words = [sys.executable, "-P", str(bot_runner.__file__), str(tmp_path / "bot.py")]
    agent: Any = agents.load("process:" + shlex.join(words), game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    agent.act(table.view(table.turn), table.mask)
    until = time.monotonic() + 20
    while not (file.exists() and file.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    process = int(file.read_text())
    agent.pause()
    assert reaches(process, "T")
    agent.act(table.view(table.turn), table.mask)
    assert reaches(process, "S|R")
    agent.pause()
    if how == "exit":  # it has ended by itself, and then we are done with it
        os.kill(agent.child._process.pid, signal.SIGKILL)
        agent.child._process.wait()
    (agent.close if how == "close" else agent.child.kill)()
    assert reaches(process, "")


FLOOD = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"type": "hello", "kozyr": 1}), flush=True)
    if asked["type"] == "act":
        print(json.dumps({"type": "move", "id": asked["id"], "action": asked["legal"][0]}))
        for _ in range(100):
            print(" " * 1_000_000)
        sys.stdout.flush()
"""


def test_a_program_that_floods_us_waits_until_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "flood.py").write_text(FLOOD)
    agent: Any = agents.load(f"process:{sys.executable} {tmp_path / 'flood.py'}", game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    agent.act(table.view(table.turn), table.mask)
    lines = agent.child._lines
    until = time.monotonic() + 30
    while lines._qsize() < child._MOST_WAITING and time.monotonic() < until:
        time.sleep(0.01)
    assert child._MOST_WAITING <= lines._qsize() <= child._MOST_WAITING + 2 * child.LONGEST
    assert len(lines.queue) < 10
    agent.close()


def test_lines_that_wait_are_counted_in_bytes() -> None:
    lines = child.Lines(10)
    for one in (b"", b"abc", b"defg"):
        lines.put(one, block=False)
    assert lines.full()
    with pytest.raises(queue.Full):
        lines.put(b"", block=False)
    assert [lines.get() for _ in range(3)] == [b"", b"abc", b"defg"]
    assert lines.empty()
    assert lines._qsize() == 0


def test_no_process_is_left_behind() -> None:
    agent: Any = agents.load(bot("wrong", "leaves a child", "100"), game="war")
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    agent.act(table.view(table.turn), table.mask)
    pid = agent.child._process.pid
    del agent
    for _ in range(100):
        if not _runs(pid):
            return
        time.sleep(0.05)
    pytest.fail("the program still runs")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_agents_are_copied_and_sent_without_their_process() -> None:
    agent: Any = agents.load(bot("wrong", "dies", "9") + "@70ms", game="durak", deck=52)
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert repr(other) == repr(agent)
        assert other.variant.deck == 52
        assert other.child is not agent.child
    one = match("durak", [bot("told", os.devnull), "random"], deals=20, seed=1)
    two = match("durak", [bot("told", os.devnull), "random"], deals=20, seed=1, workers=2)
    assert one.returns.tolist() == two.returns.tolist()


def test_names_are_checked_before_anything_starts() -> None:
    for name in ("process:", "gomocup:  "):
        with pytest.raises(ValueError, match="the command is empty"):
            agents.load(name, game="mnk")
    with pytest.raises(ValueError, match=r"there is no program '\./nobody'"):
        agents.load("process:./nobody --fast", game="war")
    with pytest.raises(ValueError, match="cannot be read: No closing quotation"):
        agents.load("process:'bot", game="war")
    with pytest.raises(ValueError, match="say which"):
        agents.load("process:cat")
    with pytest.raises(ValueError, match="a program is no guide"):
        agents.load("durak:pimc+process:cat")


class Fake:
    """A program that is only lines."""

    running, tail, words = True, "", ("cat",)

    def __init__(self) -> None:
        self.next = ""

    def send(self, data: bytes, deadline: float) -> None:
        pass

    def line(self, deadline: float) -> str:
        return self.next

    def kill(self) -> None:
        pass


@pytest.mark.long
def test_a_hundred_thousand_malformed_answers_are_errors_or_legal_moves() -> None:
    agent: Any = agents.load("process:cat", game="durak")
    table = Table(envs.game("durak"), envs.game("durak").make_variant(), 1)
    view, mask, rng = table.view(table.turn), table.mask, random.Random(1)
    agent.child, fine = Fake(), 0
    whole = '{"type":"move","id":ID,"action":ACTION}'
    for number in range(1, 100_001):
        action = rng.choice((0, 1, 5, 20, -1, 99, "null", "1.5", '"3"', "true", "[]", "1e400", "9" * 50))
        line = list(whole.replace("ID", str(number)).replace("ACTION", str(action)))
        for _ in range(rng.choice((0, 0, 1, 2, 9))):
            place = rng.randrange(len(line))
            line[place : place + rng.randrange(3)] = rng.choice(["", "{", '"', "\\", "\0", "é", "9", "]", " "])
        agent.child.next, agent._failures.row, agent._asked = "".join(line), 0, number - 1
        try:
            assert mask[agent.act(view, mask)]
            fine += 1
        except EngineError:
            pass
    assert 100 < fine < 60_000
