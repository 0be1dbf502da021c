"""`kozyr new-game` writes a package that plays, tests and trains at once."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kozyr.training.cli import app
from kozyr.training.cli.build import game_files
from tests.installed import Installed

BOTS = {"cards": "matching", "board": "careful"}
MOST_FILES, MOST_LINES = 9, 350  # that a newcomer has to read
ONLY_RULES = """
from kozyr.envs.core.game import Game
from deep_sea import rules

GAME = Game(
    name="deep_sea", version=0, title="Deep sea", variant=rules.Variant, fields=rules.FIELDS, state=rules.STATE,
    seats=lambda v: 2, action_layout=rules.Actions, bound=lambda v: 2 * v.ranks,
)
"""


def written(folder: Path, *arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["new-game", *arguments, "--out", str(folder)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module", params=BOTS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Installed]:
    """A game that was written and installed, and its bot."""
    folder = tmp_path_factory.mktemp(request.param)
    written(folder, "deep_sea", f"--{request.param}")
    return BOTS[request.param], Installed(folder / "deep_sea", folder / "room")


@pytest.mark.long
def test_it_plays(made: tuple[str, Installed]) -> None:
    bot, it = made
    told = it.kozyr("match", "deep_sea", bot, "random", "--deals", "1000", "--json")
    assert json.loads(told[told.index("{") : told.rindex("}") + 1])["agents"][0]["score"] > 0.5


@pytest.mark.long
def test_its_rules_text_and_blindness_keep_the_contract(made: tuple[str, Installed]) -> None:
    parts = [f"kozyr.contract.test_{part}" for part in ("rules", "text", "blind", "capabilities", "players")]
    made[1].run("-m", "pytest", "-q", *parts, "./tests", interpreted=True)


@pytest.mark.long
def test_it_trains(made: tuple[str, Installed], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    short = ["--timesteps", "9000", "--out", str(tmp_path / "run")]
    made[1].kozyr("train", "deep_sea", *short)
    assert (tmp_path / "run" / "policy.onnx").is_file()


@pytest.mark.long
def test_a_view_that_shows_the_other_bid_is_told_in_words(tmp_path: Path) -> None:
    written(tmp_path, "deep_sea", "--cards")
    view = tmp_path / "deep_sea" / "deep_sea" / "view.py"
    shows = view.read_text(encoding="utf-8").replace(
        '    began = Part("1 if I began")',
        '    other = Part("the other\'s bid", high=lambda v: v.ranks)\n    began = Part("1 if I began")',
    )
    own = "view[at.prize], view[at.bid] = s.prize, s.bid[seat]"
    assert own in shows
    shows = shows.replace(own, f"{own}\n    view[at.other] = s.bid[other]")
    view.write_text(shows, encoding="utf-8")
    asked = ["kozyr.contract.test_blind", "-k", "imagined_from_a_view"]
    told = Installed(tmp_path / "deep_sea", tmp_path / "room").run(
        "-m", "pytest", "-q", *asked, interpreted=True, code=1
    )
    assert re.search(r"part `other` of seat \d's view is \d in the game and \d in the state imagined from it: ", told)
    assert "it shows what the seat cannot know, or `imagine` does not follow the view" in told
    assert re.search(r"Ply \d with ranks=\d:\nE +player_\d \(you\): ", told)


def test_a_stage_needs_no_later_function(tmp_path: Path) -> None:
    written(tmp_path, "deep_sea", "--cards")
    package = tmp_path / "deep_sea" / "deep_sea"
    view = (package / "view.py").read_text(encoding="utf-8").partition("@implements(dispatch.imagine")[0]
    for name in ("view.py", "scene.py", "players.py"):
        (package / name).unlink()
    (package / "__init__.py").write_text(ONLY_RULES, encoding="utf-8")
    it = Installed(tmp_path / "deep_sea", tmp_path / "room")
    assert " passed" in it.run("-m", "pytest", "-q", "kozyr.contract", "--kozyr-stage", "rules")
    view_tests = ["-m", "pytest", "-q", "kozyr.contract", "--kozyr-stage", "view"]
    assert "observe" in it.run(*view_tests, "-k", "within_their_bounds", code=1)
    package = it.place / "deep_sea"
    (package / "view.py").write_text(view, encoding="utf-8")
    with_view = ONLY_RULES.replace("import rules", "import rules, view").replace("title=", "parts=view.Parts, title=")
    (package / "__init__.py").write_text(with_view, encoding="utf-8")
    assert " passed" in it.run(*view_tests)
    asked = ["kozyr.contract", "--kozyr-stage", "imagine", "-k", "gives_that_view"]
    assert "imagine" in it.run("-m", "pytest", "-q", *asked, code=1)


def test_what_is_sound_only_compiled_is_told(tmp_path: Path) -> None:
    written(tmp_path, "deep_sea", "--cards")
    rules = tmp_path / "deep_sea" / "deep_sea" / "rules.py"
    text = rules.read_text(encoding="utf-8")
    small = "return (1 << s.pile[0]) << s.hand[0, 0] * np.int8(9) > 0"
    begin, end = text.index("    left = s.pile.sum() +"), text.index("\n\n\ndef say")
    rules.write_text(f"{text[:begin]}    {small}{text[end:]}", encoding="utf-8")
    it = Installed(tmp_path / "deep_sea", tmp_path / "room")
    said = it.run("-m", "pytest", "-q", "kozyr.contract.test_rules", "-k", "keeps_its_promises", code=1)
    assert "`sound` is True compiled and False uncompiled: arithmetic on entries of small types" in said


@pytest.mark.slow
def test_its_whole_contract_is_green(made: tuple[str, Installed]) -> None:
    made[1].run("-m", "pytest", "-q")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("durak", "there is a game of that name"),
        ("Sea", "write small letters"),
        ("3d", "write small letters"),
        ("sea-battle", "write small letters"),
        ("sea_v1", "no version"),
        ("class", "Python knows something else by it"),
        ("json", "Python knows something else by it"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, message: str, tmp_path: Path) -> None:
    assert message in written(tmp_path, name, code=2)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    written(tmp_path, "deep_sea")
    (tmp_path / "deep_sea" / "pyproject.toml").write_text("mine", encoding="utf-8")
    assert "is there already" in written(tmp_path, "deep_sea", "--board", code=2)
    assert (tmp_path / "deep_sea" / "pyproject.toml").read_text(encoding="utf-8") == "mine"
    assert "--cards and --board" in written(tmp_path, "other", "--cards", "--board", code=2)


@pytest.mark.parametrize("kind", BOTS)
def test_nothing_is_left_to_fill_in(kind: str) -> None:
    for path, text in game_files("deep_sea", kind).items():
        assert "$" not in path + text
        assert "NAME" not in path


@pytest.mark.parametrize("kind", BOTS)
def test_a_newcomer_reads_few_files_and_lines(kind: str) -> None:
    texts = game_files("deep_sea", kind)
    assert len(texts) <= MOST_FILES
    assert sum(len(text.splitlines()) for text in texts.values()) <= MOST_LINES
