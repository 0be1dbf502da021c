"""What `kozyr` shows at first sight: commands in groups on one screen, one game, help that fits."""

import json
import re
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from kozyr import envs
from kozyr.training.cli import app
from kozyr.training.cli.terminal import agent_completions, game_completions

GROUPS = ["Play", "Train", "Evaluate", "Inspect", "Build on it"]
ROOT: Any = typer.main.get_command(app)


def shown(*arguments: str) -> str:
    done = CliRunner(env={"COLUMNS": "80", "KOZYR_DEBUG": ""}).invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_overview_is_one_screen_of_groups_with_play_and_watch_first() -> None:
    text = shown()
    lines = [line.rstrip() for line in text.splitlines()]
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert "…" not in text
    assert [line for line in lines if line in GROUPS] == GROUPS
    commands = [line.split()[0] for line in lines if line.startswith("  ")]
    assert commands[:2] == ["play", "watch"]
    assert set(commands) == {name for name, one in ROOT.commands.items() if not one.hidden}
    assert len(commands) <= 30
    assert "--install-completion" in text
    assert shown("--help").split() == text.split()


@pytest.mark.parametrize("command", ROOT.commands)
def test_every_command_says_what_it_does_in_one_line(command: str) -> None:
    first = ROOT.commands[command].help.partition("\n")[0]
    assert first.endswith(".")
    assert len(first) <= 60


def test_one_game_is_shown_with_its_options_players_presets_policies_and_page() -> None:
    text = shown("games", "durak")
    for word in ("transfer", "heuristic", "solver", "strong_52", "durak_36.onnx: policy --set deck=36", "RULES.md"):
        assert word in text.replace("\n", "")
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    facts = json.loads(shown("games", "durak", "--json"))
    assert facts["scripted"] == ["random", "passive", "low", "heuristic"]
    assert {"file", "options"} == set(facts["policies"][0])
    assert facts["options"]["deck"]["default"] == 52


def test_presets_of_rules_are_shown() -> None:
    assert "--set rules=uecda" in shown("games", "daifugo")


def test_a_policy_is_shown_with_the_fewest_options_that_make_its_variant() -> None:
    assert "daifugo_uecda.onnx: policy --set rules=uecda\n" in re.sub(r" +\n", "\n", shown("games", "daifugo"))


def test_the_page_is_in_the_documentation_that_a_package_names(monkeypatch: pytest.MonkeyPatch) -> None:
    from email.message import Message
    from importlib import metadata

    message = Message()
    message["Project-URL"] = "Documentation, https://example.org/docs/"
    monkeypatch.setattr(metadata, "packages_distributions", lambda: {"kozyr": ["kozyr"]})
    monkeypatch.setattr(metadata, "metadata", lambda name: message)
    facts = json.loads(shown("games", "durak", "--json"))
    assert facts["page"] == "https://example.org/docs/environments/durak_v0.html"


def test_tab_completes_games_and_players() -> None:
    assert game_completions("du") == ["durak"]
    assert set(game_completions("")) == set(envs.games())

    class Context:
        params = {"game": "durak"}

    context: Any = Context()
    assert agent_completions(context, "so") == ["solver"]
    assert agent_completions(context, "pol") == ["policy"]
    context.params = {}
    assert agent_completions(context, "") == []
