"""Settings and records of runs that are damaged, or that somebody made to do harm, end in one sentence."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kozyr import envs
from kozyr.training.export.publish import publish
from kozyr.training.settings import run_settings
from tests.records.test_hostile import EVIL, changed, places
from tests.test_cli import run
from tests.training.damage import HARM, MOST, why
from tests.training.tiny import TINY


def test_a_run_record_with_a_wrong_value_is_published_or_refused_in_words(copied: Path, tmp_path: Path) -> None:
    from kozyr.training.export.publish import _record_facts, card

    file = copied / "run.json"
    it, refused = json.loads(file.read_text()), 0
    facts = {"game": "mnk_v0", "options": {}, "results": [], "seed": 1}
    for key in ("timesteps", "imitated", "seconds", "settings", "versions", "machine"):
        inner = [place for place in places(it[key]) if len(place) < 3]
        for place in inner:
            for value in EVIL:
                file.write_text(changed(it, (key, *place), value))
                words = why(lambda: card("mine", {**facts, **_record_facts(file)}, 1, ""))
                refused += bool(words)
                assert not words or "run.json is damaged" in words
                assert len(words) < MOST
    assert refused > 300


def test_a_card_tells_the_file_that_a_run_went_on_from_without_its_folder(copied: Path) -> None:
    from kozyr.training.export.publish import _record_facts, card

    file = copied / "run.json"
    it = json.loads(file.read_text())
    it["settings"]["imitation"] = {"teacher": str(copied / "before.onnx"), "critic_only": True}
    file.write_text(json.dumps(it))
    text = card("mine", {"game": "mnk_v0", "options": {}, "results": [], "seed": 1, **_record_facts(file)}, 1, "")
    assert '"teacher": "before.onnx"' in text
    assert "it went on from another policy (`--start`)" in text
    assert str(copied) not in text


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
        run_settings.load(envs.game("mnk"), "default", file)
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
        words = why(run_settings.load, envs.game("mnk"), "default", file)
        refused += bool(words)
        assert not words or "tiny.toml" in words
        assert len(words) < MOST
    assert refused > 200
