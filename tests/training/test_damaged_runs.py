"""Checkpoints that are damaged, or that somebody made to do harm, end in one sentence."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from kozyr.training.export.condense import condense
from kozyr.training.run import checkpoint
from kozyr.training.run.checkpoint_schema import validate
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.records.test_hostile import EVIL, places
from tests.test_cli import run
from tests.training.damage import HARM, MOST, why

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
            words = why(validate, replaced(kept, place, value), whole)
            refused += bool(words)
            assert len(words) < MOST
    assert refused > 500


@pytest.mark.parametrize("key", ["options", "settings", "curve"])
def test_what_is_there_many_times_is_not_counted_to_the_end(whole: Path, key: str) -> None:
    kept = torch.load(whole / "checkpoint.pt", weights_only=True)
    with pytest.raises(ValueError, match="nested too deep, or holds too many lists"):
        validate({**kept, key: twice()}, whole)


def test_the_content_of_a_checkpoint_is_what_was_written(whole: Path) -> None:
    kept = torch.load(whole / "checkpoint.pt", weights_only=True)
    content = checkpoint.load(whole)
    for tensors in ("policy",):
        assert all(torch.equal(content[tensors].pop(name), one) for name, one in kept[tensors].items())
    for place in ("policy", "optimizer", "pool", "games"):
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
        train(RunPlan("mnk", out=copied, resume=True))
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
    assert train(RunPlan("mnk", out=copied, resume=True, timesteps=600))["timesteps"] == 640


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
