"""The shell lines of the page on data run in their order, and the leaderboard's page tells what the file claims."""

import importlib.util
import shlex
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena import leaderboard
from tests.docs import pages
from tests.leaderboard import FILE
from tests.test_cli import run

PAGE = pages.ROOT / "docs" / "howto" / "data.md"


def generated() -> Any:
    spec = importlib.util.spec_from_file_location("generated", pages.ROOT / "docs" / "generated.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_reader_follows_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="comes with the extra [data]")
    monkeypatch.chdir(tmp_path)
    lines = [line for block in pages.blocks(PAGE.read_text("utf-8"), "sh") for line in block.splitlines()]
    assert len(lines) >= 6
    commands = [shlex.split(line) for line in lines]
    assert {command for command, *_ in commands} == {"kozyr"}
    told = [run(*arguments).stdout for _, *arguments in commands]
    assert told[-1].splitlines()[-1] == "2 hold"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "board.jsonl",
        "games.jsonl",
        "games.parquet",
    ]


def test_the_page_of_the_leaderboard_has_every_claim() -> None:
    page, claims = generated().leaderboard(), leaderboard.read(FILE)
    for one in claims:
        first, other = one.scores
        assert f"| `{first.agent}` | {leaderboard.score(first)} | `{other.agent}` | {one.deals:,} |" in page
    assert page.count("\n| `") == len(claims)
    assert str(claims[0].seed) in page
