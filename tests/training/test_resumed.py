"""Resumed runs are to the bit those that were not stopped; games in a checkpoint that cannot have been are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from kozyr.training.run import checkpoint
from kozyr.training.run.callbacks import Progress
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.training.tiny import ROLLOUT, TINY

STEADY = TINY.replace("anneal = true", "anneal = false").replace("pool_size = 2", "pool_size = 2\nbootstrap = true")
CASES: dict[str, tuple[str, dict[str, Any], str]] = {  # game, options, opponents
    "two seats": ("durak", {"deck": 36}, "self = 1\nsnapshots = 1\nlow = 1\nrandom = 0.5"),
    "several seats": ("daifugo", {"players": 4}, "self = 1\nsnapshots = 1\nlow = 1"),
    "snapshots in place of itself": ("draw_poker", {"players": 3}, "snapshots = 1\npriority = 1"),
    "an agent that searches": ("mnk", {"m": 3, "n": 3, "k": 3}, 'self = 1\neasy = 1\n"ismcts@4" = 1'),
}
SB3 = ["compiled", "sb3"]


def settings(folder: Path, case: str, text: str = STEADY) -> Path:
    """Write the settings of a case, with a snapshot after every second rollout, and return their path."""
    variant = "".join(f"{key} = {value}\n" for key, value in CASES[case][1].items())
    text = text.partition("[wide")[0].replace("m = 3\nn = 3\nk = 3\n", variant)
    text = text.replace("self = 1\nsnapshots = 1\neasy = 1", CASES[case][2])
    path = folder / "case.toml"
    path.write_text(text.replace("snapshot_every = 1", "snapshot_every = 2"))
    return path


def equal(one: Any, two: Any) -> bool:
    """Return True if two nested values are equal, tensors to the bit."""
    if isinstance(one, torch.Tensor):
        return torch.equal(one, two)
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(equal(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(equal, one, two))
    return one == two


def assert_same_run(one: Path, two: Path) -> None:
    """Compare all of two runs' checkpoints that does not depend on the clock."""
    a, b = checkpoint.load(one), checkpoint.load(two)
    for key in ("timesteps", "policy", "optimizer", "pool", "games"):
        wrong = a[key] if key == "timesteps" else [name for name in a[key] if not equal(a[key][name], b[key][name])]
        assert equal(a[key], b[key]), (key, wrong)
    assert [row[:2] for row in a["curve"]] == [row[:2] for row in b["curve"]]


@pytest.mark.parametrize("engine", SB3)
@pytest.mark.parametrize("case", CASES)
def test_a_run_that_goes_on_is_the_run_that_was_not_stopped(tmp_path: Path, case: str, engine: str) -> None:
    path, game = settings(tmp_path, case), CASES[case][0]
    plan: dict[str, Any] = {"settings": path, "engine": engine}
    train(RunPlan(game, out=tmp_path / "whole", timesteps=10 * ROLLOUT, **plan))
    train(RunPlan(game, out=tmp_path / "parts", timesteps=3 * ROLLOUT, **plan))
    for rollouts in (7, 10):
        train(RunPlan(game, out=tmp_path / "parts", resume=True, timesteps=rollouts * ROLLOUT))
    assert_same_run(tmp_path / "whole", tmp_path / "parts")
    assert len(checkpoint.load(tmp_path / "whole")["games"]["actions"]) > 0


def alone(folder: Path, case: str) -> Path:
    """Write the settings of a case for deep Monte-Carlo, and return their path."""
    path = settings(folder, case)
    how = 'algorithm = "dmc"\ndmc = { epsilon = 0.1, epsilon_end = 0.1 }\n'
    head, rest = path.read_text().replace("[default]\n", f"[default]\n{how}").split("[default.opponents]")
    path.write_text(f"{head}[default.opponents]\nself = 1\n{rest[rest.index('[default.evaluation]') :]}")
    return path


@pytest.mark.parametrize("case", ["two seats", "several seats", "an agent that searches"])
def test_deep_monte_carlo_goes_on_with_its_games_and_unlearned_decisions(tmp_path: Path, case: str) -> None:
    path, game = alone(tmp_path, case), CASES[case][0]
    train(RunPlan(game, out=tmp_path / "whole", settings=path, timesteps=20 * ROLLOUT))
    train(RunPlan(game, out=tmp_path / "parts", settings=path, timesteps=7 * ROLLOUT))
    kept = checkpoint.load(tmp_path / "parts")["games"]
    assert min(len(kept["actions"]), len(kept["choices"])) > 0
    for rollouts in (11, 20):
        train(RunPlan(game, out=tmp_path / "parts", resume=True, timesteps=rollouts * ROLLOUT))
    assert_same_run(tmp_path / "whole", tmp_path / "parts")


MORE: dict[str, tuple[str, str, str]] = {  # case, what is replaced in the settings, and the text in its place
    "two threads": ("two seats", "threads = 1", "threads = 2"),
    "a critic of actions": (
        "several seats",
        "clip = 0.2",
        'clip = 0.2\nadvantage = "action_values"\nalgorithm = "mmd"',
    ),
    "a critic that sees everything": ("two seats", "trunk = [16]", 'trunk = [16]\ncritic = "everything"'),
    "a rate that falls": ("two seats", "anneal = false", "anneal = true\nentropy_end = 0.001"),
}


@pytest.mark.parametrize("engine", SB3)
@pytest.mark.parametrize("how", MORE)
def test_it_is_so_after_ctrl_c_too(tmp_path: Path, how: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, old, new = MORE[how]
    assert old in STEADY
    path = settings(tmp_path, case, STEADY.replace(old, new))
    assert_same_after_ctrl_c(tmp_path, monkeypatch, 3 * ROLLOUT + 24, CASES[case][0], settings=path, engine=engine)


@pytest.mark.parametrize("engine", SB3)
def test_it_is_so_after_the_lessons_too(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lessons: dict[str, Any] = {"imitation": {"teacher": "low", "decisions": 2 * ROLLOUT}, "against": "low"}
    path = settings(tmp_path, "two seats")
    assert_same_after_ctrl_c(tmp_path, monkeypatch, 24, "durak", settings=path, engine=engine, **lessons)


def assert_same_after_ctrl_c(
    folder: Path, monkeypatch: pytest.MonkeyPatch, decisions: int, game: str, **plan: Any
) -> None:
    """Compare a run that is interrupted after some decisions, and resumed, with one that is not."""
    plan["timesteps"] = 6 * ROLLOUT
    train(RunPlan(game, out=folder / "whole", **plan))
    on_step: Callable[..., bool] = Progress._on_step

    def interrupted(self: Any) -> bool:
        if self.num_timesteps >= decisions:
            raise KeyboardInterrupt
        return on_step(self)

    monkeypatch.setattr(Progress, "_on_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(RunPlan(game, out=folder / "parts", **plan))
    monkeypatch.undo()
    train(RunPlan(game, out=folder / "parts", resume=True))
    assert_same_run(folder / "whole", folder / "parts")


def test_without_games_a_run_begins_others_and_says_so(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copied / "checkpoint.pt"
    kept = torch.load(path, weights_only=True)
    capsys.readouterr()
    del kept["games"]
    torch.save(kept, path)
    assert train(RunPlan("mnk", out=copied, resume=True, timesteps=600))["timesteps"] == 5 * ROLLOUT
    assert "Games begin anew" in "".join(capsys.readouterr())
    assert train(RunPlan("mnk", out=copied, resume=True, timesteps=700))["timesteps"] == 6 * ROLLOUT
    assert "Games begin anew" not in "".join(capsys.readouterr())


def test_another_seed_deals_anew(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(RunPlan("mnk", out=copied, resume=True, timesteps=600, seed=4))
    assert "Games begin anew" in "".join(capsys.readouterr())


def changed(key: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that changes one tensor among the games of a checkpoint."""
    return lambda games: {**games, key: change(games[key].clone())}


def at(place: Any, value: int) -> Callable[[Any], Any]:
    """Return a function that puts a number into a tensor."""

    def put(tensor: Any) -> Any:
        tensor[place] = value
        return tensor

    return put


UNPLAYED: dict[str, Any] = {
    "an illegal action": changed("actions", lambda it: it.fill_(0)),
    "an action out of range": changed("actions", at(0, 2**62)),
    "more actions than there are": changed("counts", at(0, 2**62)),
    "another deal": changed("generators", at((0, 0), 1)),
    "another place of the deals": changed("generators", at((1, 0), 1)),
    "a view that cannot be": changed("views", lambda it: it.fill_(127)),
    "a view below zero": changed("views", lambda it: it.fill_(-1)),
    "a shorter view": changed("views", lambda it: it[:, 1:]),
    "a choice out of range": changed("choices", at(0, 2**40)),
    "a negative choice": changed("choices", at(0, -1)),
    "a huge result": changed("results", lambda it: it.fill_(1e30)),
    "a result less": changed("results", lambda it: it[1:]),
    "wide results": changed("results", lambda it: it.double()),
}


@pytest.fixture(scope="module")
def own_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dmc")
    train(RunPlan("mnk", out=folder / "run", settings=alone(folder, "an agent that searches"), timesteps=7 * ROLLOUT))
    return folder / "run"


@pytest.mark.parametrize("how", UNPLAYED)
def test_so_are_those_of_deep_monte_carlo(how: str, own_games: Path, tmp_path: Path) -> None:
    kept = torch.load(own_games / "checkpoint.pt", weights_only=True)
    torch.save({**kept, "games": UNPLAYED[how](kept["games"])}, tmp_path / "checkpoint.pt")
    with pytest.raises(ValueError, match=rf"(?s)^.*{tmp_path}.{{10,500}}$"):
        train(RunPlan("mnk", out=tmp_path, resume=True, timesteps=9 * ROLLOUT))


def test_games_of_another_algorithm_are_refused(copied: Path, own_games: Path) -> None:
    path = copied / "checkpoint.pt"
    kept, own = (torch.load(one, weights_only=True) for one in (path, own_games / "checkpoint.pt"))
    torch.save({**kept, "games": own["games"]}, path)
    with pytest.raises(ValueError, match="they are of another algorithm"):
        train(RunPlan("mnk", out=copied, resume=True, timesteps=600))


HOSTILE: dict[str, Any] = {
    "an illegal action": changed("actions", lambda it: it.fill_(0)),
    "an action out of range": changed("actions", at(0, 2**31 - 1)),
    "a negative action": changed("actions", at(0, -(2**31))),
    "an action less": lambda games: {**games, "actions": games["actions"][:-1]},
    "more actions than there are": changed("counts", at(0, 2**62)),
    "counts that sum up around": changed("counts", lambda it: it.fill_(2**61)),
    "a negative count": changed("counts", at(0, -1)),
    "another deal": changed("generators", at((0, 0), 1)),
    "another luck of the bots": changed("generators", at((3, 0), 1)),
    "huge occupants": changed("occupants", lambda it: it.fill_(2**31 - 1)),
    "an opponent that is none": changed("occupants", lambda it: it.clamp(-9, -1).where(it == -1, -9)),
    "two learners": changed("occupants", lambda it: it.fill_(-1)),
    "no learner": changed("occupants", lambda it: it.fill_(0)),
    "tables less": changed("generators", lambda it: it[:, :-1]),
    "a seat more": changed("occupants", lambda it: it.repeat(1, 2)),
    "flat occupants": changed("occupants", lambda it: it.ravel()),
    "actions in a square": changed("actions", lambda it: it[None]),
    "a number of actions": changed("actions", lambda it: torch.tensor(1)),
    "fractions": changed("actions", lambda it: it.double()),
    "half numbers": changed("actions", lambda it: it.bfloat16()),
    "truths": changed("occupants", lambda it: it > 0),
    "long occupants": changed("occupants", lambda it: it.long()),
    "no numbers": changed("returns", lambda it: it.fill_(float("nan"))),
    "huge returns": changed("returns", lambda it: it.fill_(1e300)),
    "negative lengths": changed("lengths", lambda it: it.fill_(-1)),
    "returns without lengths": changed("lengths", lambda it: it[:0]),
    "endless returns": changed("returns", lambda it: it.repeat(10_000)),
    "a list": changed("actions", lambda it: it.tolist()),
    "a tensor less": lambda games: {key: one for key, one in games.items() if key != "counts"},
    "layers that are none": lambda games: {**games, "dense": [True]},
}


@pytest.mark.parametrize("how", HOSTILE)
def test_games_that_cannot_have_been_are_refused(how: str, copied: Path) -> None:
    path = copied / "checkpoint.pt"
    kept = torch.load(path, weights_only=True)
    torch.save({**kept, "games": HOSTILE[how](kept["games"])}, path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"(?s)^.*{copied}.{{10,500}}$"):
        train(RunPlan("mnk", out=copied, resume=True, timesteps=600))
    assert path.read_bytes() == before


def test_games_of_another_game_are_refused(copied: Path, tmp_path: Path) -> None:
    train(RunPlan("durak", out=tmp_path / "durak", settings=settings(tmp_path, "two seats"), timesteps=ROLLOUT))
    path = tmp_path / "durak" / "checkpoint.pt"
    other = torch.load(copied / "checkpoint.pt", weights_only=True)["games"]
    torch.save({**torch.load(path, weights_only=True), "games": other}, path)
    with pytest.raises(ValueError, match=r"the games in progress in .* cannot go on: the game"):
        train(RunPlan("durak", out=tmp_path / "durak", resume=True, timesteps=2 * ROLLOUT))
