"""The commands of the page "Let a language model play" run, with a stub in place of the model."""

import shlex
from pathlib import Path

import pytest

from kozyr.agents.agent_names import OPTIONS
from kozyr.agents.text import model
from kozyr.agents.text.endpoint import KEY
from tests.docs import pages
from tests.test_cli import run
from tests.text.stub import first, serving

PAGE = pages.ROOT / "docs" / "howto" / "language_models.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINES = [line for block in pages.blocks(TEXT, "sh") for line in block.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("kozyr ")]


def test_the_page_has_commands_and_settings() -> None:
    assert len(COMMANDS) >= 4
    assert [line for line in LINES if line not in COMMANDS] == ["export OPENAI_BASE_URL=http://localhost:8000/v1"]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_runs(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    few = line.replace("--deals 20", "--deals 2")
    with serving(first) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        shown = run(*shlex.split(few)[1:]).stdout
        assert stub.requests
        assert all(one["model"] == "qwen3-8b" for one in stub.requests)
    for told in ("usage", "answers") if "--json" in line else ("Illegal", "Retries", "Tokens", "Cost", "Time"):
        assert told in shown


def test_the_variables_are_those_that_are_read() -> None:
    told = {line.split("`")[1] for line in TEXT.splitlines() if line.startswith(("| `KOZYR_", "| `OPENAI_"))}
    assert told == {model.URL, KEY, *(f"KOZYR_LLM_{name.upper()}" for name in OPTIONS)}
    options = {line.split("`")[3].partition("=")[0] for line in TEXT.splitlines() if line.startswith("| `KOZYR_")}
    assert options == set(OPTIONS)
