"""Files that anybody may have written: read up to a limit, and refused in a sentence that names file and line.

What a file holds is checked where it is read, against a schema; here is what all kinds have in common.
"""

import json
import os
import stat
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from kozyr.envs.core.quote import quote

_DEEPEST, _MOST = 50, 1_000_000  # levels of lists and dictionaries, and how many of them there are
_NO_FILES = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


def opened(path: str | Path) -> BinaryIO:
    """Open a file to be read.

    Raises:
        ValueError: for a folder, a pipe or a socket, where reading might wait for ever.
        OSError: if there is none, or it may not be read.
    """
    mode = Path(path).stat().st_mode
    for is_one, what in _NO_FILES:
        if is_one(mode):
            raise ValueError(f"{path} is {what}: give a file")
    return Path(path).open("rb")


def content(path: str | Path, most: int) -> bytes:
    """Return the contents of a file.

    Args:
        path: the file; most: bytes that it may have.

    Raises:
        ValueError: if it is larger, or as `opened`.
        OSError: as `opened`.
    """
    with opened(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path} is too large: such a file has up to {most:,} bytes")
    return data


def text(path: str | Path, most: int) -> str:
    """Return the text of a file.

    Raises:
        ValueError: if it is no UTF-8, or as `content`.
        OSError: as `opened`.
    """
    data = content(path, most)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: this is not UTF-8 text: {error.reason}") from None


def lines(path: str | Path, longest: int, skip: int = 0, number: int = 1) -> Iterator[bytes]:
    """Give the lines of a file with their ends, one at a time.

    Args:
        path: the file; longest: bytes that a line may have.
        skip: bytes at the beginning to leave out; number: of the line after them, for errors.

    Raises:
        ValueError: for a line that is longer, or as `opened`.
        OSError: as `opened`.
    """
    with opened(path) as file:
        if skip:
            file.seek(skip)
        while line := file.readline(longest + 1):
            if len(line) > longest:
                raise ValueError(f"{path}, line {number}: it is too long: such a line has up to {longest:,} bytes")
            yield line
            number += 1


_LONGEST_OF_TOML = 5000  # characters of a line: the library takes long for keys of many parts
_DIGITS = "integer string conversion"  # in what Python says of a number of thousands of digits


def parsed(document: str | bytes) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: for what is no JSON, a key that is there twice, a number that is none, and what is nested too deep.
    """
    try:
        value = json.loads(document, object_pairs_hook=_each_once, parse_constant=_no_number)
        require_plain(value)
    except UnicodeDecodeError as error:
        raise ValueError(f"this is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        words = "a number has too many digits" if _DIGITS in str(error) else error
        raise ValueError(f"this is not JSON: {words}") from None
    except RecursionError:
        raise ValueError("this is not JSON: it is nested too deep") from None
    return value


def parsed_toml(document: str) -> dict[str, Any]:
    """Return the tables of a TOML document.

    Raises:
        ValueError: for what is no TOML, a line that is too long, and what is nested too deep.
    """
    for number, line in enumerate(document.splitlines(), 1):
        if len(line) > _LONGEST_OF_TOML:
            raise ValueError(f"line {number}: it is too long: such a line has up to {_LONGEST_OF_TOML:,} characters")
    try:
        tables = tomllib.loads(document)
        require_plain(tables)
    except ValueError as error:  # numbers of thousands of digits are none of the library's own
        raise ValueError(f"this is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError("this is not valid TOML: it is nested too deep") from None
    return tables


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of a document, each of whose keys must be there once."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = set[str]()
        twice = next(key for key, _ in pairs if key in names or names.add(key))
        raise ValueError(f"the key {quote(twice)} is there twice")
    return fields


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def require_plain(document: Any) -> None:
    """Raise ValueError for lists and dictionaries that are nested too deep or too many; one may be there many times."""
    stack, count = list[tuple[Any, int]]([(document, 0)]), 0
    while stack:
        one, deep = stack.pop()
        it: object = one
        inner: Any = one.values() if isinstance(it, dict) else one if isinstance(it, (list, tuple)) else ()
        stack += [(each, deep + 1) for each in inner if isinstance(each, (list, tuple, dict))]
        count += 1
        if deep > _DEEPEST or count > _MOST:
            raise ValueError("it is nested too deep, or holds too many lists")


def cut(words: str, longest: int = 2000) -> str:
    """Return a text without its end where that is very long, for errors that quote a file."""
    return words if len(words) <= longest else f"{words[:longest]}…"


def require_small(file: BinaryIO, most: int, entries: int) -> None:
    """Raise unless a zip archive unpacks to no more than so many bytes, in so many entries; nothing is unpacked.

    Args:
        file: the archive; most: bytes of all entries together; entries: how many.

    Raises:
        ValueError: if it is larger, or a device, which might never end.
        Exception: whatever the library raises for an archive that is damaged.
    """
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise ValueError("it is no file with a size")
    with zipfile.ZipFile(file) as archive:
        size, count = sum(one.file_size for one in archive.infolist()), len(archive.infolist())
    if size > most or count > entries:
        raise ValueError(f"it unpacks to {count:,} entries of {size:,} bytes, more than any such file has")
    file.seek(0)
