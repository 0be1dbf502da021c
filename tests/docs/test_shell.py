"""The shell blocks of the documentation's pages can be typed, and those that need nobody else run."""

import subprocess
import sys
import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import platformdirs
import pytest
from typer.testing import CliRunner

from kozyr.agents.play.server import serve
from kozyr.training.cli import app
from tests.docs import pages, shell

PAGES = [page for page in pages.written() if "```sh" in page.read_text(encoding="utf-8")]
PLACES = {pages.ROOT, *(pages.ROOT / "docs" / name for name in ("howto", "start", "libraries"))}
RUN = [page for page in PAGES if page.parent in PLACES and page.name not in ("CONTRIBUTING.md", "CHANGELOG.md")]
TINY = {"num_tables": 4, "n_steps": 8, "batch_size": 16, "threads": 1}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let training learn next to nothing, no browser open and no server wait, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda *given: True)
    monkeypatch.setattr(serve, "run", lambda app, listening, ready: listening.close())
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *given: mkdtemp(dir=tmp_path))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.setitem(sys.modules, "bots", None)
    monkeypatch.delitem(sys.modules, "bots")
    settings = pytest.importorskip("kozyr.training.settings.run_settings", reason="comes with the extra [train]")
    load = settings.load

    def small(*given: Any, **named: Any) -> dict[str, Any]:
        found: dict[str, Any] = {**load(*given, **named), **TINY}
        found["evaluation"] = {**found["evaluation"], "deals": 2, "final_deals": 2}
        if given[1] != "strong_52_on":  # whose network is that of the policy's file that a line begins with
            found["net"] = {**found["net"], "trunk": [8], "heads": [8]}
        if found["imitation"]:
            found["imitation"] = {**found["imitation"], "decisions": 64}
        return found

    monkeypatch.setattr(settings, "load", small)
    monkeypatch.setattr("kozyr.training.export.load_weights._LESSONS", 64)


def test_pages_have_lines_to_run() -> None:
    found = [line for page in RUN for line in shell.lines(page.read_text(encoding="utf-8"))]
    assert sum(not line.reason for line in found) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_can_be_typed(page: Path) -> None:
    for line in shell.lines(page.read_text(encoding="utf-8")):
        if line.words[0] == "kozyr":
            shell.understood(line.words)


@pytest.mark.docs
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
@pytest.mark.usefixtures("tiny")
def test_the_commands_of_a_page_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in shell.lines(text):
        if line.reason:
            continue
        shell.supply(line.words, text)
        if line.words[:3] == shell.PPO:
            from kozyr.training import ppo_single_file

            ppo_single_file.main([*line.words[3:], *shell.PPO_SMALL])
            continue
        words = shell.smaller(line.words, shell.understood(line.words))
        done = CliRunner(env={"KOZYR_DEBUG": "", "COLUMNS": "80"}).invoke(app, words)
        assert done.exit_code == 0, f"{' '.join(line.words)}: {done.output}"
        if line.target:
            Path(line.target).write_text(done.stdout, encoding="utf-8")


def test_a_line_that_a_user_cannot_type_is_noticed() -> None:
    with pytest.raises(Exception, match="--deal"):
        shell.understood(["kozyr", "match", "durak", "low", "random", "--deal", "3"])
    with pytest.raises(AssertionError, match="macth"):
        shell.understood(["kozyr", "macth", "durak"])
    with pytest.raises(ValueError, match="not run: REASON"):
        shell.lines("```sh\ncurl example.org\n```\n")
    block = "```sh\n{}\n```\n"
    marked = f"<!-- not run: no network -->\n{block}"
    found = shell.lines(marked.format("curl x") + block.format("kozyr games") + marked.format("curl y"))
    assert [(line.words, line.reason) for line in found] == [
        (["curl", "x"], "no network"),
        (["kozyr", "games"], ""),
        (["curl", "y"], "no network"),
    ]


@pytest.mark.docs
def test_a_bot_of_ones_own_is_found_in_the_current_folder(tmp_path: Path) -> None:
    text = (pages.ROOT / "docs" / "howto" / "own_bot.md").read_text(encoding="utf-8")
    [line, *_] = [line for line in shell.lines(text) if any(":" in word for word in line.words)]
    [bot] = [word for word in line.words if ":" in word]
    module, _, name = bot.partition(":")
    [source, *_] = [block for block in pages.blocks(text, "python") if f"class {name}" in block]
    (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
    begun = [sys.executable, "-P", "-c", "from kozyr.training.cli import app; app(prog_name='kozyr')"]
    words = [*shell.smaller(line.words, shell.understood(line.words)), "--json"]
    done = subprocess.run([*begun, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f'"name": "{bot}"' in done.stdout
