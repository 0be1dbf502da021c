"""Leaderboards: claims that are played again and compared; one number that is not so is caught."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kozyr import envs
from kozyr.agents.arena.results import leaderboard
from kozyr.agents.arena.results.leaderboard import ReproducibleResult, Verdict
from tests.leaderboard import FILE
from tests.test_cli import run

FAST: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
BUNDLED = leaderboard.read(FILE)
QUICK = {one.game: number for number, one in reversed(list(enumerate(BUNDLED)))}  # each game's first claim


@pytest.fixture(scope="module")
def made() -> ReproducibleResult:
    return leaderboard.play("mnk", ["easy", "ismcts@20"], 6, 3, **FAST)


def changed(one: ReproducibleResult, path: list[str | int], value: Any) -> ReproducibleResult:
    """Return a claim in which one thing is another, as if somebody had edited the file."""
    document = msgspec.to_builtins(one)
    place = document
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != value
    place[path[-1]] = value
    return msgspec.convert(document, ReproducibleResult)


def test_every_game_has_a_policy_a_search_and_a_scripted_player_on_the_bundled_leaderboard() -> None:
    assert {one.game for one in BUNDLED} == {envs.game(name).id for name in envs.games()}
    for game in {one.game for one in BUNDLED}:
        firsts = {one.agents[0] for one in BUNDLED if one.game == game}
        assert "policy" in firsts
        assert any("@" in name for name in firsts)


@pytest.mark.parametrize("number", QUICK.values(), ids=QUICK)
def test_a_sample_of_the_bundled_leaderboard_holds(number: int) -> None:
    found = leaderboard.check(BUNDLED[number])
    assert found.verdict == Verdict.HOLDS, f"{found.words}: if the players are meant to be others now, renew the file"


@pytest.mark.slow
def test_the_bundled_leaderboard_holds() -> None:
    found = {number: leaderboard.check(one) for number, one in enumerate(BUNDLED, 1)}
    assert {number: one for number, one in found.items() if one.verdict != Verdict.HOLDS} == {}


def test_one_tampered_number_of_the_bundled_leaderboard_is_caught(tmp_path: Path) -> None:
    it = BUNDLED[QUICK["durak_v0"]]
    honest = msgspec.structs.replace(it, code=leaderboard.code(envs.game("durak")))
    tampered = changed(honest, ["scores", 0, "score"], round(honest.scores[0].score + 0.001, 6))
    file = tmp_path / "board.jsonl"
    for one in (honest, tampered):
        leaderboard.add(file, one)
    done = run("leaderboard", "check", str(file), code=1)
    assert done.stdout.splitlines()[0].endswith(": holds")
    assert f"differs: score of {it.agents[0]} is {honest.scores[0].score}, and the claim says" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 hold, 1 differ"
    run("leaderboard", "check", str(file), "--only", "1")


TAMPERED: list[tuple[list[str | int], Any]] = [
    (["seed"], 4),
    (["deals"], 7),
    (["opening"], 1),
    (["plies"], 1),
    (["returns"], "0" * 64),
    (["variant", "last_reply"], False),
    (["scores", 0, "agent"], "random"),
    (["scores", 1, "agent"], "hard"),
    *((["scores", place, name], 0.123) for place in (0, 1) for name in ("score", "low", "high", "wins", "draws")),
    (["scores", 1, "losses"], 0.123),
    (["scores", 0, "errors"], 1),
]


@pytest.mark.parametrize(("path", "value"), TAMPERED, ids=[".".join(map(str, path)) for path, _ in TAMPERED])
def test_every_tampered_number_is_caught(made: ReproducibleResult, path: list[str | int], value: Any) -> None:
    assert leaderboard.check(made).verdict == Verdict.HOLDS
    assert leaderboard.check(changed(made, path, value)).verdict == Verdict.DIFFERS


def test_other_code_and_other_policies_cannot_be_checked_but_what_comes_out_the_same_holds(
    made: ReproducibleResult,
) -> None:
    other = changed(made, ["code", "players"], "0" * 64)
    assert leaderboard.check(other) == (Verdict.HOLDS, "although the code has changed since (players)")
    verdict, words = leaderboard.check(changed(other, ["plies"], 1))
    assert verdict == Verdict.UNCHECKED
    assert words.startswith("the code has changed since (players), and now plies is")
    policy = BUNDLED[next(n for n, one in enumerate(BUNDLED) if one.agents[0] == "policy")]
    trained = changed(policy, ["scores", 0, "trained"], "0" * 64)
    assert leaderboard.check(trained) == (Verdict.UNCHECKED, "what policy was trained to is not the same here")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["game"], "chess_v0", "unknown game 'chess_v0'"),
        (["game"], "mnk_v9", "the version of mnk is mnk_v0"),
        (["variant"], {"m": 3}, "variant has the fields m"),
        (["variant"], {"threads": 9}, "variant has the fields threads"),
        (
            ["scores", 0, "agent"],
            "tests.agents.strange:Impatient",
            "is code or lies elsewhere, which a leaderboard does not run",
        ),
        (["scores", 0, "agent"], "process:./low", "is code or lies elsewhere, which a leaderboard does not run"),
        (["scores", 0, "agent"], "nowhere.onnx", "there is no policy nowhere.onnx"),
        (["scores", 0, "agent"], "ismcts@5ms", "by the clock"),
    ],
)
def test_what_is_not_here_is_said_and_nothing_that_a_file_names_is_run(
    made: ReproducibleResult, path: list[str | int], value: Any, words: str
) -> None:
    found = leaderboard.check(changed(made, path, value))
    assert found.verdict == Verdict.UNCHECKED
    assert words in found.words


def test_versions_are_named_beside_a_difference(made: ReproducibleResult) -> None:
    assert "made with" not in leaderboard.check(changed(made, ["plies"], 1)).words
    old = changed(changed(made, ["plies"], 1), ["made", "numpy"], "1.0")
    assert "; it was made with numpy 1.0, here " in leaderboard.check(old).words


def test_a_leaderboard_is_added_to_shown_and_checked(tmp_path: Path) -> None:
    file, match = str(tmp_path / "new" / "board.jsonl"), ["mnk", "easy", "random", "--deals", "4"]
    fast = [text for name, value in FAST.items() for text in ("--set", f"{name}={value}")]
    assert f"claim 1 of {file}: mnk_v0 m=3 n=3 k=3, easy" in run("leaderboard", "add", file, *match, *fast).stdout
    assert "claim 1 of" in (again := run("leaderboard", "add", file, *match, *fast).stdout)
    assert "is this match already" in again
    run("leaderboard", "add", file, *match, *fast, "--seed", "1", "--opening", "2")
    run("leaderboard", "add", file, "draw_poker", "priority", "random", "--deals", "2")
    shown = run("leaderboard", "show", file).stdout
    assert all(word in shown for word in ("mnk_v0", "draw_poker_v0", "priority", "easy", "Against"))
    assert [one["number"] for one in json.loads(run("leaderboard", "show", file, "--json").stdout)] == [1, 2, 3]
    assert run("leaderboard", "check", file, "--workers", "2").stdout.splitlines()[-1] == "3 hold"
    assert json.loads(run("leaderboard", "check", file, "--only", "3", "--json").stdout) == [
        {"number": 3, "verdict": "holds", "words": ""}
    ]
    assert run("leaderboard", "check", file, "--sample", "2").stdout.splitlines()[-1] == "2 hold"
    assert "has 3 claims" in run("leaderboard", "check", file, "--only", "4", code=2).stderr


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("pimc@60ms", "'pimc@60ms' plays by the clock, and differently on another machine: give it a budget of"),
        ("pimc@20+durak:pimc@5ms", "plays by the clock"),
        ("bots:Mine", "'bots:Mine' is code or lies elsewhere, which a leaderboard does not run: name scripted players"),
        ("pimc@20+bots:Mine", "is code"),
        ("process:./low", "is code"),
        ("nobody", "unknown agent 'nobody'"),
    ],
)
def test_agents_that_nobody_can_play_again_are_refused(agent: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "board.jsonl"
    assert words in run("leaderboard", "add", str(file), "durak", agent, "low", "--deals", "1", code=2).stderr
    assert not file.exists()


def test_files_that_are_no_leaderboards_are_refused_with_their_line(made: ReproducibleResult, tmp_path: Path) -> None:
    file, line = tmp_path / "board.jsonl", msgspec.json.encode(made).decode()
    damaged = ["{", "[]", line[:-1] + ', "more": 1}', line.replace('"leaderboard":1', '"leaderboard":2'), line[:-9]]
    damaged += [line.replace('"deals":6', '"deals":0'), line.replace('"errors":0', '"errors":-1')]
    damaged += [line.replace(made.returns, "none"), line.replace('"plies":', '"plies":1e999,"x":')]
    damaged += [line.replace('"agent":"easy"', '"agent":"\\ud800"')]
    for one in damaged:
        file.write_text(f"{line}\n\n{one}\n")
        for command in (["show", str(file)], ["add", str(file), "mnk", "easy", "--deals", "1"]):
            assert "board.jsonl, line 3 is no claim of a leaderboard" in run("leaderboard", *command, code=2).stderr
        assert file.read_text() == f"{line}\n\n{one}\n"
    file.write_text(line)  # without the line's end, as an editor leaves it
    assert leaderboard.add(file, made) == 2
    assert leaderboard.read(file) == [made, made]
