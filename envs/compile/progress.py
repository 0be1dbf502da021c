"""Progress of compiling, told on stderr where somebody waits for it, also while another process does it.

Nothing is said about code from the cache.
"""

import sys
import time
from collections import defaultdict
from contextlib import suppress
from threading import Event, Thread
from typing import Any, TextIO

from numba.core import event
from numba.core.event import Listener

from kozyr.envs.compile.cache import WAITING, Cache, game_of
from kozyr.envs.compile.declarations import Compilation, compiled

_COMPILING = "numba:compile"
_PATIENCE = 2.0  # seconds of compiling before anything is said
_TICK = 1.0


class _Watch(Listener):
    """Follows the outermost function that is being compiled, here or elsewhere; Numba compiles one at a time."""

    def __init__(self) -> None:
        self._depth, self._told = 0, set[str]()
        self._spent = defaultdict[str, float](float)  # seconds, for each game

    def on_start(self, event: Any) -> None:
        """Start the clock, and a thread that shows it."""
        function = event.data["dispatcher"]
        self._depth += self._depth > 0 or isinstance(function._cache, Cache)
        if self._depth == 1:
            self._game, self._name = game_of(function, event.data["args"]), function.__name__
            self._began, self._done = time.perf_counter(), Event()
            self._thread = Thread(target=self._show, name="kozyr-compiling", daemon=True)
            self._thread.start()

    def on_end(self, event: Any) -> None:
        """Stop both."""
        if self._depth == 1:
            self._done.set()
            self._thread.join()
            seconds = time.perf_counter() - self._began
            self._spent[self._game] += seconds
            if event.kind == _COMPILING:
                self._note(Compilation(self._game, self._name, seconds))
        self._depth = max(self._depth - 1, 0)

    def _note(self, done: Compilation) -> None:
        """Enter a function of this process into the list, and tell what took long."""
        compiled.append(done)
        if done.game in self._told and not _terminal() and done.seconds > _PATIENCE:
            _say(f"kozyr: compiled {done.game} ({done.function}) in {done.seconds:.0f} s\n")

    def _show(self) -> None:
        """Tell how long it takes: on a terminal in one line that changes and goes away, elsewhere once."""
        words, before = f"kozyr: compiling {self._game} for this machine, once", self._spent[self._game]
        shown = False
        while not self._done.wait(_TICK if shown else max(_PATIENCE - before, 0.1)):
            if _terminal():
                _say(f"\r{words} … {before + time.perf_counter() - self._began:.0f} s")
                shown = True
            elif self._game not in self._told:
                _say(f"{words} …\n")
            self._told.add(self._game)
            shown = True
        if shown and _terminal():
            _say("\r\x1b[K")


def _terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(text: str) -> None:
    stream: TextIO | None = sys.stderr
    with suppress(OSError, ValueError):  # a stream that was closed
        if stream is not None:
            stream.write(text)
            stream.flush()


def watch() -> None:
    """Follow all compiling from now on, and all waiting for another process that compiles."""
    listener = _Watch()
    for kind in (_COMPILING, WAITING):
        event.register(kind, listener)
