"""Changes of inputs that keep much of their form: of JSON values, of words and lines, of bytes."""

import json
import random
import re
from collections.abc import Sequence
from typing import Any

JSON, TEXT, HEADED, BYTES = "json", "text", "headed", "bytes"  # HEADED: a line of JSON, then text
_NUMBERS: list[Any] = [
    *(0, -1, 1, 2, 7, 8, 9, 10, 52, 99, 100, 127, 128, 200, 255, 256, 300, 999, 32767, 32768, 65535, 65536),
    *(2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31) - 1, -(2**63) - 1, 10**30),
    *(0.5, 1.5, -0.0, 1e-300, 1e300, float("nan"), float("inf"), float("-inf"), 10**400, 10**5000),
]
_VALUES: list[Any] = [
    None,
    True,
    False,
    "",
    " ",
    "0",
    "1",
    "x",
    "random",
    "nan",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    "\ud800",
]
_WORDS = [
    *("-", "*", "**", "?", "|", ":", ",", "/", ".", "+", "@", "#", "$", "<b>", "%s", "{}", "\\", "\t", "\n", "\r\n"),
    *(
        "\0",
        "\x1b[0m",
        "\u2028",
        "\x0b",
        "\x85",
        "٣",
        "²",
        "½",
        "Ⅷ",
        "İ",
        "ß",
        "é",
        "😀",
        "\ud800",
        "1e9",
        "0x1",
        "1_0",
    ),
    *("player_9", "player_00", "player_-1", "nan", "inf", "null", "true", "None", "os:abort", "out", "pass"),
]
_TOKEN = re.compile(r"\d+|[^\W\d_]+|\s+|_|[^\w\s]")
_MANY = (2, 3, 10, 100, 3000)
LONGEST = 1 << 15  # bytes of what is no BYTES, or each change takes long


def text_of(data: bytes) -> str:
    """Return bytes as a text; what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return a text as bytes, lone surrogates too."""
    return text.encode("utf-8", "surrogatepass")


def mutated(data: bytes, form: str, rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return an input changed in one place or a few; parts of `seeds`, valid inputs, are put in."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        other = rng.choice(seeds) if seeds else data
        if rng.random() < 0.03:
            data = other
        data = _ONE[form](data, rng, other)
        if form != BYTES:
            data = data[:LONGEST]
    return data


def _json(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Change one value of a JSON document, or a line of several."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    try:
        found, parts = json.loads(lines[i]), json.loads(rng.choice(other.split(b"\n")))
    except (ValueError, RecursionError):
        return _text(data, rng, other)
    if rng.random() < 0.1:
        return _text(data, rng, other)
    lines[i] = bytes_of(_dumped(_changed(found, parts, rng), rng))
    return b"\n".join(lines)


def _dumped(value: Any, rng: random.Random) -> str:
    try:
        return json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=rng.choice([None, (",", ":")]))
    except (ValueError, RecursionError):  # a number of more than 4300 digits
        return '{"a":' + "9" * 5000 + "}"


def _changed(value: Any, other: Any, rng: random.Random) -> Any:
    """Return a JSON value with one part of it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key, again = rng.choice(list(value)), dict(value)
        how = rng.random()
        if how < 0.1:
            del again[key]
        elif how < 0.15:
            again[rng.choice(["", "x", "kozyr", key.upper(), key + " "])] = again.pop(key)
        elif isinstance(other, dict) and key in other and how < 0.35:
            again[key] = other[key]
        else:
            inner = other.get(key) if isinstance(other, dict) else other
            again[key] = _changed(value[key], inner, rng)
        return again
    if isinstance(value, list) and value and rng.random() < 0.9:
        again, i = list(value), rng.randrange(len(value))
        how = rng.random()
        if how < 0.15:
            del again[i]
        elif how < 0.3:
            again.insert(i, again[i])
        elif how < 0.35:
            again = again * rng.choice(_MANY) if len(again) < 1000 else again
        elif how < 0.45:
            again[i] = again[rng.randrange(len(again))]
        else:
            again[i] = _changed(value[i], None, rng)
        return again
    return _scalar(value, rng)


def _scalar(value: Any, rng: random.Random) -> Any:
    """Return another value, often of the same type."""
    how = rng.random()
    if isinstance(value, str) and how < 0.5:
        return text_of(_text(bytes_of(value), rng, bytes_of(value)))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and how < 0.5:
        return rng.choice([value + 1, value - 1, -value, float(value) if abs(value) < 2**53 else value, str(value)])
    if how < 0.8:
        return rng.choice(_NUMBERS)
    if how < 0.95:
        return rng.choice(_VALUES)
    for _ in range(rng.choice(_MANY)):  # deep
        value = [value]
        if rng.random() < 0.001:
            break
    return value


def _text(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Change a word, a number or a line of a text."""
    if rng.random() < 0.25:
        return _lines(data, rng, other)
    words, others = _TOKEN.findall(text_of(data)), _TOKEN.findall(text_of(other)) or [""]
    if not words:
        return bytes_of(rng.choice([*_WORDS, *others]))
    i, how = rng.randrange(len(words)), rng.random()
    if words[i].isdigit() and how < 0.5:
        words[i] = _number(words[i], rng)
    elif how < 0.2:
        del words[i]
    elif how < 0.35:
        words.insert(i, words[i])
    elif how < 0.65:
        words[i] = rng.choice(others)
    elif how < 0.75:
        j = rng.randrange(len(words))
        words[i], words[j] = words[j], words[i]
    elif how < 0.8:
        words[i] = words[i] * min(rng.choice(_MANY), LONGEST // len(words[i]) + 1)
    elif how < 0.9:
        words.insert(i, rng.choice(_WORDS))
    else:
        words[i] = words[i].swapcase() if rng.random() < 0.5 else rng.choice(_WORDS)
    return bytes_of("".join(words))


def _number(word: str, rng: random.Random) -> str:
    number = rng.choice(_NUMBERS)
    near = str(int(word) + rng.choice((-1, 1))) if len(word) < 20 and word.isascii() else word
    return rng.choice([near, near, "9" * 5000 if number == 10**5000 else str(number), "0" + word, word + word])


def _lines(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Delete, double, swap or exchange a line, or cut the text off."""
    lines, others = data.split(b"\n"), other.split(b"\n")
    i, how = rng.randrange(len(lines)), rng.random()
    if how < 0.2:
        del lines[i]
    elif how < 0.35:
        lines.insert(i, lines[i])
    elif how < 0.5:
        j = rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    elif how < 0.8:
        lines[i] = others[min(i, len(others) - 1)] if rng.random() < 0.7 else rng.choice(others)
    elif how < 0.9:
        lines.insert(i, rng.choice(others))
    else:
        return data[: rng.randrange(len(data) + 1)]
    return b"\n".join(lines)


def _headed(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Change the text below a line of JSON, seldom the line."""
    head, end, body = data.partition(b"\n")
    other_head, _, other_body = other.partition(b"\n")
    how = rng.random()
    if how < 0.03:
        return _json(head, rng, other_head) + end + body
    if how < 0.06:
        return other_head + b"\n" + body
    return head + b"\n" + _text(body, rng, other_body)


def _bytes(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Change, take out or put in some bytes."""
    it, i, how = bytearray(data), rng.randrange(len(data) + 1), rng.random()
    size = rng.choice((1, 1, 1, 2, 4, 8, 64, 480))
    if how < 0.35:
        it[i : i + size] = rng.randbytes(len(it[i : i + size]))
    elif how < 0.5:
        it[i : i + size] = bytes([rng.choice((0, 1, 2, 127, 128, 255))]) * len(it[i : i + size])
    elif how < 0.6:
        del it[i : i + size]
    elif how < 0.7:
        it[i:i] = rng.randbytes(size)
    elif how < 0.8:
        it[i:i] = it[max(0, i - size) : i]
    elif how < 0.95:
        j = rng.randrange(len(other) + 1)
        it[i : i + size] = other[j : j + size]
    else:
        del it[i:]
    return bytes(it)


_ONE = {JSON: _json, TEXT: _text, HEADED: _headed, BYTES: _bytes}
