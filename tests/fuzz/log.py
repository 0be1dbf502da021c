"""What a child process tells the one that watches it: which input it tries, counts, and what it has found.

The input that is tried lies in a file that outlives a crash: count, size, then the name of what is tried and the input.
"""

import hashlib
import json
import mmap
import struct
import sys
import time
from collections import Counter
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
ROOM = 2 << 20  # bytes
_HEAD = struct.Struct("<QQ")
_EVERY = 1.0  # seconds between two messages


class Log:
    """The child's end.

    Args:
        path: the file for the input that is tried, or None.
        most: how many inputs are tried.
    """

    def __init__(self, path: Path | None = None, most: int = sys.maxsize) -> None:
        self.counts, self.finds, self.most = Counter[str](), 0, most
        self._known, self._told, self._tried = set[tuple[str, str]](), 0.0, 0
        self._room: mmap.mmap | None = None
        if path is not None:
            path.write_bytes(bytes(ROOM))
            with path.open("r+b") as file:
                self._room = mmap.mmap(file.fileno(), ROOM)

    def now(self, name: str, data: bytes) -> None:
        """Note what is tried, before it is."""
        self._tried += 1
        if self._room is not None:
            told = (name.encode() + b"\n" + data)[: ROOM - _HEAD.size]
            self._room[: _HEAD.size + len(told)] = _HEAD.pack(self._tried, len(told)) + told

    @property
    def full(self) -> bool:
        """Whether all inputs have been tried."""
        return self._tried >= self.most

    def count(self, name: str, number: int = 1) -> None:
        """Count something, and tell all counts now and then."""
        self.counts[name] += number
        if time.monotonic() - self._told > _EVERY:
            self.tell()

    def tell(self) -> None:
        """Tell the counts."""
        self._told = time.monotonic()
        self._say({"counts": dict(self.counts)})

    def found(self, name: str, data: bytes, key: str, said: str, keep: Path = CORPUS) -> None:
        """Tell of a find, once for each key, and keep the input that shows it."""
        self.finds += 1
        if (name, key) in self._known:
            return
        self._known.add((name, key))
        self._say({"found": {"name": name, "key": key, "said": said, "path": str(kept(name, data, keep))}})

    def _say(self, message: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def kept(name: str, data: bytes, folder: Path = CORPUS) -> Path:
    """Write an input into the corpus and return its path."""
    path = folder / name / hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def last(path: Path) -> tuple[int, str, bytes]:
    """Return what a child tried last: how many inputs there were, the name of what was tried, and the input."""
    content = path.read_bytes() if path.exists() else b""
    if len(content) < _HEAD.size:
        return 0, "", b""
    number, size = _HEAD.unpack_from(content)
    name, _, data = content[_HEAD.size : _HEAD.size + size].partition(b"\n")
    return number, name.decode(errors="replace"), data
