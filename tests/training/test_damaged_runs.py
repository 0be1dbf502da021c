"""Checkpoints, records of runs and settings that are damaged, or that somebody made to do harm, end in one sentence."""

import json
import os
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from kozyr import envs
from kozyr.training import checkpoint, settings
from kozyr.training.condense import condense
from kozyr.training.content import checked
from kozyr.training.publish import publish
from kozyr.training.run import train
from tests.records.test_hostile import EVIL, changed, places
from tests.test_cli import run
from tests.training.tiny import TINY

TENSORS: list[Any] = [
    torch.tensor(1.0),
    torch.tensor([float("nan")]),
    torch.zeros(0),
    torch.zeros(1).expand(10**12),
    torch.eye(2).to_sparse(),
    torch.zeros(2, dtype=torch.complex64),
]
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
MOST = 700  # characters of an error


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "tiny.toml").write_text(TINY)
    train("mnk", out=folder / "run", settings=folder / "tiny.toml")
    return folder / "run"


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copied"
    folder.mkdir()
    for name in ("checkpoint.pt", "run.json", "policy.onnx"):
        (folder / name).write_bytes((whole / name).read_bytes())
    return folder


def why(read: Any, *given: Any) -> str:
    """Return the error of what is read, or nothing."""
    try:
        read(*given)
    except ValueError as error:
        return str(error)
    return ""


def twice() -> list[Any]:
    """Return a list of a million million zeros, if anybody counts."""
    found: list[Any] = [0]
    for _ in range(40):
        found = [found, found]
    return found


def replaced(it: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return a document with another value in one place."""
    if not place:
        return value
    it = list(it) if isinstance(it, list) else dict(it)
    it[place[0]] = replaced(it[place[0]], place[1:], value)
    return it


def some(it: Any) -> Iterator[tuple[Any, ...]]:
    """Give places of a checkpoint: all but most of the tensors, of which there are many alike."""
    seen: dict[Any, int] = {}
    for place in places(it):
        shape = tuple("tensor" if "." in str(key) else "number" if isinstance(key, int) else key for key in place)
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] == 1:
            yield place


def test_a_checkpoint_with_a_wrong_value_is_read_or_refused_in_words(whole: Path) -> None:
    kept = torch.load(whole / "checkpoint.pt", weights_only=True)
    refused = 0
    for number, place in enumerate(some(kept)):
        for value in [*EVIL, *TENSORS, {1: 2}, ENDLESS][number % 3 :: 3] if place else EVIL:
            words = why(checked, replaced(kept, place, value), whole)
            refused += bool(words)
            assert len(words) < MOST
    assert refused > 500


@pytest.mark.parametrize("key", ["options", "settings", "curve"])
def test_what_is_there_many_times_is_not_counted_to_the_end(whole: Path, key: str) -> None:
    kept = torch.load(whole / "checkpoint.pt", weights_only=True)
    with pytest.raises(ValueError, match="nested too deep, or holds too many lists"):
        checked({**kept, key: twice()}, whole)


def test_the_content_of_a_checkpoint_is_what_was_written(whole: Path) -> None:
    kept = torch.load(whole / "checkpoint.pt", weights_only=True)
    content = checkpoint.load(whole)
    for tensors in ("policy",):
        assert all(torch.equal(content[tensors].pop(name), one) for name, one in kept[tensors].items())
    for place in ("policy", "optimizer", "pool"):
        del kept[place], content[place]
    assert kept == content


def first(weights: dict[str, Any]) -> str:
    return next(iter(weights))


def shorter(weights: dict[str, Any]) -> dict[str, Any]:
    return {**weights, first(weights): weights[first(weights)][:-1]}


def without(weights: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in weights.items() if name != first(weights)}


def moments(change: Any) -> Any:
    """Return what changes the moments of the first parameter."""
    return lambda it: {**it, "state": {**it["state"], 0: change(it["state"][0])}}


UNFIT: dict[str, tuple[str, Any]] = {
    "a shorter layer": ("policy", shorter),
    "a layer is missing": ("policy", without),
    "no layers": ("policy", lambda it: {}),
    "a layer more": ("policy", lambda it: {**it, "other": torch.zeros(1)}),
    "a snapshot is shorter": ("pool", lambda it: {**it, "snapshots": [shorter(it["snapshots"][0])]}),
    "an empty snapshot": ("pool", lambda it: {**it, "snapshots": [{}]}),
    "too many snapshots": ("pool", lambda it: {**it, "snapshots": it["snapshots"] * 9}),
    "a parameter more": ("optimizer", lambda it: {**it, "state": {**it["state"], 99: it["state"][0]}}),
    "a moment is missing": ("optimizer", moments(without)),
    "a moment more": ("optimizer", moments(lambda it: {**it, "more": torch.zeros(1)})),
    "a shorter moment": ("optimizer", moments(lambda it: {**it, "exp_avg": it["exp_avg"][:-1]})),
    "a negative square": ("optimizer", moments(lambda it: {**it, "exp_avg_sq": it["exp_avg_sq"] - 1})),
    "steps before the first": ("optimizer", moments(lambda it: {**it, "step": torch.tensor(-1.0)})),
    "another net": ("settings", lambda it: {**it, "net": {**it["net"], "trunk": [8]}}),
    "a net without layers": ("settings", lambda it: {**it, "net": {**it["net"], "trunk": [], "heads": []}}),
    "another preset": ("settings", lambda it: {**it, "preset": 3}),
    "too many tables": ("settings", lambda it: {**it, "num_tables": 2**31}),
    "an unknown opponent": ("settings", lambda it: {**it, "opponents": {"nobody": 1.0}}),
    "an unknown teacher": ("settings", lambda it: {**it, "imitation": {"teacher": "nobody", "decisions": 1}}),
    "a game that is not here": ("game", lambda it: "chess_v0"),
    "no game": ("game", lambda it: "\n"),
}


@pytest.mark.parametrize("how", UNFIT)
def test_what_does_not_fit_is_refused_by_who_goes_on_with_it(how: str, copied: Path) -> None:
    key, change = UNFIT[how]
    path = copied / "checkpoint.pt"
    kept = torch.load(path, weights_only=True)
    torch.save({**kept, key: change(kept[key])}, path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"(?s)^.{10,1000}$"):
        train("mnk", out=copied, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("policy", "action_net.weight"), "its layers have other sizes"),
        (("policy", "pi_features_extractor.layers.0.bias"), "its layers have other sizes"),
        (("settings", "net", "trunk"), "its layers have other sizes"),
        (("settings", "net", "heads"), "heads"),
        (("game",), "not here"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_not_condensed(place: tuple[str, ...], words: str, copied: Path) -> None:
    path = copied / "checkpoint.pt"
    kept = torch.load(path, weights_only=True)
    value = {"policy": torch.zeros(3), "settings": [8, 8] if "heads" in place else [8], "game": "chess_v0"}[place[0]]
    torch.save(replaced(kept, place, value), path)
    with pytest.raises(ValueError, match=words):
        condense(copied, copied / "small.npz")
    assert not (copied / "small.npz").exists()


def test_only_the_moments_of_the_optimizer_come_from_a_checkpoint(copied: Path) -> None:
    path = copied / "checkpoint.pt"
    kept = torch.load(path, weights_only=True)
    kept["optimizer"]["param_groups"] = [{"betas": "x", "eps": None, "lr": [], "params": "all"}]
    torch.save(kept, path)
    assert train("mnk", out=copied, resume=True, timesteps=600)["timesteps"] == 640


class Harm:
    def __reduce__(self) -> Any:
        return os.abort, ()


def packed(path: Path) -> None:
    """Write an archive of some kilobytes that unpacks to many megabytes."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("checkpoint/data/0", "w", force_zip64=True) as file,
    ):
        for _ in range(64):
            file.write(bytes(1 << 20))


def other(path: Path, size: int) -> None:
    """Say of a tensor in a checkpoint that it has so many numbers."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name in parts if name.endswith("data.pkl"))
    assert b"K\x10tq" in parts[name]
    parts[name] = parts[name].replace(b"K\x10tq", b"J" + size.to_bytes(4, "little") + b"tq")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


HARM: dict[str, Any] = {
    "nothing": lambda path: path.write_bytes(b""),
    "a text": lambda path: path.write_text("PK nonsense"),
    "code": lambda path: torch.save({"format": Harm()}, path),
    "a list": lambda path: torch.save([1], path),
    "the old form": lambda path: torch.save({"format": 7}, path, _use_new_zipfile_serialization=False),
    "much in little": packed,
    "more numbers than there are": lambda path: other(path, 10**6),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "endless zeros": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of other kinds")
@pytest.mark.parametrize("how", HARM)
def test_a_file_that_is_no_checkpoint_is_refused(how: str, copied: Path) -> None:
    path = copied / "checkpoint.pt"
    HARM[how](path)
    for command in (["train", "mnk", "--out"], ["imitate", "mnk", "--teacher", "easy", "--out"]):
        told = run(*command, str(copied), "--resume", code=2).stderr
        assert told.startswith("error: ")
        assert str(copied) in told
        assert told.count("\n") == 1
        assert len(told) < MOST
        assert "weights_only" not in told  # torch's advice to run what is in the file
    told = run("publish", str(copied), "mine", "--out", str(copied / "out"), "--condensed", code=2).stderr
    assert told.count("\n") == 1


def test_bytes_that_are_wrong_crash_nothing(copied: Path) -> None:
    path, rng, refused = copied / "checkpoint.pt", random.Random(7), 0
    content = path.read_bytes()
    for number in range(60):
        data = bytearray(content)
        for _ in range(rng.randrange(1, 30)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data if number % 3 else data[: rng.randrange(len(data))])
        words = why(checkpoint.load, copied)
        refused += bool(words)
        assert not words or "checkpoint" in words
        assert len(words) < MOST
    assert refused > 15


def test_a_run_record_with_a_wrong_value_is_published_or_refused_in_words(copied: Path, tmp_path: Path) -> None:
    from kozyr.training.publish import _told, card

    file = copied / "run.json"
    it, refused = json.loads(file.read_text()), 0
    facts = {"game": "mnk_v0", "options": {}, "results": [], "seed": 1}
    for key in ("timesteps", "imitated", "seconds", "settings", "versions", "machine"):
        inner = [place for place in places(it[key]) if len(place) < 3]
        for place in inner:
            for value in EVIL:
                file.write_text(changed(it, (key, *place), value))
                words = why(lambda: card("mine", {**facts, **_told(file)}, 1, ""))
                refused += bool(words)
                assert not words or "run.json is damaged" in words
                assert len(words) < MOST
    assert refused > 300


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not JSON"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON: it is nested too deep"),
        ('{"a": ' * 100 + "1" + "}" * 100, "this is not JSON: it is nested too deep"),
        ("[]", "Input should be"),
        ('{"seconds": NaN}', "NaN is no number"),
        ('{"seconds": 1, "seconds": 2}', "'seconds' is there twice"),
        ("\udcff", "this is not UTF-8"),
        ("1" * 10_000, "this is not JSON"),
    ],
)
def test_a_run_record_that_is_none_is_refused(text: str, words: str, copied: Path) -> None:
    (copied / "run.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=rf"run\.json is damaged: .*{words}"):
        publish(copied, copied / "out", "mine", ["random"], deals=4)
    assert not (copied / "out").exists()


SETTINGS: dict[str, tuple[str, str]] = {
    "deep lists": ("[default]\na = " + "[\n" * 10_000, "not valid TOML: it is nested too deep"),
    "deep keys": ("[default.variant]\n" + ".".join("a" * 1_000) + " = 1", "nested too deep"),
    "very deep keys": ("[default.variant]\n" + ".".join("a" * 100_000) + " = 1", "line 2: it is too long"),
    "endless numbers": (TINY.replace("seed = 3", f"seed = {'9' * 4500}"), "not valid TOML"),
    "large numbers": (TINY.replace("seed = 3", f"seed = {'9' * 1000}"), "seed=9999"),
    "many tables": (TINY.replace("num_tables = 8", "num_tables = 1_000_000_000_000"), "num_tables=1000000000000"),
    "twice": (TINY.replace("seed = 3", "seed = 3\nseed = 4"), "not valid TOML: Cannot overwrite a value .at line"),
    "no text": ("\udcff", "line 1: this is not UTF-8"),
    "too large": ("#\n" * (1 << 20) + TINY, "is too large"),
    "long names": (TINY.replace("[default.net]", f"[default.net]\n{'x' * 1000} = 1"), "unknown key"),
    "lists of tables": ("[[default]]\na = 1", "is not a table of settings"),
}


@pytest.mark.parametrize("how", SETTINGS)
def test_settings_that_are_none_are_refused(how: str, tmp_path: Path) -> None:
    file, (text, words) = tmp_path / "tiny.toml", SETTINGS[how]
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=rf"(?s)tiny\.toml.*{words}") as caught:
        settings.load(envs.game("mnk"), "default", file)
    assert len(str(caught.value)) < 3000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of other kinds")
@pytest.mark.parametrize("how", ["a folder", "endless zeros", "a pipe"])
def test_settings_of_other_kinds_are_refused(how: str, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.touch()
    HARM[how](file)
    for command in ("train", "imitate"):
        told = run(command, "mnk", "--settings", str(file), "--out", str(tmp_path / "run"), code=2).stderr
        assert "tiny.toml" in told
        assert told.count("\n") == 1
    assert not (tmp_path / "run").exists()


def values(text: str) -> Iterator[str]:
    """Give settings with another value for a key."""
    lines = text.partition("[wide")[0].splitlines()
    wrong = [
        "-1",
        "1e400",
        "nan",
        "inf",
        "true",
        '""',
        '"\\u0000"',
        "[]",
        "[[]]",
        "{}",
        "{a = 1}",
        "1979-05-27",
        "9" * 99,
    ]
    for number, line in enumerate(lines):
        key, equals, _ = line.partition(" = ")
        for value in wrong if equals else []:
            yield "\n".join([*lines[:number], f"{key} = {value}", *lines[number + 1 :]])


def test_settings_with_a_wrong_value_are_read_or_refused_in_words(tmp_path: Path) -> None:
    file, refused = tmp_path / "tiny.toml", 0
    for text in values(TINY):
        file.write_text(text)
        words = why(settings.load, envs.game("mnk"), "default", file)
        refused += bool(words)
        assert not words or "tiny.toml" in words
        assert len(words) < MOST
    assert refused > 200
