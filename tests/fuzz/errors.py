"""What an error must be: of a documented type, with a sentence that a person can act on."""

import re
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_SHORTEST = 8  # characters of a sentence
_LONGEST = 10_000  # and what was given, as often as three times, escaped
# How Python and NumPy speak where nobody has checked what came from outside.
INTERNALS = re.compile(
    r"invalid literal for|could not convert|not enough values|too many values to unpack|is not in list|not in tuple"
    r"|substring not found|cannot convert float|embedded null|Exceeds the limit|out of bounds for axis|broadcast"
    r"|setting an array element|only length-1|only integer scalar|object is not|unhashable type|has no attribute"
    r"|truth value of an array|not supported between instances|unsupported operand|list index|tuple index"
    r"|zero-size array|cannot reshape|buffer size|unexpected keyword|positional argument"
    r"|start new thread|^math domain|bytes-like object|empty sequence|iterable argument is empty|is not in range"
)
_QUOTING = re.compile(r"(cannot be read|is damaged|is not? \w[^:]*): ")  # the words of somebody else's reader follow


class Wrong(AssertionError):  # noqa: N818 - it says what
    """What is wrong with a value or a state, as the attack itself finds it."""


def require(holds: Any, words: str) -> None:
    """Raise Wrong unless something holds."""
    if not holds:
        raise Wrong(words)


def complaint(error: BaseException, allowed: tuple[type[BaseException], ...], given: int = 0) -> str:
    """Return what is wrong with an error, or "" if it is of an allowed type, exactly, and speaks to a person.

    It may repeat what was given, which was so many bytes long.
    """
    said = str(error)
    if type(error) not in allowed:
        return f"{type(error).__name__} is not documented here: {said[:200]}"
    if len(said) < _SHORTEST or " " not in said:
        return f"{type(error).__name__} says no sentence: {said!r}"
    if len(said) > _LONGEST + 12 * given:
        return f"{type(error).__name__} says {len(said):,} characters: {said[:200]}"
    found = INTERNALS.search(said)
    if found is None or _QUOTING.search(said[: found.start()]):
        return ""
    return f"{type(error).__name__} speaks of the inside, {found[0]!r}: {said[:200]}"


def place(error: BaseException) -> str:
    """Return where in the repository an error came up, as "envs/table/table.py, apply"; one place counts once."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(ROOT)]
    inside = [frame for frame in ours if "/fuzz/" not in Path(frame.filename).as_posix()]
    for frame in reversed(inside or ours):
        return f"{Path(frame.filename).resolve().relative_to(ROOT).as_posix()}, {frame.name}"
    return "elsewhere"
