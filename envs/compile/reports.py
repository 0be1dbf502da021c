"""Reports of the compiler: its progress on stderr, and the likely reason in a sentence when it fails.

Progress is also told while another process compiles; nothing is said about code from the cache.
"""

import dis
import linecache
import re
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from operator import itemgetter
from threading import Event, Thread
from typing import Any, NamedTuple, TextIO

from numba.core import event, types
from numba.core.event import Listener

from kozyr.envs.compile.cache import WAITING, Cache, classes, game_of
from kozyr.envs.compile.declarations import Compilation, CompileError, compiled, is_choice, owner, source_name
from kozyr.envs.compile.fingerprint import is_outside

_COMPILING = "numba:compile"
_PATIENCE = 2.0  # seconds of compiling before anything is said
_TICK = 1.0
_REMEMBERED = 64  # failures
_Say = Callable[[Any, str], str]


class _Watch(Listener):
    """Follows the outermost function that is being compiled, here or elsewhere; Numba compiles one at a time."""

    def __init__(self) -> None:
        self._depth, self._announced = 0, set[str]()
        self._seconds = defaultdict[str, float](float)  # seconds, for each game

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
            self._seconds[self._game] += seconds
            if event.kind == _COMPILING:
                self._note(Compilation(self._game, self._name, seconds))
        self._depth = max(self._depth - 1, 0)

    def _note(self, done: Compilation) -> None:
        """Enter a function of this process into the list, and tell what took long."""
        compiled.append(done)
        if done.game in self._announced and not _terminal() and done.seconds > _PATIENCE:
            _say(f"kozyr: compiled {done.game} ({done.function}) in {done.seconds:.0f} s\n")

    def _show(self) -> None:
        """Show the seconds so far: on a terminal in one line that changes and goes away, elsewhere once."""
        words, before = f"kozyr: compiling {self._game} for this machine, once", self._seconds[self._game]
        visible = False
        while not self._done.wait(_TICK if visible else max(_PATIENCE - before, 0.1)):
            if _terminal():
                _say(f"\r{words} … {before + time.perf_counter() - self._began:.0f} s")
                visible = True
            elif self._game not in self._announced:
                _say(f"{words} …\n")
            self._announced.add(self._game)
            visible = True
        if visible and _terminal():
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


_OURS = __name__.partition(".")[0]
_LITERAL = re.compile(r"Literal\[\w+\]\(([^()]*)\)")


class _Failure(NamedTuple):
    """A function that failed, with the types of its arguments."""

    compiled: Any
    args: Any
    error: BaseException
    within: tuple[Any, ...]  # the functions that were being compiled, itself the last

    def is_ours(self) -> bool:
        """Return True if the function is kozyr's own."""
        return self.compiled.py_func.__module__.partition(".")[0] == _OURS

    def causes(self, other: "_Failure") -> bool:
        """Return True if a later failure of the same game repeats this one."""
        same = owner(classes(self.args)) is owner(classes(other.args))
        return same and _message(str(self.error)) in str(other.error)


class _Failures(Listener):
    """Keeps the failures of the newest compilation, the innermost first, and some of those before it."""

    def __init__(self) -> None:
        self._open = list[Any]()
        self._newest = list[_Failure]()
        self._before = deque[_Failure](maxlen=_REMEMBERED)  # for Numba does not compile again what has failed

    def on_start(self, event: Any) -> None:
        """Enter a function."""
        if not self._open:
            self._before.extend(self._newest)
            self._newest.clear()
        self._open.append(event.data["dispatcher"].py_func)

    def on_end(self, event: Any) -> None:
        """Leave it; one that compiles in the end has not failed, and nothing within it."""
        if not self._open:  # a user's function, whose compiling has loaded this
            return
        compiled, within = event.data["dispatcher"], tuple(self._open)
        error = event._exc_details and event._exc_details[1]
        if not error:
            self._newest[:] = [one for one in self._newest if compiled.py_func not in one.within]
        elif not is_outside(compiled.py_func.__module__):
            self._newest.append(_Failure(compiled, event.data["args"], error, within))
        self._open.pop()

    def take(self) -> _Failure | None:
        """Return the newest failure, in a function of a game or a bot if there is one; only once."""
        newest = list(self._newest)
        self._before.extend(newest)
        self._newest.clear()
        if not newest:
            return None
        before = (one for one in self._before if one.causes(newest[-1]))
        return next((one for one in (*newest, *before) if not one.is_ours()), newest[0])


_failures = _Failures()


def watch_failures() -> None:
    """Follow all compiling from now on."""
    event.register("numba:compile", _failures)


def explained(error: Exception) -> Exception:
    """Return an error that says what is wrong with the code that Numba has just refused, or the same one."""
    failure = _failures.take()
    if failure is None:
        return error
    function, text = failure.compiled.py_func, str(failure.error)
    line, path = _line(failure, text), function.__code__.co_filename
    code = linecache.getline(path, line).strip()
    return CompileError(
        f"{game_of(failure.compiled, failure.args)}: `{function.__name__}` does not compile, {path}, line {line}"
        f"{f' (`{code}`)' if code else ''}: {_reason(failure, text, code)}.\n\nNumba's own words:\n{text}"
    )


def _line(failure: _Failure, text: str) -> int:
    """Return the line of the function that its error is about."""
    function, error = failure.compiled.py_func, failure.error
    file, first = function.__code__.co_filename, function.__code__.co_firstlineno
    if isinstance(error, KeyError):
        lines = [one.positions.lineno for one in dis.get_instructions(function) if one.positions and _asks(one, error)]
        return next((line for line in lines if line), first)
    code, places = function.__code__, list[tuple[int, int]]()
    last = max(line for *_, line in code.co_lines() if line)
    for place in re.finditer(rf"^( *)During: .* at {re.escape(file)} \((\d+)\)$", text, re.MULTILINE):
        if first <= int(place[2]) <= last:
            places.append((len(place[1]), int(place[2])))
    if places:  # the innermost is indented most, or comes first
        return max(places, key=itemgetter(0))[1]
    loc = getattr(error, "loc", None)
    return loc.line if loc is not None and loc.filename == file else first


def _asks(one: dis.Instruction, error: KeyError) -> bool:
    return one.opname in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD") and one.argval == error.args[0]


def _reason(failure: _Failure, text: str, code: str) -> str:
    """Return the likely reason, as the rest of a sentence."""
    if isinstance(failure.error, KeyError):
        return _no_field(failure)
    for pattern, say in _REASONS:
        match = re.search(pattern, text, re.DOTALL)
        if match and (reason := say(match, code)):
            return reason
    return _message(text).rstrip(".") or type(failure.error).__name__


def _message(text: str) -> str:
    """Return the first line of Numba's that says something."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("Failed in")), "")


def _no_field(failure: _Failure) -> str:
    """Say that a record has no such field."""
    name = str(failure.error.args[0])
    records = [one for one in failure.args if isinstance(one, types.Record)]
    fields = [field for record in records for field in record.fields]
    close = get_close_matches(name, fields, 1)
    return (
        f"the state has no field {name!r} (did you mean {close[0]!r}?)"
        if close
        else (f"the state has no field {name!r}, its fields are {', '.join(fields)}")
    )


def _plain(types: str) -> str:
    """Return types of Numba's as a reader writes them."""
    return re.sub(r"\s+", " ", _LITERAL.sub(r"\1", types)).strip()


def _allocates(match: Any, code: str) -> str:
    text = match.string
    if re.search(r"""\bf["']|\bstr\(|\brepr\(|\.format\(""", code) or "unicode" in text.partition("There are")[0]:
        what = "makes a text"
    elif re.search(r"build_(list|set|map)|dictobject|hash\(", text) or re.search(r"\blist\(|\bdict\(|\bset\(", code):
        what = "makes a list, a set or a dictionary"
    else:
        what = "makes a new array"
    return (
        f"it {what}, and compiled code allocates no memory: write into an array that is handed in, or into "
        "stack_array(size, dtype) of a constant size"
    )


def _global(match: Any, code: str) -> str:
    name, kind = match.groups()
    if kind == "function":
        return f"it calls {name!r}, which is not compiled: write @jit above that function"
    return f"the global {name!r} is a {kind}, which is no constant: use a number, a tuple of numbers or an array"


def _unregistered(match: Any, code: str) -> str:
    name = match[1]
    if not is_choice(name):
        return ""
    return (
        f"nothing is registered as {name!r} for this game, or with other parameters: write "
        f"@implements(dispatch.{name}, Variant) above it, and import its module"
    )


def _fraction(match: Any, code: str) -> str:
    return (
        "a float stands where a whole number must: `/` makes one, and so does a np.uint64 that meets a signed number: "
        "divide with //, and wrap the signed one in np.uint64 or the unsigned one in np.int64"
    )


def _differs(match: Any, code: str) -> str:
    one, other, name = _plain(match[1]), _plain(match[2]), match[3].partition(".")[0]
    what = "a value" if name.startswith("$") else f"{name!r}"
    return f"{what} is {one} on one way through the function and {other} on another: give it one type"


def _unknown(match: Any, code: str) -> str:
    return f"{source_name(match[2].partition('(')[0])} has no field {match[1]!r}"


_REASONS: tuple[tuple[str, _Say], ...] = (
    (r"NRT required but not enabled|Only accept returning of array passed", _allocates),
    (r"Untyped global name '(\w+)':? Cannot determine Numba type of <class '(?:[\w.]*\.)?(\w+)'>", _global),
    (r"name '(\w+)' is not defined", lambda match, code: f"the name {match[1]!r} is not defined in its module"),
    (r"Unknown attribute '(\w+)' of type ([^\n]+)", _unknown),
    (r"Cannot unify (.+?) and (.+?) for '([^']+)'", _differs),
    (r">>> (?:rshift|lshift|and_|or_|xor|invert|irshift|ilshift|iand|ior|ixor)\([^\n]*float", _fraction),
    (r">>> (?:getitem|setitem)\((?:readonly )?\w+\([^\n]*?\), float", _fraction),
    (
        r"Cannot bind 'args=.*?' to signature '(.+?)' due to \"TypeError: (.+?)\"",
        lambda match, code: f"{match[2].rstrip('.')} for a function of {match[1]}",
    ),
    (r"No implementation of function Function\(<function (\w+) at", _unregistered),
    (r"The '(.+?)' construct is not supported", lambda match, code: f"compiled code has no `{match[1]}`"),
    (r">>> (\w+)\(([^\n]*)\)\n", lambda match, code: f"{match[1]} does not take ({_plain(match[2])})"),
)
