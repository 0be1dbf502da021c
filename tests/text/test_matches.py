"""Matches and tables with a language model: the same games as others play, and what it used beside the score."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.agents.player import play, play_game
from kozyr.agents.text import TextAgent, TextPlayer
from kozyr.envs.table import record, record_format
from kozyr.envs.table.table import Table
from kozyr.training.cli import app
from tests.test_cli import document, run

from .stub import Reply, first, legal, said, serving


def lowest(prompt: str) -> str:
    """Play the first of the legal actions."""
    return legal(prompt)[0]


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("durak", {"players": 3}),
        ("daifugo", {"players": 4, "rounds": 2, "exchange": True}),
        ("draw_poker", {}),
        ("mnk", {"m": 5, "n": 5, "k": 4}),
        ("war", {"pickup": "choice", "deck": 20}),
    ],
)
def test_games_at_tables_are_the_games_of_any_match(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Deals, openings, scripted players' luck and records are those of games that are stepped together."""
    played: list[Any] = []
    others = ["random", "random"] if envs.game(game).make_variant(**options) and options.get("players", 2) > 2 else []
    for number, agent in enumerate((TextAgent(lowest, game, **options), lambda view, mask: int(mask.argmax()))):
        file = tmp_path / f"{number}.jsonl"
        found = match(game, [agent, *others, "random"][: 3 if others else 2], 6, seed=4, record=file, **options)
        games = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for one in games:
            one.pop("usage", None)
            one["agents"] = ["it" if name in ("lowest", "<lambda>") else name for name in one["agents"]]
        played.append((found.returns.tolist(), found.plies, found.statistics, found.draws, games))
    assert played[0] == played[1]


def test_what_it_used_stands_in_result_and_record(tmp_path: Path) -> None:
    def sometimes(prompt: str) -> str:
        return legal(prompt)[-1] if "does not count" in prompt or len(prompt) % 7 else "let me think"

    file = tmp_path / "games.jsonl"
    agent = TextAgent(sometimes, "durak")
    found = match("durak", [agent, "low"], 5, seed=1, record=file)
    used = found.agents[0].usage
    assert used is not None
    assert used == agent.usage
    assert 0 < used.illegal == used.retries < used.answers
    assert found.agents[1].usage is None
    games = list(record.read_file(file))
    told = [one for game in games for one in game.usage or () if one is not None]
    assert len(told) == len(games) == 10
    assert sum(one["answers"] for one in told) == used.answers
    assert sum(one["illegal"] for one in told) == used.illegal
    assert all(one["model"] == "sometimes" and one["cost"] is None for one in told)
    assert [record_format.parse(record_format.write(game)).usage for game in games] == [game.usage for game in games]


@pytest.mark.parametrize("usage", [[7, None], [{"cost": []}, None], [None], {"a": 1}, [{"cost": 1e400}, None]])
def test_a_record_with_another_usage_is_refused(usage: Any) -> None:
    game = envs.game("mnk")
    line = record_format.write(record.Record(game, game.make_variant(), 1, 0, [], [], False))
    with pytest.raises(ValueError, match="usage"):
        record_format.parse(line[:-1] + f',"usage":{json.dumps(usage).replace("Infinity", "1e400")}}}')


def test_errors_lose_games_and_nothing_else() -> None:
    def never(prompt: str) -> str:
        return "I would rather not."

    found = match("durak", [TextAgent(never, "durak", retries=1), "random"], 4, seed=2)
    one = found.agents[0]
    assert (one.score, one.errors) == (0.0, 8)
    assert "no legal action in 2 answers; of the last one, it holds no action" in (one.first_error or "")
    assert one.usage is not None
    assert one.usage.illegal == one.usage.answers == 16


def test_one_that_fills_all_seats_plays_itself() -> None:
    agent = TextAgent(lowest, "daifugo", players=3)
    found = match("daifugo", [agent], 2, seed=1, players=3)
    assert found.agents[0].score == pytest.approx(0.5)
    assert found.agents[0].usage == agent.usage


def test_who_is_late_loses_and_a_model_knows_its_deadline() -> None:
    deadlines: list[float | None] = []

    class Slow:
        """Takes its time now and then."""

        keeps_deadlines = True

        def __call__(self, prompt: str, deadline: float | None) -> str:
            deadlines.append(deadline and deadline - time.monotonic())
            if len(deadlines) == 3:
                time.sleep(0.3)
            return lowest(prompt)

    found = match("mnk", [TextAgent(Slow(), "mnk", m=3, n=3, k=3), "random"], 3, move_limit=0.25, m=3, n=3, k=3)
    assert (found.agents[0].late, found.agents[0].errors) == (1, 1)
    assert all(0 < left <= 0.25 for left in deadlines if left is not None)
    assert None not in deadlines


def test_tables_seat_a_player_that_hears() -> None:
    prompts: list[str] = []

    def hearing(prompt: str) -> str:
        prompts.append(prompt)
        return lowest(prompt)

    agent = TextAgent(hearing, "mnk", m=3, n=3, k=3)
    assert isinstance(agent.new_player(), TextPlayer)
    for seated in (play, lambda table, them: play_game(table.game, table.variant, table.seed, 0, them)):
        prompts.clear()
        seated(Table(agent.game, agent.variant, 1, 0), [agent, lambda view, mask: int(np.flatnonzero(mask)[-1])])
        assert "player_1: c3" in prompts[1]


def test_vector_environments_take_it_as_an_opponent() -> None:
    agent = TextAgent(lowest, "durak")
    vector = envs.make_vec("durak", 2, agent)
    observations, _ = vector.reset(seed=1)
    for _ in range(5):
        observations, *_ = vector.step(observations["action_mask"].argmax(1))
    assert agent.usage.answers > 2


def test_a_person_plays_against_a_model_that_hears(monkeypatch: pytest.MonkeyPatch) -> None:
    board = [part for name in ("m=3", "n=3", "k=3") for part in ("--set", name)]
    with serving(first) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        arguments = ["play", "mnk", "--plain", "--against", "llm:tiny", "--seed", "1", *board]
        shown = CliRunner().invoke(app, arguments, input="c3\nb3\na3\nc2\nb2\n")
    assert shown.exit_code == 0, shown.output
    assert "player_1 is llm:tiny" in shown.output
    assert "The game is over" in shown.output
    prompts = [one["messages"][0]["content"] for one in stub.requests]
    assert "player_0: c3" in prompts[1]


def test_one_command_reports_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def mostly(prompt: str) -> Reply:
        again = "does not count" in prompt
        return first(prompt) if again or len(prompt) % 5 else Reply(said("what?"))

    with serving(mostly) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        name, file = "llm:tiny@temperature=0.5,prices=1/2", tmp_path / "games.jsonl"
        told = document("match", "durak", name, "low", "--deals", "2", "--record", str(file))
        asked = len(stub.requests)
        shown = run("match", "durak", name, "low", "--deals", "2").stdout
        shared = document("match", "durak", name, "low", "--deals", "2", "--workers", "2")
    used = told["agents"][0]["usage"]
    assert told["agents"][0]["name"] == name
    assert used["answers"] == asked
    assert (used["model"], used["temperature"], used["prompt_tokens"]) == ("tiny", 0.5, 100 * asked)
    assert used["cost"] == pytest.approx(asked * 120 / 1e6)
    assert 0 < used["illegal"] == used["retries"]
    assert used["seconds"] > 0
    assert "usage" in told["agents"][1]
    assert told["agents"][1]["usage"] is None
    for head in ("Illegal", "Retries", "Tokens", "Cost", "Time"):
        assert head in shown
    assert f"{used['illegal']} of {asked}" in " ".join(shown.split())
    for field in ("answers", "illegal", "prompt_tokens"):
        assert shared["agents"][0]["usage"][field] == used[field]
    assert all(one.usage and sum(seat is not None for seat in one.usage) == 1 for one in record.read_file(file))
