"""A folder of students' bots: good ones play, bad ones lose their own games and nothing else."""

import html
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.nets.forward.network import Forward
from kozyr.agents.programs import bot_runner, confinement, students
from kozyr.envs.table.table import Table
from kozyr.training import policies
from tests.test_cli import run

FIRST = "class Bot:\n    def act(self, view, mask):\n        return int(mask.argmax())\n"
BAD = {
    "hangs": ("def act(view, mask):\n    while True: pass\n", "took longer than 1 s"),
    "allocates": ("kept = []\ndef act(view, mask):\n    while True: kept.append(bytes(10**8) + b'1')\n", ""),  # either
    "prints": ("import os, sys\ndef act(view, mask):\n    print('rubbish')\n    return 'rubbish'\n", "ValueError"),
    "exits": ("import sys\ndef act(view, mask): sys.exit(3)\n", "has ended with code 3"),
    "illegal": ("def act(view, mask): return int(mask.argmin())\n", "it is not legal here"),
    "broken": ("import nothing_of_this_name\n", "ModuleNotFoundError"),
    "empty": ("", "has none with act"),
}
GOOD = {"first": FIRST, "last": "def act(view, mask): return len(mask) - 1 - int(mask[::-1].argmax())\n"}
TINY: dict[str, Any] = {"m": 3, "n": 3, "k": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "students"
    made.mkdir()
    for name, text in [*GOOD.items(), *((name, text) for name, (text, _) in BAD.items())]:
        (made / f"{name}.py").write_text(text)
    shell = made / "shell"
    shell.write_text("#!/bin/sh\nwhile read -r line; do echo nonsense; done\n")
    shell.chmod(0o755)
    (made / "notes.txt").write_text("no bot")
    (made / "_shared.py").write_text("raise SystemExit")
    return made


def test_what_is_a_bot_is_found(folder: Path) -> None:
    found = students.players(folder)
    assert sorted(found) == sorted([*GOOD, *BAD, "shell"])
    assert all(one.source.startswith("process:") for one in found.values())
    (folder / "first").write_text("#!/bin/sh\n")
    (folder / "first").chmod(0o755)
    assert {"first", "first.py"} <= {*students.players(folder)}


@pytest.mark.long
def test_bad_bots_lose_their_games_and_the_cup_ends(folder: Path) -> None:
    how = ["--deals", "1", "--time", "1s", "--memory", "1GB", "--workers", "2", "--json"]
    fields = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "kozyr.training.cli", "cup", "mnk", str(folder), *how, *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {one["name"]: one for one in json.loads(done.stdout)["places"]}
    for name in GOOD:
        assert found[name]["errors"] == 0, found[name]
    for name, (_, why) in BAD.items():
        assert found[name]["errors"] > 0
        assert why in found[name]["why"], found[name]
        assert str(folder) not in found[name]["why"].partition("\n")[0], "it is called by its name"
    assert "is no JSON object" in found["shell"]["why"]
    for stage in json.loads(done.stdout)["cups"][0]["stages"]:
        best = max(row["score"] for row in stage["rows"] if row["name"] not in GOOD) if stage["title"] != "Final" else 0
        assert all(row["score"] > best for row in stage["rows"] if row["name"] in GOOD), stage


def cup(folder: Path, *how: str) -> dict[str, Any]:
    """Return how the players of a folder did, by their names."""
    fields = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    told = run("cup", "mnk", str(folder), "--json", *how, *fields).stdout
    return {one["name"]: one for one in json.loads(told)["places"]}


def test_a_corrected_bot_plays_anew(tmp_path: Path) -> None:
    bots, how = tmp_path / "bots", ("--deals", "2", "--out", str(tmp_path / "out"))
    bots.mkdir()
    (bots / "a.py").write_text(FIRST)
    (bots / "b.py").write_text(BAD["exits"][0])
    assert cup(bots, *how)["b"]["errors"] > 0
    (bots / "b.py").write_text(GOOD["last"])
    assert cup(bots, *how)["b"]["errors"] == 0


@pytest.mark.parametrize("text", [BAD["hangs"][0], "while True: pass\n"])
def test_who_hangs_again_and_again_is_given_up(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kozyr.agents.programs.process.STARTING", 2.0)
    monkeypatch.setattr("kozyr.agents.programs.program_agent.GRACE", 0.1)
    (tmp_path / "hangs.py").write_text(text)
    (tmp_path / "first.py").write_text(FIRST)
    given = students.players(tmp_path)
    result = match("mnk", [given["hangs"].source, "random"], 10, move_limit=0.1, opening=0, **TINY)
    assert result.agents[0].errors == 20
    assert result.seconds < 20 * 1.1


def test_a_file_of_a_librarys_name_breaks_nobody(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text(FIRST)
    (tmp_path / "secrets.py").write_text(FIRST)
    (tmp_path / "user.py").write_text("from random import choice\nimport secrets\nsecrets.token_hex\n" + FIRST)
    found = cup(tmp_path, "--deals", "1")
    assert {name: one["errors"] for name, one in found.items()} == {"random": 0, "secrets": 0, "user": 0}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="it is read there who runs")
def test_no_bot_is_left_behind_when_the_cup_is_killed(tmp_path: Path) -> None:
    (tmp_path / "a_bot_of_this_test.py").write_text(FIRST)
    (tmp_path / "b_bot_of_this_test.py").write_text(FIRST)
    command = [sys.executable, "-m", "kozyr.training.cli", "cup", "mnk", str(tmp_path), "--deals", "1000"]
    cells = tmp_path / "_cells"
    cells.mkdir()
    environment = os.environ | {"TMPDIR": str(cells)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    assert waited(lambda: len(running(tmp_path)) >= 2)
    time.sleep(0.5)
    process.kill()
    process.wait(30)
    assert waited(lambda: not running(tmp_path))
    if not confinement.lacking():  # who walls a bot in removes its scratch folder, too
        assert waited(lambda: not [*cells.iterdir()], 10)


def running(folder: Path) -> list[str]:
    """Return the bots of a folder that run."""
    found: list[str] = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = one.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        found += [words[-2]] if len(words) > 2 and words[-2].startswith(f"{folder}/") else []
    return found


def waited(done: Any, patience: float = 60.0) -> bool:
    """Wait until something is so, and tell whether it is."""
    end = time.monotonic() + patience
    while not done() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(done())


def test_memory_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "allocates.py").write_text(BAD["allocates"][0])
    (tmp_path / "first.py").write_text(FIRST)
    given = students.players(tmp_path, "500MB")
    result = match("mnk", [given["allocates"].source, given["first"].source], 1, move_limit=60.0, **TINY)
    assert "MemoryError" in (result.agents[0].first_error or "")
    assert result.agents[1].errors == 0


def test_a_hosted_bot_sees_what_a_bot_in_this_process_sees(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n"
        "class Bot:\n"
        "    def reset(self, seat, seed): self.n = 0\n"
        "    def act(self, view, mask):\n"
        "        legal = np.flatnonzero(mask)\n"
        "        assert view.dtype in (np.int8, np.int16) and mask.dtype == np.int8\n"
        "        return int(legal[int(np.abs(view.astype(int) * np.arange(1, len(view) + 1)).sum()) % len(legal)])\n"
    )
    (tmp_path / "sums.py").write_text(text)
    (tmp_path / "first.py").write_text(FIRST)
    source = students.players(tmp_path)["sums"].source

    def sums(view: Any, mask: Any) -> int:
        legal = np.flatnonzero(mask)
        return int(legal[int(np.abs(view.astype(int) * np.arange(1, len(view) + 1)).sum()) % len(legal)])

    for game in envs.games():
        theirs, ours = (match(game, [one, "random"], 2, 1) for one in (source, sums))
        assert theirs.agents[0].errors == 0
        assert (theirs.returns == ours.returns).all()


def test_a_program_rests_between_its_decisions(tmp_path: Path) -> None:
    """A bot that goes on counting beside its answers counts nothing while it is not asked."""
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "busy.py").write_text(
        "import threading, time\n"
        "from pathlib import Path\n"
        f"beats = Path({str(tmp_path / 'beats')!r})\n"
        "beats.write_text('.')\n"
        "def beat():\n"
        "    while True:\n"
        "        with beats.open('a') as file: file.write('.')\n"
        "        time.sleep(0.01)\n"
        "threading.Thread(target=beat, daemon=True).start()\n" + FIRST
    )
    source = students.players(tmp_path, confine="off")["busy"].source  # in a cell it would not be seen
    game = envs.game("mnk")
    from kozyr.agents.arena.sandbox.sandboxed_agent import limited

    agent = limited(source, game, {}, 5.0)
    table = Table(game, game.make_variant(), 1)
    agent.act(table.view(table.turn), table.mask)
    before = (tmp_path / "beats").stat().st_size
    time.sleep(0.5)
    assert (tmp_path / "beats").stat().st_size == before > 0
    agent.act(table.view(table.turn), table.mask)
    agent.close()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("class A:\n    def act(self, v, m): pass\nclass B:\n    def act(self, v, m): pass\n", "A, B with act"),
        ("x = 1\n", "none with act"),
    ],
)
def test_a_file_without_one_bot_is_told_of(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bot_of_a_test.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=why):
        bot_runner.load(path)


@pytest.mark.parametrize("memory", ["", "2", "GB", "-1GB", "1TB", "½GB", "1MB"])
def test_memory_is_an_amount(memory: str) -> None:
    with pytest.raises(ValueError, match=r"write it as 500MB or 2GB|no program starts with less"):
        students.kibibytes(memory)


def test_a_folder_without_bots_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has 0 bots, and it takes two"):
        students.players(tmp_path)
    with pytest.raises(ValueError, match="there is no folder"):
        students.players(tmp_path / "nowhere")


def damage(folder: Path) -> dict[str, str]:
    """Put damaged entries into a folder; return a part of the reason for each."""
    (folder / "policy.onnx").write_bytes(b"no policy")
    (folder / "numbers.npz").write_bytes(b"PK no numbers")
    (folder / "other.onnx").symlink_to(next(Path(policies.__file__).parent.glob("war_*.onnx")))
    (folder / "gone.py").symlink_to(folder / "nobody.py")
    (folder / "round").symlink_to(folder / "round")
    (folder / "empty").mkdir()
    (folder / "text").mkdir()
    (folder / "text" / "bot").write_text("no program")
    (folder / "inner").mkdir()
    (folder / "inner" / "bot.py").mkdir()
    (folder / "two\nlines.py").write_text(FIRST)
    (folder / f"{'long' * 20}.py").write_text(FIRST)
    (folder / "fast@5ms").write_text("#!/bin/sh\n")
    (folder / "fast@5ms").chmod(0o755)
    os.mkfifo(folder / "waits.py")
    return {
        "policy.onnx": "it is no policy for this game: the policy ",
        "numbers.npz": "it is no policy for this game: numbers.npz",
        "other.onnx": "it is no policy for this game: ",
        "gone.py": "it is a link to a file that is not there",
        "round": "it is a link to a file that is not there",
        "empty/": "it is a folder without a bot: put bot.py there",
        "text/": "it is a folder without a bot: put bot.py there",
        "inner/": "it is a folder without a bot: put bot.py there",
        "two\\nlines.py": "its name has characters that cannot be shown",
        "long" * 16 + "…": "its name has 83 characters",
        "fast@5ms": "its name ends with @ and a time",
        "waits.py": "it is no file",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="one of the entries is a pipe")
def test_a_policy_that_only_onnxruntime_computes_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(next(Path(policies.__file__).parent.glob("war_*.onnx")))
    [last] = [node for node in model.graph.node if list(node.output) == ["logits"]]
    last.output[0] = "before"
    model.graph.node.append(onnx.helper.make_node("Elu", ["before"], ["logits"]))
    onnx.save(model, tmp_path / "elu.onnx")
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(FIRST)

    def session(content: bytes) -> None:
        raise AssertionError("onnxruntime was given a stranger's file")

    monkeypatch.setattr("kozyr.agents.nets.policy.Session", session)
    entries = students.entries(tmp_path, game="war")
    assert list(entries.players) == ["a", "b"]
    assert "it needs the operator Elu" in entries.damaged["elu.onnx"]
    assert "in a cell" in entries.damaged["elu.onnx"]


def test_a_policy_that_computes_for_long_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = (Path(policies.__file__).parent / "durak_36.onnx").read_bytes()
    (tmp_path / "policy.onnx").write_bytes(bundled)
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(FIRST)
    assert list(students.entries(tmp_path, game="durak", deck=36).players) == ["a", "b", "policy"]
    work = Forward(bundled).work
    monkeypatch.setattr(students, "_MOST_WORK", work - 1)
    damaged = students.entries(tmp_path, game="durak", deck=36).damaged["policy.onnx"]
    assert f"it takes {work:,} steps for an answer, and {work - 1:,} are allowed here" in damaged
    assert "in a cell" in damaged


def test_a_damaged_entry_is_its_own_loss(tmp_path: Path) -> None:
    bots, out = tmp_path / "bots", tmp_path / "out"
    bots.mkdir()
    reasons = damage(bots)
    with pytest.raises(ValueError, match=r"has 0 bots, and it takes two.*; policy\.onnx: it is no policy"):
        students.entries(bots, game="mnk", **TINY)
    (bots / "first.py").write_text(FIRST)
    (bots / "last.py").write_text(GOOD["last"])
    (bots / "syntax.py").write_text("def act(view, mask:\n")
    dora = bots / "dora"
    dora.mkdir()
    (dora / "helper.py").write_text("CHOICE = -1\n")
    (dora / "bot.py").write_text(
        "import helper, numpy\ndef act(view, mask): return numpy.flatnonzero(mask)[helper.CHOICE]\n"
    )
    (bots / "emil").mkdir()
    (bots / "emil" / "bot").write_text((f"#!{sys.executable}\n" + HOST).format(runner=bot_runner.__file__))
    (bots / "emil" / "bot").chmod(0o755)
    (bots / "emil" / "mine.py").write_text(FIRST)
    found = cup(bots, "--deals", "1", "--out", str(out))
    assert {name: found[name]["errors"] for name in ("first", "last", "dora", "emil")} == dict.fromkeys(
        ("first", "last", "dora", "emil"), 0
    ), found
    assert "SyntaxError" in found["syntax"]["why"]
    assert found["syntax"]["score"] == 0
    told = {name: one["why"] for name, one in found.items() if not one["took_part"]}
    assert {*told} == {*reasons}
    assert {name: told[name][: len(why)] for name, why in reasons.items()} == reasons
    assert {one["mean"] for one in found.values() if not one["took_part"]} == {6.0}
    page = html.unescape((out / "cup.html").read_text(encoding="utf-8"))
    assert [name for name, why in reasons.items() if f">{name}<" not in page or why not in page] == []
    assert str(bots) not in page


HOST = """import runpy, sys, pathlib
sys.argv[1:] = [str(pathlib.Path(__file__).with_name("mine.py"))]
runpy.run_path({runner!r}, run_name="__main__")
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all files")
def test_who_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(FIRST)
    (tmp_path / "c.py").chmod(0)
    assert students.entries(tmp_path).damaged == {"c.py": "it cannot be read: Permission denied"}


def test_a_folder_is_another_bot_if_one_of_its_files_is(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(FIRST)
    before = students.players(tmp_path)
    (tmp_path / "a" / "weights.txt").write_text("1")
    after = students.players(tmp_path)
    assert before["a"].source == after["a"].source
    assert before["a"].mark != after["a"].mark
    assert before["b"] == after["b"]


def test_a_cup_takes_names_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIRST)
    (tmp_path / "b.py").write_text(FIRST)
    loaded = agents.load(students.players(tmp_path)["a"].source, game="war")
    assert "a.py" in repr(loaded)
