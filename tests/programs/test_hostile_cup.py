"""A cup with hostile bots: it ends with a page, the good ones lose nothing by it, and nothing outside cells changes.

The bots are harmless to the machine that the guards stand on, even if one is missing: they start at most twenty
processes or threads for a minute, write a few megabytes, and send signals to this test alone, which notes them.
"""

import html
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena.tournaments.store import Store
from kozyr.agents.programs import confinement, program_agent
from tests.agents.test_students import FIRST, GOOD, running, waited
from tests.programs.test_cell import seen
from tests.test_cli import run

LACKING = confinement.lacking()
SECRET = "the results of next week"
SCRIPT = """#!{python} -IS
import json, os, signal, socket, subprocess, sys, threading, time
from pathlib import Path

HOME, FOLDER, TEST = Path(os.environ["HOME"]), Path({folder!r}), {test}
QUIET = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def say(message):
    print(json.dumps(message), flush=True)


def tried(work):
    try:
        work()
    except Exception as error:
        sys.stderr.write(f"refused: {{type(error).__name__}}\\n")
    else:
        sys.stderr.write("done\\n")


for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        say(dict(type="hello", kozyr=1, wants=[]))
    if asked["type"] == "act":
        move = dict(type="move", id=asked["id"], action=asked["legal"][0])
{harm}
        say(move)
"""
SLEEPER = '[sys.executable, "-S", "-c", "import time; time.sleep(60)", str(FOLDER / "child")]'
REFUSED = {  # what is tried once and does not work; then the bot has lost, so that the page tells what came of it
    "reads_an_entry": 'sys.stderr.write((FOLDER / "first.py").read_text())',
    "reads_a_folder": 'sys.stderr.write((FOLDER / "dora" / "plan").read_text())',
    "reads_the_results": 'sys.stderr.write((FOLDER.parent / "out" / "cup.jsonl").read_text())',
    "writes_the_results": '(FOLDER.parent / "out" / "cup.jsonl").write_text("mine")',
    "adds_a_result": '(FOLDER.parent / "out" / "cup.jsonl").open("a").write("mine")',
    "writes_an_entry": '(FOLDER / "first.py").write_text("")',
    "removes_an_entry": '(FOLDER / "last.py").unlink()',
    "changes_modes": '(FOLDER / "dora").chmod(0)',
    "leaves_a_file": '(FOLDER.parent / "left").write_text("mine")',
    "signals_its_parent": "os.kill(TEST, signal.SIGUSR1)",
    "connects": 'socket.create_connection(("127.0.0.1", 9), 1)',
    "slows_the_others": "os.setpriority(os.PRIO_PROCESS, TEST, 1)",
}
LOSING = {  # what loses a game, and a part of the reason
    "answers_rubbish": ('print("rubbish", flush=True)', "is no JSON object"),
    "answers_in_no_text": ('os.write(1, b"\\xff\\xfe\\x80\\n")', "is no JSON object"),
    "answers_endlessly": ('os.write(1, b"x" * (3 << 20) + b"\\n")', "a line of more than 1,048,576 bytes"),
    "answers_deeply": ('print("[" * 10**5, flush=True)', "is no JSON object"),
    "plays_illegally": ('move["action"] = 10**6', "plays '1000000'"),
    "closes_its_output": ("os.close(1); time.sleep(600)", "closed its output"),
    "exits": ("os._exit(7)", "ended with code 7"),
    "sleeps": ("time.sleep(600)", "took longer than 0.3 s"),
    "hangs_on": (
        "for one in (1, 2, 15): signal.signal(one, signal.SIG_IGN)\nwhile True: pass",
        "took longer than 0.3 s",
    ),
    "allocates": ("kept = bytearray(1 << 33)", "MemoryError"),
}
PLAYING = {  # what disturbs, and still plays
    "floods_us": 'say(move); sys.stdout.write((" " * 1000 + "\\n") * 2000); sys.stdout.flush(); continue',
    "floods_its_errors": 'sys.stderr.write("x" * (2 << 20))',
    "fills_its_disk": "[(HOME / str(k)).write_bytes(bytes(1 << 20)) for k in range(3)]",
    "links_outside": 'os.path.lexists(HOME / "to") or (HOME / "to").symlink_to(FOLDER.parent / "kept")',
    "locks_its_disk": '(HOME / "closed" / "in").mkdir(parents=True, exist_ok=True); (HOME / "closed").chmod(0o700)',
    "has_a_session_of_its_own": f"subprocess.Popen({SLEEPER}, start_new_session=True, **QUIET)",
    "has_orphans": f"subprocess.run(['sh', '-c', '\"$@\" & exit', 'sh', *{SLEEPER}], start_new_session=True, **QUIET)",
    "has_twenty_children": f"[subprocess.Popen({SLEEPER}, **QUIET) for _ in range(20)] if asked['id'] < 2 else 0",
    "has_twenty_threads": (
        "threading.stack_size(1 << 18)\n"
        "if asked['id'] < 2: [threading.Thread(target=time.sleep, args=(60,), daemon=True).start() for _ in range(20)]"
    ),
    "lends_its_output": f"subprocess.Popen({SLEEPER}, stdin=subprocess.DEVNULL)",
    "stops_itself": "os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with good bots, hostile ones and damaged ones."""
    made = tmp_path / "students"
    (made / "dora").mkdir(parents=True)
    for name, text in GOOD.items():
        (made / f"{name}.py").write_text(f"{text}# {SECRET}\n")
    (made / "dora" / "bot.py").write_text(FIRST)
    (made / "dora" / "plan").write_text(SECRET)
    (made / "broken.py").write_text("def act(view, mask:\n")
    (made / "policy.onnx").write_bytes(b"no policy")
    (made / "gone.py").symlink_to(made / "nobody.py")
    tries = {name: f"tried(lambda: {harm})\nos._exit(9)" for name, harm in REFUSED.items()}
    for name, harm in [*tries.items(), *((name, one) for name, (one, _) in LOSING.items()), *PLAYING.items()]:
        lines = "\n".join(f"        {line}" for line in harm.splitlines())
        text = SCRIPT.format(python=sys.executable, folder=str(made), test=os.getpid(), harm=lines)
        (made / name).write_text(text)
        (made / name).chmod(0o755)
    return made


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """The signals that this process has got."""
    numbers: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: numbers.append(number))
    yield numbers
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.long
@pytest.mark.skipif(bool(LACKING), reason="; ".join(LACKING.values()) or "all walls are there")
def test_hostile_bots_hurt_nobody(folder: Path, heard: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.2)
    kept, out = folder.parent / "kept", folder.parent / "out"
    kept.mkdir()
    (kept / "file").write_text("kept")
    before, cells = seen(folder), folder.parent / "cells"
    cells.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(cells))
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    how = ("--form", "double-elimination", "--deals", "1", "--time", "300ms", "--memory", "1GB", "--out", str(out))
    board = [word for field in ("m=3", "n=3", "k=3") for word in ("--set", field)]
    told = run("cup", "mnk", str(folder), *how, *board, "--confine", "require", "--json").stdout
    places = {one["name"]: one for one in json.loads(told)["places"]}

    hostile = {*REFUSED, *LOSING, *PLAYING}
    assert len(hostile) >= 30
    assert {*places} == {*hostile, *GOOD, "dora", "broken", "policy.onnx", "gone.py"}
    assert {name: places[name]["why"] for name in (*GOOD, "dora")} == dict.fromkeys((*GOOD, "dora"))
    for name in REFUSED:
        assert "ended with code 9\n  | refused: " in places[name]["why"], places[name]
    for name, (_, why) in LOSING.items():
        assert why in places[name]["why"], places[name]
    quiet = {*PLAYING} - {"floods_us"}  # of whose flood the next answer is a part
    assert {name: places[name]["why"] for name in quiet} == dict.fromkeys(quiet)
    assert "is no JSON object" in places["floods_us"]["why"]

    assert seen(folder) == before
    assert {one.name for one in folder.parent.iterdir()} == {"students", "kept", "out", "cells"}
    assert [one.read_text() for one in kept.iterdir()] == ["kept"]
    assert heard == []
    assert os.getpriority(os.PRIO_PROCESS, 0) == priority
    assert waited(lambda: not running(folder) and not children(folder), 10)
    assert [*cells.glob("kozyr-cell-*")] == []
    assert len(Store(out / "cup.jsonl").known) > len(hostile)
    page = html.unescape((out / "cup.html").read_text(encoding="utf-8"))
    assert all(f">{name}<" in page for name in places)
    assert SECRET not in page + told + (out / "cup.jsonl").read_text()


def children(folder: Path) -> list[Any]:
    """Return the processes that bots of a folder have started and left."""
    mark = os.fsencode(str(folder / "child"))
    return [one for one in Path("/proc").glob("[0-9]*/cmdline") if mark in _command(one)]


def _command(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
