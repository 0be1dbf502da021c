"""verifiers' own environments, tasks, interactions and traces play whole games with a scripted model."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs import pages, running
from tests.plugs.required import library

library("verifiers", "0.4")

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

from kozyr.agents.bridges import verifiers_env
from tests.text.stub import Reply, legal, said, serving

GAMES = [
    ("durak", {"players": 3}),
    ("daifugo", {"players": 3}),
    ("draw_poker", {"players": 3}),
    ("mnk", {"m": 4, "n": 4, "k": 3}),
    ("war", {"pickup": "choice", "deck": 20}),
]
SECRET = "My plan is a secret"


class Scripted:
    """A model that draws among the actions that it was offered, and says what it thinks."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, prompt: str) -> Reply:
        words = legal(prompt)
        return Reply(said(f"{SECRET}.\n\n{words[self._rng.integers(len(words))]}"))


def played(env: Any, reply: Callable[[str], Reply], tasks: int = 1) -> tuple[list[Any], list[dict[str, Any]]]:
    """Play some tasks as its evaluation does; return the episodes, and the requests that reached the endpoint."""

    async def run(url: str) -> list[Any]:
        client = vf.EvalClientConfig(base_url=url, api_key_var="KOZYR_NO_KEY")
        context = vf.ModelContext(model="scripted", client=client)
        async with env.serving():
            return [await env.run_slot(env.slots(task)[0], context) for task in env.taskset.take(tasks)]

    with serving(reply) as stub:
        return asyncio.run(run(stub.url)), stub.requests


def told(trace: Any) -> list[str]:
    """Return what a seat was told, in order: system prompt and user turns."""
    return [message.content for message in trace.messages if message.role in ("system", "user")]


@pytest.mark.parametrize(("game", "options"), GAMES, ids=[game for game, _ in GAMES])
def test_self_play_gives_each_seat_its_trace_and_reward(game: str, options: dict[str, Any]) -> None:
    env = verifiers_env.environment(game, **options)
    (episode,), requests = played(env, Scripted())
    seats = env.game.seats(env.variant)
    assert episode.ok
    traces = {trace.info["seat"]: trace for trace in episode.traces}
    assert sorted(traces) == list(range(seats))
    assert sum(trace.reward for trace in traces.values()) == pytest.approx(0, abs=1e-5)
    assert sum(int(trace.metrics["answers"]) for trace in traces.values()) == len(requests) > seats
    assert all(trace.metrics["illegal"] == 0 for trace in traces.values())
    assert all(trace.info["outcome"].startswith("the game is over") for trace in traces.values())
    for seat, trace in traces.items():
        assert trace.num_turns == trace.metrics["answers"]
        assert f"as player_{seat}, one of {seats} players" in told(trace)[0]


def test_a_conversation_is_multi_turn_and_its_rules_stand_once() -> None:
    (episode,), requests = played(verifiers_env.environment("durak"), Scripted(3))
    for trace in episode.traces:
        system, *turns = told(trace)
        assert "whoever is left with cards at the end is the fool" in system
        assert not any("who is left with cards" in turn for turn in turns)
        roles = [message.role for message in trace.messages]
        assert roles == ["system", *["user", "assistant"] * trace.num_turns]
    longest = max(requests, key=lambda one: len(one["messages"]))
    assert len(longest["messages"]) > 10  # the model sees its own earlier turns


def test_short_texts_reach_the_model() -> None:
    def last(prompt: str) -> Reply:
        return Reply(said(prompt.rpartition(" ")[2]))  # of a short question the last action

    env = verifiers_env.environment("durak", opponents=["low"], text="short", transfer=False, deck=36)
    (episode,), requests = played(env, lambda prompt: last(prompt.replace("any card", hand(prompt))))
    (trace,) = episode.traces
    assert episode.ok
    assert trace.metrics["illegal"] == 0
    assert told(trace)[0].startswith("You are p0. Durak, 2 players, 36 cards")
    assert all("\nlegal: " in turn and "##" not in turn for turn in told(trace)[1:])
    assert len(requests) == trace.metrics["answers"]
    with pytest.raises(ValueError, match="text='brief' is not allowed"):
        verifiers_env.environment("durak", text="brief")


def hand(prompt: str) -> str:
    """Return the seat's own last card in a short text."""
    return f"\n{prompt}".rpartition("\nyou ")[2].partition(";")[0].replace("*", "").split()[-1]


def test_what_is_hidden_stays_hidden() -> None:
    """Neither other hands, nor which cards others exchange, nor what they think reach a seat."""
    episodes, _ = played(verifiers_env.environment("draw_poker", players=3), Scripted(5), tasks=4)
    discards = 0
    for episode in episodes:
        for trace in episode.traces:
            seat, turns = trace.info["seat"], told(trace)[1:]
            for turn in turns:
                assert SECRET not in turn
                assert f"player_{seat} (you)" in turn
                for other in {0, 1, 2} - {seat}:
                    assert f"player_{other} (you)" not in turn
                    lines = [line for line in turn.splitlines() if line.startswith(f"player_{other}: discard")]
                    discards += len(lines)
                    assert all("(" not in line for line in lines)
    assert discards


def test_scripted_opponents_and_every_seat_in_turn() -> None:
    env = verifiers_env.environment("durak", opponents=["low", "random"], players=3)
    episodes, _ = played(env, Scripted(), tasks=6)
    assert [(one.task.data.seed, one.task.data.seat) for one in episodes] == [(i // 3, i % 3) for i in range(6)]
    for episode in episodes:
        assert episode.ok
        (trace,) = episode.traces
        assert trace.info["seat"] == episode.task.data.seat
        assert trace.reward in (pytest.approx(0.5), -1.0, 0.0)


def test_the_lines_of_the_page_run() -> None:
    text = (pages.ROOT / "docs" / "howto" / "language_models.md").read_text(encoding="utf-8")
    block = next(one for one in pages.blocks(text, "py") if "verifiers" in one)
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102
    (episode,), _ = played(names["env"], Scripted())
    assert episode.ok
    assert len(episode.traces) == 1


def test_one_task_is_one_game() -> None:
    env = verifiers_env.environment("durak", opponents=["low"])
    (one,), _ = played(env, Scripted(4))
    (other,), _ = played(verifiers_env.environment("durak", opponents=["low"]), Scripted(4))
    assert told(one.traces[0]) == told(other.traces[0])
    assert one.traces[0].reward == other.traces[0].reward


def test_bad_answers_are_told_why_and_lose_in_the_end() -> None:
    def vague(prompt: str) -> Reply:
        return Reply(said("I see."))

    (episode,), requests = played(verifiers_env.environment("durak", opponents=["low"], retries=1), vague)
    (trace,) = episode.traces
    assert episode.ok
    assert trace.reward == -1.0
    assert (trace.metrics["answers"], trace.metrics["illegal"]) == (2, 2)
    assert len(requests) == 2
    assert "This answer does not count: it holds no action" in told(trace)[-1]
    assert "forfeits: illegal action" in trace.info["outcome"]


def test_a_seat_out_of_turns_loses() -> None:
    env = verifiers_env.environment("durak", opponents=["low"], player={"max_turns": 2})
    (episode,), _ = played(env, Scripted())
    (trace,) = episode.traces
    assert trace.reward == -1.0
    assert "forfeits: no answer" in trace.info["outcome"]


def test_an_endpoint_that_fails_gives_no_reward() -> None:
    (episode,), _ = played(verifiers_env.environment("durak"), lambda prompt: Reply({"error": "no"}, 400))
    assert not episode.ok
    assert all(not trace.rewards for trace in episode.traces)


def test_a_module_of_two_lines_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, example = (verifiers_env.__doc__ or "").partition("module of two lines and name it:\n\n")
    lines = [line.strip() for line in example.splitlines()[:2]]
    (tmp_path / "our_games.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    its = {"id": "our-games", "game": "mnk", "options": {"m": 3, "n": 3, "k": 3}, "opponents": ["easy"]}
    env = load_environment(resolve_env_config({"taskset": its}))
    (episode,), _ = played(env, Scripted())
    assert episode.ok
    assert "our_games" in sys.modules


def test_opponents_are_checked_before_anything_is_played() -> None:
    for name in ("process:./bot", "os:abort", "llm:m"):
        with pytest.raises(ValueError, match="what a file names is not run"):
            verifiers_env.environment("durak", opponents=[name])
    with pytest.raises(ValueError, match="unknown agent 'lowest'"):
        verifiers_env.environment("durak", opponents=["lowest"])
    with pytest.raises(ValueError, match="players=9"):
        verifiers_env.environment("durak", players=9)


def test_the_page_of_the_documentation_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Scripted()) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        running.library("verifiers")
    assert stub.requests
