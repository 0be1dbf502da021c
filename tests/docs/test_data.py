"""Shell lines of the pages on data, scores and JSON run in their order; the page of scores has what its files say."""

import importlib.util
import json
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena.scores import card, load, report
from tests.docs import pages
from tests.reports import REPORTS
from tests.test_cli import run

HOWTO = pages.ROOT / "docs" / "howto"


def generated() -> Any:
    spec = importlib.util.spec_from_file_location("generated", pages.ROOT / "docs" / "generated.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def followed(page: str) -> list[str]:
    """Run the shell lines of a page and return what each printed."""
    text = (HOWTO / page).read_text("utf-8")
    commands = [shlex.split(line) for block in pages.blocks(text, "sh") for line in block.splitlines()]
    assert {command for command, *_ in commands} == {"kozyr"}
    return [run(*arguments).stdout for _, *arguments in commands]


def test_the_command_of_the_page_on_json_prints_schemas() -> None:
    [told] = followed("mcp.md")
    assert set(json.loads(told)) == {"game", "variant", "observation", "action"}


def test_what_the_page_tells_clients_starts_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from kozyr.agents.mcp.tables import ToolTables

    pytest.importorskip("mcp", reason="comes with the extra [mcp]")
    from kozyr.agents.mcp import server

    started: list[Any] = []

    class Started:
        def run(self, transport: str) -> None:
            started.append(transport)

    def make(given: ToolTables) -> Started:
        started.append(given.replays)
        return Started()

    monkeypatch.setattr(server, "make", make)
    [told] = pages.blocks((HOWTO / "mcp.md").read_text("utf-8"), "json")
    [command] = json.loads(told)["mcpServers"].values()
    assert command["command"] == "kozyr"
    before = signal.getsignal(signal.SIGINT)
    run(*command["args"])
    assert signal.getsignal(signal.SIGINT) is before
    assert started == [Path("replays"), "stdio"]


@pytest.mark.docs
def test_a_reader_follows_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="comes with the extra [data]")
    pytest.importorskip("minari", reason="comes with the extra [minari]")
    pytest.importorskip("h5py", reason="comes with the extra [minari]")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.chdir(tmp_path)
    told = followed("data.md")
    assert len(told) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "games.jsonl",
        "games.parquet",
        "minari",
    ]


def test_the_page_of_scores_has_every_task_of_every_report() -> None:
    page = generated().scores()
    for path in REPORTS:
        made = report.read(path)
        assert f"| `{path.name}` |" in page
        for one in made.tasks:
            assert f"| {made.title} | `{one.agent}` | {card.points_text(one.points)} |" in page
    assert load().digest in page


@pytest.mark.docs
def test_a_reader_follows_the_page_of_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = followed("../benchmark/index.md")
    assert "No points for all tasks" not in told[0]
    assert told[1].splitlines()[-1] == "4 hold"
    assert (tmp_path / "random.html").exists()
