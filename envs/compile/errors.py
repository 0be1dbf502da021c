"""Compile errors in a sentence: the function, the line and the likely reason."""

import dis
import linecache
import re
from collections import deque
from collections.abc import Callable
from difflib import get_close_matches
from operator import itemgetter
from typing import Any, NamedTuple

from numba.core import event, types
from numba.core.event import Listener

from kozyr.envs.compile.cache import classes, game_of
from kozyr.envs.compile.fingerprint import is_choice, is_outside, owner, written

_OURS = __name__.partition(".")[0]
_REMEMBERED = 64  # failures
_LITERAL = re.compile(r"Literal\[\w+\]\(([^()]*)\)")


class CompileError(RuntimeError):
    """Code of a game or of a player does not compile; Numba's own words are below the sentence and in `__cause__`."""


class _Failure(NamedTuple):
    """A function that failed, with the types of its arguments."""

    compiled: Any
    args: Any
    error: BaseException
    within: tuple[Any, ...]  # the functions that were being compiled, itself the last

    def is_ours(self) -> bool:
        """Tell if the function is kozyr's own."""
        return self.compiled.py_func.__module__.partition(".")[0] == _OURS

    def causes(self, other: "_Failure") -> bool:
        """Tell if a later failure of the same game repeats this one."""
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
    return f"{written(match[2].partition('(')[0])} has no field {match[1]!r}"


_Say = Callable[[Any, str], str]
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
