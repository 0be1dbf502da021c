"""Ctrl-C ends every search soon, however large its budget is: no compiled call runs for long."""

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents import interruptible as pace
from kozyr.agents.interruptible import Pace, cut
from kozyr.agents.search.positions import positions
from tests.interrupts import interruptible

BUDGET = 100_000_000
PLAYERS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "daifugo": [(f"pimc@{BUDGET}", {"rules": "uecda", "rounds": 3}), (f"solver@{BUDGET}", {"players": 2})],
    "draw_poker": [(f"pimc@{BUDGET}", {"players": 5}), ("ismcts@3600000ms", {})],
    "durak": [(f"pimc@{BUDGET}++heuristic", {"players": 4}), (f"solver@{BUDGET}", {"transfer": True})],
    "mnk": [
        (f"pimc@{BUDGET}", {"m": 25, "n": 25, "k": 25}),
        (f"ismcts@{BUDGET}", {"m": 25, "n": 25, "k": 25}),
        (f"search@{BUDGET}", {"m": 25, "n": 25}),
        (f"threat@{BUDGET}", {"m": 25, "n": 25}),
    ],
    "war": [(f"lookahead@{BUDGET}", {"pickup": "choice"})],
}
CHILD = """
import sys
from kozyr import agents, envs
from kozyr.agents.search.positions import positions
from tests.agents.test_interrupts import BUDGET, PLAYERS

game = sys.argv[1]
for name, options in PLAYERS[game]:
    it = envs.game(game)
    agent, asked = agents.load(name, game, **options), list(positions(it, it.make_variant(**options)))
    agents.load(name.replace(str(BUDGET), "20"), game, **options).warm()  # with its own budget it searches long
    try:
        print("thinking", flush=True)
        while True:
            for view, mask in asked[1::2] + asked[::2]:
                agent.act(view, mask)
    except KeyboardInterrupt:
        print("ended", flush=True)
"""
PROMPT = 5.0  # seconds, which a busy machine keeps too; alone it takes less than 0.1


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("game", envs.games())
def test_a_search_ends_soon_after_ctrl_c(game: str) -> None:
    with interruptible(
        [sys.executable, "-c", CHILD, game], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            for name, _ in PLAYERS[game]:
                assert child.stdout.readline() == "thinking\n", child.stderr.read()
                time.sleep(0.1)
                began = time.monotonic()
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == "ended\n", child.stderr.read()
                assert time.monotonic() - began < PROMPT, name
        finally:
            child.kill()


MATCH = """
from kozyr.agents.arena import match

match("mnk", ["hard", "easy"], 1, m=25, n=25, k=25)
try:
    print("thinking", flush=True)
    match("mnk", ["hard", "easy"], 100_000, m=25, n=25, k=25)
except KeyboardInterrupt:
    print("ended", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_match_of_scripted_players_ends_soon_after_ctrl_c() -> None:
    with interruptible([sys.executable, "-c", MATCH], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "thinking\n"
            time.sleep(0.2)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "ended\n"
            assert time.monotonic() - began < PROMPT
        finally:
            child.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_children_heed_ctrl_c_where_the_tests_ignore_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(["sleep", "600"]) as child:
            child.send_signal(signal.SIGINT)
            assert child.wait(60) == -signal.SIGINT
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_steps_follow_what_the_calls_before_took(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(pace.time, "perf_counter", lambda: now[0])
    it, given = Pace(4), []
    for seconds in (1e-6, 1e-6, 1e-6, 1.0, 1.0, 0.003):
        given.append(it.steps)
        now[0] += seconds * it.steps
        it.took(it.steps)
    assert given[:3] == [4, 32, 256]
    assert given[3] > 1000
    assert given[4:] == [1, 1]  # slow calls at once, and never none
    assert it.steps == 8


def test_a_call_that_took_less_than_it_might_does_not_make_the_next_one_longer(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr(pace.time, "perf_counter", lambda: now[0])
    it = Pace(100)
    for _ in range(50):
        now[0] += 0.001
        it.took(1)  # a millisecond each
    assert it.steps <= 30


def test_runs_cover_all_rows_once() -> None:
    for rows in (0, 1, 7, 1000):
        runs = list(cut(rows, 3))
        assert [i for run in runs for i in range(run.start, run.stop)] == list(range(rows))


def test_the_length_of_the_calls_changes_no_action(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step a call finds what calls of thousands of steps find."""

    def played() -> list[int]:
        found: list[int] = []
        for game, name, options in (
            ("durak", "pimc@40", {"deck": 36}),
            ("durak", "pimc@20++heuristic", {"deck": 36}),
            ("durak", "solver@300", {"deck": 36}),
            ("daifugo", "solver@300", {"players": 2}),
            ("mnk", "search@300", {"m": 7, "n": 7, "k": 4}),
            ("mnk", "threat@300", {"m": 7, "n": 7, "k": 4}),
            ("mnk", "ismcts-kept@60", {"m": 5, "n": 5, "k": 4}),
        ):
            it = envs.game(game)
            agent = agents.load(name, game, **options)
            found += [agent.act(*one) for one in list(positions(it, it.make_variant(**options)))[:12]]
        return found

    usual = played()
    monkeypatch.setattr(Pace, "steps", property(lambda self: 1, lambda self, steps: None), raising=False)
    assert played() == usual


def test_a_batch_in_threads_ends_with_its_first_interrupt() -> None:
    """The twins end as well: nothing thinks on in the background."""
    agent = agents.load(f"mnk:ismcts@{BUDGET}", threads=2)
    view, mask = next(iter(positions(agent.game, agent.variant)))
    calls = [0]

    def interrupted() -> None:
        calls[0] += 1
        if calls[0] > 3:
            raise KeyboardInterrupt

    agent._require_needed = interrupted
    with pytest.raises(KeyboardInterrupt):
        agent.act_batch(np.repeat(view[None], 4, 0), np.repeat(mask[None], 4, 0))
    assert not agent.twins[0]._stopped
