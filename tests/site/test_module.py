"""A module's face in JavaScript, its files, and what becomes of games that cannot be compiled."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.play import site as web
from kozyr.agents.play.site import modules, site
from kozyr.agents.play.site.build import RUNTIME
from kozyr.envs.compile import CompileError, wasm_file
from tests.site import node
from tests.site.policies import answered, positions, write_random
from tests.test_cli import run as kozyr

SMALL = {"m": 3, "n": 3, "k": 3}
MAGIC = b"\0asm\1\0\0\0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("games")
    settings = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    game = envs.game("mnk")
    write_random(made / "mine.npz", game, game.make_variant(**SMALL))
    settings += ["--name", "small", "--policy", str(made / "mine.npz"), "--out", str(made)]
    told = kozyr("wasm", "mnk", *settings).stdout
    assert re.fullmatch(r".*small\.wasm: [\d,]+ bytes\n", told.replace("\n", "") + "\n")
    return made


@pytest.mark.long
def test_the_files_of_a_module(folder: Path) -> None:
    shared = {*RUNTIME, "package.json"}
    own = {f"small.{ending}" for ending in ("wasm", "js", "d.ts", "weights")}
    assert {path.name for path in folder.iterdir()} - {"mine.npz", "small.json"} == shared | own
    assert (folder / "small.wasm").read_bytes()[:8] == MAGIC
    assert (folder / "small.wasm").stat().st_size < 60_000


@pytest.mark.long
def test_its_javascript(folder: Path) -> None:
    assert "# fail 0" in node.run("--test", "--test-reporter=tap", node.HERE / "api.mjs", env=environment(folder))


@pytest.mark.long
def test_a_policy_of_ones_own_plays_the_same(folder: Path) -> None:
    policy = CondensedPolicy(folder / "mine.npz")
    views, masks = positions(policy, 50)
    assert len(views) > 200
    found = answered(folder / "small.js", views, masks)
    assert found["name"] == "mine"
    np.testing.assert_array_equal(found["actions"], policy.act_batch(views, masks))


def environment(folder: Path) -> dict[str, str]:
    import os

    return {**os.environ, "GAME": str(folder / "small.js")}


@pytest.mark.long
def test_its_types_name_what_there_is(folder: Path) -> None:
    code = "".join((folder / name).read_text() for name in RUNTIME if name.endswith(".js"))
    types = (folder / "kozyr.d.ts").read_text()
    for declared in re.findall(r"^export declare (?:class|function) (\w+)", types, re.M):
        assert re.search(rf"^export (?:async )?(?:class|function) {declared}\b", code, re.M)
    for method in re.findall(r"^  (?:readonly )?(\w+)\(", types, re.M):
        assert re.search(rf"^  (?:async )?{method}\(", code, re.M), method


@pytest.mark.long
def test_npm_packs_it(folder: Path) -> None:
    [packed] = json.loads(node.run("pack", "--json", "--dry-run", program="npm", cwd=folder))
    assert packed["name"] == "@kozyr/games"
    packs = {one["path"] for one in packed["files"]}
    assert {"small.wasm", "small.js", "small.weights", "small.d.ts", *RUNTIME} <= packs
    exports = json.loads((folder / "package.json").read_text())["exports"]
    assert set(exports) == {".", "./small", "./*.wasm", "./*.net", "./*.weights", "./package.json"}


@pytest.mark.long
def test_a_bundler_is_shown_each_file_that_is_there_and_no_other(folder: Path, tmp_path: Path) -> None:
    other = kozyr("wasm", "war", "--set", "pickup=choice", "--out", str(tmp_path)).stdout
    assert "war.wasm" in other
    for made in (folder, tmp_path):
        scripts = [path.read_text() for path in made.glob("*.js")]
        shown = {name for text in scripts for name in re.findall(r'new URL\("\./(.*?)", import\.meta\.url\)', text)}
        assert shown == {path.name for path in made.iterdir() if path.suffix in (".wasm", ".net", ".weights")}
        assert not any(re.search(r"""(from|import\()\s*["']node:""", text) for text in scripts)
    assert shown == {"war.wasm", "war.war_52.net", "forward.wasm"}


@pytest.mark.parametrize("name", ["../x", "A", "", "x/y", "kozyr", "players", "forward", "a" * 99])
def test_a_name_stays_in_the_folder(name: str, tmp_path: Path) -> None:
    if not name:
        web.check_name(name)
        return
    told = kozyr("wasm", "mnk", "--name", name, "--out", str(tmp_path / "games"), code=2).stderr
    assert "cannot name files" in told
    assert not (tmp_path / "games").exists()


def test_a_site_names_its_files_before_anything_is_compiled() -> None:
    many = {"players": 2, "deck": 36, "transfer": True, "pile_on": True, "open_trump": True, "refill": "old_attacker"}
    with pytest.raises(ValueError, match="cannot name files"):
        site.site_game(envs.game("durak"), many)


def test_a_name_and_options_are_for_one_game(tmp_path: Path) -> None:
    told = kozyr("wasm", "mnk", "war", "--name", "x", "--out", str(tmp_path), code=2).stderr
    assert "--name, --policy and --set are for one game" in told


def test_a_game_that_only_this_process_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = envs.game("mnk")
    monkeypatch.setattr("kozyr.envs.registry.carried", lambda name: b"something")
    with pytest.raises(ValueError, match="only games of installed packages become WebAssembly"):
        web.compiled(game, game.make_variant(**SMALL))


def test_a_compiler_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = envs.game("mnk")
    monkeypatch.setattr(modules, "inside", lambda home: tmp_path / home)  # where nothing has been compiled yet
    monkeypatch.setattr("kozyr.agents.play.site.modules.EMIT", "kozyr.agents.play.site.nothing")
    with pytest.raises(RuntimeError, match=r"mnk cannot be compiled to WebAssembly: .*No module named"):
        web.compiled(game, game.make_variant(**SMALL))


@pytest.mark.parametrize("n", [0, 1, 63, 64, 127, 128, 300, 2**31 - 1])
def test_whole_numbers_are_written_and_read(n: int) -> None:
    assert wasm_file.Reader(wasm_file.number(n)).number() == n
    signed = wasm_file.signed(n)
    assert signed[-1] & 64 == 0
    assert wasm_file.Reader(signed).number() == n


def test_functions_that_math_lacks_are_refused() -> None:
    program = """
import math
from kozyr.envs.compile import wasm
wasm.turn()
def known(x): return int(100 * math.exp(x))
def unknown(x): return int(100 * math.erf(x))
print(len(wasm.module({"known": wasm.Entry(known, ("i64",), gives=True)})) > 100)
wasm.module({"unknown": wasm.Entry(unknown, ("i64",), gives=True)})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr
    assert done.stderr.strip().endswith("no browser has the functions erf")


def test_a_global_that_no_browser_has_is_refused() -> None:
    one = wasm_file.number(1) + b"\3env" + b"\5other" + bytes([3, 0x7F, 1])
    with pytest.raises(CompileError, match="no browser has the global 'other'"):
        wasm_file.imports(one)


def test_a_module_is_made_once_until_it_would_be_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[str] = []
    monkeypatch.setattr(modules, "_compile", lambda name, wanted: made.append(wanted) or f"{len(made)}".encode())
    monkeypatch.setattr(modules, "inside", lambda home: tmp_path / home)
    monkeypatch.setattr(modules, "SHIPPED", tmp_path / "shipped")
    game = envs.game("mnk")
    small, usual = game.make_variant(**SMALL), game.make_variant()
    assert [web.compiled(game, one) for one in (small, usual, small)] == [b"1", b"2", b"1"]
    assert web.compiled(game, small, only=["play"]) == b"3"
    for path in (tmp_path / game.package).iterdir():
        path.write_bytes(b"damaged")
    assert web.compiled(game, small) == b"4"
    monkeypatch.setattr(modules.sources, "hashes", lambda *names: "other sources")
    assert web.compiled(game, small) == b"5"


def test_the_compiler_compiles_where_this_process_must_not(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def run(command: list[str], env: dict[str, str], **_: Any) -> subprocess.CompletedProcess[str]:
        given.append(env)
        Path(command[-1]).write_bytes(b"made")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(subprocess, "run", run)
    assert modules._compile("mnk", "{}") == b"made"
    assert "NUMBA_DISABLE_JIT" not in given[0]
    assert "PATH" in given[0]


def test_what_comes_with_the_package_is_not_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(modules, "_compile", lambda name, wanted: name.encode())
    monkeypatch.setattr(modules, "inside", lambda home: tmp_path / home)
    monkeypatch.setattr(modules, "SHIPPED", tmp_path / "nothing yet")
    written = list(modules.ship(tmp_path / "shipped"))
    assert [path.read_bytes().decode() for path in written] == ["forward", *envs.games()]
    monkeypatch.setattr(modules, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(modules, "_compile", None)
    monkeypatch.setattr(modules, "inside", None)
    game = envs.game("war")
    assert web.compiled(game, game.make_variant()) == b"war"
    assert modules.forward() == b"forward"
