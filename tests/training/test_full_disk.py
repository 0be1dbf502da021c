"""A checkpoint that could not be written whole is never the only one."""

from pathlib import Path
from typing import Any

import pytest
import torch

from kozyr import envs
from kozyr.training.run import checkpoint
from tests.records.test_file_output import beside, files_of_at_most

GAME = envs.game("mnk")


def save(folder: Path, content: dict[str, Any]) -> None:
    checkpoint.save(folder, GAME, GAME.make_variant(**content["options"]), content)


def test_on_a_full_disk_the_checkpoint_before_stays(copied: Path) -> None:
    path = copied / checkpoint.NAME
    before, content, names = path.read_bytes(), checkpoint.load(copied), sorted(beside(path))
    for room in (0, 100, len(before) // 2):
        with files_of_at_most(room), pytest.raises((OSError, RuntimeError), match=r"checkpoint\.pt"):
            save(copied, content)
        assert path.read_bytes() == before
        assert sorted(beside(path)) == names


def test_a_checkpoint_that_cannot_be_read_again_replaces_none(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copied / checkpoint.NAME
    before, content, write = path.read_bytes(), checkpoint.load(copied), torch.save

    def damaged(content: Any, part: Path) -> None:
        write(content, part)
        part.write_bytes(part.read_bytes()[:-100])

    monkeypatch.setattr(torch, "save", damaged)
    with pytest.raises(RuntimeError, match="that of before is kept"):
        save(copied, content)
    assert path.read_bytes() == before


def test_the_checkpoint_before_is_kept_and_named(copied: Path) -> None:
    path, other = copied / checkpoint.NAME, copied / checkpoint.PREVIOUS
    before, content = path.read_bytes(), checkpoint.load(copied)
    save(copied, content | {"seconds": 123.0})
    assert other.read_bytes() == before
    assert checkpoint.load(copied)["seconds"] == 123.0
    path.write_bytes(b"lost")
    with pytest.raises(ValueError, match=r"The one before it is .*checkpoint\.previous\.pt"):
        checkpoint.load(copied)
    other.replace(path)
    assert checkpoint.load(copied)["seconds"] == content["seconds"]
