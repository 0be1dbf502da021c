"""Settings: what comes along, what a preset changes, and what is refused."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kozyr import agents, envs
from kozyr.agents.agent_names import AgentName, parse
from kozyr.training.cli import app
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import TINY, edited


def player(name: str) -> str:
    """Return the player that a name is about, without budget and guide."""
    known = parse(name)
    assert isinstance(known, AgentName)
    return known.player


@pytest.mark.parametrize("game", envs.games())
def test_the_settings_that_come_along_are_right(game):
    text = (Path(run_settings.__file__).parents[1] / "configs" / f"{game}.toml").read_text()
    presets = tomllib.loads(text)
    assert {"default", "demo"} <= set(presets)
    for preset in presets:
        it, given = envs.game(game), run_settings.load(envs.game(game), preset)
        named = {player(name) for name in (*given["opponents"], *given["evaluation"]["against"])}
        assert named <= {"self", "snapshots", *agents.names(game), *agents.searchers(game)}
        teacher = player(given["imitation"].get("teacher", "random"))
        if teacher == agents.POLICY:
            assert agents.bundled_policy(it, it.make_variant(**given["variant"])).is_file()
        else:
            assert teacher in [*agents.names(game), *agents.searchers(game)]


def test_a_preset_changes_what_it_names(tiny):
    mnk = envs.game("mnk")
    plain, wide = run_settings.load(mnk, "default", tiny), run_settings.load(mnk, "wide", tiny)
    assert wide["variant"] == {"m": 4, "n": 3, "k": 3}
    assert (plain["preset"], wide["preset"]) == (f"{tiny.name} [default]", f"{tiny.name} [wide]")
    assert {**wide, "variant": None, "preset": None} == {**plain, "variant": None, "preset": None}
    assert isinstance(plain["gamma"], float)


def test_a_preset_may_start_from_another_one(tiny):
    mnk = envs.game("mnk")
    tiny.write_text(tiny.read_text() + '[wider]\nlike = "wide"\nseed = 5\n[wider.variant]\nn = 5\n')
    wide, wider = run_settings.load(mnk, "wide", tiny), run_settings.load(mnk, "wider", tiny)
    assert wider["variant"] == {"m": 4, "n": 5, "k": 3}
    assert wider["preset"] == f"{tiny.name} [wider]"
    assert {**wider, "variant": None, "preset": None} == {**wide, "variant": None, "preset": None, "seed": 5}


@pytest.mark.parametrize(
    ("preset", "like", "words"),
    [
        ("wide", '"widest"', r"\[wide\]: like='widest' is not allowed: the presets are default, wide"),
        ("wide", "3", r"\[wide\]: like=3 is not allowed: the presets are default, wide"),
        ("wide", '"wide"', r"\[wide\]: like='wide' is not allowed: \[wide\] itself starts from \[wide\]"),
        ("wide", "false", r"\[wide\]: like=False is not allowed: the presets are default, wide"),
        ("wide", '""', r"\[wide\]: like='' is not allowed: the presets are default, wide"),
        ("default", '"wide"', r"\[default\]: like is not allowed: all other presets start from \[default\]"),
    ],
)
def test_a_preset_that_cannot_start_there_is_named(tiny, preset, like, words):
    old = "[default]" if preset == "default" else "[wide.variant]"
    with pytest.raises(ValueError, match=words):
        run_settings.load(
            envs.game("mnk"), "wide", edited(tiny, old, f"[{preset}]\nlike = {like}\n{old.replace('[default]', '')}")
        )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("n_steps = 16", "n_step = 16", r"tiny.toml \[default\]: unknown key 'n_step'. Did you mean 'n_steps'\?"),
        ("n_steps = 16", "", "n_steps is missing"),
        ("n_steps = 16", "n_steps = 1.5", r"n_steps=1.5 is not allowed: n_steps is a whole number from 1"),
        ("anneal = true", "anneal = 1", "anneal=1 is not allowed: anneal is true or false"),
        ("learning_rate = 1e-3", "learning_rate = 0", "learning_rate is a number above 0"),
        ("learning_rate = 1e-3", "learning_rate = nan", "learning_rate=nan is not allowed"),
        ("gamma = 1\n", "gamma = 1.1\n", "gamma is a number from 0 to 1"),
        ("batch_size = 64", "batch_size = 256", "num_tables × n_steps = 128"),
        (
            "trunk = [16]",
            "trunk = [0]",
            r"net: trunk=\[0\] is not allowed: trunk is a list of up to 64, each entry a whole number",
        ),
        ('"relu"', '"gelu"', "activation is one of 'relu', 'tanh', 'silu'"),
        ("[default.net]", "[default.net]\nturned = 1", "net: turned=1 is not allowed: turned is true or false"),
        ("[default.net]", "[default.net]\nlevles = 3", r"net: unknown key 'levles'. Did you mean 'levels'\?"),
        (
            "[default.evaluation]",
            "[default.evaluation]\ndeal = 3",
            r"evaluation: unknown key 'deal'",
        ),
        ("seed = 3\n", "seed = 3\nimitation = 3\n", "imitation=3 is not allowed: imitation is a table of keys"),
        (
            "[wide.variant]",
            "[default.imitation]\nown = 1.5\n[wide.variant]",
            "imitation: own=1.5 is not allowed",
        ),
        ("[wide.variant]", "[default.imitation]\nown = 1\n[wide.variant]", "imitation.teacher is missing"),
        ("easy = 1", "easy = -1", "opponents: easy=-1 is not allowed"),
        ("self = 1\nsnapshots = 1\neasy = 1", "self = 0", "some weight must be above 0"),
        ("k = 3", "q = 3", r"variant: mnk: unknown variant field 'q'"),
        ("[default.net]", "[default.nett]", "unknown key 'nett'. Did you mean 'net'"),
        ("[default]", "[default", "is not valid TOML"),
    ],
)
def test_wrong_settings_are_named(tiny, old, new, words):
    with pytest.raises(ValueError, match=words):
        run_settings.load(envs.game("mnk"), "default", edited(tiny, old, new))


def test_a_wrong_key_is_named_with_the_preset_that_has_it(tiny):
    edited(tiny, "gamma = 1\n", "gamma = 2\n")
    tiny.write_text(tiny.read_text() + "[wider]\ngamma = 1\n")
    with pytest.raises(ValueError, match=r"tiny.toml \[default\]: gamma=2 is not allowed"):
        run_settings.load(envs.game("mnk"), "wider", tiny)
    tiny.write_text(TINY + "[wider]\nlike = 'wide'\ngamma = true\n")
    with pytest.raises(ValueError, match=r"tiny.toml \[wider\]: gamma=True is not allowed: gamma is a number"):
        run_settings.load(envs.game("mnk"), "wider", tiny)


def test_unknown_presets_files_and_agents_are_named(tiny, tmp_path):
    with pytest.raises(ValueError, match="no preset 'quick': its presets are default, wide"):
        run_settings.load(envs.game("mnk"), "quick", tiny)
    with pytest.raises(ValueError, match="cannot be read"):
        run_settings.load(envs.game("mnk"), "default", tmp_path / "none.toml")
    with pytest.raises(ValueError, match="unknown agent 'harder' of mnk"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=edited(tiny, "easy = 1", "harder = 1")))
    with pytest.raises(ValueError, match="timesteps=0 is not allowed"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, timesteps=0))
    with pytest.raises(ValueError, match="threads=-1 is not allowed: threads is a whole number from 0 to 4096"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, threads=-1))
    with pytest.raises(ValueError, match="mnk: k=5"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, options={"k": 5}))


def test_a_file_without_a_default_starts_from_the_games_own(tmp_path: Path) -> None:
    path, game = tmp_path / "mine.toml", envs.game("mnk")
    path.write_text('[mine]\npool_size = 3\n[mine.opponents]\nrandom = 1.0\n[short]\nlike = "demo"\nseed = 5\n')
    mine, usual = run_settings.load(game, "mine", path), run_settings.load(game)
    assert mine == {
        **usual,
        "pool_size": 3,
        "preset": "mine.toml [mine]",
        "opponents": {**usual["opponents"], "random": 1.0},
    }
    assert run_settings.load(game, "short", path) == {
        **run_settings.load(game, "demo"),
        "seed": 5,
        "preset": "mine.toml [short]",
    }
    with pytest.raises(ValueError, match=r"no preset 'deom': its presets are .*demo.*mine"):
        run_settings.load(game, "deom", path)


@pytest.mark.parametrize("words", [["train"], ["imitate"], ["iterate"]])
@pytest.mark.parametrize("key", ["learning_rate", "net.trunk"])
def test_a_key_of_settings_that_is_given_as_an_option_of_the_game_is_refused(words: list[str], key: str) -> None:
    done = CliRunner(env={"COLUMNS": "300", "KOZYR_DEBUG": ""}).invoke(app, [*words, "mnk", "--set", f"{key}=1"])
    assert done.exit_code == 2
    assert f"--set {key} is not allowed: --set takes options of the game. Write {key.partition('.')[0]}" in done.stderr
