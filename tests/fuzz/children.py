"""Child processes: each attacks one part, is watched for silence, and its crash is kept as a find."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz import log as logs

SILENCE = 600.0  # seconds with one input, the compiler's included, after which a child hangs
MEMORY = 12 << 30  # bytes of addresses that a child may have
_LINES = 30  # of its standard error that are shown
_UNWATCHED = ("views",)  # they watch for themselves


@dataclass(frozen=True)
class Slice:
    """What one child does."""

    section: str
    part: str
    seconds: float
    seed: int
    most: int = sys.maxsize  # inputs


@dataclass
class Child:
    """A child process while it runs.

    Attributes:
        it: what it does; folder: for its files; command: what runs it.
        corpus: where the input is kept that it dies of; silence: seconds with one input, after which it hangs.
        counts: as it has told them; finds: what it has told of; died: of what it has died, or "".
    """

    it: Slice
    folder: Path
    command: tuple[str, ...] = (sys.executable, "-X", "faulthandler", "-m", "tests.fuzz", "--child")
    corpus: Path = logs.CORPUS
    silence: float = SILENCE
    counts: Counter[str] = field(default_factory=Counter[str])
    finds: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    died: str = ""

    def __post_init__(self) -> None:
        mark = f"{self.it.section}-{self.it.part}-{self.it.seed}"
        self._now, self._errors = self.folder / f"{mark}.now", self.folder / f"{mark}.log"
        it = self.it
        given = [it.section, it.part, str(time.time() + it.seconds), str(it.seed), str(it.most), str(self._now)]
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*self.command, *given],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PYTHONHASHSEED": str(it.seed % 2**32)},  # sets have the same order each time
                start_new_session=True,  # an interrupt is the parent's
            )
        self.began = self._heard = time.monotonic()
        self._tried = -1
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Take the child's messages; other lines are no concern of ours."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message: Any = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self.counts = Counter(message.get("counts", self.counts))
                self.finds += [message["found"]] if "found" in message else []

    def over(self) -> bool:
        """Tell whether the child has ended; one that hangs is ended."""
        if self._process.poll() is not None:
            return self._ended()
        if self.it.section in _UNWATCHED:
            return False
        tried, now = logs.last(self._now)[0], time.monotonic()
        if tried != self._tried:
            self._tried, self._heard = tried, now
        if now - self._heard > self.silence:
            self.died = f"no end of one input in {now - self._heard:.0f} s"
            self.stop(signal.SIGABRT)  # it says where it is
            return self._ended()
        return False

    def _ended(self) -> bool:
        """Take what is left, and keep the input that a child has died of."""
        self._reader.join(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        code = self._process.returncode
        if code and not self.died:
            self.died = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        if self.died:
            _, name, data = logs.last(self._now)
            path = str(logs.kept(name, data, self.corpus)) if name else str(self._errors)
            said = f"{self.died}\n{self._tail()}"
            self.finds.append({"name": name or self.it.part, "key": self.died, "said": said, "path": path})
        return True

    def _tail(self) -> str:
        lines = self._errors.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-_LINES:])

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End the process, and what it has started."""
        for number in (how, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if self._process.poll() is not None:
                return
            try:
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, number)
                else:
                    self._process.kill()
                self._process.wait(10)
            except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                continue


def limit_memory() -> None:
    """Let this process have no more than MEMORY, where the system can: what asks for more gets a MemoryError."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    allowed = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, most))
