"""Programs wherever agents go: matches, environments and the lobby; and they are run only if the user names them."""

import json
from pathlib import Path

import pytest

from kozyr import envs
from kozyr.agents.agent_names import Program, parse, refuse_code
from kozyr.agents.play.pages import opponents
from kozyr.agents.play.pages.table_config import require_allowed
from kozyr.training.cli.play import _code_names
from tests.test_cli import document, run

from .test_process import bot


def test_a_match_by_one_command() -> None:
    found = document("match", "war", bot("told", "/dev/null"), "random", "--deals", "4")
    assert found["agents"][0]["errors"] == 0
    assert found["agents"][0]["name"].startswith("process:")


def test_an_environment_takes_them_as_opponents(tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    vector = envs.make_vec("war", 3, bot("told", str(file)))
    observations, _ = vector.reset(seed=1)
    for _ in range(20):
        observations, *_ = vector.step(observations["action_mask"].argmax(1))
    assert file.read_text(encoding="utf-8").count('"act"') > 20


def test_the_lobby_offers_those_of_the_command_line_and_no_other() -> None:
    war, name = envs.game("war"), bot("told", "/dev/null")
    given = _code_names([name, "random", "gomocup:cat"])
    assert given == (name, "gomocup:cat")
    offered = [one for group in opponents.occupant_groups(war, war.make_variant(), given) for one in group.occupants]
    assert [one.value for one in offered[-2:]] == ["given-0", "given-1"]
    assert opponents.occupant("given-0", "", "milliseconds", war, war.make_variant(), given) == name
    with pytest.raises(ValueError, match="such engines play mnk, and not war"):
        opponents.occupant("given-1", "", "milliseconds", war, war.make_variant(), given)
    require_allowed(name, war, given)
    for stranger in ("process:touch /tmp/owned", "gomocup:sh", f"{name} "):
        with pytest.raises(ValueError, match="only if `kozyr play` was started with them"):
            require_allowed(stranger, war, given)


def test_names() -> None:
    assert parse("process:./a b@c@50ms") == Program("process", "./a b@c", 50)
    assert parse("gomocup:x@0ms") == Program("gomocup", "x@0ms")
    for text in ("process:./a b@c@50ms", "gomocup:wine pbrain.exe", "process:node low.js"):
        assert str(parse(text)) == text


def test_what_a_file_names_is_not_run(tmp_path: Path) -> None:
    refuse_code(["low", "durak:pimc@20+policy", "runs/demo/policy.onnx", "self", "bots:Mine"], "it", ["bots:Mine"])
    for code in ("bots:Mine", "os:abort", "durak:pimc+bots:Mine", "process:./bot"):
        with pytest.raises(ValueError, match="which is code: what a file names is not run, unless you name it"):
            refuse_code([code], "it")
    pytest.importorskip("torch")
    from kozyr.training.settings import run_settings

    marker = tmp_path / "owned"
    command = f"process:touch {marker}"
    for text in (
        f'[mine]\n[mine.opponents]\n"{command}" = 1.0\n',
        f'[mine]\n[mine.evaluation]\nagainst = ["{command}"]\n',
        f'[mine]\n[mine.imitation]\nteacher = "{command}"\n',
    ):
        file = tmp_path / "settings.toml"
        usual = Path(envs.__file__).parents[1] / "training" / "configs" / "war.toml"
        file.write_text(usual.read_text(encoding="utf-8") + text, encoding="utf-8")
        with pytest.raises(ValueError, match="what a file names is not run"):
            run_settings.load(envs.game("war"), "mine", file)
        assert "is not run" in run("train", "war", "--settings", str(file), "--preset", "mine", code=2).stderr
    assert not marker.exists()
    file.write_text(
        usual.read_text(encoding="utf-8") + '[mine]\n[mine.opponents]\n"bots:Mine" = 1.0\n', encoding="utf-8"
    )
    allowed = run_settings.load(envs.game("war"), "mine", file, ["bots:Mine"])
    assert allowed["opponents"]["bots:Mine"] == 1.0


def test_a_checkpoint_names_no_code(tmp_path: Path) -> None:
    torch, marker = pytest.importorskip("torch"), tmp_path / "owned"
    folder = tmp_path / "run"
    run("train", "war", "--preset", "demo", "--timesteps", "64", "--out", str(folder), "--minutes", "0.05")
    content = torch.load(folder / "checkpoint.pt", weights_only=True)
    for name in (f"process:touch {marker}", "os:abort", "war:pimc+os:abort", "llm:m"):
        content["settings"]["opponents"] = {name: 1.0}
        torch.save(content, folder / "checkpoint.pt")
        shown = run("train", "war", "--out", str(folder), "--resume", code=2)
        assert f"names {name!r}" in " ".join(shown.stderr.split())
        assert "what a file names is not run" in " ".join(shown.stderr.split())
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert not marker.exists()
