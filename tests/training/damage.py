"""What tests of damaged files share: files that are none, and how an error is read."""

import os
import zipfile
from pathlib import Path
from typing import Any

import torch

from kozyr.training.run.checkpoint_schema import FORMAT

MOST = 700  # characters of an error


def why(read: Any, *given: Any) -> str:
    """Return the error of what is read, or nothing."""
    try:
        read(*given)
    except ValueError as error:
        return str(error)
    return ""


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
    "the old form": lambda path: torch.save({"format": FORMAT}, path, _use_new_zipfile_serialization=False),
    "much in little": packed,
    "more numbers than there are": lambda path: other(path, 10**6),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "endless zeros": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}
