import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kozyr import envs
from kozyr.envs.core import install_hint
from kozyr.envs.table import record
from kozyr.envs.table.table import Table
from kozyr.training.cli import MORE, app, learn
from kozyr.training.run.plan import RunPlan
from tests.interrupts import interruptible

COMMANDS = (
    *("new-game", "games", "agents", "play", "match", "replay", "stats", "ladder", "league", "compare"),
    *("train", "imitate", "exploit", "exploitability", "evaluate", "publish", "sweep", "wasm", "web"),
    *("export", "import", "schema", "plot"),
)
FOLDER = Path(__file__).parents[1] / "training" / "policies"
FAST = ["--set", "m=3", "--set", "n=3", "--set", "k=3"]


def run(*arguments: str, code: int = 0) -> Any:
    done = CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""}).invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


WIRES = ("serve ttt", "join ttt", "serve uecda", "join uecda", "join table", "engine gomocup")


@pytest.mark.parametrize("inner", [*WIRES, "score show", "score check"])
def test_help_of_a_command_in_a_group_has_an_example(inner: str) -> None:
    assert f"Example: kozyr {inner}" in run(*inner.split(), "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    assert f"Example: kozyr {command}" in run(command, "--help").stdout


def test_help_shows_first_what_users_need_first() -> None:
    first, more = run("train", "--help").stdout.split(MORE)
    assert "--preset" in first
    assert "--engine" in more
    assert MORE not in run("games", "--help").stdout


def test_games_and_agents_are_listed() -> None:
    assert "durak_v0" in run("games").stdout
    assert {"durak", "mnk"} <= {facts["game"] for facts in document("games")}
    assert "durak: random, passive, low" in run("agents").stdout
    listed = document("agents", "durak")["durak"]
    assert listed["scripted"][:3] == ["random", "passive", "low"]
    assert {"pimc", "ismcts"} <= set(listed["search"])


def test_a_match_is_shown_and_repeats() -> None:
    assert "Score" in run("match", "mnk", "easy", "random", "--deals", "4", *FAST).stdout
    first, second, other = (
        document("match", "mnk", "easy", "random", "--deals", "8", "--seed", seed, *FAST) for seed in ("1", "1", "2")
    )
    for one in (first, second, other):
        for name in ("seconds", "games_per_second", "ms_per_move"):
            del one[name]
    assert first == second != other
    assert first["variant"]["m"] == 3


def test_a_game_in_progress_is_replayed_as_far_as_it_got(tmp_path: Path) -> None:
    game = envs.game("mnk")
    table = Table(game, game.make_variant(m=3, n=3, k=3), seed=1, starter=0)
    table.play(4)
    file = tmp_path / "game.jsonl"
    file.write_text(record.write(table.record))
    shown = run("replay", str(file)).stdout
    assert shown.startswith("game 1, mnk_v0, ply 1, b2\n")
    assert document("replay", str(file))[0]["payoffs"] == []


def test_a_recorded_match_is_replayed(tmp_path: Path) -> None:
    file, folder = str(tmp_path / "games.jsonl"), tmp_path / "svg"
    run("match", "durak", "low", "passive", "--deals", "2", "--record", file, "--set", "transfer=true")
    games = document("replay", file)
    assert [one["number"] for one in games] == [1, 2, 3, 4]
    assert games[0]["variant"]["transfer"] is True
    every = document("replay", file, "--game", "2", "--every")
    assert len(every[0]["positions"]) == len(every[0]["moves"]) + 1
    assert "game 2, durak_v0" in run("replay", file, "--game", "2").stdout
    run("replay", file, "--game", "1", "--svg", str(folder))
    assert [path.read_text()[:4] for path in folder.iterdir()] == ["<svg"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "durka", "low"], "unknown game 'durka'. Did you mean 'durak'?"),
        (["match", "durak", "low"], "a match needs one agent more. Type for instance: kozyr match durak low heuristic"),
        (["match", "durak"], "a match needs two agents. Type for instance: kozyr match durak heuristic low"),
        (["match"], "missing argument 'game'. Example: kozyr match durak passive low"),
        (["match", "mnk", "easy", "--deals", "many"], "See: kozyr match --help"),
        (["match", "mnk", "easy", "--deal", "3"], "--deals"),
        (["macth", "durak"], "no such command 'macth'. Did you mean 'match'"),
        (["nothing"], "no such command 'nothing'. See: kozyr --help"),
        (["--verison"], "--version"),
        (["serve", "tt"], "Did you mean 'ttt'?"),
        (["match", "durak", "polcy", "low"], "Did you mean 'policy'?"),
        (["match", "durak", "lo"], "Its players are: random, passive, low"),
        (["match", "durak", "low", "--set", "plaiers=3"], "did you mean 'players'?"),
        (["match", "durak", "low", "--set", "players=7"], "players=7 is not allowed"),
        (["match", "durak", "low", "--set", "players"], "write FIELD=VALUE"),
        (["match", "durak", "low", "passive", "--deals", "0"], "deals=0 is not allowed"),
        (["agents", "whist"], "The games are: daifugo, draw_poker, durak"),
        (["train", "whist"], "The games are: daifugo, draw_poker, durak"),
        (["evaluate", "nowhere.onnx"], "nowhere.onnx"),
        (["evaluate", "durak:low"], "'durak:low' is no trained policy: write a file.onnx, a file.npz, hf:OWNER/NAME"),
        (["evaluate", "bots:Mine"], "'bots:Mine' is no trained policy"),
        (["evaluate", "hf:alice"], "write OWNER/NAME as the Hub does"),
        (["web", "durak", "--policy", "policy"], "write game:player"),
        (["exploit", "nowhere.onnx"], "nowhere.onnx"),
        (["publish", "nowhere", "mine", "--out", "nowhere"], "nowhere"),
        (["league", "durak", "low"], "two agents or more"),
        (["compare", "durak", "low", "random", "--elo0", "9", "--elo1", "3"], "elo0=9 must be below elo1=3"),
    ],
)
def test_bad_names_list_the_right_ones(arguments: list[str], words: str) -> None:
    done = run(*arguments, code=2)
    assert words in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_damaged_file_fails(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("{\n")
    assert f"{file}, line 1: this is not JSON" in run("replay", str(file), code=1).stderr
    assert "No such file" in run("replay", str(tmp_path / "none"), code=1).stderr


def test_a_game_that_is_not_in_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    run("match", "mnk", "easy", "random", "--deals", "1", "--record", str(file), *FAST)
    assert "has 2 games" in run("replay", str(file), "--game", "3", code=2).stderr


def test_training_without_its_libraries_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "kozyr.training.run.train", raising=False)
    assert install_hint.command("train") in run("train", "mnk", code=1).stderr


def test_train_passes_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[Any] = []

    def train(*arguments: Any) -> dict[str, Any]:
        calls.append(arguments)
        return {"score": 0.7}

    monkeypatch.setattr(learn, "installed_trainer", lambda: train)
    options = ["--preset", "demo", "--out", str(tmp_path), "--seed", "3", "--timesteps", "9", "--set", "deck=36"]
    more = ["--resume", "--threads", "3", "--minutes", "2.5", "--allow-code", "bots:Mine", "--allow-code", "bots:Yours"]
    assert document("train", "durak", *options, *more) == {"score": 0.7}
    plan = RunPlan("durak", "demo", tmp_path, 3, 9, True, None, {"deck": 36}, threads=3, minutes=2.5)
    assert calls == [(replace(plan, allow_code=["bots:Mine", "bots:Yours"]), [])]


def test_debugging_shows_where_an_error_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_DEBUG", "1")
    done = CliRunner().invoke(app, ["agents", "whist"])
    assert isinstance(done.exception, ValueError)


@pytest.mark.parametrize(
    ("error", "words"), [(OSError(28, "No space left on device"), "No space left"), (MemoryError(), "")]
)
def test_a_thread_that_ends_beside_a_command_is_a_line(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end() -> None:
        raise error

    def train(*_: Any) -> dict[str, float]:
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        return {"score": 0.7}

    monkeypatch.setattr(learn, "installed_trainer", lambda: train)
    before = threading.excepthook
    done = run("train", "durak", "--json")
    [line] = done.stderr.splitlines()
    assert line.startswith("warning: what ran beside the command has ended: ")
    assert words in line
    assert threading.excepthook is before


def test_an_interrupt_exits_with_130() -> None:
    assert (
        "interrupted" in run("match", "mnk", "tests.agents.strange:Impatient", "easy", "--deals", "2", code=130).stderr
    )


@pytest.mark.skipif(os.name == "nt", reason="sends a signal of Unix")
def test_ctrl_c_ends_a_match_and_its_workers(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    match = ["match", "mnk", "easy", "easy", "--deals", "1000000", "--workers", "2", "--record", str(file)]
    command = [sys.executable, "-m", "kozyr.training.cli", *match]

    with interruptible(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not file.exists() and process.poll() is None:
            time.sleep(0.1)
        time.sleep(1)  # workers are on their way, or play
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, words = process.communicate(timeout=60)  # ends when the last process that holds stderr has ended
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 130
    assert words.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in words


def test_figures_are_counted() -> None:
    assert "starter wins" in run("stats", "war", "--deals", "50").stdout
    found = document("stats", "war", "--deals", "50")
    assert {"name", "value", "low", "high", "unit", "expected", "interval_method"} == set(found[0])
    assert "deals=0" in run("stats", "war", "--deals", "0", code=2).stderr


def test_what_can_be_won_is_told(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    file = tmp_path / "new" / "table.md"
    tiny = ["exploitability", "mnk", "random", "--first", "0", "--set", "m=3", "--set", "n=2", "--set", "k=2"]
    (row,) = document(*tiny, "--out", str(file))["rows"]
    assert row["nash_conv"] == pytest.approx(0.8667, abs=1e-4)
    assert "| random | 0.8667 |" in file.read_text()
    assert "NashConv" in run(*tiny).stdout
    assert document("exploit", *tiny[1:], "--by", "exact")["rows"] == [row]
    assert (
        "leave random out, or add --by exact" in run("exploit", "mnk:easy", "random", "--by", "search", code=2).stderr
    )


def test_a_ladder_is_climbed_and_drawn(tmp_path: Path) -> None:
    few = ["--deals", "4", "--search-deals", "1", "--set", "deck=8", "--set", "max_turns=10"]
    assert "v random" in run("ladder", "war", *few, "--out", str(tmp_path / "ladder")).stdout
    assert json.loads((tmp_path / "ladder" / "ladder.json").read_text())["game"] == "war"
    assert (tmp_path / "ladder" / "ladder.png").read_bytes()[1:4] == b"PNG"
    assert 'href="games/longest-game.html"' in (tmp_path / "ladder" / "ladder.html").read_text()
    assert (tmp_path / "ladder" / "games" / "longest-game.html").exists()


def test_a_league_goes_on_where_it_was(tmp_path: Path) -> None:
    arguments = ["league", "mnk", "random", "easy", "--out", str(tmp_path / "league"), *FAST]
    first = document(*arguments, "--deals", "50")
    kept = (tmp_path / "league" / "league.jsonl").read_text()
    more = document(*arguments, "--deals", "100")
    assert (tmp_path / "league" / "league.jsonl").read_text().startswith(kept)
    assert [one["name"] for one in first["ratings"]] == ["easy", "random"]
    assert [one["deals"] for one in more["ratings"]] == [100, 100]
    crossed = {(one["agent"], one["against"]): one["score"] for one in more["cross_table"]}
    assert crossed == {("easy", "random"): more["ratings"][0]["score"], ("random", "easy"): more["ratings"][1]["score"]}
    shown = run(*arguments, "--deals", "100", "--swiss", "1").stdout
    assert "Score of the row" in shown
    assert "league.html" in shown


def test_two_agents_are_compared(tmp_path: Path) -> None:
    arguments = ["compare", "mnk", "easy", "random", "--elo1", "50", "--store", str(tmp_path / "x.jsonl"), *FAST]
    assert document(*arguments)["verdict"] == "better"
    assert "easy is better than random" in run(*arguments).stdout


def test_imitate_passes_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[Any] = []

    def train(*arguments: Any) -> dict[str, Any]:
        calls.append(arguments)
        return {"score": 0.7}

    monkeypatch.setattr(learn, "installed_trainer", lambda: train)
    options = ["--teacher", "low", "--out", str(tmp_path), "--threads", "2", "--set", "deck=36", "--resume"]
    assert document("imitate", "durak", *options) == {"score": 0.7}
    plan = RunPlan("durak", out=tmp_path, resume=True, options={"deck": 36}, imitation={"teacher": "low"}, threads=2)
    assert calls == [(plan,)]


@pytest.mark.parametrize("suffix", [".onnx", ".npz"])
def test_exploit_trains_against_the_policy_and_says_what_that_bounds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suffix: str
) -> None:
    plans: list[RunPlan] = []

    def train(plan: RunPlan) -> dict[str, Any]:
        plans.append(plan)
        return {"timesteps": 77, "results": [{"score": 0.61, "low": 0.6, "high": 0.62}]}

    monkeypatch.setattr(learn, "installed_trainer", lambda: train)
    path = FOLDER / f"daifugo_4{'_small' if suffix == '.npz' else ''}{suffix}"
    options = ["--decisions", "70", "--out", str(tmp_path), "--seed", "3", "--teacher", "policy", "--minutes", "5"]
    said = run("exploit", str(path), *options, "--resume").stdout
    assert "A learner of 77 decisions scores 61.0 % (60.0 … 62.0 %)" in said
    variant = plans[0].options or {}
    assert variant["players"] == 4
    plan = RunPlan("daifugo", "demo", tmp_path, 3, 70, resume=True, options=variant, imitation={"teacher": "policy"})
    assert plans[0] == replace(plan, against=str(path.resolve()), minutes=5.0)
    run("exploit", str(path), "--copy", "--preset", "strong", "--settings", "mine.toml")
    plan = RunPlan("daifugo", "strong", Path("runs") / f"exploit-{path.stem}", None, 2_000_000, options=variant)
    assert plans[1] == replace(plan, settings=Path("mine.toml"), start=path, against=str(path.resolve()))
