"""Minari datasets: what Minari reads is what an environment shows, and an export that fails leaves nothing."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.envs import registry
from kozyr.envs.environments.observations import spaces_of
from kozyr.envs.table import record
from kozyr.training.data import episode_file, minari_dataset
from kozyr.training.data.games import Kind
from tests.records.test_dataset import MATCHES, REFUSED, rows
from tests.records.test_record import a_game, a_line
from tests.test_cli import document, run

minari: Any = pytest.importorskip("minari", reason="comes with the extra [minari]")
pytest.importorskip("h5py", reason="comes with the extra [minari]")

NAME = "kozyr/games-v0"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let Minari keep its datasets in a folder of the test."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return tmp_path / "minari"


def written(tmp_path: Path, *lines: str) -> Any:
    """Return the dataset of records, as Minari loads it."""
    source = tmp_path / "games.jsonl"
    source.write_text("".join(line + "\n" for line in lines))
    minari_dataset.write(source, NAME)
    return minari.load_dataset(NAME)


def metadata(dataset: Any) -> list[dict[str, Any]]:
    """Return what Minari tells of each episode."""
    return list(dataset.storage.get_episode_metadata(dataset.episode_indices))


@pytest.mark.parametrize(("game", "agents", "options"), MATCHES, ids=[one[0] for one in MATCHES])
def test_minari_reads_what_an_environment_shows(
    game: str, agents: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "games.jsonl"
    match(game, agents, deals=2, seed=2, record=source, **options)
    games, read = list(record.read_file(source)), list[int]()
    made = minari_dataset.write(source, NAME, read.append)
    assert read == sorted(read)
    assert read[-1] == source.stat().st_size
    shown = rows(games)
    due = {(one["number"], one["seat"]): list[dict[str, Any]]() for one in shown if not one["end"]}
    for one in shown:
        if (one["number"], one["seat"]) in due:
            due[one["number"], one["seat"]].append(one)
    dataset = minari.load_dataset(NAME)
    assert [len(dataset), dataset.total_steps] == [made.episodes, made.decisions]
    assert made.episodes == len(due)
    assert (dataset.observation_space, dataset.action_space) == spaces_of(*made.kind)
    assert list(minari.list_local_datasets()) == [NAME]
    for episode, told in zip(dataset.iterate_episodes(), metadata(dataset), strict=True):
        one = games[told["options"]["number"] - 1]
        seat = told["options"]["seat"]
        own = due[told["options"]["number"], seat]
        for part in ("observation", "action_mask"):
            found, expected = episode.observations[part], np.stack([row[part] for row in own])
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)
        shapes = [len(episode.actions), len(episode.rewards), len(episode.terminations), len(episode.truncations)]
        assert shapes == [len(own) - 1] * 4
        assert episode.actions.tolist() == [row["action"] for row in own[:-1]]
        assert episode.rewards.tolist() == [0.0] * (len(own) - 2) + [one.payoffs[seat]]
        assert episode.terminations.tolist() == [False] * (len(own) - 2) + [not one.truncated]
        assert episode.truncations.tolist() == [False] * (len(own) - 2) + [one.truncated]
        for step in (0, -1):
            seen = {part: array[step] for part, array in episode.observations.items()}
            assert dataset.observation_space.contains(seen)
        assert told["options"]["agent"] == (one.agents or [])[seat]
        assert (told["seed"], told["options"]["starter"]) == (one.seed, one.starter)
        assert "EpisodeData" in repr(episode)


def test_a_game_that_a_cap_ended_is_truncated(tmp_path: Path) -> None:
    capped = a_game("durak", 1, 0, max_rounds=2)
    assert capped.truncated
    dataset = written(tmp_path, record.write(capped))
    for episode in dataset:
        assert not episode.terminations.any()
        assert episode.truncations.tolist() == [False] * (len(episode) - 1) + [True]
        assert not episode.observations["action_mask"][-1].any()
        assert episode.observations["action_mask"][:-1].any(1).all()


def test_forfeits_and_seats_that_never_decide(tmp_path: Path) -> None:
    lost = {"actions": [4, 0], "payoffs": [-1.0, 1.0], "forfeit": 0, "reason": "time"}
    alone = {"actions": [4], "payoffs": [1.0, -1.0], "forfeit": 1, "reason": "time", "starter": 0}
    dataset = written(tmp_path, a_line(**lost), a_line(**alone), a_line())
    told = [one["options"] for one in metadata(dataset)]
    assert [(one["number"], one["seat"]) for one in told][:3] == [(1, 0), (1, 1), (2, 0)]
    assert [one["forfeit"] for one in told] == [True] * 3 + [False] * (len(told) - 3)
    assert not any("agent" in one for one in told)
    assert [episode.rewards.tolist() for episode in dataset][:3] == [[-1.0], [1.0], [1.0]]
    assert all(episode.terminations[-1] and not episode.truncations.any() for episode in dataset)


def test_random_plies_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "games.jsonl"
    match("mnk", ["easy", "random"], deals=2, seed=1, record=source, opening=3, m=5, n=5, k=4)
    minari_dataset.write(source, NAME)
    told = [one["options"] for one in metadata(minari.load_dataset(NAME))]
    assert [one["opening"] for one in told] == [2 if one["seat"] == one["starter"] else 1 for one in told]


def test_the_metadata_tells_what_the_games_are(tmp_path: Path) -> None:
    source = tmp_path / "games.jsonl"
    match("mnk", ["easy", "random"], deals=2, seed=1, record=source, m=5, n=5, k=4)
    told = document("export", str(source), NAME, "--to", "minari", "--license", "cc0-1.0")
    assert told["dataset"] == NAME
    found = minari.load_dataset(NAME).storage.metadata
    assert {name.strip() for name in found["algorithm_name"].split(",")} == {"easy", "random"}
    assert "mnk_v0" in found["description"]
    assert found["license"] == "cc0-1.0"
    assert json.loads(found["kozyr.variant"])["k"] == 4
    assert [told["episodes"], told["decisions"]] == [found["total_episodes"], found["total_steps"]]
    assert told["bytes"] == sum(path.stat().st_size for path in Path(told["folder"]).rglob("*") if path.is_file())


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_an_episode_is_refused_with_its_line_and_leaves_nothing(
    words: str, tmp_path: Path, root: Path
) -> None:
    source = tmp_path / "games.jsonl"
    source.write_text(f"{a_line()}\n\n{REFUSED[words]}\n{a_line()}\n")
    done = run("export", str(source), NAME, "--to", "minari", code=1)
    assert re.search(rf"error: .*games\.jsonl, line 3: .*{words}", done.stderr)
    assert list(root.rglob("*")) == []


def test_a_dataset_that_is_there_is_not_overwritten(tmp_path: Path, root: Path) -> None:
    dataset = written(tmp_path, a_line())
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    done = run("export", str(tmp_path / "games.jsonl"), NAME, "--to", "minari", code=2)
    assert f"minari delete {NAME}" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
    run("export", str(tmp_path / "games.jsonl"), "kozyr/games-v1", "--to", "minari")
    assert list(minari.list_local_datasets()) == [NAME, "kozyr/games-v1"]
    assert len(dataset) == 2


@pytest.mark.parametrize("missing", ["h5py", "PIL"])
def test_a_library_that_is_missing_is_told_with_the_extra_before_anything_is_written(
    missing: str, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "games.jsonl"
    source.write_text(a_line() + "\n")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r"Minari, h5py and Pillow: .*\[minari\]"):
        minari_dataset.write(source, NAME)
    assert list(root.rglob("*")) == []


@pytest.mark.parametrize("where", [(episode_file.EpisodeFile, "add"), (minari_dataset._Episodes, "finish")])
def test_an_interruption_leaves_nothing(
    where: tuple[Any, str], tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*given: Any) -> None:
        raise KeyboardInterrupt

    source = tmp_path / "games.jsonl"
    source.write_text(a_line() + "\n")
    monkeypatch.setattr(*where, interrupt)
    assert "interrupted" in run("export", str(source), NAME, "--to", "minari", code=130).stderr
    assert list(root.rglob("*")) == []


def test_episodes_that_minari_reads_otherwise_are_no_dataset(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = episode_file.EpisodeFile.add
    monkeypatch.setattr(
        episode_file.EpisodeFile, "add", lambda self, one: add(self, one._replace(actions=one.actions + 1))
    )
    with pytest.raises(RuntimeError, match="reads other episodes"):
        written(tmp_path, a_line())
    assert list(root.rglob("*")) == []


@pytest.mark.parametrize(
    "name", ["games", "games-v", "a/games-v0", "../games-v0", "kozyr/games v0", "/tmp/games-v0", "games.parquet", "-v0"]
)
def test_a_name_that_minari_does_not_take_is_refused(name: str, tmp_path: Path) -> None:
    source = tmp_path / "games.jsonl"
    source.write_text(a_line() + "\n")
    done = run("export", "--to", "minari", "--", str(source), name, code=2)
    assert "is not allowed: name a dataset as Minari does" in done.stderr


def test_places_that_minari_would_not_find_are_refused(tmp_path: Path) -> None:
    written(tmp_path, a_line())
    source = tmp_path / "games.jsonl"
    for name, words in (("data/games-v0", "called data"), (f"{NAME}/more-v0", "is a dataset itself")):
        assert words in run("export", str(source), name, "--to", "minari", code=2).stderr
    assert "--card is not allowed" in run("export", str(source), NAME, "--to", "minari", "--card", "x", code=2).stderr
    assert "choose one of 'parquet', 'minari'" in run("export", str(source), NAME, "--to", "csv", code=2).stderr


def test_an_environment_with_the_same_spaces_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = envs.game("mnk")
    kind = Kind(game, game.make_variant(m=3, n=3, k=3))

    class Both(gymnasium.Env[Any, Any]):
        """A seat that shows its mask, or views alone."""

        def __init__(self, observation: str, m: int, **options: Any) -> None:
            self.observation_space, self.action_space = spaces_of(game, game.make_variant(m=m, **options))

    monkeypatch.setattr(registry, "gymnasium_id", lambda name: "kozyr-tests/Both-v0")
    assert minari_dataset.env_spec(kind) is None
    gymnasium.register("kozyr-tests/Both-v0", Both)
    try:
        spec = minari_dataset.env_spec(kind)
        assert spec.kwargs["observation"] == "dict"
        assert spec.kwargs["m"] == 3
        monkeypatch.setattr(minari_dataset, "spaces_of", lambda game, v: (spaces_of(game, v)[0]["observation"], None))
        assert minari_dataset.env_spec(kind) is None
    finally:
        gymnasium.registry.pop("kozyr-tests/Both-v0")


@pytest.mark.parametrize("game", ["mnk", "durak"])
def test_the_environment_that_minari_recovers_has_the_spaces_of_the_dataset(game: str, tmp_path: Path) -> None:
    dataset = written(tmp_path, record.write(a_game(game, 1, 0)))
    if dataset.env_spec is None:
        pytest.skip("no environment of gymnasium.make shows masks")
    env = dataset.recover_environment()
    assert (env.observation_space, env.action_space) == (dataset.observation_space, dataset.action_space)
