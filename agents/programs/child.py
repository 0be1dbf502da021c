"""Child process: a program beside us, lines to it and from it with deadlines, and its standard error."""

import contextlib
import os
import queue
import re
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from kozyr.agents.arena.matches.processes import ProcessEnded
from kozyr.agents.programs import confinement, family
from kozyr.envs.core.quote import quote

LONGEST = 1 << 20  # bytes of a line
_CHUNK = 1 << 16  # bytes that are read at once
_MOST_WAITING = 4 << 20  # bytes that wait to be read; then the program waits
_ERRORS = 50  # last lines of its standard error that are kept
_LOOK = 0.25  # seconds after which we look whether it still runs
_TAIL = 5  # of which a message shows these
_GONE, _TOO_LONG = b"", b"\0"  # in place of a line


class Lines(queue.Queue[bytes]):
    """Lines that wait to be read: `maxsize` bounds their bytes, and not their number."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self._bytes = 0

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: bytes) -> None:
        super()._put(item)
        self._bytes += len(item) + 1  # an empty one counts, too

    def _get(self) -> bytes:
        item = super()._get()
        self._bytes -= len(item) + 1
        return item


class EngineError(RuntimeError):
    """A program has died, does not answer, or breaks its protocol."""


class Died(EngineError, ProcessEnded):  # noqa: N818 - what has happened
    """A program has ended, or closed its output."""


def words_of(command: str) -> list[str]:
    """Return the words of a command, the first of which is a program that is there.

    Raises:
        ValueError: if it is not, or the quotes are wrong.
    """
    try:
        words = split(command)
    except ValueError as error:
        raise ValueError(f"the command {quote(command)} cannot be read: {error}") from None
    if not words:
        raise ValueError("the command is empty: write the program after the colon, as process:./mybot")
    if shutil.which(words[0]) is None:
        raise ValueError(f"there is no program {quote(words[0])}: give its path, as ./mybot, and let it be executable")
    return words


def split(command: str, windows: bool = os.name == "nt") -> list[str]:
    r"""Return the words of a command as a shell cuts them; on Windows a backslash is part of a path.

    Example:
        >>> split(r"C:\bots\low.exe --name 'a b'", windows=True)
        ['C:\\bots\\low.exe', '--name', 'a b']
    """
    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    words.escape = "" if windows else words.escape
    return list(words)


def never() -> bool:
    """Return False: no line is late before its deadline."""
    return False


class Child:
    """A program and its pipes; it is started by the first `start` and after it was ended.

    Args:
        words: the program and its arguments.
        at_returns: whether a carriage return alone ends a line, too; then empty lines are left out.

    Attributes:
        starts: how often it was started; errors: the last lines of its standard error.
    """

    def __init__(self, words: Sequence[str], at_returns: bool = False) -> None:
        self.words, self.starts, self._read = list(words), 0, _read_at_returns if at_returns else _read
        self.errors = deque[str](maxlen=_ERRORS)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = Lines(_MOST_WAITING)
        self._end: Any = None
        self._family = dict[int, str]()  # what it has started, as far as it was seen
        self._owner, self._paused = 0, False
        self.overdue: Callable[[], bool] = never  # tells of a line that it comes too late before its deadline
        self.answered_at = 0.0  # time of the last line, by time.monotonic

    @property
    def called(self) -> str:
        """Its name in messages."""
        return confinement.called(self.words)

    @property
    def process(self) -> int:
        """The number of its process, or 0 if it does not run."""
        return self._process.pid if self.running and self._process is not None else 0

    @property
    def running(self) -> bool:
        """Whether it runs, and is ours: after a fork it is the other process's."""
        return self._process is not None and self._owner == os.getpid() and self._process.poll() is None

    def start(self) -> None:
        """Start it anew.

        Raises:
            EngineError: if the system cannot.
        """
        self.kill()
        scratch = confinement.new_scratch(self.words)
        try:
            process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,  # the system ends it when we are gone, even if it rests
                env=confinement.environment(scratch),
            )
        except OSError as error:
            confinement.remove(scratch)
            raise EngineError(f"{self.called} cannot be started: {error.strerror or error}") from None
        self.starts += 1
        self._process, self._owner, self._lines = process, os.getpid(), Lines(_MOST_WAITING)
        assert process.stdin is not None
        if os.name != "nt":  # Windows cannot wait for a pipe that takes nothing; there a write may block
            os.set_blocking(process.stdin.fileno(), False)
        for work, args in ((self._read, (process.stdout, self._lines)), (_keep, (process.stderr, self.errors))):
            threading.Thread(target=work, args=args, daemon=True).start()
        self._family = dict[int, str]()
        self._end = weakref.finalize(self, _kill, process, self._lines, self._family, scratch)

    def send(self, data: bytes, deadline: float) -> None:
        """Write bytes to its standard input.

        Args:
            data: whole lines; deadline: by time.monotonic, until which it must have taken them.

        Raises:
            EngineError: if it has died, or takes nothing.
        """
        self.wake()
        process, rest = self._process, memoryview(data)
        if process is None or process.stdin is None:
            raise EngineError(f"{self.called} does not run")
        while rest:
            try:
                count = os.write(process.stdin.fileno(), rest)
            except BlockingIOError:
                count = 0
            except (OSError, ValueError):
                raise self._dead() from None
            rest = rest[count:]
            if rest:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [process.stdin], [], left)[1]:
                    raise EngineError(f"{self.called} does not read what it is sent{self.tail}")

    def line(self, deadline: float) -> str:
        """Return the next line of its standard output, without its end.

        Raises:
            EngineError: if none comes until the deadline, if it is too long, or the program has died.
        """
        while True:
            left, alive = max(deadline - time.monotonic(), 0.0), self.running
            try:
                line = self._lines.get(timeout=min(left, _LOOK))
                break
            except queue.Empty:
                if not alive:  # something that it has started holds its output
                    raise self._dead() from None
                if left <= _LOOK or self.overdue():
                    raise EngineError(f"{self.called} has not answered in time{self.tail}") from None
        if line == _GONE:
            raise self._dead()
        if line == _TOO_LONG:
            raise EngineError(f"{self.called} has written a line of more than {LONGEST:,} bytes{self.tail}")
        self.answered_at = time.monotonic()
        return line.decode("utf-8", "replace").rstrip("\r\n")

    @property
    def tail(self) -> str:
        """The end of its standard error, to be put behind a message."""
        last = [one for one in self.errors if one.strip()][-_TAIL:]
        return "".join(f"\n  | {one}" for one in last)

    def _dead(self) -> Died:
        """Return the error of a program that has ended."""
        process = self._process
        code = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(0.5)
        time.sleep(0.01)  # for the last words
        ended = "closed its output" if code is None else f"ended with code {code}"
        return Died(f"{self.called} has {ended}{self.tail}")

    def pause(self) -> None:
        """Let it rest until it is sent something, with all that it has started, where the system can do that."""
        if self.running and self._signalled("SIGSTOP"):
            self._paused = True
            self._halt_family()

    def _halt_family(self) -> None:
        """Halt what it has started, and remember that."""
        if self._process is not None:
            family.halt(self._process.pid)
            self._family.update(family.known(self._process.pid))

    def wake(self) -> None:
        """Let it go on."""
        if self._paused:
            self._paused = False
            if self._process is not None and self._signalled("SIGCONT"):
                family.wake(self._process.pid)

    def _signalled(self, name: str) -> bool:
        """Send a signal to its process group, and tell whether that was possible."""
        if self._process is None or not hasattr(os, "killpg") or self._owner != os.getpid():
            return False
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, getattr(signal, name))
            return True
        return False

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        self._paused = False
        end, self._end, self._process = self._end, None, None
        if end is not None and self._owner == os.getpid():
            end()

    def close(self, goodbye: bytes, patience: float = 1.0) -> None:
        """Say goodbye, close its input and give it some time to end by itself."""
        process = self._process
        if process is not None and self.running and process.stdin is not None:
            self._family.update(family.known(process.pid))
            with contextlib.suppress(EngineError):
                self.send(goodbye, time.monotonic() + patience)
            with contextlib.suppress(OSError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)
        self.kill()


def _read(stream: IO[bytes], lines: Lines) -> None:
    """Put the lines of a stream into a queue, and at its end _GONE."""
    buffered = os.fdopen(os.dup(stream.fileno()), "rb")
    with buffered, stream, contextlib.suppress(OSError, ValueError):
        while line := buffered.readline(LONGEST):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                lines.put(_TOO_LONG)
                break
            lines.put(line)
    lines.put(_GONE)


def _read_at_returns(stream: IO[bytes], lines: Lines) -> None:
    """Put what CR, LF or both end into a queue, without empty lines, and at its end _GONE."""
    buffered = os.fdopen(os.dup(stream.fileno()), "rb")
    with buffered, stream, contextlib.suppress(OSError, ValueError):
        for line in lines_of(buffered):
            if len(line) == LONGEST:
                lines.put(_TOO_LONG)
                break
            if line:
                lines.put(line)
    lines.put(_GONE)


def lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield lines without their ends as soon as they are complete; CR, LF and both end one.

    Between CR and LF there is an empty line. Of a line that is too long the first `LONGEST` bytes are kept.
    """
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    rest = b""
    while data := read(_CHUNK):
        *lines, rest = re.split(rb"[\r\n]", rest + data)
        for line in lines:
            yield line[:LONGEST]
        if len(rest) >= LONGEST:
            yield rest[:LONGEST]
            rest = b""
    yield rest


def _keep(stream: IO[bytes], errors: "deque[str]") -> None:
    """Keep the last lines of a stream."""
    with stream, contextlib.suppress(OSError, ValueError), os.fdopen(os.dup(stream.fileno()), "rb") as buffered:
        while line := buffered.readline(LONGEST):
            errors.append(line.decode("utf-8", "replace").rstrip("\r\n")[:500])


def _kill(process: "subprocess.Popen[bytes]", lines: Lines, started: dict[int, str], scratch: Path | None) -> None:
    """End a process, its group and what it has started, remove its scratch folder, and let its reading thread go."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            if process.poll() is None:  # its number is its own until it was waited for
                family.end(process.pid)
            family.end_known(started)
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1.0)
    confinement.remove(scratch)
    with lines.mutex:  # a full queue would hold its thread
        lines.maxsize = 1 << 40
        lines.not_full.notify_all()
