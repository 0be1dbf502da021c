"""A time limit for each decision: who takes longer loses the game, and who hangs is ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.agent import Scripted
from kozyr.agents.arena import match
from kozyr.agents.arena.sandbox import sandboxed_agent as sandboxed
from kozyr.agents.arena.sandbox.limits import TimeLimitedProgram
from kozyr.agents.arena.sandbox.process import AgentProcess
from kozyr.agents.arena.sandbox.sandboxed_agent import SandboxedAgent, limited
from kozyr.agents.arena.tournaments.league import League
from kozyr.envs.environments.agent_protocol import Absent, Lost
from kozyr.envs.table import record
from tests.agents import strange
from tests.interrupts import interruptible
from tests.test_cli import run

SMALL: dict[str, Any] = {"m": 3, "n": 3, "k": 3, "opening": 0}
BOARD: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
GAME = envs.game("mnk")
AMPLE = 60.0  # seconds, which nobody takes
HERE = "tests.agents.strange"
WRONG = Path(__file__).parents[1] / "programs" / "bots" / "wrong.py"


def asked(n: int) -> tuple[Any, Any]:
    """Return views and masks of first decisions."""
    tables = envs.make_tables("mnk", n, **BOARD)
    return tables.views, tables.masks


def test_a_hang_loses_its_game_by_time_and_the_match_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = match("mnk", [f"{HERE}:Hanging", "random"], 2, seed=3, record=file, move_limit=0.2, **SMALL)
    hung, other = result.agents
    assert (hung.errors, hung.late, other.errors) == (2, 2, 0)  # where it begins
    assert hung.first_error is not None
    assert hung.first_error.endswith("ply 0: time: took longer than 0.2 s")
    games = list(record.read_file(file))
    lost = [one for one in games if one.forfeit is not None]
    assert [(one.reason, one.actions) for one in lost] == [("time", [])] * 2
    assert all(len(one.actions) >= 5 for one in games if one not in lost)  # it goes on in the others
    assert "Late" in str([column.header for column in result.table().columns])


def test_a_late_answer_loses_and_the_process_goes_on() -> None:
    result = match("mnk", [strange.Dozing(), "random"], 1, move_limit=0.1, **SMALL)
    assert (result.agents[0].errors, result.agents[0].late) == (1, 1)
    assert match("mnk", [strange.Dozing(), "random"], 1, move_limit=AMPLE, **SMALL).agents[0].errors == 0


def test_a_process_that_dies_loses_its_game_and_another_one_begins() -> None:
    result = match("mnk", [f"{HERE}:Crashing", "random"], 1, move_limit=AMPLE, **SMALL)
    assert (result.agents[0].errors, result.agents[0].late) == (1, 0)
    assert "its process" in (result.agents[0].first_error or "")


@pytest.mark.parametrize(
    ("game", "agent", "options"),
    [
        ("durak", f"{HERE}:Lucky", {}),
        ("mnk", strange.WrongBatch(), SMALL),
        ("mnk", strange.Raising(), SMALL),
        ("mnk", strange.Wrong(3.0), SMALL),
        ("mnk", "search@200", SMALL),
    ],
    ids=["own", "wrong batch", "raising", "wrong", "search"],
)
def test_an_ample_limit_changes_nothing(game: str, agent: Any, options: dict[str, Any]) -> None:
    plain, timed = (match(game, [agent, "random"], 4, seed=2, move_limit=limit, **options) for limit in (None, AMPLE))
    assert timed == plain
    assert (timed.agents[0].ms_99 is None) == (plain.agents[0].ms_99 is None)


@pytest.mark.long
def test_workers_give_the_same() -> None:
    one, two = (
        match("mnk", [f"{HERE}:Lucky", "random"], 4, seed=2, workers=n, move_limit=AMPLE, **SMALL) for n in (1, 2)
    )
    assert one == two


def test_a_batch_that_takes_too_long_is_asked_one_by_one() -> None:
    agent = SandboxedAgent(strange.SlowBatch(), "slow", GAME, BOARD, 0.05)
    assert list(agent.each(*asked(4))) == [0] * 4
    agent.close()


def test_who_always_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxed, "_FIRST", 0.1)
    monkeypatch.setattr(sandboxed, "GRACE", 0.1)
    agent = SandboxedAgent(strange.Endless(), "endless", GAME, BOARD, 0.05)
    answers = list(agent.each(*asked(7)))
    assert [type(one) for one in answers] == [Absent] * 5 + [Lost] * 2
    assert {one.reason for one in answers} == {"time"}
    assert "has failed 5 times in a row and is given up: time: took longer than 0.05 s" in str(answers[-1])
    with pytest.raises(Lost, match="given up"):
        agent.act(*(one[0] for one in asked(1)))


def test_a_process_serves_one_match_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in AgentProcess.idle:
        one.kill()
    AgentProcess.idle.clear()
    made: list[bytes] = []
    monkeypatch.setattr(sandboxed.AgentProcess, "__init__", _counting(made))
    league = League("mnk", [f"{HERE}:First", "random"], 120, opening=2, variant=BOARD, move_limit=AMPLE)
    league.play(league.pairs())
    assert len(league.returns((0, 1))) == 120
    assert len(made) == 1


def _counting(made: list[bytes]) -> Any:
    before = AgentProcess.__init__

    def init(self: AgentProcess, payload: bytes) -> None:
        made.append(payload)
        before(self, payload)

    return init


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (lambda view, mask: int(mask.argmax()), r"cannot have a time limit, for which it is sent to a process"),
        (strange.Stuck(), "cannot have a time limit"),
        (f"{HERE}:Unmade", "there is no book of openings"),
        (f"{HERE}:Nobody", "has no attribute 'Nobody'"),
    ],
    ids=["lambda", "lock", "unmade", "nobody"],
)
def test_who_cannot_be_sent_to_a_process_is_refused_in_words(agent: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        match("mnk", [agent, "random"], 1, move_limit=1, **SMALL)


@pytest.mark.parametrize("limit", [0, -1, True, "1", float("nan"), float("inf"), 10**9])
def test_a_wrong_limit_is_refused_in_words(limit: Any) -> None:
    words = "is not allowed: move_limit is a number of seconds above 0, at most 86,400"
    for call in (
        lambda: match("mnk", ["easy", "random"], 1, move_limit=limit, **SMALL),
        lambda: League("mnk", ["easy", "random"], 10, move_limit=limit),
        lambda: envs.make_vec("mnk", 2, opponents="easy", move_limit=limit),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_scripted_players_need_no_process() -> None:
    assert isinstance(limited("hard", GAME, BOARD, 1.0), Scripted)
    assert isinstance(limited("search", GAME, BOARD, 1.0), SandboxedAgent)
    assert not isinstance(limited("search", GAME, BOARD, None), SandboxedAgent)
    agent = limited("search", GAME, BOARD, 1.0)
    assert limited(agent, GAME, BOARD, 1.0) is agent


def test_a_program_has_the_limit_too() -> None:
    program = limited(f"process:{sys.executable} {WRONG} sleeps 1", GAME, BOARD, 0.2)
    assert isinstance(program, TimeLimitedProgram)
    first, second = program.each(*asked(2))
    assert first == 0
    assert isinstance(second, Absent)
    assert (second.reason, str(second)) == ("time", "time: took longer than 0.2 s")
    program.close()


def test_results_under_a_limit_are_kept_apart() -> None:
    free, short = (League("mnk", ["search@50", "easy"], 50, move_limit=limit) for limit in (None, 0.5))
    (one,), (two,) = free.blocks((0, 1)), short.blocks((0, 1))
    assert one.players[0] != two.players[0]
    assert one.players[1] == two.players[1]  # a scripted player is the same with it and without


# ---------------------------------------------------------------------- vectors


@pytest.mark.long
def test_an_opponent_of_a_vector_that_hangs_loses_the_episode() -> None:
    with pytest.warns(RuntimeWarning, match=r"Hanging loses an episode of mnk_v0: time: took longer than 0.1 s"):
        vec = envs.make_vec("mnk", 2, opponents=f"{HERE}:Hanging", seat=1, move_limit=0.1, **BOARD)
    assert vec.tables.states["ply"].max() == 0  # where the learner never acts, another episode has begun
    assert vec.tables.states["turn"].tolist() == [1, 1]


def test_a_late_opponent_pays_the_learner() -> None:
    vec = envs.make_vec("mnk", 1, opponents=strange.Slower(), seat=0, move_limit=0.1, **BOARD)
    vec.reset(seed=1, options={"starter": 0})
    with pytest.warns(RuntimeWarning, match="took longer than 0.1 s"):
        _, rewards, terminations, truncations, _ = vec.step(np.array([4]))
    assert (rewards.tolist(), terminations.tolist(), truncations.tolist()) == ([1.0], [True], [False])


def test_what_an_opponent_of_a_vector_raises_is_raised() -> None:
    vec = envs.make_vec("mnk", 1, opponents=strange.Raising(), seat=0, move_limit=AMPLE, **BOARD)
    vec.reset(seed=1, options={"starter": 0})
    with pytest.raises(Lost, match="RuntimeError: no idea") as caught:
        vec.step(np.array([8]))
    assert "the opponent" in "".join(caught.value.__notes__)


def test_a_vector_plays_the_same_under_an_ample_limit() -> None:
    def played(limit: float | None) -> list[Any]:
        opponents = {f"{HERE}:First": 0.5, "random": 0.5}
        vec = envs.make_vec("mnk", 3, opponents=opponents, seed=4, move_limit=limit, **BOARD)
        found: list[Any] = [vec.reset(seed=4)[0]["observation"]]
        for _ in range(12):
            seen, rewards, *_ = vec.step(vec.tables.masks.argmax(1))
            found += [seen["observation"], rewards]
        return found

    for one, two in zip(played(None), played(AMPLE), strict=True):
        np.testing.assert_array_equal(one, two)


def test_one_seat_has_the_limit_too() -> None:
    env = envs.make_seat("mnk", opponents=f"{HERE}:Slower", seat=0, move_limit=0.1, **BOARD)
    env.reset(seed=1, options={"starter": 0})
    with pytest.warns(RuntimeWarning, match="took longer"):
        _, reward, over, _, _ = env.step(4)
    assert (reward, over) == (1.0, True)


# ---------------------------------------------------------------------- processes

CHILD = f"""
from kozyr.agents.arena import match
match("mnk", ["{HERE}:Endless", "random"], 1, move_limit=1000, opening=0, m=3, n=3, k=3)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("kind", ["SIGINT", "SIGKILL"])
def test_no_process_is_left_behind(kind: str, tmp_path: Path) -> None:
    """Ctrl-C ends a match in which an agent hangs, and the agent; it ends even if the match is killed."""
    file = tmp_path / "pid"
    with interruptible(
        [sys.executable, "-c", CHILD], stderr=subprocess.PIPE, env={**os.environ, "KOZYR_TEST_PID": str(file)}
    ) as child:
        try:
            until(lambda: file.exists() and file.read_text(encoding="utf-8") != "")
            child.send_signal(getattr(signal, kind))
            child.wait(30)
        finally:
            child.kill()
    until(lambda: not alive(int(file.read_text(encoding="utf-8"))))


def until(fine: Any) -> None:
    """Wait until something is so, at most two minutes."""
    end = time.monotonic() + 120
    while not fine():
        assert time.monotonic() < end
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


# ---------------------------------------------------------------------- commands


@pytest.mark.parametrize(
    "command",
    [
        ("match", "mnk", f"{HERE}:Dozing", "easy", "--deals", "1", "--opening", "0"),
        ("league", "mnk", f"{HERE}:Dozing", "easy", "--deals", "1", "--opening", "0"),
        ("compare", "mnk", f"{HERE}:Dozing", "easy", "--deals", "1", "--opening", "0"),
    ],
    ids=lambda one: one[0],
)
def test_the_commands_take_a_limit(command: tuple[str, ...]) -> None:
    said = run(*command, "--move-limit", "0.1", "--set", "m=3", "--set", "n=3", "--set", "k=3", "--json").stdout
    if command[0] == "match":
        assert '"late": 1' in said
    assert "error" not in run(*command, "--move-limit", "0", code=2).stdout


def test_a_ladder_takes_a_limit() -> None:
    said = run("ladder", "war", "--deals", "2", "--search-deals", "1", "--move-limit", "60", "--set", "pickup=choice")
    assert "lookahead" in said.stdout
