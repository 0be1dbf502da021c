"""Cells of programs: what one in a cell cannot do, and what it still can."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.programs import cell, confinement, students, walls
from kozyr.envs.table.table import Table
from tests.test_cli import run

FIRST = "class Bot:\n    def act(self, view, mask):\n        return int(mask.argmax())\n"
TRIES = """import json, os, resource, socket, sys
from pathlib import Path

HOME, FOLDER = Path(os.environ["HOME"]), Path({folder!r})
found = dict()


def tried(name, work):
    try:
        found[name] = str(work())
    except BaseException as error:
        found[name] = "refused: " + type(error).__name__


{tries}
print("found", json.dumps(found), file=sys.stderr)
"""
LACKING = confinement.lacking()


def whole(*names: str) -> Any:
    """Return the mark of a test that needs some walls."""
    why = "; ".join(LACKING[name] for name in LACKING if name in (*names, "cell"))
    return pytest.mark.skipif(bool(why), reason=why or "all is there")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a cup with an entry of somebody else."""
    made = tmp_path / "students"
    (made / "anna").mkdir(parents=True)
    (made / "anna" / "secret").write_text("mine")
    (made / "boris.py").write_text(FIRST)
    (made / "boris.py").chmod(0o644)
    (tmp_path / "cup.jsonl").write_text("results\n")
    return made


def seen(folder: Path) -> dict[str, Any]:
    """Return all that is in a folder, with contents, modes and times."""
    return {
        str(one): (one.lstat().st_mode, one.lstat().st_mtime_ns, one.read_bytes() if one.is_file() else b"")
        for one in sorted(folder.rglob("*"))
    }


def of_bot(folder: Path, tries: dict[str, str], name: str = "eve", mode: str = "auto") -> dict[str, str]:
    """Start a bot that tries expressions, and return what came of each."""
    lines = [f"tried({key!r}, lambda: {expression})" for key, expression in tries.items()]
    text = TRIES.format(folder=str(folder), tries="\n".join(lines)) + FIRST
    (folder / f"{name}.py").write_text(text)
    game = envs.game("war")
    table = Table(game, game.make_variant(), 1)
    agent: Any = agents.load(students.players(folder, "1GB", mode)[name].source, game="war")
    assert agent.act(table.view(table.turn), table.mask) == int(table.mask.argmax())
    until = time.monotonic() + 10
    while not (said := [one for one in agent.errors if one.startswith("found ")]) and time.monotonic() < until:
        time.sleep(0.01)
    agent.close()
    return json.loads(said[0].removeprefix("found "))


@whole("files", "modes")
def test_a_bot_writes_nothing_outside_its_scratch_folder(folder: Path) -> None:
    (folder / "eve.py").write_text(FIRST)
    tries = {
        "store": '(FOLDER.parent / "cup.jsonl").write_text("mine")',
        "append": '(FOLDER.parent / "cup.jsonl").open("a")',
        "truncate": 'os.truncate(FOLDER.parent / "cup.jsonl", 0)',
        "other": '(FOLDER / "boris.py").write_text("")',
        "new": '(FOLDER / "new.py").write_text("")',
        "remove": '(FOLDER / "boris.py").unlink()',
        "rename": '(FOLDER / "boris.py").rename(HOME / "boris.py")',
        "link": 'os.link(FOLDER / "boris.py", HOME / "boris.py")',
        "mode": '(FOLDER / "boris.py").chmod(0)',
        "own mode": "Path(__file__).chmod(0)",
        "times": 'os.utime(FOLDER / "boris.py", (1, 1))',
        "temporary": 'Path("/tmp/kozyr-of-a-bot").write_text("")',
        "scratch": '(HOME / "kept").write_text("fine")',
    }
    of_bot(folder, tries)  # it writes its own file once, before the folder is looked at
    before = seen(folder.parent)
    found = of_bot(folder, tries)
    after = seen(folder.parent)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed <= {str(folder / "eve.py")}
    assert found.pop("scratch") == "4"
    assert {*found} == {*tries} - {"scratch"}
    assert all(one.startswith("refused: ") for one in found.values()), found


@whole("files")
def test_a_bot_reads_its_own_files_and_no_others(folder: Path) -> None:
    (folder / "_openings.txt").write_text("shared")
    (folder / "_helper.py").write_text("WORDS = 'helped'\n")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "boris.pyc").write_bytes(b"his")
    (folder / "_away").symlink_to(folder / "anna")
    found = of_bot(
        folder,
        {
            "entry": '(FOLDER / "boris.py").read_text()',
            "folder": '(FOLDER / "anna" / "secret").read_text()',
            "list": "os.listdir(FOLDER)",
            "by a link": '(FOLDER / "_away" / "secret").read_text()',
            "bytecode": '(FOLDER / "__pycache__" / "boris.pyc").read_bytes()',
            "store": '(FOLDER.parent / "cup.jsonl").read_text()',
            "home": f"os.listdir({str(Path.home())!r})",
            "passwords": 'Path("/etc/shadow").read_text()',
            "processes": f'Path("/proc/{os.getpid()}/environ").read_bytes()',
            "own": "len(Path(__file__).read_text()) > 100",
            "shared": '(FOLDER / "_openings.txt").read_text()',
            "view": 'sorted(os.listdir("."))',
            "imports": '__import__("_helper").WORDS',
        },
    )
    assert found.pop("own") == "True"
    assert found.pop("shared") == "shared"
    assert found.pop("view") == "['_helper.py', '_openings.txt', 'eve.py']"
    assert found.pop("imports") == "helped"
    assert all(one.startswith("refused: ") for one in found.values()), found


@whole("network")
def test_a_bot_has_no_sockets(folder: Path) -> None:
    found = of_bot(
        folder,
        {
            "tcp": "socket.socket()",
            "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
            "unix": "socket.socket(socket.AF_UNIX)",
            "pair": "bool(socket.socketpair())",
        },
    )
    assert found.pop("pair") == "True"  # asyncio has one
    assert all(one == "refused: PermissionError" for one in found.values()), found


@whole("space", "network")
def test_a_bot_reaches_no_other_process(folder: Path) -> None:
    target = os.getpid()
    found = of_bot(
        folder,
        {
            "signal": f"os.kill({target}, 0)",
            "parent": "os.kill(os.getppid(), 0) if os.getppid() else 1 / 0",
            "group": f"os.killpg({os.getpgrp()}, 0)",
            "limits": f"resource.prlimit({target}, resource.RLIMIT_CORE)",
            "priority": f"os.setpriority(os.PRIO_PROCESS, {target}, 19)",
            "processors": f"os.sched_setaffinity({target}, {{0}})",
        },
    )
    assert all(one.startswith("refused: ") for one in found.values()), found


@whole("space")
def test_what_a_bot_may_fill_is_small_and_gone_with_it(folder: Path) -> None:
    fill = 'sum((HOME / f"{k}").write_bytes(bytes(1 << 20)) for k in range(70))'  # 70 MiB of 64
    found = of_bot(
        folder,
        {"disk": fill, "file": "(HOME / '0').stat().st_size", "home": "HOME", "shared": "os.listdir('/dev/shm')"},
    )
    assert found["disk"] == "refused: OSError"
    assert found["file"] == str(1 << 20)
    assert "view" in found["shared"], "shared memory is of the same disk"
    assert not Path(found["home"]).exists()


FORK = """import os, signal, sys
count, most = 0, int(sys.argv[1])
try:
    while count < most:
        if os.fork() == 0:
            signal.pause()
        count += 1
except BlockingIOError:
    pass
print(count)
"""


@whole("space")
@pytest.mark.skipif(os.getuid() == 0 and walls._release() < walls._OWN_LIMIT, reason="for root that takes Linux 6.14")
def test_a_program_starts_some_hundred_processes_at_most(tmp_path: Path) -> None:
    most = 2 * walls._PROCESSES + walls._RESERVED  # which the machine bears
    (tmp_path / "fork.py").write_text(FORK)
    limit = Path("/proc/sys/kernel/pid_max").read_text()
    inside = confinement.in_cell([sys.executable, "-IS", str(tmp_path / "fork.py"), str(most)], "require")
    scratch = confinement.new_scratch(inside)
    done = subprocess.run(inside, env=confinement.environment(scratch), capture_output=True, text=True, timeout=60)
    confinement.remove(scratch)
    assert 20 < int(done.stdout) <= walls._PROCESSES + walls._RESERVED
    assert Path("/proc/sys/kernel/pid_max").read_text() == limit


@whole("network")
def test_a_bot_has_no_keys_of_the_user(folder: Path) -> None:
    numbers = {"x86_64": 250, "aarch64": 219, "riscv64": 219}  # of keyctl, which here only names a keyring
    call = f"__import__('ctypes').CDLL(None).syscall({numbers[os.uname().machine]}, 0, -3, 0)"
    assert of_bot(folder, {"keys": call}) == {"keys": "-1"}


@whole("files")
def test_a_bot_inherits_no_secrets_and_no_rights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    status = (
        '[one.split()[1] for one in open("/proc/self/status") if one.startswith(("CapEff", "CapBnd", "NoNewPrivs"))]'
    )
    limits = "[resource.getrlimit(one)[1] for one in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)]"
    found = of_bot(folder, {"secret": "os.environ.get('OPENAI_API_KEY')", "status": status, "limits": limits})
    assert found["secret"] == "None"
    assert found["status"] == str(["0" * 16, "0" * 16, "1"])
    assert found["limits"] == str([0, walls.DISK << 20, 1 << 30])


def test_off_confines_nothing_but_memory(folder: Path) -> None:
    found = of_bot(
        folder,
        {"other": '(FOLDER / "boris.py").read_text()', "limit": "resource.getrlimit(resource.RLIMIT_AS)[1]"},
        mode="off",
    )
    assert found["other"] == FIRST
    assert found["limit"] == str(1 << 30)


def test_a_bot_in_a_cell_plays_as_one_outside(folder: Path) -> None:
    results = [
        match("war", [students.players(folder, "1GB", mode)["boris"].source, "random"], 5, 1)
        for mode in ("auto", "off")
        if (folder / "second.py").write_text(FIRST)
    ]
    assert [one.agents[0].errors for one in results] == [0, 0]
    assert results[0].returns.tolist() == results[1].returns.tolist()


@whole("files")
@pytest.mark.parametrize("words", [["sh", "-c", "exit 3"], ["sh", "-c", "kill -9 $$; sleep 9"]])
def test_a_cell_ends_as_its_program_does(words: list[str]) -> None:
    inside = confinement.in_cell(words, "auto")
    scratch = confinement.new_scratch(inside)
    done = subprocess.run(inside, env=confinement.environment(scratch), check=False, timeout=60)
    confinement.remove(scratch)
    # a process that is the first of its namespace is not ended by its own signals
    assert done.returncode in ((3,) if "exit 3" in words else (-9, 0))


def test_programs_that_somebody_names_are_confined_if_asked(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "says.py"
    reads = f"import os, sys; sys.stderr.write(open({str(tmp_path / 'secret')!r}).read())\n"
    bot.write_text(reads)
    name = "process:" + shlex.join([sys.executable, str(bot)])
    how = ("match", "war", name, "random", "--deals", "1", "--json")
    assert "PermissionError" not in run(*how).stdout
    if not LACKING:
        assert "PermissionError" in run(*how, "--confine", "require").stdout
        assert confinement.VARIABLE not in os.environ
    assert "choose one of 'auto', 'require', 'off'" in run(*how, "--confine", "wholly", code=2).output


def test_a_wall_that_is_missing_is_told_and_refused_on_demand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "eve.py").write_text(FIRST)
    monkeypatch.setattr(confinement, "lacking", lambda: {"network": "a bot may use the network"})
    how = ("cup", "mnk", str(folder), "--deals", "1", "--set", "m=3", "--set", "n=3", "--set", "k=3")
    assert "Not all is confined: a bot may use the network." in run(*how).stderr
    refused = run(*how, "--confine", "require", code=2).output
    assert "cannot be confined as --confine require asks: a bot may use the network. Use --confine auto" in refused


@pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")
def test_a_launcher_whose_walls_are_not_all_there_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(cell.SCRATCH, str(tmp_path))
    monkeypatch.setattr(cell, "_apart", lambda write: False)
    monkeypatch.setattr(cell.walls, "confine", lambda *_: None)
    monkeypatch.setenv(cell.CACHE, str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        cell.main(["require", "0", "-", "touch", str(tmp_path / "started")])
    assert ended.value.code == cell.REFUSED
    assert "it may fill your disk" in capsys.readouterr().err
    assert not (tmp_path / "started").exists()


def script(tmp_path: Path, tries: dict[str, str]) -> list[str]:
    """Return the words of a script that tries expressions and prints what came of each."""
    lines = [f"tried({key!r}, lambda: {expression})" for key, expression in tries.items()]
    text = TRIES.format(folder=str(tmp_path), tries="\n".join(lines)).replace(", file=sys.stderr", "")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "script.py").write_text(text)
    return [sys.executable, str(tmp_path / "own" / "script.py")]


NO_NAMESPACES = ["unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]


@whole("files", "space", "signals")
@pytest.mark.skipif(not shutil.which("unshare"), reason="unshare makes a system without further namespaces")
def test_without_namespaces_the_other_walls_stand(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("his")
    tries = {
        "write": '(FOLDER / "other").write_text("")',
        "read": '(FOLDER / "other").read_text()',
        "temporary": 'Path("/tmp/kozyr-of-a-bot").write_text("")',
        "shared memory": 'Path("/dev/shm/kozyr-of-a-bot").write_text("")',
        "socket": "socket.socket()",
        "signal": "os.kill(os.getppid(), 0)",
        "limits": "resource.prlimit(os.getppid(), resource.RLIMIT_CORE)",
        "scratch": '(HOME / "kept").write_text("fine")',
    }
    words = script(tmp_path, tries)
    results: list[Any] = []
    for program in ([cell.PROBE], words):
        inside = confinement.in_cell(program, "auto")
        scratch = confinement.new_scratch(inside)
        how: Any = {"env": confinement.environment(scratch), "capture_output": True, "text": True, "timeout": 60}
        results.append(subprocess.run([*NO_NAMESPACES, *inside], check=True, **how).stdout)
        confinement.remove(scratch)
    assert {*json.loads(results[0])} == {"space", "modes"}
    found = json.loads(results[1].removeprefix("found "))
    assert found.pop("scratch") == "4"
    assert all(one == "refused: PermissionError" for one in found.values()), found


def test_each_promise_names_a_test_that_is_there() -> None:
    root = Path(__file__).parents[2]
    text = (root / "SECURITY.md").read_text(encoding="utf-8").partition("## Cells of programs")[2].partition("\n## ")[0]
    rows = [
        line.split(" | ") for line in text.splitlines() if line.startswith("| ") and not line.startswith("| Promise")
    ]
    named = {root / name for name in re.findall(r"`(tests/\w+/test_\w+\.py)`", text)}
    tests = "".join(path.read_text(encoding="utf-8") for path in (*Path(__file__).parent.glob("test_*.py"), *named))
    assert len(rows) >= 11
    for promise, proof in rows:
        names = re.findall(r"`(test_\w+)`", proof)
        assert names, promise
        assert all(f"def {name}(" in tests for name in names), proof


@whole("files", "space", "modes")
def test_a_cell_in_a_cell_has_the_outer_ones_disk() -> None:
    """The inner one may have namespaces, but no disks in them; so it goes on without, as on systems with no more."""
    begin = f"import os, sys; os.environ['{cell.SCRATCH}'] = os.environ['HOME']; os.execv(sys.argv[1], sys.argv[1:])"
    inner = confinement.in_cell([cell.PROBE], "auto")
    inside = confinement.in_cell([sys.executable, "-c", begin, *inner], "require")
    scratch = confinement.new_scratch(inside)
    done = subprocess.run(inside, env=confinement.environment(scratch), capture_output=True, text=True, timeout=60)
    confinement.remove(scratch)
    assert {*json.loads(done.stdout)} == {"space", "modes"}, done.stderr
