"""Policies on the Hugging Face Hub: huggingface_hub's own client against a stub of the Hub on this machine."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.plugs.required import library

library("huggingface_hub", "1.0", "tracking")
library("stable-baselines3", "2.3", "tracking")

from huggingface_hub import ModelCard

from kozyr.agents.nets.policy import MOST_BYTES
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.plugs.hub_stub import TOKEN, Hub, serving
from tests.training.tiny import TINY

BOARD = ("--set", "m=3", "--set", "n=3", "--set", "k=3")
LOAD = """
import json, sys
from kozyr import agents
for name, game, options in json.loads(sys.argv[1]):
    try:
        policy = agents.load(name, game, **options)
        print(json.dumps([policy.name, str(policy.game.id)]))
    except (ValueError, ImportError) as error:
        print(json.dumps(str(error)))
"""
COMMANDS = """
import json, sys
from pathlib import Path
from kozyr.agents.play.server import serve; from kozyr.agents.play.site import site
from kozyr.training.cli import app, learn
def told(found, answer):
    print(json.dumps(found))
    return answer
learn.installed_trainer = lambda: lambda plan: told(
    [plan.game, str(plan.out), plan.against, plan.options],
    {"timesteps": 1, "results": [{"score": 0.5, "low": 0.4, "high": 0.6}]},
)
site.write = lambda sorts, out, tell: told([one.name for sort in sorts for one in sort.policies], [out])
serve.run = lambda served, listening, ready: listening.close()
app(sys.argv[1:], prog_name="kozyr")
"""  # kozyr, but nothing is trained or compiled, and no server waits
Ask = Callable[..., list[object]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    (folder / "tiny.toml").write_text(TINY)
    train(RunPlan("mnk", out=folder / "run", settings=folder / "tiny.toml", timesteps=128))
    return folder / "run"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as made:
        yield made


@pytest.fixture
def environment(hub: Hub, tmp_path: Path) -> dict[str, str]:
    own = {"HF_ENDPOINT": hub.address, "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": TOKEN}
    return {**os.environ, **own, "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1", "NO_COLOR": "1"}


@pytest.fixture
def ask(environment: dict[str, str]) -> Ask:
    def asked(*agents: tuple[str, str | None, dict[str, int]], **more: str) -> list[object]:
        command = [sys.executable, "-c", LOAD, json.dumps(agents)]
        done = subprocess.run(command, env={**environment, **more}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return asked


def kozyr(environment: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kozyr.training.cli", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_a_policy_goes_to_the_hub_and_comes_back(
    run: Path, hub: Hub, environment: dict[str, str], ask: Ask, tmp_path: Path
) -> None:
    given = ("--out", tmp_path / "out", "--against", "random", "--deals", "4", "--hub", "alice/tiny")
    done = kozyr(environment, "publish", run, "tiny", *given)
    assert done.returncode == 0, done.stderr
    assert f"Uploaded to {hub.address}/alice/tiny: play it as hf:alice/tiny" in done.stdout
    (files,) = hub.commits["alice/tiny"].values()
    assert set(files) == {"policy.onnx", "policy.json", "README.md"}
    assert files["policy.onnx"] == (run / "policy.onnx").read_bytes()
    assert not hub.private["alice/tiny"]
    card, facts = ModelCard(files["README.md"].decode()), json.loads(files["policy.json"])
    assert (card.data.library_name, card.data.license, card.data.model_name) == ("kozyr", "mit", "tiny")
    (result,) = card.data.eval_results or []
    assert (result.dataset_type, result.metric_value) == ("mnk_v0", round(facts["results"][0]["score"], 4))
    assert card.text.strip().startswith("# tiny")
    assert "kozyr match mnk hf:alice/tiny random --set m=3 --set n=3 --set k=3\n" in card.text

    match = kozyr(environment, "match", "mnk", "hf:alice/tiny", "random", "--deals", "4", *BOARD, "--json")
    assert match.returncode == 0, match.stderr
    assert json.loads(match.stdout)["agents"][0]["name"] == "hf:alice/tiny"
    board = {"m": 3, "n": 3, "k": 3}
    kept = ask(("hf:alice/tiny", "mnk", board), ("mnk:pimc@5+hf:alice/tiny", None, board), HF_HUB_OFFLINE="1")
    assert kept == [["alice/tiny", "mnk_v0"], ["pimc@5+hf:alice/tiny", "mnk_v0"]]


def test_every_command_that_takes_a_policy_takes_one_of_the_hub(
    run: Path, hub: Hub, environment: dict[str, str], tmp_path: Path
) -> None:
    hub.commit("alice/tiny.v1", {"policy.onnx": (run / "policy.onnx").read_bytes()})
    name, folder, small = "hf:alice/tiny.v1", ("--folder", str(tmp_path / "data")), {"m": 3, "n": 3, "k": 3}

    def said(*words: str) -> str:
        command = [sys.executable, "-c", COMMANDS, *words]
        done = subprocess.run(command, env=environment, cwd=tmp_path, input="", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    measured = json.loads(said("evaluate", name, "--against", "random", "--deals", "4", "--json"))
    assert measured["policy"] == name
    assert measured["matches"][0]["agents"][0]["name"] == "alice/tiny.v1"
    game, out, against, options = json.loads(said("exploit", name, "--decisions", "64").splitlines()[0])
    assert (game, out, against) == ("mnk", "runs/exploit-alice-tiny.v1", name)
    assert options.items() >= small.items()
    assert json.loads(said("web", "mnk m=3 n=3 k=3", "--policy", name).splitlines()[0]) == ["alice-tiny-v1"]
    assert "unfinished" in said("play", "mnk", "--against", name, "--plain", *BOARD)
    for words in (("play", "--file", name), ("play", "mnk", "--against", name, *BOARD), ("watch", "mnk", name, *BOARD)):
        assert "The server has ended" in said(*words, "--no-open", *folder)
    given = ("--out", "out", "--against", name, "--deals", "4", "--search-deals", "2", "--json")
    assert json.loads(said("publish", str(run), "tiny", *given))["results"][0]["against"] == name


def test_a_revision_may_be_named(run: Path, hub: Hub, ask: Ask) -> None:
    first = hub.commit("alice/tiny", {"policy.onnx": (run / "policy.onnx").read_bytes()})
    hub.commit("alice/tiny", {"policy.onnx": b"of a later version"})
    good, bad, none = ask(*((f"hf:alice/tiny@{revision}", None, {}) for revision in (first, "main", "v9")))
    assert good == ["alice/tiny", "mnk_v0"]
    assert str(bad).startswith("the policy hf:alice/tiny@main cannot be read")
    assert none == "agent 'hf:alice/tiny@v9': alice/tiny has no revision 'v9'"


def test_nothing_but_a_policy_is_loaded(hub: Hub, ask: Ask) -> None:
    code = pickle.dumps(print)
    hub.commit("eve/code", {"policy.pkl": code, "pytorch_model.bin": code, "policy.zip": code, "policy.pt": code})
    hub.commit("eve/named", {"policy.onnx": code})
    hub.commit("eve/small", {"policy.npz": code})
    hub.commit("eve/large", {"policy.onnx": b"short"})
    other, onnx, npz = ask(*((f"hf:eve/{name}", None, {}) for name in ("code", "named", "small")))
    assert str(other).endswith("hf:eve/code holds no policy: kozyr loads policy.onnx or policy.npz and nothing else")
    assert str(onnx).startswith("the policy hf:eve/named cannot be read")
    assert str(npz).startswith("hf:eve/small is no condensed policy of this version of kozyr")
    hub.claimed["policy.onnx"] = MOST_BYTES + 1
    (large,) = ask(("hf:eve/large", None, {}))
    assert str(large).endswith(f"policy.onnx of hf:eve/large is too large: such a file has up to {MOST_BYTES:,} bytes")
    assert {one.rpartition("/")[2] for one in hub.asked} == {"policy.onnx", "policy.npz"}
    assert "GET /eve/large" not in " ".join(hub.asked)


def test_what_cannot_be_loaded_is_said_in_a_sentence(run: Path, hub: Hub, ask: Ask) -> None:
    hub.commit("alice/tiny", {"policy.onnx": (run / "policy.onnx").read_bytes()})
    asked = (("hf:alice/none", None, {}), ("hf:alice/tiny", "durak", {}), ("hf:alice/tiny", "mnk", {"m": 5}))
    none, game, options = ask(*asked)
    assert none == (
        "agent 'hf:alice/none': there is no repository alice/none on the Hub, or it is private: `hf auth login` logs in"
    )
    assert game == "the policy hf:alice/tiny plays mnk_v0, not durak_v0"
    assert str(options).startswith("the policy hf:alice/tiny was trained for another variant of mnk_v0: m=3, not 5")


def test_without_a_network_it_is_said(ask: Ask) -> None:
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_ETAG_TIMEOUT": "1"}
    for more in (nowhere, {"HF_HUB_OFFLINE": "1"}):
        (said,) = ask(("hf:alice/tiny", None, {}), **more)
        assert str(said).startswith(
            "agent 'hf:alice/tiny': the Hub cannot be reached, and hf:alice/tiny is not kept here: "
        )


def test_who_is_not_known_publishes_nothing(run: Path, hub: Hub, environment: dict[str, str], tmp_path: Path) -> None:
    given = ("--out", tmp_path / "out", "--against", "random", "--hub", "alice/tiny")
    done = kozyr({**environment, "HF_TOKEN": "hf_wrong"}, "publish", run, "tiny", *given)
    assert done.returncode == 2
    assert done.stderr.startswith("error: the Hub does not let you in: ")
    assert done.stderr.endswith("Log in with `hf auth login`\n")
    assert not (tmp_path / "out").exists()
    assert not hub.commits
    wrong = kozyr(environment, "publish", run, "tiny", "--out", tmp_path / "out", "--hub", "alice")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: 'alice' is not allowed: write OWNER/NAME")
