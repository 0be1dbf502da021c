"""Scores: points of an agent in a suite; reports that are played again; one number that is not so is caught."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena import scores
from kozyr.agents.arena.scores import card, play, report, reproducible_result
from kozyr.agents.arena.scores import suite as suites
from kozyr.agents.arena.scores.report import Report
from kozyr.agents.arena.scores.reproducible_result import ReproducibleResult, Verdict
from kozyr.agents.arena.scores.suite import Suite, load
from kozyr.agents.statistics.estimate import Estimate
from tests.reports import REPORTS
from tests.test_cli import run

FAST: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
OWN = """
suite = "mine"
seed = 5

[[tasks]]
name = "tiny"
game = "mnk_v0"
variant = { m = 3, n = 3, k = 3 }
opening = 0
zero = 0.25
hundred = 0.75
reference = "nobody"
opponents = [{ agent = "random", deals = 12 }, { agent = "ismcts@20", deals = 6 }]

[[tasks]]
name = "hand"
game = "draw_poker_v0"
opponents = [{ agent = "heuristic", deals = 4 }]

[[tasks]]
name = "hand_2"
game = "draw_poker_v0"
variant = { players = 2 }
opponents = [{ agent = "heuristic", deals = 4 }]
"""
BUNDLED = {path.stem: report.read(path) for path in REPORTS}
FIRST = {(name, one.task): one.matches[0] for name, made in BUNDLED.items() for one in made.tasks}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def suite(file: Path) -> Suite:
    return load(file)


@pytest.fixture(scope="module")
def made(suite: Suite) -> Report:
    return scores.score("random", suite)


def changed(one: Any, path: list[str | int], value: Any) -> Any:
    """Return a result or a report in which one thing is another, as if somebody had edited the file."""
    document = msgspec.to_builtins(one)
    place = document
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != value
    place[path[-1]] = value
    return msgspec.convert(document, type(one))


def test_points_are_linear_in_the_mean_score_over_the_opponents(suite: Suite, made: Report) -> None:
    task, played = suite.task("tiny"), made.tasks[0]
    assert [one.task for one in made.tasks] == ["tiny", "hand", "hand_2"]
    mean = np.mean([one.scores[0].score for one in played.matches])
    assert played.points.points == pytest.approx(100 * (mean - 0.25) / 0.5)
    assert played.points.low < played.points.points < played.points.high
    assert task.points(Estimate(0.25, 0.25, 0.75)) == (0, 0, 100)
    assert suite.task("hand").points(Estimate(0.6, 0.5, 0.7)) == pytest.approx((60, 50, 70))


def test_every_game_weighs_the_same_and_every_task_of_a_game(suite: Suite, made: Report) -> None:
    tiny, hand, other = (one.points.points for one in made.tasks)
    assert made.points is not None
    assert made.points.points == pytest.approx(tiny / 2 + (hand + other) / 4)
    assert scores.score("random", suite, tasks=["tiny"]).points is None


def test_no_two_opponents_and_no_two_tasks_have_the_same_deals(suite: Suite, made: Report) -> None:
    seeds = [one.seed for task in made.tasks for one in task.matches]
    assert len(set(seeds)) == len(seeds) == 4
    other = scores.score("random", suite, seed=6, tasks=["tiny"])
    assert {one.seed for one in other.tasks[0].matches}.isdisjoint(seeds)


def test_the_report_does_not_depend_on_the_workers_or_on_a_stop(suite: Suite, made: Report, tmp_path: Path) -> None:
    assert without_times(scores.score("random", suite, workers=2)) == without_times(made)
    keep = tmp_path / "kept.jsonl"
    scores.score("random", suite, tasks=["tiny"], keep=keep)
    lines = keep.read_bytes().splitlines(True)
    assert len(lines) == 2
    keep.write_bytes(lines[0])
    assert without_times(scores.score("random", suite, keep=keep)) == without_times(made)
    assert keep.read_bytes().splitlines(True)[0] == lines[0]
    assert len(keep.read_bytes().splitlines()) == 4


def test_what_was_kept_of_another_agent_is_not_taken(suite: Suite, tmp_path: Path) -> None:
    keep = tmp_path / "kept.jsonl"
    scores.score("random", suite, tasks=["tiny"], keep=keep)
    again = scores.score("easy", suite, tasks=["tiny"], keep=keep)
    assert again.tasks[0].matches[0].scores[0].agent == "easy"
    keep.write_text("{}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1 is no match of a score: remove the file"):
        scores.score("easy", suite, tasks=["tiny"], keep=keep)


def without_times(one: Report) -> Any:
    """Return a report without what no second run repeats."""
    document = msgspec.to_builtins(one)
    del document["sha256"]
    for task in document["tasks"]:
        for match in task["matches"]:
            for score in match["scores"]:
                del score["ms"]
    return document


def test_each_agent_plays_the_tasks_that_it_fits(suite: Suite) -> None:
    assert play.line_up(["easy", "priority"], suite) == {"tiny": "easy", "hand": "priority", "hand_2": "priority"}
    assert play.line_up(["policy"], suite) == {"hand": "policy"}
    assert play.parse_line_up(["random", "tiny=easy"], suite) == {"tiny": "easy", "hand": "random", "hand_2": "random"}
    assert list(play.parse_line_up(["hand=policy"], suite)) == ["hand"]
    for agent, words in {
        "nobody": "'nobody' plays no task of mine: unknown agent 'nobody'",
        "low": "'low' plays no task of mine",
    }.items():
        with pytest.raises(ValueError, match=words):
            play.line_up([agent], suite)
    with pytest.raises(ValueError, match="those before it play the tasks that it fits"):
        play.line_up(["random", "easy"], suite)
    with pytest.raises(ValueError, match="no agent plays the task hand_2"):
        scores.score("policy", suite, tasks=["hand_2"])
    with pytest.raises(ValueError, match="'other' is no task of mine: tiny, hand, hand_2"):
        scores.score({"other": "random"}, suite)


def first_legal(_: Any, mask: Any) -> Any:
    return np.argmax(mask, -1)


def test_functions_and_objects_are_agents(suite: Suite) -> None:
    function = scores.score(first_legal, suite, tasks=["tiny", "hand"], name="the first legal action")
    assert function.title == "the first legal action"
    assert [one.agent for one in function.tasks] == ["function"] * 2
    easy = agents.load("easy", game="mnk", **FAST)
    assert scores.score({"tiny": easy}, suite).tasks[0].matches[0].returns
    assert list(play.line_up(easy, suite)) == ["tiny"]
    with pytest.raises(ValueError, match="was made for other rules than those of durak_36"):
        play.line_up(easy, load())
    with pytest.raises(ValueError, match="cannot be sent to worker processes"):
        scores.score(lambda view, mask: first_legal(view, mask), suite, workers=2)


def test_errors_lose_games_and_are_counted(suite: Suite) -> None:
    def broken(view: Any, mask: Any) -> Any:
        raise OSError("no")

    result = scores.score(broken, suite, tasks=["tiny"])
    assert result.tasks[0].errors == 2 * (12 + 6)
    assert result.tasks[0].points.points == pytest.approx(-50)
    assert card.overview(result)[0][-1] == "Errors"


TAMPERED: list[tuple[list[str | int], Any]] = [
    (["seed"], 4),
    (["deals"], 7),
    (["opening"], 1),
    (["plies"], 1),
    (["returns"], "0" * 64),
    (["variant", "last_reply"], False),
    (["scores", 0, "agent"], "hard"),
    (["scores", 1, "agent"], "hard"),
    *((["scores", place, name], 0.123) for place in (0, 1) for name in ("score", "low", "high", "wins", "draws")),
    (["scores", 1, "losses"], 0.123),
    (["scores", 0, "errors"], 1),
]


@pytest.fixture(scope="module")
def match() -> ReproducibleResult:
    return reproducible_result.play("mnk", ["easy", "ismcts@20"], 6, 3, None, **FAST)


@pytest.mark.parametrize(("path", "value"), TAMPERED, ids=[".".join(map(str, path)) for path, _ in TAMPERED])
def test_every_tampered_number_of_a_match_is_caught(
    match: ReproducibleResult, path: list[str | int], value: Any
) -> None:
    assert reproducible_result.check(match).verdict == Verdict.HOLDS
    assert reproducible_result.check(changed(match, path, value)).verdict == Verdict.DIFFERS


def test_one_changed_byte_of_a_report_is_found_in_any_of_a_hundred(made: Report, tmp_path: Path) -> None:
    file, rng = tmp_path / "report.json", np.random.default_rng(1)
    report.write(file, made)
    honest = file.read_bytes()
    assert report.read(file) == made
    visible = [place for place, byte in enumerate(honest) if not chr(byte).isspace()]
    for place in rng.choice(visible, 100, replace=False).tolist():
        other = honest[:place] + bytes([honest[place] ^ 1]) + honest[place + 1 :]
        file.write_bytes(other)
        with pytest.raises(ValueError, match=r"report\.json"):
            report.read(file)


def test_a_forged_digest_does_not_help(suite: Suite, made: Report) -> None:
    """Somebody who changes a number writes a new digest, too: the points, or the match, say so."""
    forged: list[tuple[list[str | int], Any, str]] = [
        (["points", "points"], 99.0, "the points of all tasks are"),
        (["points", "low"], made.points.low + 1e-8 if made.points else 0.0, "the points of all tasks are"),
        (["tasks", 0, "points", "points"], 99.0, "the points of tiny are"),
        (["tasks", 0, "matches", 0, "scores", 0, "score"], 0.99, "the points of tiny are"),
        (["tasks", 0, "matches", 0, "seed"], 1, "tiny is 12 deals of seed"),
        (["tasks", 0, "matches", 0, "deals"], 13, "tiny is 12 deals of seed"),
        (["tasks", 0, "matches", 1, "scores", 1, "agent"], "random", "of seed"),
        (["tasks", 0, "matches", 0, "variant", "m"], 4, "tiny has other options"),
        (["tasks", 0, "matches", 0, "opening"], 2, "tiny begins with 0 random plies"),
        (["tasks", 0, "agent"], "easy", "tiny is 12 deals"),
        (["seed"], 6, "tiny is 12 deals of seed"),
        (["quick"], True, "tiny is 2 deals of seed"),
        (["digest"], "0" * 64, "'mine' is another suite here"),
    ]
    assert report.verify(made, suite).verdict == Verdict.HOLDS
    for path, value, words in forged:
        verdict, why = report.verify(changed(made, path, value), suite)
        assert verdict == Verdict.DIFFERS, path
        assert words in why
    less = msgspec.structs.replace(made, tasks=made.tasks[:2])
    assert report.verify(less, suite).verdict == Verdict.DIFFERS


def test_another_processor_may_round_the_last_digits_of_points(suite: Suite, made: Report) -> None:
    assert made.points is not None
    other = changed(made, ["points", "low"], made.points.low + 1e-12)
    other = changed(other, ["tasks", 0, "points", "high"], made.tasks[0].points.high - 1e-12)
    assert report.verify(other, suite).verdict == Verdict.HOLDS


def test_other_code_and_other_policies_cannot_be_checked_but_what_comes_out_the_same_holds(
    match: ReproducibleResult,
) -> None:
    other = changed(match, ["code", "players"], "0" * 64)
    assert reproducible_result.check(other) == (Verdict.HOLDS, "although the code has changed since (players)")
    verdict, words = reproducible_result.check(changed(other, ["plies"], 1))
    assert verdict == Verdict.UNCHECKED
    assert words.startswith("the code has changed since (players), and now plies is")
    policy = reproducible_result.play("draw_poker", ["policy", "random"], 2, 1, None)
    trained = changed(policy, ["scores", 0, "trained"], "0" * 64)
    assert reproducible_result.check(trained) == (Verdict.UNCHECKED, "what policy was trained to is not the same here")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["game"], "chess_v0", "unknown game 'chess_v0'"),
        (["game"], "mnk_v9", "the version of mnk is mnk_v0"),
        (["variant"], {"m": 3}, "variant has the fields m"),
        (["variant"], {"threads": 9}, "variant has the fields threads"),
        (["scores", 0, "agent"], "tests.agents.strange:Impatient", "is code or lies elsewhere: to run it, allow code"),
        (["scores", 0, "agent"], "process:./low", "is code or lies elsewhere: to run it, allow code"),
        (["scores", 0, "agent"], "nowhere.onnx", "there is no policy nowhere.onnx"),
        (["scores", 0, "agent"], "ismcts@5ms", "by the clock"),
    ],
)
def test_what_is_not_here_is_said_and_nothing_that_a_file_names_is_run(
    match: ReproducibleResult, path: list[str | int], value: Any, words: str
) -> None:
    verdict, why = reproducible_result.check(changed(match, path, value))
    assert verdict == Verdict.UNCHECKED
    assert words in why


def test_code_is_checked_where_it_is_allowed() -> None:
    made = reproducible_result.play("mnk", ["tests.agents.strange:First", "random"], 2, 1, None, **FAST)
    assert reproducible_result.check(made).verdict == Verdict.UNCHECKED
    assert reproducible_result.check(made, allow_code=True).verdict == Verdict.HOLDS


def test_a_policy_that_lies_elsewhere_is_taken_by_its_digest(tmp_path: Path) -> None:
    bundled = Path(agents.trained("draw_poker:policy").path)
    there, here = tmp_path / "there.onnx", tmp_path / "here.onnx"
    there.write_bytes(bundled.read_bytes())
    made = reproducible_result.play("draw_poker", [str(there), "random"], 2, 1, None)
    there.rename(here)
    assert "there is no policy" in reproducible_result.check(made).words
    policies = report.policies_by_digest([here])
    assert reproducible_result.check(made, policies=policies).verdict == Verdict.HOLDS


def test_versions_are_named_beside_a_difference(match: ReproducibleResult) -> None:
    assert "made with" not in reproducible_result.check(changed(match, ["plies"], 1)).words
    old = changed(changed(match, ["plies"], 1), ["made", "numpy"], "1.0")
    assert "; it was made with numpy 1.0, here " in reproducible_result.check(old).words


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('game = "mnk_v0"', 'game = "chess"', "task 'tiny': unknown game 'chess'"),
        ("m = 3", "m = 99", "task 'tiny': mnk: m=99 is not allowed"),
        ('agent = "random"', 'agent = "nobody"', "task 'tiny': unknown agent 'nobody'"),
        ('agent = "random"', 'agent = "ismcts@5ms"', "plays by the clock"),
        ('agent = "random"', 'agent = "bots:Mine"', "is code or lies elsewhere"),
        ('name = "hand"', 'name = "tiny"', "two tasks have the name 'tiny'"),
        ("hundred = 0.75", "hundred = 0.25", "zero = 0.25 is not below hundred = 0.25"),
        ("deals = 12", "deals = 1", "is no suite"),
        ("seed = 5", "", "is no suite"),
        ('suite = "mine"', 'suite = "../mine"', "is no suite"),
        ("opening = 0", "openings = 0", "is no suite"),
        ("[[tasks]]", "[[tasks", "is no suite"),
        ("[[tasks]]", "deep = " + "[" * 3000 + "\n[[tasks]]", "it is nested too deep"),
    ],
)
def test_files_that_are_no_suites_are_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    assert old in OWN
    file.write_text(OWN.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.toml") as error:
        load(file)
    assert words in str(error.value)
    with pytest.raises(ValueError, match=r"there is no suite 'own': name one of suite-1, or a file\.toml"):
        load("own")


def test_the_tasks_of_the_bundled_suite_can_be_played() -> None:
    path = Path(suites.__file__).with_name(f"{suites.LATEST}.toml")
    assert load(path) == load()  # only files are tried when they are read


def test_files_that_are_no_reports_are_refused(made: Report, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    report.write(file, made)
    text = file.read_text(encoding="utf-8")
    damaged = ["", "{", "[]", text[:-4], text.replace('"report": 1', '"report": 2'), text.replace('"quick"', '"slow"')]
    damaged += [text.replace('"errors": 0', '"errors": -1'), text.replace(made.suite, "../x")]
    damaged += [text.replace('"name": "random"', '"name": "\\ud800"')]
    for one in damaged:
        assert one != text
        file.write_text(one, encoding="utf-8")
        for command in (["show"], ["check"]):
            assert "report.json is no report of a score" in run("score", *command, str(file), code=2).stderr


def test_an_agent_is_scored_checked_and_ranked(file: Path, tmp_path: Path) -> None:
    out, page = str(tmp_path / "new" / "random.json"), tmp_path / "random.html"
    how = ("--suite", str(file))
    told = run("score", "random", *how, "--out", out, "--card", str(page))
    assert all(word in told.stdout for word in ("tiny", "hand", "all tasks", "The report is", "The card is"))
    assert [path.name for path in Path(out).parent.iterdir()] == ["random.json"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == 3
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    checked = run("score", "check", out, *how).stdout.splitlines()
    assert checked[-1] == "5 hold"
    assert checked[0].startswith("tiny, random ")
    assert json.loads(run("score", "check", out, *how, "--sample", "1", "--json").stdout)[0] == {
        "match": "points",
        "verdict": "holds",
        "words": "",
    }
    other = str(tmp_path / "easy.json")
    run("score", "easy", *how, "--out", other, "--name", "<b>Easy")
    shown = run("score", "show", out, other, *how).stdout
    assert shown.index("random") < shown.index("<b>Easy")  # who has played all tasks comes first
    assert "hand, hand_2 were not played" in run("score", "easy", *how).stdout.replace("\n", " ")
    assert json.loads(run("score", "tiny=easy", *how, "--task", "tiny", "--json").stdout)["tasks"][0]["task"] == "tiny"


def test_a_tampered_report_ends_with_a_failure(file: Path, made: Report, tmp_path: Path) -> None:
    forged = changed(made, ["tasks", 1, "matches", 0, "plies"], 1)
    forged = report.build(
        forged.name, load(file), forged.seed, False, {t.task: (t.agent, t.matches) for t in forged.tasks}
    )
    out = tmp_path / "report.json"
    report.write(out, forged)
    done = run("score", "check", str(out), "--suite", str(file), code=1)
    assert "hand, random " in done.stdout
    assert "differs: plies is" in done.stdout
    assert done.stdout.splitlines()[-1] == "4 hold, 1 differ"


def test_a_name_that_is_html_is_text_in_the_card(suite: Suite, made: Report) -> None:
    page = card.page(msgspec.structs.replace(made, name="<script>x</script>\n"), suite)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_bundled_suite_is_frozen() -> None:
    """If this fails, the suite has changed: leave it as it was and write a suite of another number."""
    whole = load("suite-1")
    assert whole.digest == "1789981f5e8f18e70861027a27b56ac6f2f604fc0acb7fc713b6fb11d3875f2c"
    assert {one.game for one in whole.tasks} == {envs.game(name).id for name in envs.games()}
    for name in envs.games():
        assert 2 <= sum(one.game == envs.game(name).id for one in whole.tasks) <= 3


def test_random_play_has_no_points_and_the_references_a_hundred() -> None:
    for name, points in {"random": 0, "references": 100}.items():
        made = BUNDLED[name]
        assert made.points is not None
        assert [one.points.points for one in made.tasks] == pytest.approx([points] * len(made.tasks), abs=0.05)
        assert [one.task for one in made.tasks] == [one.name for one in load("suite-1").tasks]
    references = [one.agent for one in BUNDLED["references"].tasks]
    assert references == [one.reference for one in load("suite-1").tasks]


@pytest.mark.parametrize("name", BUNDLED)
def test_the_numbers_of_the_bundled_reports_follow_from_their_matches(name: str) -> None:
    assert report.verify(BUNDLED[name]) == (Verdict.HOLDS, "")


@pytest.mark.parametrize("task", [one.name for one in load("suite-1").tasks])
def test_a_match_of_the_bundled_reports_holds(task: str) -> None:
    found = reproducible_result.check(FIRST["random", task])
    assert found.verdict == Verdict.HOLDS, f"{found.words}: the suite's opponents may not change"


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_the_bundled_reports_hold(name: str) -> None:
    found = [reproducible_result.check(played) for _, played in report.matches_of(BUNDLED[name])]
    assert [one for one in found if one.verdict != Verdict.HOLDS] == []
